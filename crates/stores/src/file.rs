//! A store of Parquet parts in a directory, with one writer at a time.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use bytes::Bytes;
use sinks::{Directory, SinkError};
use solver::{Access, Store, StoreError};

use crate::parts::{self, Bucket};

pub(crate) fn open(path: &Path, access: &Access) -> Result<Box<dyn Store>, StoreError> {
    parts::open(Box::new(Parts::new(path, access)?), access)
}

struct Parts {
    path: PathBuf,
    place: String,
    /// Only the writer has it.
    directory: Option<Directory>,
}

impl Parts {
    fn new(path: &Path, access: &Access) -> Result<Parts, StoreError> {
        let place = format!("file:{}", path.display());
        let mut opened = Parts { path: path.to_owned(), place, directory: None };
        if *access != Access::Read {
            let directory = Directory::open(path, parts::is_blob);
            opened.directory = Some(directory.map_err(|error| opened.refusal("", error))?);
        }
        Ok(opened)
    }

    fn directory(&self) -> &Directory {
        self.directory.as_ref().expect("only a writer writes")
    }

    fn refusal(&self, name: &str, error: SinkError) -> StoreError {
        match error {
            SinkError::Busy { .. } => StoreError::Busy(self.place.clone()),
            SinkError::Failed { cause, .. } => self.fault(name, &cause),
            SinkError::Directory { .. } => error.into(),
        }
    }

    fn fault(&self, name: &str, error: &io::Error) -> StoreError {
        let separator = if name.is_empty() { "" } else { "/" };
        let place = format!("{}{separator}{name}", self.place);
        StoreError::Unavailable { place, cause: error.to_string() }
    }
}

impl Bucket for Parts {
    fn place(&self) -> &str {
        &self.place
    }

    fn writer(&self, last: u64) -> u64 {
        // Parts of a writer that never replaced the manifest are removed before its number is used
        // again.
        last + 1
    }

    fn read(&mut self, name: &str) -> Result<Option<Bytes>, StoreError> {
        match fs::read(self.path.join(name)) {
            Ok(bytes) => Ok(Some(bytes.into())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.fault(name, &error)),
        }
    }

    fn write(&mut self, name: &str, bytes: Bytes) -> Result<(), StoreError> {
        self.directory().write(name, &bytes).map_err(|error| self.refusal(name, error))
    }

    fn swap(&mut self, name: &str, bytes: Bytes) -> Result<(), StoreError> {
        self.write(name, bytes)
    }

    fn list(&mut self) -> Result<Vec<String>, StoreError> {
        let fault = |error| self.fault("", &error);
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.path).map_err(fault)? {
            // A name that is not text is not one of ours.
            names.extend(entry.map_err(fault)?.file_name().into_string().ok());
        }
        Ok(names)
    }

    fn remove(&mut self, name: &str) -> Result<(), StoreError> {
        self.directory().remove(name).map_err(|error| self.refusal(name, error))
    }
}
