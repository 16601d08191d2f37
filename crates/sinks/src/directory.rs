//! A directory of parts with one writer.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use crate::{
    SinkError, Unfinished,
    claim::{self, Claim},
    sync,
    unfinished::{self, ENDING},
};

/// Not seen by readers that take every file of a directory, except hidden ones, for a part.
const LOCK: &str = ".lock";

/// A directory whose only writer this is, until it is dropped or the process ends.
#[derive(Debug)]
pub struct Directory {
    path: PathBuf,
    _lock: Claim,
}

impl Directory {
    /// Opens a directory for writing, and makes it if it is not there. What a killed writer left
    /// unfinished under a name that `is_part` knows is removed.
    pub fn open(path: &Path, is_part: impl Fn(&str) -> bool) -> Result<Directory, SinkError> {
        let failed = || SinkError::failed(path);
        sync::create_directory(path)?;
        let lock = Claim::new(&path.join(LOCK), 0o666).map_err(failed())?;
        let name = || path.display().to_string();
        let lock = lock.ok_or_else(|| SinkError::Busy { name: name() })?;
        let directory = Directory { path: path.to_owned(), _lock: lock };
        directory.remove_left_overs(is_part).map_err(failed())?;
        Ok(directory)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Begins a part.
    pub fn create(&self, name: &str) -> Result<Unfinished, SinkError> {
        Unfinished::create(&self.path.join(name))
    }

    /// Writes a whole part at once.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<(), SinkError> {
        unfinished::write(&self.path.join(name), bytes)
    }

    /// Removes a part; it may be gone already.
    pub fn remove(&self, name: &str) -> Result<(), SinkError> {
        let path = self.path.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(SinkError::failed(&path)(error))
            }
            _ => Ok(()),
        }
    }

    fn remove_left_overs(&self, is_part: impl Fn(&str) -> bool) -> io::Result<()> {
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            let name = entry.file_name();
            let part = name.to_str().and_then(|name| name.strip_suffix(ENDING)?.strip_suffix('.'));
            if part.is_some_and(&is_part) && entry.file_type()?.is_file() {
                claim::remove_left_over(&entry.path())?;
            }
        }
        Ok(())
    }
}
