//! The directory in which the files of a table are kept.

use std::{
    fs::{self, File},
    io::{ErrorKind, Read, Seek, SeekFrom},
    ops::Range,
    path::{Path, PathBuf},
};

use super::{block, manifest};
use crate::StoreError;

/// A directory of the local disk, whose files are written as a whole, and read as a whole or in
/// parts.
#[derive(Clone, Debug)]
pub struct Directory {
    path: PathBuf,
}

impl Directory {
    /// The directory at a path. The first writer creates it.
    pub fn new(path: impl Into<PathBuf>) -> Directory {
        Directory { path: path.into() }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Its name in errors.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Writes or replaces a file. A reader sees either the old or the new bytes, never a mixture.
    /// When this function returns, the new bytes survive a power cut.
    pub(super) fn put(&self, file: &str, bytes: &[u8]) -> Result<(), StoreError> {
        Ok(sinks::write(&self.file(file), bytes)?)
    }

    /// The bytes of a file, or `None` if it does not exist.
    pub(super) fn get(&self, file: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let path = self.file(file);
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(unavailable(&path, &error)),
        }
    }

    /// A range of bytes of a file. If the file ends earlier, it is damaged.
    pub(super) fn get_part(&self, file: &str, bytes: Range<u64>) -> Result<Vec<u8>, StoreError> {
        let path = self.file(file);
        let mut part = Vec::new();
        let length = bytes.end - bytes.start;
        let read = File::open(&path).and_then(|mut file| {
            file.seek(SeekFrom::Start(bytes.start))?;
            file.take(length).read_to_end(&mut part)
        });
        read.map_err(|error| match error.kind() {
            ErrorKind::NotFound => corrupt(&path.display().to_string(), "the file is missing"),
            _ => unavailable(&path, &error),
        })?;
        if (part.len() as u64) < length {
            let cause = format!("it ends after {} bytes", bytes.start + part.len() as u64);
            return Err(corrupt(&path.display().to_string(), &cause));
        }
        Ok(part)
    }

    /// Keeps other writers out until the returned value is dropped or the process ends.
    pub fn lock(&self) -> Result<sinks::Directory, StoreError> {
        let is_part = |name: &str| name == manifest::FILE || block::is_file(name);
        Ok(sinks::Directory::open(&self.path, is_part)?)
    }
}

fn unavailable(path: &Path, error: &std::io::Error) -> StoreError {
    StoreError::Unavailable { place: path.display().to_string(), cause: error.to_string() }
}

pub(super) fn corrupt(place: &str, cause: &str) -> StoreError {
    StoreError::Corrupt { place: place.to_owned(), cause: cause.to_owned() }
}
