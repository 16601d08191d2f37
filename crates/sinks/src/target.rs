//! What a path leads to.

use std::{
    fs::{self, Metadata},
    io,
    path::{Path, PathBuf},
};

use crate::sync;

/// What is to be written.
pub(crate) enum Target {
    /// A file at a path without symbolic links at its end, and what it replaces.
    File {
        path: PathBuf,
        replaced: Option<Metadata>,
    },
    /// A device, a pipe, or a file that has no name of its own: it cannot be renamed.
    InPlace,
    Directory,
}

/// As many symbolic links as Linux follows.
const LINKS: usize = 40;

pub(crate) fn resolve(path: &Path) -> io::Result<Target> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        // Links of the process directory, such as /dev/stdout, lead to open files, not to names.
        if path.starts_with("/proc") {
            return Ok(Target::InPlace);
        }
        match fs::read_link(&path) {
            Ok(link) => path = sync::parent(&path).join(link),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Target::File { path, replaced: None });
            }
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => return at_end(path),
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// What is at a path that is no symbolic link.
fn at_end(path: PathBuf) -> io::Result<Target> {
    let found = path.metadata()?;
    Ok(match () {
        () if found.is_dir() => Target::Directory,
        () if found.is_file() => Target::File { path, replaced: Some(found) },
        () => Target::InPlace,
    })
}
