//! Room on disks.

use std::path::Path;

/// The free bytes where a file or directory is, if the system says so.
#[cfg(unix)]
pub(crate) fn free(path: &Path) -> Option<u64> {
    let found = rustix::fs::statvfs(path).ok()?;
    found.f_bavail.checked_mul(found.f_frsize)
}

#[cfg(not(unix))]
pub(crate) fn free(_: &Path) -> Option<u64> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_that_is_not_there_has_no_free_bytes() {
        assert_eq!(free(Path::new("/nowhere/at/all")), None);
        let directory = tempfile::tempdir().unwrap();
        assert_eq!(free(directory.path()).is_some(), cfg!(unix));
    }
}
