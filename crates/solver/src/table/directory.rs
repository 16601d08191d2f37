//! Where the files of a table are kept.

use std::{
    any::Any,
    fs::{self, File},
    io::{ErrorKind, Read, Seek, SeekFrom},
    ops::Range,
    path::{Path, PathBuf},
};

use super::{block, manifest};
use crate::StoreError;

/// Named files that are written as a whole, and read as a whole or in parts: a directory or a
/// bucket.
pub trait Place: Send + Sync {
    /// Its name in errors.
    fn name(&self) -> String;

    /// Writes or replaces a file. A reader sees either the old or the new bytes, never a mixture.
    /// When this function returns, the new bytes survive a power cut.
    fn put(&self, file: &str, bytes: &[u8]) -> Result<(), StoreError>;

    /// The bytes of a file, or `None` if it does not exist.
    fn get(&self, file: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// A range of bytes of a file. If the file ends earlier, it is damaged.
    fn get_part(&self, file: &str, bytes: Range<u64>) -> Result<Vec<u8>, StoreError>;

    /// Keeps other writers out until the returned value is dropped or the process ends.
    fn lock(&self) -> Result<Box<dyn Any + Send>, StoreError>;
}

impl<P: Place + ?Sized> Place for &P {
    fn name(&self) -> String {
        (**self).name()
    }

    fn put(&self, file: &str, bytes: &[u8]) -> Result<(), StoreError> {
        (**self).put(file, bytes)
    }

    fn get(&self, file: &str) -> Result<Option<Vec<u8>>, StoreError> {
        (**self).get(file)
    }

    fn get_part(&self, file: &str, bytes: Range<u64>) -> Result<Vec<u8>, StoreError> {
        (**self).get_part(file, bytes)
    }

    fn lock(&self) -> Result<Box<dyn Any + Send>, StoreError> {
        (**self).lock()
    }
}

/// A directory of the local disk.
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
}

impl Place for Directory {
    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn put(&self, file: &str, bytes: &[u8]) -> Result<(), StoreError> {
        Ok(sinks::write(&self.file(file), bytes)?)
    }

    fn get(&self, file: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let path = self.file(file);
        match fs::read(&path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(unavailable(&path, &error)),
        }
    }

    fn get_part(&self, file: &str, bytes: Range<u64>) -> Result<Vec<u8>, StoreError> {
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

    fn lock(&self) -> Result<Box<dyn Any + Send>, StoreError> {
        let is_part = |name: &str| name == manifest::FILE || block::is_file(name);
        Ok(Box::new(sinks::Directory::open(&self.path, is_part)?))
    }
}

fn unavailable(path: &Path, error: &std::io::Error) -> StoreError {
    StoreError::Unavailable { place: path.display().to_string(), cause: error.to_string() }
}

pub(super) fn corrupt(place: &str, cause: &str) -> StoreError {
    StoreError::Corrupt { place: place.to_owned(), cause: cause.to_owned() }
}
