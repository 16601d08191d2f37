//! SQLite does what every store must, and says so when its file is damaged.

use solver::conformance::{self, Lasting};

#[test]
fn sqlite_does_what_every_store_must() {
    let directory = tempfile::tempdir().expect("a directory for the files");
    let url = |name: &str| format!("sqlite:{}", directory.path().join(name).display());
    conformance::run(Lasting::BeyondItsHandle, &|name, access| stores::open(&url(name), access));
}
