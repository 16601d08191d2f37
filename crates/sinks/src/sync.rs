//! Directories that survive a power cut.

use std::{
    fs::{self, File},
    io,
    path::Path,
};

use crate::SinkError;

/// The directory that holds a path.
pub(crate) fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Makes the names in a directory durable.
pub(crate) fn directory(path: &Path) -> io::Result<()> {
    match File::open(path)?.sync_all() {
        // Some network file systems cannot, and need not.
        Err(error)
            if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

/// Makes a directory, and those above it, unless they are there; what it made survives a power cut.
pub fn create_directory(path: &Path) -> Result<(), SinkError> {
    make(path).map_err(SinkError::failed(path))
}

fn make(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    let above = parent(path);
    if above != path {
        make(above)?;
    }
    match fs::create_dir(path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && path.is_dir() => Ok(()),
        made => made.and_then(|()| directory(above)),
    }
}
