//! Every target on its corpus and on mutations of it.

use std::{collections::BTreeSet, fs, path::PathBuf};

use fuzz_tables::TARGETS;

fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("corpus")
}

#[test]
fn every_target_has_a_corpus_and_every_corpus_a_target() {
    let files = fs::read_dir(directory()).unwrap().map(|entry| entry.unwrap().path());
    let files: BTreeSet<String> =
        files.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
    let targets: BTreeSet<String> = TARGETS.iter().map(|target| target.name.to_owned()).collect();
    assert_eq!(files, targets);
}

#[test]
fn mutations_of_the_corpus_are_read_or_refused() {
    for target in TARGETS {
        fuzz::test(target, &directory());
    }
}
