//! A file is complete under its name or absent, and keeps what it had.

use std::{
    fs::{self, File, Permissions},
    io::Write,
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::Path,
};

use sinks::{SinkError, Unfinished, write};

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_file_has_its_name_when_it_is_complete() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.csv");
    let mut file = Unfinished::create(&path).unwrap();
    file.write_all(b"rows").unwrap();
    assert_eq!(names(directory.path()), ["a.csv.unfinished"]);
    file.complete().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"rows");
    let mut file = Unfinished::create(&path).unwrap();
    file.write_all(b"other rows").unwrap();
    drop(file);
    assert_eq!(fs::read(&path).unwrap(), b"rows", "what failed leaves the old file");
    assert_eq!(names(directory.path()), ["a.csv"], "and nothing else");
}

#[test]
fn a4_a_second_writer_of_a_file_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.csv");
    let mut first = Unfinished::create(&path).unwrap();
    first.write_all(b"first").unwrap();
    let error = Unfinished::create(&path).unwrap_err();
    assert!(matches!(error, SinkError::Busy { .. }), "{error:?}");
    let expected = format!("cannot write {}: another writer is writing it", path.display());
    assert_eq!(error.to_string(), expected);
    first.complete().unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"first");
    write(&path, b"second").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"second");
}

#[test]
fn what_a_killed_writer_left_is_removed_by_the_next() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.csv");
    fs::write(directory.path().join("a.csv.unfinished"), "half a r").unwrap();
    write(&path, b"rows").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"rows");
    assert_eq!(names(directory.path()), ["a.csv"]);
}

#[test]
fn d4_a_symbolic_link_is_kept_and_its_target_written() {
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| directory.path().join(name);
    fs::create_dir(at("data")).unwrap();
    fs::write(at("data/real.csv"), "old").unwrap();
    symlink("data/real.csv", at("link")).unwrap();
    symlink("link", at("link to link")).unwrap();
    symlink("data/new.csv", at("dangling")).unwrap();
    write(&at("link to link"), b"new").unwrap();
    write(&at("dangling"), b"made").unwrap();
    assert_eq!(fs::read_link(at("link")).unwrap(), Path::new("data/real.csv"));
    assert_eq!(fs::read(at("data/real.csv")).unwrap(), b"new");
    assert_eq!(fs::read_link(at("dangling")).unwrap(), Path::new("data/new.csv"));
    assert_eq!(fs::read(at("data/new.csv")).unwrap(), b"made");
    assert_eq!(names(&at("data")), ["new.csv", "real.csv"]);
    symlink("loop", at("loop")).unwrap();
    let error = write(&at("loop"), b"x").unwrap_err();
    assert!(error.to_string().ends_with("too many symbolic links"), "{error}");
}

#[test]
fn d4_a_replaced_file_keeps_its_mode_and_is_never_wider() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("secret.csv");
    for mode in [0o600, 0o640, 0o400, 0o755] {
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        let file = Unfinished::create(&path).unwrap();
        let unfinished = directory.path().join("secret.csv.unfinished");
        assert_eq!(unfinished.metadata().unwrap().mode() & 0o077, 0, "{mode:o}");
        file.complete().unwrap();
        assert_eq!(path.metadata().unwrap().mode() & 0o7777, mode, "{mode:o}");
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn errors_name_the_place() {
    let directory = tempfile::tempdir().unwrap();
    let nowhere = directory.path().join("nowhere/a.svg");
    let error = write(&nowhere, b"x").unwrap_err().to_string();
    assert!(error.starts_with(&format!("cannot write {}: ", nowhere.display())), "{error}");
    let error = write(directory.path(), b"x").unwrap_err();
    assert!(matches!(error, SinkError::Directory { .. }), "{error:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_device_is_written_in_place() {
    let error = write(Path::new("/dev/full"), b"x").unwrap_err().to_string();
    assert!(error.starts_with("cannot write /dev/full: No space left"), "{error}");
    assert!(!Path::new("/dev/full.unfinished").exists());
    write(Path::new("/dev/null"), b"x").unwrap();
    let mut file = Unfinished::create(Path::new("/dev/full")).unwrap();
    let error = file.write_all(&[0; 1 << 20]).unwrap_err().to_string();
    assert!(error.starts_with("cannot write /dev/full: No space left"), "{error}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_open_file_without_a_name_is_written_in_place() {
    let file = tempfile::tempfile().unwrap();
    let number = std::os::fd::AsRawFd::as_raw_fd(&file);
    write(Path::new(&format!("/proc/self/fd/{number}")), b"rows").unwrap();
    assert_eq!(File::metadata(&file).unwrap().len(), 4);
}
