//! Building a table, block by block.

use std::collections::BTreeSet;

use game::{Dense, Game, Sheet, View};
use rayon::prelude::*;

use super::{
    TableError,
    block::{self, Index, cells, sheets},
    directory::Directory,
    manifest::{Listed, Manifest},
    turn::turn,
    views::Views,
};
use crate::{Next, StoreError, pages::Values};

/// About how many values a thread works on at once.
const SHARE: usize = 1 << 15;

/// The number of positions with the same number of units that are written together. Small blocks
/// share a file, because syncing a file takes milliseconds.
const PART: u64 = 1 << 22;

/// The most units of a table. A value is a signed byte, and one value of the byte means "none yet".
const MOST_UNITS: usize = i8::MAX as usize;

/// What the program, its threads and zstd need besides the tables: 18 MiB were measured.
const PROGRAM: usize = 24 << 20;

/// The number of sheets that a block occupies while it is computed: two sheets, each also
/// transposed, and two more for compression.
const IN_WORK: usize = 6;

/// How much memory a build may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BuildLimits {
    /// Bytes for everything: values, tables of moves, compression buffers, and the program.
    pub memory: usize,
}

impl Default for BuildLimits {
    fn default() -> BuildLimits {
        BuildLimits { memory: 4 << 30 }
    }
}

/// The progress of a build.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BuildProgress {
    /// The block that was just finished, named by the sheet whose mover has more units.
    pub sheet: Sheet,
    /// Positions that are finished, in this run and in earlier ones.
    pub done: u64,
    /// Positions in the whole table.
    pub total: u64,
    /// Bytes of memory in use.
    pub memory: usize,
}

/// The result of a build.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Built {
    /// The number of positions in the table.
    pub positions: u64,
    /// The number of positions that the table had before.
    pub found: u64,
    /// The number of damaged blocks that were computed again.
    pub repaired: u64,
    /// The bytes of all blocks.
    pub bytes: u64,
    /// The peak memory in bytes.
    pub memory: usize,
}

/// Builds the table of a game at a place, or continues it. Finished blocks are kept, even if the
/// table was begun with fewer units. Existing blocks are first compared with their checksums, and
/// damaged ones are computed again.
///
/// The threads of the current rayon pool share the work. The files are the same for any number of
/// threads and any memory limit.
pub fn build<D: Dense>(
    dense: &D,
    place: &Directory,
    limits: &BuildLimits,
    watch: &mut dyn FnMut(&BuildProgress) -> Next,
) -> Result<Built, TableError> {
    repair(dense, place, &BTreeSet::new(), limits, watch)
}

/// Like [`build`], but also computes the blocks of these sheets again, even if their checksums
/// match. [`super::TableReport::damaged`] lists them.
pub fn repair<D: Dense>(
    dense: &D,
    place: &Directory,
    damaged: &BTreeSet<Sheet>,
    limits: &BuildLimits,
    watch: &mut dyn FnMut(&BuildProgress) -> Next,
) -> Result<Built, TableError> {
    let most = dense.halves().len() - 1;
    if most > MOST_UNITS {
        return Err(TableError::Units(most));
    }
    let _lock = place.lock()?;
    let found = Manifest::read(place)?;
    let begun = found.is_some();
    let mut manifest = found.unwrap_or_else(|| Manifest::new(dense.name()));
    manifest.check(&dense.name(), place)?;
    let listed = manifest.blocks.len();
    drop_damaged(dense, place, &mut manifest, damaged)?;
    let repaired = (listed - manifest.blocks.len()) as u64;
    let blocks =
        (0..=most as u16).flat_map(|units| (0..=units / 2).map(move |less| (units - less, less)));
    let positions =
        |block| sheets(block).map(|sheet| cells(dense.halves(), sheet) as u64).sum::<u64>();
    let (found, missing): (Vec<_>, Vec<_>) =
        blocks.partition(|block| manifest.blocks.contains_key(block));
    let found: u64 = found.into_iter().map(positions).sum();
    let total = found + missing.iter().map(|block| positions(*block)).sum::<u64>();
    let work: Vec<Sheet> = missing.iter().flat_map(|block| sheets(*block)).collect();
    let memory = Memory { limit: limits.memory, fixed: PROGRAM + dense.memory(), peak: 0 };
    memory.suffices(dense, &work)?;
    if !begun {
        manifest.write(place)?;
    }
    let views = Views::new(dense, place, &work);
    let mut builder =
        Builder { dense, place, manifest, views, memory, step: 0, part: Part::default() };
    let mut done = found;
    let mut stop = false;
    for (at, block) in missing.iter().enumerate() {
        builder.block(*block)?;
        done += positions(*block);
        let next = missing.get(at + 1).copied();
        let finished = builder.finish_part(*block, positions(*block), next)?;
        let sheet = Sheet { own: block.0, other: block.1 };
        let memory = builder.memory.fixed + builder.views.bytes();
        stop |= watch(&BuildProgress { sheet, done, total, memory }) == Next::Stop;
        if stop && finished && done < total {
            return Err(TableError::Stopped);
        }
    }
    let (bytes, memory) = (builder.manifest.bytes(), builder.memory.peak);
    Ok(Built { positions: total, found, repaired, bytes, memory })
}

/// Removes damaged blocks from the manifest, together with all other blocks in the same files,
/// because a file is always written as a whole.
fn drop_damaged<D: Dense>(
    dense: &D,
    place: &Directory,
    manifest: &mut Manifest,
    damaged: &BTreeSet<Sheet>,
) -> Result<(), StoreError> {
    let halves = dense.halves();
    let listed: Vec<_> = manifest.blocks.iter().collect();
    let files = listed.par_iter().map(|(block, listed)| {
        let file = (block.0 + block.1, listed.part);
        if usize::from(file.0) >= halves.len() {
            return Ok(None);
        }
        if sheets(**block).any(|sheet| damaged.contains(&sheet)) {
            return Ok(Some(file));
        }
        match Index::read(place, halves, **block, manifest).and_then(|index| index.check(place)) {
            Ok(()) => Ok(None),
            Err(StoreError::Corrupt { .. }) => Ok(Some(file)),
            Err(error) => Err(error),
        }
    });
    let files: Vec<Option<(u16, u16)>> = files.collect::<Result<_, StoreError>>()?;
    let files: BTreeSet<(u16, u16)> = files.into_iter().flatten().collect();
    manifest.blocks.retain(|block, listed| !files.contains(&(block.0 + block.1, listed.part)));
    Ok(())
}

struct Builder<'a, D: Dense> {
    dense: &'a D,
    place: &'a Directory,
    manifest: Manifest,
    views: Views<'a, D>,
    memory: Memory,
    /// The number of sheets that are done.
    step: u32,
    part: Part,
}

/// Blocks that are not written yet. They can wait, because no block depends on another one with the
/// same number of units.
#[derive(Default)]
struct Part {
    number: u16,
    bytes: Vec<u8>,
    blocks: Vec<((u16, u16), Listed)>,
    positions: u64,
}

#[derive(Clone, Copy)]
struct Memory {
    limit: usize,
    fixed: usize,
    peak: usize,
}

impl Memory {
    /// Refuses work that cannot be finished, before it begins.
    fn suffices<D: Dense>(&self, dense: &D, work: &[Sheet]) -> Result<(), TableError> {
        let halves = dense.halves();
        for sheet in work.iter().filter(|sheet| over(dense, **sheet).is_none()) {
            let views = dense.needs(*sheet).into_iter();
            let largest = views.map(|view| Views::<D>::load_size(halves, view)).max().unwrap_or(0);
            let needed = self.fixed + IN_WORK * cells(halves, *sheet) + largest;
            if needed > self.limit {
                return Err(TableError::Memory { sheet: *sheet, needed, limit: self.limit });
            }
        }
        Ok(())
    }

    /// The memory left for views beside this many bytes.
    fn room(&self, used: usize) -> usize {
        self.limit.saturating_sub(self.fixed + used)
    }
}

impl<D: Dense> Builder<'_, D> {
    /// Computes and writes both sheets of a block.
    fn block(&mut self, (more, less): (u16, u16)) -> Result<(), TableError> {
        let sheet = Sheet { own: more, other: less };
        let dense = self.dense;
        let half = |units: u16| &dense.halves()[usize::from(units)];
        let (rows, columns) = (half(more), half(less));
        let used = IN_WORK * cells(dense.halves(), sheet) + self.part.bytes.len();
        let room = self.memory.room(used);
        self.views.shrink(self.step, room);
        let mut upright = self.lead(sheet, used)?;
        let (mut turned, last) = if more == less {
            (turn(&upright, rows, columns), self.step)
        } else {
            self.step += 1;
            (turn(&self.lead(sheet.turned(), used)?, columns, rows), self.step)
        };
        if over(dense, sheet).is_none() || over(dense, sheet.turned()).is_none() {
            stay(dense, sheet, &mut upright, &mut turned);
        }
        let mut made = Vec::new();
        if more == less {
            self.write((more, less), &[&upright]);
        } else {
            let other = turn(&turned, rows, columns);
            self.write((more, less), &[&upright, &other]);
            made.push((View::turned(sheet), turn(&upright, rows, columns)));
            made.push((View::upright(sheet.turned()), other));
        }
        made.push((View::upright(sheet), upright));
        made.push((View::turned(sheet.turned()), turned));
        self.memory.peak = self.memory.peak.max(self.memory.fixed + used + self.views.bytes());
        self.step = last + 1;
        let mut waiting: usize = made.iter().map(|(_, values)| values.len()).sum();
        for (view, values) in made {
            waiting -= values.len();
            self.views.keep(self.step, view, values, self.memory.room(waiting));
        }
        Ok(())
    }

    fn write(&mut self, block: (u16, u16), values: &[&[i8]]) {
        if self.part.blocks.is_empty() {
            self.part.number = self.next_part(block);
        }
        let part = &mut self.part;
        let listed =
            block::append(block, values, self.manifest.chunk(), part.number, &mut part.bytes);
        part.blocks.push((block, listed));
    }

    /// Writes a part if it is large enough or contains the last block of its units. Where parts end
    /// depends on nothing else, so a resumed build writes the same files.
    fn finish_part(
        &mut self,
        block: (u16, u16),
        positions: u64,
        next: Option<(u16, u16)>,
    ) -> Result<bool, TableError> {
        let units = block.0 + block.1;
        // If the next block is not missing, its file is intact, and this part ends here.
        let last = block.1 == units / 2 || next != Some((block.0 - 1, block.1 + 1));
        self.part.positions += positions;
        if self.part.positions < PART && !last {
            return Ok(false);
        }
        let part = std::mem::take(&mut self.part);
        self.place.put(&block::file(units, part.number), &part.bytes)?;
        self.manifest.blocks.extend(part.blocks);
        self.manifest.write(self.place)?;
        Ok(true)
    }

    /// The number of the part that begins with a block: one more than that of the preceding blocks.
    fn next_part(&self, (more, less): (u16, u16)) -> u16 {
        let before = (0..less).map(|fewer| (more + less - fewer, fewer));
        let parts = before.filter_map(|block| self.manifest.blocks.get(&block));
        parts.map(|listed| listed.part + 1).max().unwrap_or(0)
    }

    /// The best values over moves to fewer units, for a whole sheet.
    fn lead(&mut self, sheet: Sheet, used: usize) -> Result<Values, TableError> {
        let halves = self.dense.halves();
        let size = cells(halves, sheet);
        if let Some(value) = over(self.dense, sheet) {
            return Ok(Values::filled(size, value));
        }
        let mut values = Values::filled(size, i8::MIN);
        let width = halves[usize::from(sheet.other)].count();
        let share = SHARE.div_ceil(width);
        let needs = self.dense.needs(sheet);
        let mut left = &needs[..];
        while !left.is_empty() {
            let fetched =
                self.views.fetch(&self.manifest, self.step, left, self.memory.room(used))?;
            if fetched == 0 {
                let needed = self.memory.fixed + used + Views::<D>::load_size(halves, left[0]);
                return Err(TableError::Memory { sheet, needed, limit: self.memory.limit });
            }
            let given = self.views.given(&left[..fetched]);
            let dense = self.dense;
            values.par_chunks_mut(share * width).enumerate().for_each(|(chunk, values)| {
                let first = chunk * share;
                dense.lead(sheet, first..first + values.len() / width, &given, values);
            });
            left = &left[fetched..];
        }
        Ok(values)
    }
}

/// Applies the moves that keep all units in play, layer by layer.
fn stay<D: Dense>(dense: &D, sheet: Sheet, upright: &mut [i8], turned: &mut [i8]) {
    let half = &dense.halves()[usize::from(sheet.own)];
    let width = dense.halves()[usize::from(sheet.other)].count();
    let share = SHARE.div_ceil(width);
    for layer in half.layers.windows(2) {
        let (first, end) = (layer[0] as usize, layer[1] as usize);
        let (earlier, turned) = turned[..end * width].split_at_mut(first * width);
        let upright = &mut upright[first * width..end * width];
        let shares =
            upright.par_chunks_mut(share * width).zip(turned.par_chunks_mut(share * width));
        shares.enumerate().for_each(|(at, (upright, turned))| {
            let first = first + at * share;
            let rows = first..first + upright.len() / width;
            dense.stay(sheet, rows, earlier, upright, turned);
        });
    }
}

/// The value of every position of a sheet in which the game is over.
fn over<D: Dense>(dense: &D, sheet: Sheet) -> Option<i8> {
    let position = dense.position(game::Cell { sheet, row: 0, column: 0 });
    let score = dense.game().outcome(&position)?;
    Some(i8::try_from(score.0).expect("no more points are made than units are in play"))
}
