//! A folder of parts does what every store must, and says so when a part is damaged.

use solver::conformance::{self, Lasting};

#[test]
fn a_folder_does_what_every_store_must() {
    let folder = tempfile::tempdir().expect("a folder for the folders");
    let url = |name: &str| format!("file:{}", folder.path().join(name).display());
    conformance::run(Lasting::BeyondItsHandle, &|name, access| stores::open(&url(name), access));
}
