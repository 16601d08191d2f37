//! Positions as Parquet parts in a directory or bucket.
//!
//! Parts are never changed. A run is a list of parts sorted by rank and key. A commit writes the
//! rows that were added or settled since the last commit as a new run, and then replaces the
//! manifest. The manifest lists all runs, oldest first, with the size and checksum of every part.
//! If several runs have the same position, the newest is valid. When there are many runs, the newer
//! ones are merged. A solved store is merged into one run, so its parts are the plain table of
//! positions. Parts that the manifest does not list are left over from a kill, and are removed when
//! the store is next opened for writing.

mod bucket;
mod desk;
mod helper;
mod manifest;
mod merge;
mod part;
mod shelf;

use std::{
    collections::BTreeMap,
    ops::{ControlFlow, RangeInclusive},
};

pub(crate) use bucket::{Bucket, truncated};
pub(crate) use desk::PartsDesk;
use game::{Key, Rank};
pub(crate) use helper::Helper;
use manifest::{Entry, Manifest, Run};
use merge::{Merge, Source};
use shelf::Shelf;
pub(crate) use shelf::is_blob;
use solver::{
    Access, Found, OLDEST_FORMAT, Row, Settled, Stage, State, Store, StoreError, unknown,
};

/// The most rows kept in memory before they are written as a run, even without a commit; 48 bytes
/// each.
const PENDING: usize = 1 << 21;

/// The most runs that a reader may have to merge.
const RUNS: usize = 8;

/// Rows of a part, which is read and checked as a whole.
const PART: usize = 1 << 20;

/// Opens the store that a bucket holds; one that is to be written is locked already.
pub(crate) fn open(bucket: Box<dyn Bucket>, access: &Access) -> Result<Box<dyn Store>, StoreError> {
    let mut shelf = Shelf::new(bucket);
    let mut manifest = admitted(&mut shelf, access)?;
    if *access != Access::Read {
        // Before anything is removed: a writer that has lost its lease without noticing must not
        // commit parts that are gone.
        manifest.writer = shelf.begin_writing(manifest.writer);
        shelf.swap(&manifest)?;
        shelf.remove_others(&manifest)?;
    }
    let ranks = manifest.ranks.clone();
    Ok(Box::new(Parts {
        shelf,
        manifest,
        ranks,
        pending: BTreeMap::new(),
        waiting: 0,
        dropped: vec![],
    }))
}

/// The manifest, or a new one.
fn admitted(shelf: &mut Shelf, access: &Access) -> Result<Manifest, StoreError> {
    let mut found = shelf.manifest()?;
    // Format 2 gave the rows of databases a sum. Parts have had checksums from the first, and are
    // the same in both formats.
    if let Some(Manifest { state: State { header, .. }, .. }) = &mut found
        && header.format == 1
    {
        header.format = OLDEST_FORMAT;
    }
    match (found, access.header()) {
        (Some(manifest), _) => {
            access.admit(&manifest.state.header, shelf.place())?;
            Ok(manifest)
        }
        (None, Some(header)) => Ok(Manifest::new(header.clone())),
        (None, None) => Err(StoreError::Missing(shelf.place().to_owned())),
    }
}

struct Parts {
    shelf: Shelf,
    /// The last committed manifest, plus the runs written since.
    manifest: Manifest,
    /// The number of rows of every rank, uncommitted rows included.
    ranks: BTreeMap<Rank, u64>,
    /// Rows that were added or settled since the last run was written, sorted by key.
    pending: BTreeMap<Rank, Vec<Row>>,
    waiting: usize,
    /// Parts to remove once the manifest no longer lists them.
    dropped: Vec<Entry>,
}

impl Parts {
    /// Adds or replaces rows of a rank. Their keys are in ascending order.
    fn put(&mut self, rank: Rank, new: &[Row]) -> Result<(), StoreError> {
        let rows = self.pending.entry(rank).or_default();
        let before = rows.len();
        match (rows.last(), new.first()) {
            (Some(last), Some(first)) if last.key >= first.key => {
                let old = std::mem::take(rows);
                *rows = overlay(&old, new);
            }
            _ => rows.extend_from_slice(new),
        }
        self.waiting += rows.len() - before;
        if self.waiting >= PENDING { self.flush() } else { Ok(()) }
    }

    /// Writes the pending rows as a run.
    fn flush(&mut self) -> Result<(), StoreError> {
        if self.waiting == 0 {
            return Ok(());
        }
        let mut run = self.shelf.begin_run(&self.manifest.state.header);
        for rows in self.pending.values() {
            run.push(rows)?;
        }
        self.manifest.runs.push(run.end()?);
        self.pending.clear();
        self.waiting = 0;
        Ok(())
    }

    /// Merges the runs from `first` on into one.
    fn merge_from(&mut self, first: usize) -> Result<(), StoreError> {
        let newest_first: Vec<Run> = self.manifest.runs.drain(first..).rev().collect();
        let every_rank = Rank::default()..=Rank::MAX;
        let sources = newest_first.iter().map(|run| Source::run(run, every_rank.clone()));
        let mut merge = Merge::new(sources.collect());
        let mut writer = self.shelf.begin_run(&self.manifest.state.header);
        let mut rows = Vec::new();
        while merge.next(writer.shelf(), &mut rows)? {
            writer.push(&rows)?;
        }
        drop(merge);
        self.manifest.runs.push(writer.end()?);
        self.dropped.extend(newest_first.into_iter().flatten());
        Ok(())
    }

    /// The part without the rows of some ranks. Nothing remains of a damaged part, because all its
    /// ranks are damaged.
    fn without(&mut self, part: &Entry, ranks: &[Rank]) -> Result<Run, StoreError> {
        let mut kept = Vec::new();
        let every_rank = Rank::default()..=Rank::MAX;
        match self.shelf.reader(part, every_rank) {
            Ok(mut reader) => {
                let mut rows = Vec::new();
                while reader.next(&mut rows).map_err(|error| self.shelf.unreadable(&error))? {
                    rows.retain(|row| ranks.binary_search(&row.rank).is_err());
                    kept.append(&mut rows);
                }
            }
            Err(StoreError::Corrupt { .. }) => {}
            Err(error) => return Err(error),
        }
        let mut run = self.shelf.begin_run(&self.manifest.state.header);
        run.push(&kept)?;
        run.end()
    }

    /// Looks up positions of one rank.
    fn look_up(
        &mut self,
        rank: Rank,
        keys: &[Key],
        rows: &mut [Option<Row>],
    ) -> Result<(), StoreError> {
        if !self.ranks.contains_key(&rank) {
            return Ok(());
        }
        if let Some(pending) = self.pending.get(&rank) {
            fill(keys, rows, pending);
        }
        let mut batch = Vec::new();
        for run in self.manifest.runs.iter().rev() {
            let mut source = Source::run(run, rank..=rank);
            while rows.iter().any(Option::is_none) && source.next(&mut self.shelf, &mut batch)? {
                fill(keys, rows, &batch);
            }
        }
        Ok(())
    }
}

impl Store for Parts {
    fn state(&self) -> &State {
        &self.manifest.state
    }

    fn ranks(&mut self) -> Result<Vec<(Rank, u64)>, StoreError> {
        Ok(self.ranks.iter().map(|(rank, rows)| (*rank, *rows)).collect())
    }

    fn add(&mut self, rank: Rank, found: &[Found]) -> Result<u64, StoreError> {
        let keys: Vec<Key> = found.iter().map(|found| found.key).collect();
        let mut known = vec![None; found.len()];
        self.look_up(rank, &keys, &mut known)?;
        let mut changed = Vec::with_capacity(found.len());
        for (found, known) in found.iter().zip(&known) {
            match known {
                None => changed.push(Row::unsettled(rank, *found)),
                Some(row) if found.depth < row.depth => {
                    changed.push(Row { depth: found.depth, ..*row });
                }
                Some(_) => {}
            }
        }
        let new = known.iter().filter(|row| row.is_none()).count() as u64;
        *self.ranks.entry(rank).or_default() += new;
        self.put(rank, &changed)?;
        Ok(new)
    }

    fn settle(&mut self, rank: Rank, settled: &[Settled]) -> Result<(), StoreError> {
        let keys: Vec<Key> = settled.iter().map(|settled| settled.key).collect();
        let mut known = vec![None; settled.len()];
        self.look_up(rank, &keys, &mut known)?;
        let judged = settled.iter().zip(known).map(|(settled, known)| {
            let known = known.ok_or_else(|| unknown(self.shelf.place(), rank, settled.key))?;
            Ok(Row { verdict: Some(settled.verdict), ..known })
        });
        let judged: Vec<Row> = judged.collect::<Result<_, StoreError>>()?;
        self.put(rank, &judged)
    }

    fn scan(
        &mut self,
        ranks: RangeInclusive<Rank>,
        visit: &mut dyn FnMut(&[Row]) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let pending = Source::memory(&self.pending, ranks.clone());
        let runs = self.manifest.runs.iter().rev().map(|run| Source::run(run, ranks.clone()));
        let mut merge = Merge::new(std::iter::once(pending).chain(runs).collect());
        let mut rows = Vec::new();
        while merge.next(&mut self.shelf, &mut rows)? {
            if visit(&rows).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn find(
        &mut self,
        rank: Rank,
        keys: &[Key],
        rows: &mut Vec<Option<Row>>,
    ) -> Result<(), StoreError> {
        let start = rows.len();
        rows.resize(start + keys.len(), None);
        self.look_up(rank, keys, &mut rows[start..])
    }

    fn commit(&mut self, stage: Stage) -> Result<(), StoreError> {
        self.flush()?;
        let sizes: Vec<u64> = self.manifest.runs.iter().map(manifest::rows_of).collect();
        if let Some(first) = first_to_merge(&sizes, stage) {
            self.merge_from(first)?;
        }
        let manifest = Manifest {
            state: State { stage, ..self.manifest.state.clone() },
            ranks: self.ranks.clone(),
            ..self.manifest.clone()
        };
        self.shelf.swap(&manifest)?;
        self.manifest = manifest;
        for part in self.dropped.drain(..) {
            self.shelf.remove(&part.name)?;
        }
        Ok(())
    }

    fn clear(&mut self, ranks: &[Rank]) -> Result<(), StoreError> {
        self.flush()?;
        for at in 0..self.manifest.runs.len() {
            let old = std::mem::take(&mut self.manifest.runs[at]);
            let mut new = Run::new();
            for part in old {
                if !may_hold(&part, ranks) {
                    new.push(part);
                    continue;
                }
                new.extend(self.without(&part, ranks)?);
                self.dropped.push(part);
            }
            self.manifest.runs[at] = new;
        }
        self.manifest.runs.retain(|run| !run.is_empty());
        self.ranks.retain(|rank, _| ranks.binary_search(rank).is_err());
        Ok(())
    }
}

/// Whether a part may have rows of one of these ranks, which are in ascending order.
fn may_hold(part: &Entry, ranks: &[Rank]) -> bool {
    let first = ranks.partition_point(|rank| *rank < part.first.0);
    ranks.get(first).is_some_and(|rank| *rank <= part.last.0)
}

/// The first of the runs to merge. All runs of a solved store are merged. Otherwise, when there are
/// too many, the newest run is merged with every older one that is not much larger, so that rows of
/// large runs are rarely rewritten.
fn first_to_merge(sizes: &[u64], stage: Stage) -> Option<usize> {
    if stage == Stage::Solved {
        return (sizes.len() > 1).then_some(0);
    }
    if sizes.len() <= RUNS {
        return None;
    }
    let mut first = sizes.len() - 1;
    let mut together = sizes[first];
    while first > 0 && (sizes[first - 1] <= 2 * together || first > RUNS / 2) {
        first -= 1;
        together += sizes[first];
    }
    Some(first)
}

/// Fills gaps in `rows`, the results for `keys`, from known rows. Keys are in ascending order in
/// both.
fn fill(keys: &[Key], rows: &mut [Option<Row>], known: &[Row]) {
    let (Some(first), Some(last)) = (known.first(), known.last()) else { return };
    let start = keys.partition_point(|key| *key < first.key);
    let end = keys.partition_point(|key| *key <= last.key);
    if end <= start {
        return;
    }
    // A few keys are looked up one by one. For many, both lists are traversed.
    if (end - start) * 16 < known.len() {
        for at in start..end {
            let found = known.binary_search_by_key(&keys[at], |row| row.key).ok();
            rows[at] = rows[at].or(found.map(|found| known[found]));
        }
        return;
    }
    let mut known = known.iter().peekable();
    for at in start..end {
        while known.next_if(|row| row.key < keys[at]).is_some() {}
        let found = known.peek().filter(|row| row.key == keys[at]);
        rows[at] = rows[at].or(found.map(|row| **row));
    }
}

/// Both lists merged by key. If both have a row, the new one is used.
fn overlay(old: &[Row], new: &[Row]) -> Vec<Row> {
    let mut all = Vec::with_capacity(old.len() + new.len());
    let mut old = old.iter().peekable();
    for new in new {
        while let Some(earlier) = old.next_if(|old| old.key < new.key) {
            all.push(*earlier);
        }
        old.next_if(|old| old.key == new.key);
        all.push(*new);
    }
    all.extend(old);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_merged_when_there_are_many_and_when_all_is_done() {
        let exploring = Stage::Exploring(None);
        let cases: &[(&[u64], Stage, Option<usize>)] = &[
            (&[], exploring, None),
            (&[9; 8], exploring, None),
            (&[9; 9], exploring, Some(0)),
            (&[1000, 900, 9, 9, 9, 9, 9, 9, 9], exploring, Some(2)),
            // For any sizes, merging halves the number of runs.
            (&[65536, 16384, 4096, 1024, 256, 64, 16, 4, 1], exploring, Some(4)),
            (&[9], Stage::Solved, None),
            (&[1000, 9], Stage::Solved, Some(0)),
        ];
        for (sizes, stage, first) in cases {
            assert_eq!(first_to_merge(sizes, *stage), *first, "{sizes:?}");
        }
    }
}
