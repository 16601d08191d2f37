//! A store of Parquet parts in a directory, with one writer at a time.

use std::{
    fs::{self, File},
    io,
    os::unix::fs::FileExt,
    path::{Path, PathBuf},
    thread::sleep,
    time::{Duration, Instant},
};

use bytes::Bytes;
use sinks::{Directory, SinkError};
use solver::{Access, Store, StoreError, tasks::Span};

use crate::parts::{self, Bucket, truncated};

/// How long another writer of the same file is waited for, and how long between two looks.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(20);

pub(crate) fn open(path: &Path, access: &Access) -> Result<Box<dyn Store>, StoreError> {
    parts::open(bucket(path, access)?, access)
}

/// The directory, locked unless it is only read. Tasks write to it without a lock of their own.
pub(crate) fn bucket(path: &Path, access: &Access) -> Result<Box<dyn Bucket>, StoreError> {
    Ok(Box::new(Parts::new(path, access)?))
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

    /// Writes a file of a task. The same task may run somewhere else too, and write the same bytes
    /// just now.
    fn write_shared(&self, name: &str, bytes: &Bytes) -> Result<(), SinkError> {
        let begun = Instant::now();
        loop {
            match sinks::write(&self.path.join(name), bytes) {
                Err(SinkError::Busy { .. }) if begun.elapsed() < PATIENCE => sleep(PAUSE),
                written => return written,
            }
        }
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

    fn read_span(&mut self, name: &str, span: Span) -> Result<Bytes, StoreError> {
        let fault = |error: io::Error| match error.kind() {
            io::ErrorKind::NotFound => truncated(&self.place, name),
            _ => self.fault(name, &error),
        };
        let file = File::open(self.path.join(name)).map_err(fault)?;
        if file.metadata().map_err(fault)?.len() < span.offset.saturating_add(span.bytes) {
            return Err(truncated(&self.place, name));
        }
        let mut bytes = vec![0; span.bytes as usize];
        file.read_exact_at(&mut bytes, span.offset).map_err(fault)?;
        Ok(bytes.into())
    }

    fn write(&mut self, name: &str, bytes: Bytes) -> Result<(), StoreError> {
        let written = match &self.directory {
            Some(directory) => directory.write(name, &bytes),
            None => self.write_shared(name, &bytes),
        };
        written.map_err(|error| self.refusal(name, error))
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
        let directory = self.directory.as_ref().expect("only a writer removes");
        directory.remove(name).map_err(|error| self.refusal(name, error))
    }
}
