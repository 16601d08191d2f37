//! Why bytes could not be written.

use std::{io, path::Path};

use thiserror::Error;

/// Why bytes could not be written; every message names the file or directory.
#[derive(Debug, Error)]
pub enum SinkError {
    /// Another writer has begun it and lives.
    #[error("cannot write {name}: another writer is writing it")]
    Busy {
        /// The path as it was given.
        name: String,
    },
    /// The path leads to a directory.
    #[error("cannot write {name}: it is a directory")]
    Directory {
        /// The path as it was given.
        name: String,
    },
    /// The system refused.
    #[error("cannot write {name}: {cause}")]
    Failed {
        /// The path as it was given.
        name: String,
        /// What the system said.
        cause: io::Error,
    },
}

impl SinkError {
    pub(crate) fn failed(path: &Path) -> impl FnOnce(io::Error) -> SinkError {
        let name = path.display().to_string();
        |cause| SinkError::Failed { name, cause }
    }
}

impl From<SinkError> for io::Error {
    fn from(error: SinkError) -> io::Error {
        let kind = match &error {
            SinkError::Busy { .. } => io::ErrorKind::ResourceBusy,
            SinkError::Directory { .. } => io::ErrorKind::IsADirectory,
            SinkError::Failed { cause, .. } => cause.kind(),
        };
        io::Error::new(kind, error)
    }
}
