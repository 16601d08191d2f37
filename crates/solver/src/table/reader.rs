//! A table opened for reading.

use std::collections::HashMap;

use game::{Cell, Game, Half, Numbered, Score, Sheet, Verdict, judge};
use memmap2::MmapMut;

use super::{
    block::{Index, block_of, cells, decompressor},
    directory::{Directory, corrupt},
    manifest::Manifest,
};
use crate::{
    StoreError,
    line::{Step, line},
    pages::{fetch, zeroed},
};

/// A table of a game. It caches chunks in bounded memory. `N` can be owned or borrowed (`&N`).
pub struct Table<N> {
    pub(crate) numbered: N,
    pub(crate) chunks: Chunks,
}

/// The chunks of a table.
pub(crate) struct Chunks {
    place: Directory,
    manifest: Manifest,
    indices: HashMap<(u16, u16), Index>,
    /// For each sheet, by the units of its sides.
    spans: Vec<Option<Span>>,
    /// The binary logarithm of the number of values in a chunk.
    shift: u32,
    slots: Slots,
    /// The values of all slots, a chunk each.
    values: MmapMut,
    zstd: zstd::bulk::Decompressor<'static>,
}

/// The chunks of a sheet.
#[derive(Clone, Copy)]
struct Span {
    first: usize,
    width: usize,
}

/// The place of a value.
#[derive(Clone, Copy)]
pub(crate) struct Spot {
    sheet: Sheet,
    chunk: usize,
    /// Where it is in its chunk.
    at: usize,
}

/// Which chunks are in the cache, and where.
enum Slots {
    /// There is room for all: every chunk has the slot of its number. A bit for each says whether
    /// it has been read, so that a look-up needs only the value and a word that stays in the
    /// processor's cache.
    All(Vec<u64>),
    Some(Clock),
}

/// A cache that does not have room for all chunks.
struct Clock {
    /// For each chunk, the slot it is in.
    slots: Vec<u32>,
    held: Vec<Held>,
    most_held: usize,
    /// The next slot that the hand looks at.
    hand: usize,
}

/// A chunk in the cache.
#[derive(Clone, Copy)]
struct Held {
    chunk: usize,
    /// Whether it was used since the hand last passed it.
    used: bool,
}

/// The slot of a chunk that is not in the cache.
const NOWHERE: u32 = u32::MAX;

impl<N: Numbered> Table<N> {
    /// Opens the table in a directory, with a cache of at most `memory` bytes. An unfinished table
    /// can be read too; its missing positions have no value.
    pub fn open(numbered: N, place: &Directory, memory: usize) -> Result<Table<N>, StoreError> {
        let manifest = Manifest::read(place)?;
        let manifest = manifest.ok_or_else(|| StoreError::Missing(place.name()))?;
        manifest.check(&numbered.name(), place)?;
        let halves = numbered.halves();
        let chunk = manifest.chunk();
        let mut spans = vec![None; halves.len() * halves.len()];
        let mut chunks = 0;
        for sheet in all_sheets(halves.len() as u16 - 1) {
            if manifest.blocks.contains_key(&block_of(sheet)) {
                let width = halves[usize::from(sheet.other)].count();
                spans[span_of(halves.len(), sheet)] = Some(Span { first: chunks, width });
                chunks += cells(halves, sheet).div_ceil(chunk);
            }
        }
        let most_held = (memory / chunk).clamp(1, chunks.max(1));
        let values = zeroed(most_held * chunk).ok_or_else(|| StoreError::Unavailable {
            place: place.name(),
            cause: format!("cannot allocate {} bytes of memory for its values", most_held * chunk),
        })?;
        let slots = match most_held >= chunks {
            true => Slots::All(vec![0; chunks.div_ceil(64)]),
            false => Slots::Some(Clock {
                slots: vec![NOWHERE; chunks],
                held: Vec::new(),
                most_held,
                hand: 0,
            }),
        };
        let chunks = Chunks {
            place: place.clone(),
            manifest,
            indices: HashMap::new(),
            spans,
            shift: chunk.ilog2(),
            slots,
            values,
            zstd: decompressor(),
        };
        Ok(Table { numbered, chunks })
    }

    /// The manifest of the table.
    pub fn manifest(&self) -> &Manifest {
        &self.chunks.manifest
    }

    /// The name of the table in errors.
    pub(super) fn name(&self) -> String {
        self.chunks.place.name()
    }

    /// How the positions are numbered.
    pub fn numbered(&self) -> &N {
        &self.numbered
    }

    /// Where the table is.
    pub fn place(&self) -> &Directory {
        &self.chunks.place
    }

    /// The largest number of units in play up to which the table has every position.
    pub fn units(&self) -> Option<u16> {
        let most = self.numbered.halves().len() as u16 - 1;
        self.chunks.manifest.units().map(|units| units.min(most))
    }

    /// The value of a position, or `None` if it is not in the table.
    pub fn value(
        &mut self,
        position: &<N::Game as Game>::Position,
    ) -> Result<Option<Score>, StoreError> {
        self.chunks.value(&self.numbered, position)
    }

    /// The value of a cell, or `None` if its block is not in the table.
    #[inline]
    pub fn value_at(&mut self, cell: Cell) -> Result<Option<Score>, StoreError> {
        self.chunks.value_at(self.numbered.halves(), cell)
    }

    /// The value and the best move of a position, or `None` if it is not in the table.
    pub fn verdict(
        &mut self,
        position: &<N::Game as Game>::Position,
    ) -> Result<Option<Verdict>, StoreError> {
        self.chunks.verdict(&self.numbered, position)
    }

    /// The line of best moves from a position to the end, or `None` if the position is not in the
    /// table.
    pub fn line(
        &mut self,
        position: &<N::Game as Game>::Position,
    ) -> Result<Option<Line<N>>, StoreError> {
        if self.value(position)?.is_none() {
            return Ok(None);
        }
        let Table { numbered, chunks } = self;
        line(numbered.game(), position, |position| {
            chunks.verdict(numbered, position)?.ok_or_else(|| {
                let key = numbered.game().pack(position).0;
                let cause = format!("position {key:#x} of best play is missing");
                corrupt(&chunks.place.name(), &cause)
            })
        })
        .map(Some)
    }
}

impl Chunks {
    pub(crate) fn value<N: Numbered>(
        &mut self,
        numbered: &N,
        position: &<N::Game as Game>::Position,
    ) -> Result<Option<Score>, StoreError> {
        match numbered.locate(position) {
            Some(cell) => self.value_at(numbered.halves(), cell),
            None => Ok(None),
        }
    }

    fn verdict<N: Numbered>(
        &mut self,
        numbered: &N,
        position: &<N::Game as Game>::Position,
    ) -> Result<Option<Verdict>, StoreError> {
        let Some(score) = self.value(numbered, position)? else { return Ok(None) };
        let mut failed = None;
        let verdict = judge(numbered.game(), position, |after| {
            self.value(numbered, after).unwrap_or_else(|error| {
                failed = Some(error);
                None
            })
        });
        match failed {
            Some(error) => Err(error),
            None => {
                let verdict =
                    verdict.map_err(|error| corrupt(&self.place.name(), &error.to_string()))?;
                // A table has no remoteness.
                Ok(verdict.map(|verdict| Verdict { score, remoteness: None, ..verdict }))
            }
        }
    }

    #[inline]
    fn value_at(&mut self, halves: &[Half], cell: Cell) -> Result<Option<Score>, StoreError> {
        match self.spot_of(halves, cell) {
            Some(spot) => self.value_in(halves, spot).map(Some),
            None => Ok(None),
        }
    }

    /// Where the value of a position is, or `None` if it is not in the table. If it is in the
    /// cache, it is fetched.
    #[inline]
    pub(crate) fn spot<N: Numbered>(
        &self,
        numbered: &N,
        position: &<N::Game as Game>::Position,
    ) -> Option<Spot> {
        let spot = self.spot_of(numbered.halves(), numbered.locate(position)?)?;
        let slot = match &self.slots {
            Slots::All(_) => spot.chunk,
            Slots::Some(clock) => clock.slots[spot.chunk] as usize,
        };
        // Of a chunk that is nowhere, nothing is fetched.
        fetch(&self.values, (slot << self.shift) + spot.at);
        Some(spot)
    }

    #[inline]
    fn spot_of(&self, halves: &[Half], cell: Cell) -> Option<Spot> {
        let span = self.spans[span_of(halves.len(), cell.sheet)]?;
        let at = cell.row * span.width + cell.column;
        let (chunk, at) = (at >> self.shift, at & ((1 << self.shift) - 1));
        Some(Spot { sheet: cell.sheet, chunk: span.first + chunk, at })
    }

    /// The value at a place.
    #[inline]
    pub(crate) fn value_in(&mut self, halves: &[Half], spot: Spot) -> Result<Score, StoreError> {
        let slot = match &mut self.slots {
            Slots::All(read) if read[spot.chunk / 64] >> (spot.chunk % 64) & 1 == 1 => spot.chunk,
            Slots::Some(clock) if clock.slots[spot.chunk] != NOWHERE => {
                let slot = clock.slots[spot.chunk] as usize;
                clock.held[slot].used = true;
                slot
            }
            _ => self.load(halves, spot.sheet, spot.chunk)?,
        };
        Ok(Score((self.values[(slot << self.shift) + spot.at] as i8).into()))
    }

    /// Loads a chunk into the cache and returns its slot.
    #[cold]
    fn load(&mut self, halves: &[Half], sheet: Sheet, chunk: usize) -> Result<usize, StoreError> {
        let span = self.spans[span_of(halves.len(), sheet)].expect("a sheet of the table");
        let block = block_of(sheet);
        if !self.indices.contains_key(&block) {
            let index = Index::read(&self.place, halves, block, &self.manifest)?;
            self.indices.insert(block, index);
        }
        let slot = match &mut self.slots {
            Slots::All(_) => chunk,
            Slots::Some(clock) => clock.free_slot(),
        };
        let index = &self.indices[&block];
        let within = chunk - span.first;
        let length = cells(halves, sheet) - (within << self.shift);
        let packed = index.chunks(halves, sheet).start + within;
        let values = &mut self.values[slot << self.shift..][..length.min(1 << self.shift)];
        index.read_chunk(&self.place, packed, &mut self.zstd, values)?;
        match &mut self.slots {
            Slots::All(read) => read[chunk / 64] |= 1 << (chunk % 64),
            Slots::Some(clock) => clock.put(slot, chunk),
        }
        Ok(slot)
    }
}

impl Clock {
    /// A slot for another chunk: a new slot, or the slot of a chunk that was not used since the
    /// hand last passed it.
    fn free_slot(&mut self) -> usize {
        if self.held.len() < self.most_held {
            self.held.push(Held { chunk: usize::MAX, used: false });
            return self.held.len() - 1;
        }
        loop {
            self.hand = (self.hand + 1) % self.held.len();
            let held = &mut self.held[self.hand];
            if !std::mem::take(&mut held.used) {
                let chunk = std::mem::replace(&mut held.chunk, usize::MAX);
                // A slot is empty after a failed read.
                if let Some(slot) = self.slots.get_mut(chunk) {
                    *slot = NOWHERE;
                }
                return self.hand;
            }
        }
    }

    /// Notes that a chunk has been read into a slot.
    fn put(&mut self, slot: usize, chunk: usize) {
        self.held[slot] = Held { chunk, used: true };
        self.slots[chunk] = slot as u32;
    }
}

/// A line of best play in a numbered game.
pub type Line<N> = Vec<Step<<<N as Numbered>::Game as Game>::Position>>;

/// Every sheet with at most this many units, in ascending order of units.
pub(super) fn all_sheets(most: u16) -> impl Iterator<Item = Sheet> {
    (0..=most).flat_map(|units| (0..=units).map(move |own| Sheet { own, other: units - own }))
}

fn span_of(side: usize, sheet: Sheet) -> usize {
    usize::from(sheet.own) * side + usize::from(sheet.other)
}
