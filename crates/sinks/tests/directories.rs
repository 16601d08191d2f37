//! A directory of parts has one writer, and nothing unfinished once that has begun.

use std::fs;

use sinks::{Directory, SinkError};

fn is_part(name: &str) -> bool {
    name.starts_with("part-")
}

#[test]
fn a4_a_second_writer_of_a_directory_is_refused() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("some/parts");
    let first = Directory::open(&path, is_part).unwrap();
    first.write("part-0", b"rows").unwrap();
    let error = Directory::open(&path, is_part).unwrap_err();
    assert!(matches!(error, SinkError::Busy { .. }), "{error:?}");
    drop(first);
    let second = Directory::open(&path, is_part).unwrap();
    second.remove("part-0").unwrap();
    second.remove("part-0").unwrap();
    drop(second);
    assert_eq!(fs::read_dir(&path).unwrap().count(), 0, "the lock is gone, too");
}

#[test]
fn d2_what_a_killed_writer_left_is_removed_and_nothing_else() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    for name in [".lock", "part-1.unfinished", "part-1", "essay.unfinished", "part-2unfinished"] {
        fs::write(at(name), "").unwrap();
    }
    fs::create_dir(at("part-3.unfinished")).unwrap();
    let directory = Directory::open(place.path(), is_part).unwrap();
    assert_eq!(directory.path(), place.path());
    assert!(!at("part-1.unfinished").exists());
    for name in ["part-1", "essay.unfinished", "part-2unfinished", "part-3.unfinished"] {
        assert!(at(name).exists(), "{name}");
    }
}

#[test]
fn a_part_that_is_dropped_is_removed() {
    let place = tempfile::tempdir().unwrap();
    let directory = Directory::open(place.path(), is_part).unwrap();
    drop(directory.create("part-0").unwrap());
    directory.create("part-1").unwrap().complete().unwrap();
    assert!(!place.path().join("part-0.unfinished").exists());
    assert!(place.path().join("part-1").exists());
}
