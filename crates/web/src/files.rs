//! Files that a request may name: those below the root.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

use crate::refusal::Refusal;

/// The one way from a name in a request to a path.
#[derive(Debug)]
pub(crate) struct Files {
    /// Without links.
    root: PathBuf,
}

/// A file or a directory below the root.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The name below the root, with slashes.
    pub(crate) name: String,
    pub(crate) is_directory: bool,
    pub(crate) bytes: u64,
}

/// Entries of a list; a directory may have any number.
const MOST_ENTRIES: usize = 2_000;
/// How deep a list goes.
const DEPTH: usize = 3;

impl Files {
    pub(crate) fn new(root: &Path) -> io::Result<Files> {
        let root = root.canonicalize()?;
        if !root.is_dir() {
            return Err(io::Error::from(io::ErrorKind::NotADirectory));
        }
        Ok(Files { root })
    }

    /// The directory itself, without links.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The path of a file or a directory. What is not there and what lies elsewhere are refused in
    /// the same words, so that a request learns nothing about other places.
    pub(crate) fn find(&self, name: &str) -> Result<PathBuf, Refusal> {
        let missing = || Refusal::missing(format!("there is no file {name:?} below the root"));
        let path = Path::new(name);
        let is_plain = path
            .components()
            .all(|component| matches!(component, Component::Normal(_) | Component::CurDir));
        if name.is_empty() || !is_plain || name.contains('\0') {
            return Err(missing());
        }
        // Links are followed, and may not lead out.
        let found = self.root.join(path).canonicalize().map_err(|_| missing())?;
        if found.starts_with(&self.root) { Ok(found) } else { Err(missing()) }
    }

    /// The name of a path below the root, as requests use it.
    pub(crate) fn name(&self, path: &Path) -> Option<String> {
        let path = path.canonicalize().ok()?;
        let below = path.strip_prefix(&self.root).ok()?;
        let parts: Option<Vec<&str>> =
            below.components().map(|part| part.as_os_str().to_str()).collect();
        Some(parts?.join("/"))
    }

    /// What lies below the root, sorted by name, to a certain depth. Hidden files, and links that
    /// lead out, are left out.
    pub(crate) fn list(&self) -> Vec<Entry> {
        let mut entries = Vec::new();
        self.add(&self.root, "", DEPTH, &mut entries);
        entries
    }

    fn add(&self, directory: &Path, prefix: &str, depth: usize, entries: &mut Vec<Entry>) {
        let Ok(read) = fs::read_dir(directory) else { return };
        let mut names: Vec<String> =
            read.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
        names.retain(|name| !name.starts_with('.'));
        names.sort();
        for name in names {
            if entries.len() >= MOST_ENTRIES {
                return;
            }
            let name = format!("{prefix}{name}");
            let Ok(path) = self.find(&name) else { continue };
            let Ok(about) = path.metadata() else { continue };
            let is_directory = about.is_dir();
            let below = format!("{name}/");
            entries.push(Entry { name, is_directory, bytes: about.len() });
            if is_directory && depth > 1 {
                self.add(&path, &below, depth - 1, entries);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_below_the_root_or_nowhere() {
        let outside = tempfile::tempdir().unwrap();
        let secret = outside.path().join("secret");
        fs::write(&secret, "x").unwrap();
        let inside = tempfile::tempdir().unwrap();
        let root = inside.path().canonicalize().unwrap();
        fs::create_dir(root.join("games")).unwrap();
        fs::write(root.join("games/a.pgn"), "x").unwrap();
        let files = Files::new(&root).unwrap();
        assert_eq!(files.find("games/a.pgn").unwrap(), root.join("games/a.pgn"));
        assert_eq!(files.find("./games").unwrap(), root.join("games"));
        let absolute = secret.to_str().unwrap();
        let mut bad =
            vec!["", "..", "games/../..", "b.pgn", "games/../games/a.pgn", "a\0b", absolute];
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&secret, root.join("out")).unwrap();
            std::os::unix::fs::symlink(root.join("games"), root.join("in")).unwrap();
            bad.push("out");
            assert_eq!(files.find("in/a.pgn").unwrap(), root.join("games/a.pgn"));
        }
        for name in bad {
            let refusal = files.find(name).unwrap_err();
            assert_eq!(refusal.message, format!("there is no file {name:?} below the root"));
        }
        let names: Vec<String> = files.list().into_iter().map(|entry| entry.name).collect();
        assert!(names.contains(&"games/a.pgn".to_owned()) && !names.contains(&"out".to_owned()));
        assert_eq!(files.name(&root.join("games/a.pgn")).as_deref(), Some("games/a.pgn"));
        assert_eq!(files.name(&secret), None);
    }
}
