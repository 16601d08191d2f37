//! Why a source cannot be read, with its name.

use std::io;

use thiserror::Error;

use crate::{Packing, printable};

/// Why a source cannot be opened or read; every message starts with the name
/// of the source.
///
/// [`Read`](io::Read) can only return [`io::Error`], so there it travels inside
/// one: the message is the same, and `error.downcast::<SourceError>()` gives it
/// back.
#[derive(Debug, Error)]
pub enum SourceError {
    /// There is nothing at that path.
    #[error("{}: no such file", printable(name))]
    Missing {
        /// The path as it was given.
        name: String,
    },
    /// The path leads to a directory.
    #[error("{}: is a directory, expected a file", printable(name))]
    Directory {
        /// The path as it was given.
        name: String,
    },
    /// The file is there, but the system will not open it.
    #[error("{}: cannot be opened: {cause}", printable(name))]
    Closed {
        /// The path as it was given.
        name: String,
        /// What the system said.
        #[source]
        cause: io::Error,
    },
    /// The system failed while reading.
    #[error("{}: reading failed after {at} bytes: {cause}", printable(name))]
    Failed {
        /// The source's name.
        name: String,
        /// How many raw bytes had been read.
        at: u64,
        /// What the system said.
        #[source]
        cause: io::Error,
    },
    /// The packed bytes end before the last frame or member does.
    #[error("{}: truncated {packing}: the data ends at byte {at}", printable(name))]
    Truncated {
        /// The source's name.
        name: String,
        /// How the bytes are packed.
        packing: Packing,
        /// How many packed bytes there are.
        at: u64,
    },
    /// The packed bytes do not unpack.
    #[error("{}: corrupt {packing} near byte {at}: {cause}", printable(name))]
    Corrupt {
        /// The source's name.
        name: String,
        /// How the bytes are packed.
        packing: Packing,
        /// How many packed bytes had been taken in.
        at: u64,
        /// What the unpacker said.
        #[source]
        cause: io::Error,
    },
    /// The packed bytes cannot be unpacked in the memory that there is.
    #[error(
        "{}: {packing} near byte {at} needs more memory than is available: {cause}",
        printable(name)
    )]
    TooLarge {
        /// The source's name.
        name: String,
        /// How the bytes are packed.
        packing: Packing,
        /// How many packed bytes had been taken in.
        at: u64,
        /// What the unpacker said.
        #[source]
        cause: io::Error,
    },
    /// One line is longer than the reader of lines allows; the lines after it
    /// can still be read.
    #[error("{}: line {line} is longer than {limit} bytes", printable(name))]
    LineTooLong {
        /// The source's name.
        name: String,
        /// The line's number, counted from 1.
        line: u64,
        /// The longest line allowed.
        limit: usize,
    },
}

impl SourceError {
    /// The name of the source.
    pub fn name(&self) -> &str {
        match self {
            SourceError::Missing { name }
            | SourceError::Directory { name }
            | SourceError::Closed { name, .. }
            | SourceError::Failed { name, .. }
            | SourceError::Truncated { name, .. }
            | SourceError::Corrupt { name, .. }
            | SourceError::TooLarge { name, .. }
            | SourceError::LineTooLong { name, .. } => name,
        }
    }
}

impl From<SourceError> for io::Error {
    fn from(error: SourceError) -> Self {
        let kind = match &error {
            SourceError::Missing { .. } => io::ErrorKind::NotFound,
            SourceError::Directory { .. } => io::ErrorKind::IsADirectory,
            SourceError::Closed { cause, .. } | SourceError::Failed { cause, .. } => cause.kind(),
            SourceError::Truncated { .. } => io::ErrorKind::UnexpectedEof,
            SourceError::TooLarge { .. } => io::ErrorKind::OutOfMemory,
            SourceError::Corrupt { .. } | SourceError::LineTooLong { .. } => {
                io::ErrorKind::InvalidData
            }
        };
        io::Error::new(kind, error)
    }
}
