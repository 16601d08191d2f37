//! The text files of the repository.

use std::fs;

use anyhow::Result;

use crate::shell;

/// A text file and its path from the root, with forward slashes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct File {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl File {
    #[cfg(test)]
    pub(crate) fn new(path: &str, text: &str) -> Self {
        File { path: path.to_owned(), text: text.to_owned() }
    }

    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether it is one of these files, or lies in one of these directories, which end with a
    /// slash.
    pub(crate) fn is_among(&self, places: &[&str]) -> bool {
        places.iter().any(|place| match place.ends_with('/') {
            true => self.path.starts_with(place),
            false => self.path == *place,
        })
    }
}

/// Every file that git tracks or would track, and that is text.
pub(crate) fn load() -> Result<Vec<File>> {
    let mut command = shell::command("git");
    command.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let listing = shell::read(&mut command)?;
    let paths = listing.split_terminator('\0').map(str::to_owned);
    // A file that cannot be read was removed and not yet committed, or is no
    // UTF-8 text.
    let read = |path: String| {
        let text = fs::read_to_string(shell::root().join(&path)).ok()?;
        (!text.contains('\0')).then_some(File { path, text })
    };
    Ok(paths.filter_map(read).collect())
}
