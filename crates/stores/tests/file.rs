//! A directory of parts does what every store must, and says so when a part is damaged.

mod readers;

use std::fs;

use game::{Key, Rank};
use solver::{
    Access, FORMAT, Found, Header, Stage,
    conformance::{self, Lasting},
};

#[test]
fn a_directory_does_what_every_store_must() {
    let directory = tempfile::tempdir().expect("a directory for the directories");
    let url = |name: &str| format!("file:{}", directory.path().join(name).display());
    let open = |name: &str, access| readers::admitted(&url(name), access);
    conformance::run(Lasting::BeyondItsHandle, &open);
}

#[test]
fn d2_what_a_killed_writer_left_is_removed_at_the_next_opening() {
    let directory = tempfile::tempdir().expect("a directory for the store");
    let url = format!("file:{}", directory.path().display());
    let header = Header { game: "any".to_owned(), key_bits: 8, format: FORMAT };
    let mut store = stores::open(&url, Access::Create(header.clone())).expect("a new store");
    store.add(Rank::default(), &[Found { key: Key(1), depth: 0 }]).expect("a row");
    store.commit(Stage::Exploring(None)).expect("a commit");
    let at = |name: &str| directory.path().join(name);
    assert!(at(".lock").exists(), "it is being written");
    drop(store);
    let left = ["positions-000001-000002.parquet.unfinished", "manifest.unfinished", ".lock"];
    for name in left.iter().chain(&["mine.unfinished"]) {
        fs::write(at(name), "half").expect("a file");
    }
    stores::open(&url, Access::Read).expect("a reader");
    assert!(left.iter().all(|name| at(name).exists()), "a reader writes nothing");
    drop(stores::open(&url, Access::Resume(header)).expect("a writer"));
    assert!(left.iter().all(|name| !at(name).exists()));
    assert!(at("mine.unfinished").exists(), "somebody else's file is kept");
}
