//! Manifests of stores that are directories of parts.

use std::{fs, path::Path};

use solver::every_row;
use stores::Access;
use tempfile::TempDir;

/// The bytes are a manifest, and also one without its last line, which holds a checksum that no
/// chance would find.
pub(crate) fn a_store_is_opened_or_refused(data: &[u8]) {
    thread_local! {
        static DIRECTORY: TempDir = tempfile::tempdir().expect("there is room for a directory");
    }
    let sealed = [data, format!("\ncrc32 {:08x}\n", crc32fast::hash(data)).as_bytes()].concat();
    DIRECTORY.with(|directory| {
        for bytes in [data, &sealed] {
            check(directory.path(), bytes);
        }
    });
}

fn check(directory: &Path, manifest: &[u8]) {
    fs::write(directory.join("manifest"), manifest).expect("a directory of ours");
    let url = format!("file:{}", directory.display());
    let mut store = match stores::open(&url, Access::Read) {
        Ok(store) => store,
        Err(error) => return assert!(error.to_string().contains(&url), "{error}"),
    };
    let _ = store.ranks();
    // No part is there, so a manifest that lists one is damaged.
    let mut rows = 0;
    let _ = every_row(&mut *store, &mut |_| rows += 1);
    assert_eq!(rows, 0);
}
