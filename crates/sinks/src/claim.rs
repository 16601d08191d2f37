//! Files of which at most one process is the owner.
//!
//! A claimed file was made new by its owner, who holds a lock on it. Only whoever holds the lock of
//! the file that has the name may remove or rename it. So a file without a lock is one whose owner
//! was killed, and a claim cannot be taken away from an owner that lives.

use std::{
    collections::BTreeSet,
    fs::{self, File, TryLockError},
    io,
    os::unix::fs::{MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

/// A file made new and locked, which is removed when the claim is dropped.
#[derive(Debug)]
pub(crate) struct Claim {
    file: File,
    path: PathBuf,
    /// The file has its final name, and the name that was claimed may have another owner by now.
    is_renamed: bool,
}

/// Every claim of this process.
static CLAIMS: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

fn claims() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    CLAIMS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes what this process has begun to write and has not completed. It is for a process that
/// ends at once, without dropping anything: nothing can be begun, completed or dropped afterwards.
pub fn abandon() {
    let claims = claims();
    for path in &*claims {
        // There is nobody left to tell.
        let _ = fs::remove_file(path);
    }
    std::mem::forget(claims);
}

/// Every further attempt means that another process took or gave up the name in between.
const ATTEMPTS: usize = 1000;

impl Claim {
    /// Claims a name that no other process has claimed; what a dead one left there is removed.
    /// `None` where the owner lives.
    pub(crate) fn new(path: &Path, mode: u32) -> io::Result<Option<Claim>> {
        let mut options = File::options();
        options.read(true).write(true).create_new(true).mode(mode);
        for _ in 0..ATTEMPTS {
            let mut claims = claims();
            match options.open(path) {
                Ok(file) => {
                    // Somebody who takes it for left over holds the lock for a moment.
                    match file.lock() {
                        Err(error) if error.kind() != io::ErrorKind::Unsupported => {
                            let _ = fs::remove_file(path);
                            return Err(error);
                        }
                        _ => {}
                    }
                    if has_name(&file, path) {
                        claims.insert(path.to_owned());
                        return Ok(Some(Claim { file, path: path.to_owned(), is_renamed: false }));
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    if !remove_left_over(path)? {
                        return Ok(None);
                    }
                }
                Err(error) => return Err(error),
            }
        }
        Err(io::Error::other(format!(
            "{} is busy: other processes keep creating it",
            path.display()
        )))
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Gives the file its final name, and gives up the claim.
    pub(crate) fn rename(mut self, to: &Path) -> io::Result<()> {
        let mut claims = claims();
        fs::rename(&self.path, to)?;
        claims.remove(&self.path);
        self.is_renamed = true;
        Ok(())
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if self.is_renamed {
            return;
        }
        let mut claims = claims();
        if has_name(&self.file, &self.path) {
            claims.remove(&self.path);
            // Whatever went wrong is more important than that this could not be removed.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// Removes a file whose owner is dead; false if the owner lives. It may be gone already.
pub(crate) fn remove_left_over(path: &Path) -> io::Result<bool> {
    let file = match File::options().read(true).write(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(about(path, &error)),
    };
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(false),
        Err(TryLockError::Error(error)) => return Err(about(path, &error)),
    }
    // It may have been completed or removed between opening and locking.
    if has_name(&file, path) {
        fs::remove_file(path).map_err(|error| about(path, &error))?;
    }
    Ok(true)
}

/// Whether a name leads to a file, not over a symbolic link.
fn has_name(file: &File, path: &Path) -> bool {
    let identity = |found: fs::Metadata| (found.dev(), found.ino());
    let (Ok(named), Ok(held)) = (fs::symlink_metadata(path), file.metadata()) else { return false };
    identity(named) == identity(held)
}

/// The error of a file that cannot be replaced.
fn about(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("cannot replace {}: {error}", path.display()))
}
