//! The manifest of a table: its game and its finished blocks.

use std::{collections::BTreeMap, fmt::Write};

use xxhash_rust::xxh3::xxh3_64;

use super::directory::{Directory, corrupt};
use crate::StoreError;

/// The version of the layout of manifest and blocks. It is raised when either changes.
pub const VERSION: u32 = 2;
/// The oldest version that can be read and continued. Its chunks are larger.
const OLDEST: u32 = 1;

pub(super) const FILE: &str = "manifest";
const FIRST_WORDS: &str = "everyply table ";

/// The game of a table and its finished blocks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Manifest {
    /// The version of the layout. A table keeps the version that it was begun with.
    pub version: u32,
    /// The game with its rules, [`game::Numbered::name`].
    pub game: String,
    /// The finished blocks by the units of their two halves, the larger number first.
    pub blocks: BTreeMap<(u16, u16), Listed>,
}

/// The entry of a block in the manifest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Listed {
    /// The number of its file among the files with the same number of units.
    pub part: u16,
    /// Where it begins in the file.
    pub start: u64,
    /// Its bytes.
    pub bytes: u64,
    /// The bytes of the index at its beginning.
    pub index: u64,
    /// The checksum of its index, which contains the checksums of its chunks.
    pub checksum: u64,
}

impl Manifest {
    /// A table without blocks.
    pub fn new(game: String) -> Manifest {
        Manifest { version: VERSION, game, blocks: BTreeMap::new() }
    }

    /// The number of values in a chunk. The last chunk of a sheet may have fewer.
    ///
    /// Whoever looks up one value reads and decompresses a chunk. Chunks of version 1 compress a
    /// little better, but take 16 times as long.
    pub(super) fn chunk(&self) -> usize {
        if self.version == OLDEST { 1 << 17 } else { 1 << 13 }
    }

    /// The manifest of a place, or `None` if there is no table.
    pub fn read(place: &Directory) -> Result<Option<Manifest>, StoreError> {
        let Some(bytes) = place.get(FILE)? else { return Ok(None) };
        Manifest::from_bytes(&bytes, &format!("{}/{FILE}", place.name())).map(Some)
    }

    /// Writes the manifest to a place.
    pub fn write(&self, place: &Directory) -> Result<(), StoreError> {
        place.put(FILE, self.to_text().as_bytes())
    }

    /// Refuses a table at a place that holds another game.
    pub fn check(&self, wanted: &str, place: &Directory) -> Result<(), StoreError> {
        if self.game == wanted {
            return Ok(());
        }
        let (found, wanted) = (self.game.clone(), wanted.to_owned());
        Err(StoreError::Game { place: place.name(), found, wanted })
    }

    /// The largest number of units up to which the table has every block.
    pub fn units(&self) -> Option<u16> {
        let complete = |units: &u16| {
            (0..=units / 2).all(|less| self.blocks.contains_key(&(units - less, less)))
        };
        (0..).take_while(complete).last()
    }

    /// The bytes of all blocks.
    pub fn bytes(&self) -> u64 {
        self.blocks.values().map(|block| block.bytes).sum()
    }

    /// The text of its file.
    pub fn to_text(&self) -> String {
        let mut text = format!("{FIRST_WORDS}{}\ngame {}\n", self.version, self.game);
        for ((more, less), Listed { part, start, bytes, index, checksum }) in &self.blocks {
            let _ = writeln!(
                text,
                "block {more} {less} {part} {start} {bytes} {index} {checksum:016x}"
            );
        }
        let _ = writeln!(text, "end {:016x}", xxh3_64(text.as_bytes()));
        text
    }

    /// The manifest in the bytes of its file, which errors call `name`.
    pub fn from_bytes(bytes: &[u8], name: &str) -> Result<Manifest, StoreError> {
        let text = std::str::from_utf8(bytes).map_err(|_| corrupt(name, "it is not text"))?;
        let version = text.strip_prefix(FIRST_WORDS).and_then(|rest| rest.lines().next());
        let version = version.and_then(|version| version.parse::<u32>().ok());
        let version = version.ok_or_else(|| corrupt(name, "it is not the manifest of a table"))?;
        if !(OLDEST..=VERSION).contains(&version) {
            let place = name.to_owned();
            return Err(StoreError::Format { place, found: version, wanted: VERSION });
        }
        let end =
            text.rfind("\nend ").ok_or_else(|| corrupt(name, "its last line is missing"))? + 1;
        if text[end..] != format!("end {:016x}\n", xxh3_64(&text.as_bytes()[..end])) {
            return Err(corrupt(name, "its checksum is wrong"));
        }
        let mut lines = text[..end].split_terminator('\n').skip(1);
        let game = lines.next().and_then(|line| line.strip_prefix("game "));
        let game = game.ok_or_else(|| corrupt(name, "it names no game"))?.to_owned();
        let mut manifest = Manifest { version, game, blocks: BTreeMap::new() };
        for line in lines {
            let (halves, block) =
                listed(line).ok_or_else(|| corrupt(name, &format!("'{line}' is not a block")))?;
            manifest.blocks.insert(halves, block);
        }
        // More bytes than a disk can have would overflow where they are added up.
        let total = manifest.blocks.values().try_fold(0, |sum: u64, block| {
            (block.index <= block.bytes).then_some(sum)?.checked_add(block.bytes)
        });
        let ends =
            manifest.blocks.values().all(|block| block.start.checked_add(block.bytes).is_some());
        if total.is_none() || !ends {
            return Err(corrupt(name, "its blocks do not fit into a file"));
        }
        Ok(manifest)
    }
}

fn listed(line: &str) -> Option<((u16, u16), Listed)> {
    let mut words = line.strip_prefix("block ")?.split(' ');
    let halves = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let part = words.next()?.parse().ok()?;
    let start = words.next()?.parse().ok()?;
    let bytes = words.next()?.parse().ok()?;
    let index = words.next()?.parse().ok()?;
    let checksum = u64::from_str_radix(words.next()?, 16).ok()?;
    words.next().is_none().then_some((halves, Listed { part, start, bytes, index, checksum }))
}
