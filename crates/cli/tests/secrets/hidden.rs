//! The secret, and where it must not be.

use std::{fs, path::Path, process::Output};

pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_everyply");

pub(crate) const SECRET: &str = "hunter2";

/// Fails where the secret can be read in what a command printed or wrote.
pub(crate) fn hides(words: &[String], output: &Output, directory: &Path) {
    for printed in [&output.stdout, &output.stderr] {
        let printed = String::from_utf8_lossy(printed);
        assert!(!printed.contains(SECRET), "{words:?} prints\n{printed}");
    }
    let mut directories = vec![directory.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(&directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                directories.push(path);
                continue;
            }
            let bytes = fs::read(&path).expect("a file");
            let found = bytes.windows(SECRET.len()).any(|bytes| bytes == SECRET.as_bytes());
            assert!(!found, "{words:?} keeps it in {}", path.display());
        }
    }
}
