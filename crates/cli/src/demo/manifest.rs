//! The list of what a demo wrote, so that it replaces and removes nothing else.

use std::{
    collections::BTreeMap,
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use anyhow::Context;

use crate::exit::bad_input;

/// Its own name.
pub(super) const FILE: &str = "demo.manifest";
const FIRST_LINE: &str = "everyply demo 1";
const BEGUN: &str = "begun";

pub(super) struct Manifest {
    directory: PathBuf,
    /// What each file held when it was complete; nothing while it is being written.
    files: BTreeMap<String, Option<Contents>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Contents {
    bytes: u64,
    crc32: u32,
}

impl Manifest {
    /// The manifest of a directory; an empty one if no demo wrote there.
    pub(super) fn read(directory: &Path) -> anyhow::Result<Manifest> {
        let path = directory.join(FILE);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => format!("{FIRST_LINE}\n"),
            Err(error) => return Err(error).with_context(|| path.display().to_string()),
        };
        let files = parse(&text).ok_or_else(|| {
            bad_input(format_args!("{}: the file is not a manifest of the demo", path.display()))
        })?;
        Ok(Manifest { directory: directory.to_owned(), files })
    }

    /// Every file that it lists.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// Whether a file is not there, or there as a demo wrote it.
    pub(super) fn may_replace(&self, name: &str) -> anyhow::Result<bool> {
        Ok(match (contents(&self.directory.join(name))?, self.files.get(name)) {
            (None, _) | (Some(_), Some(None)) => true,
            (Some(found), Some(Some(written))) => found == *written,
            (Some(_), None) => false,
        })
    }

    /// Lists files that are about to be written.
    pub(super) fn begin(&mut self, names: &[&str]) -> anyhow::Result<()> {
        self.files.extend(names.iter().map(|name| ((*name).to_owned(), None)));
        self.write()
    }

    /// Lists what has been written.
    pub(super) fn end(&mut self, names: &[&str]) -> anyhow::Result<()> {
        for name in names {
            let contents = contents(&self.directory.join(name))?;
            self.files.insert((*name).to_owned(), contents);
        }
        self.write()
    }

    fn write(&self) -> anyhow::Result<()> {
        let mut text = format!("{FIRST_LINE}\n");
        for (name, contents) in &self.files {
            text += &match contents {
                Some(Contents { bytes, crc32 }) => format!("{crc32:08x} {bytes} {name}\n"),
                None => format!("{BEGUN} 0 {name}\n"),
            };
        }
        Ok(sinks::write(&self.directory.join(FILE), text.as_bytes())?)
    }
}

fn parse(text: &str) -> Option<BTreeMap<String, Option<Contents>>> {
    let mut lines = text.lines();
    if lines.next() != Some(FIRST_LINE) {
        return None;
    }
    let entry = |line: &str| {
        let (sum, rest) = line.split_once(' ')?;
        let (bytes, name) = rest.split_once(' ')?;
        let bytes = bytes.parse().ok()?;
        let contents = match sum {
            BEGUN => None,
            sum => Some(Contents { bytes, crc32: u32::from_str_radix(sum, 16).ok()? }),
        };
        // A name of ours leads nowhere else.
        (!name.contains('/') && name != "..").then(|| (name.to_owned(), contents))
    };
    lines.map(entry).collect()
}

fn contents(path: &Path) -> anyhow::Result<Option<Contents>> {
    match fs::read(path) {
        Ok(bytes) => {
            let crc32 = crc32fast::hash(&bytes);
            Ok(Some(Contents { bytes: bytes.len() as u64, crc32 }))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| path.display().to_string()),
    }
}
