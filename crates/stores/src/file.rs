//! Parts in a folder.
//!
//! The writer holds a lock of the operating system on the file `lock`, which ends with its process.
//! Files are written under another name, synced and renamed, and the folder is synced after that.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use solver::{Access, Store, StoreError};

use crate::parts::{self, Bucket};

pub(crate) fn open(folder: &Path, access: &Access) -> Result<Box<dyn Store>, StoreError> {
    parts::open(Box::new(Folder::new(folder, access)?), access)
}

struct Folder {
    path: PathBuf,
    place: String,
    /// Locked while it is open.
    _lock: Option<File>,
    writer: u64,
}

impl Folder {
    fn new(path: &Path, access: &Access) -> Result<Folder, StoreError> {
        let place = format!("file:{}", path.display());
        let mut folder = Folder { path: path.to_owned(), place, _lock: None, writer: 0 };
        if *access != Access::Read {
            fs::create_dir_all(path).map_err(|error| folder.fault("", &error))?;
            let (lock, writer) = folder.lock()?;
            (folder._lock, folder.writer) = (Some(lock), writer);
        }
        Ok(folder)
    }

    /// Locks the folder and takes the number after that of the last writer.
    fn lock(&self) -> Result<(File, u64), StoreError> {
        let fault = |error| self.fault("lock", &error);
        let mut options = File::options();
        options.create(true).truncate(false).read(true).write(true);
        let mut lock = options.open(self.path.join("lock")).map_err(fault)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(StoreError::Busy(self.place.clone())),
            Err(TryLockError::Error(error)) => return Err(fault(error)),
        }
        let mut last = String::new();
        lock.read_to_string(&mut last).map_err(fault)?;
        // A number cut off by a power cut is of no harm: what its writer left is removed.
        let writer = last.trim().parse::<u64>().unwrap_or(0) + 1;
        lock.rewind().and_then(|()| writeln!(lock, "{writer}")).map_err(fault)?;
        Ok((lock, writer))
    }

    fn fault(&self, name: &str, error: &io::Error) -> StoreError {
        let separator = if name.is_empty() { "" } else { "/" };
        let place = format!("{}{separator}{name}", self.place);
        StoreError::Unavailable { place, cause: error.to_string() }
    }

    fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let unfinished = self.path.join(format!("{name}.unfinished"));
        let mut file = File::create(&unfinished)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs::rename(&unfinished, self.path.join(name))?;
        File::open(&self.path)?.sync_all()
    }
}

impl Bucket for Folder {
    fn place(&self) -> &str {
        &self.place
    }

    fn writer(&self) -> u64 {
        self.writer
    }

    fn read(&mut self, name: &str) -> Result<Option<Bytes>, StoreError> {
        match fs::read(self.path.join(name)) {
            Ok(bytes) => Ok(Some(bytes.into())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.fault(name, &error)),
        }
    }

    fn write(&mut self, name: &str, bytes: Bytes) -> Result<(), StoreError> {
        self.put(name, &bytes).map_err(|error| self.fault(name, &error))
    }

    fn swap(&mut self, name: &str, bytes: Bytes) -> Result<(), StoreError> {
        self.write(name, bytes)
    }

    fn list(&mut self) -> Result<Vec<String>, StoreError> {
        let fault = |error| self.fault("", &error);
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path).map_err(fault)? {
            // A name that is no text is none of ours.
            names.extend(entry.map_err(fault)?.file_name().into_string().ok());
        }
        Ok(names)
    }

    fn remove(&mut self, name: &str) -> Result<(), StoreError> {
        match fs::remove_file(self.path.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.fault(name, &error)),
            _ => Ok(()),
        }
    }
}
