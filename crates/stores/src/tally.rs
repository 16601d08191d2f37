//! Whether rows are still those that were written.
//!
//! Databases check that their pages hang together, not that a number in them is still the one
//! written. So every row carries a sum over its numbers, which is compared whenever the row is
//! read, and every rank has a count and a sum over its rows, kept along as they change and compared
//! after each scan of the rank: that finds rows that are gone or came from elsewhere.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
};

use game::{Key, Rank, Verdict};
use solver::{Header, Row, State, StoreError, mix};

/// How many rows a rank has, and the sum over them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) rows: u64,
    pub(crate) sum: u64,
}

impl Tally {
    /// Counts the first verdict of a row, and returns what it adds to the row's own sum.
    pub(crate) fn settled(&mut self, rank: Rank, key: Key, verdict: Verdict) -> u32 {
        let share = verdict_share(place(rank, key), verdict);
        self.sum = self.sum.wrapping_add(share);
        share as u32 & ROW
    }

    /// Counts a row as another than it was before.
    pub(crate) fn replaced(&mut self, old: &Row, new: &Row) {
        self.sum = self.sum.wrapping_sub(share(old)).wrapping_add(share(new));
    }

    /// Counts a row that was not there before, with its verdict if it has one.
    pub(crate) fn row(&mut self, row: &Row) {
        self.rows += 1;
        self.sum = self.sum.wrapping_add(share(row));
    }
}

/// The bits of a row's own sum: what fits four bytes of every database.
pub(crate) const ROW: u32 = i32::MAX as u32;

/// The sum that a row carries.
pub(crate) fn row_sum(row: &Row) -> u32 {
    share(row) as u32 & ROW
}

/// The row, if it carries its own sum.
pub(crate) fn checked(row: Row, sum: u32, place: &str) -> Result<Row, StoreError> {
    if row_sum(&row) == sum {
        return Ok(row);
    }
    let cause =
        format!("position {:#x} of rank {} was changed after it was written", row.key.0, row.rank);
    Err(StoreError::Corrupt { place: place.to_owned(), cause })
}

/// The tallies of all ranks, and which of them have changed since the last commit.
#[derive(Debug, Default)]
pub(crate) struct Tallies {
    ranks: BTreeMap<Rank, Tally>,
    changed: BTreeSet<Rank>,
}

impl Tallies {
    pub(crate) fn new(ranks: BTreeMap<Rank, Tally>) -> Tallies {
        Tallies { ranks, changed: BTreeSet::new() }
    }

    pub(crate) fn of(&self, rank: Rank) -> Tally {
        self.ranks.get(&rank).copied().unwrap_or_default()
    }

    pub(crate) fn set(&mut self, rank: Rank, tally: Tally) {
        self.ranks.insert(rank, tally);
        self.changed.insert(rank);
    }

    /// Forgets a rank that has no rows any more.
    pub(crate) fn remove(&mut self, rank: Rank) {
        self.ranks.remove(&rank);
        self.changed.remove(&rank);
    }

    /// Those of some ranks, which have rows.
    pub(crate) fn range(
        &self,
        ranks: RangeInclusive<Rank>,
    ) -> impl DoubleEndedIterator<Item = (Rank, Tally)> {
        self.ranks.range(ranks).map(|(rank, tally)| (*rank, *tally))
    }

    /// The ranks with their numbers of rows.
    pub(crate) fn rows(&self) -> Vec<(Rank, u64)> {
        self.ranks.iter().map(|(rank, tally)| (*rank, tally.rows)).collect()
    }

    /// What has changed since the last call.
    pub(crate) fn take_changed(&mut self) -> Vec<(Rank, Tally)> {
        let changed = std::mem::take(&mut self.changed);
        changed.into_iter().map(|rank| (rank, self.of(rank))).collect()
    }
}

/// Compares what a scan hands out with the tallies.
pub(crate) struct Audit {
    /// The ranks of which the scan has still to show the end, the next one last.
    expected: Vec<(Rank, Tally)>,
    seen: Tally,
}

impl Audit {
    /// An audit of a scan over ranks with these tallies.
    pub(crate) fn new(tallies: impl DoubleEndedIterator<Item = (Rank, Tally)>) -> Audit {
        Audit { expected: tallies.rev().collect(), seen: Tally::default() }
    }

    /// Takes the next rows of the scan.
    pub(crate) fn rows(&mut self, rows: &[Row], place: &str) -> Result<(), StoreError> {
        for row in rows {
            while self.expected.last().is_some_and(|(rank, _)| *rank < row.rank) {
                self.close(place)?;
            }
            if self.expected.last().map(|(rank, _)| *rank) != Some(row.rank) {
                let cause =
                    format!("position {:#x} of rank {} was never added", row.key.0, row.rank);
                return Err(StoreError::Corrupt { place: place.to_owned(), cause });
            }
            self.seen.row(row);
        }
        Ok(())
    }

    /// Takes the end of a scan that was not broken off.
    pub(crate) fn end(mut self, place: &str) -> Result<(), StoreError> {
        while !self.expected.is_empty() {
            self.close(place)?;
        }
        Ok(())
    }

    fn close(&mut self, place: &str) -> Result<(), StoreError> {
        let (rank, wanted) = self.expected.pop().expect("a rank is open");
        let seen = std::mem::take(&mut self.seen);
        if wanted == seen {
            return Ok(());
        }
        let cause = match seen.rows == wanted.rows {
            true => format!("the checksum of the rows of rank {rank} does not match"),
            false => format!("rank {rank} has {} rows, expected {}", seen.rows, wanted.rows),
        };
        Err(StoreError::Corrupt { place: place.to_owned(), cause })
    }
}

/// The sum over what a store says of itself.
pub(crate) fn state_sum(state: &State) -> u64 {
    let Header { game, key_bits, format } = &state.header;
    let (stage, rank) = state.stage.to_columns();
    let text = format!("{game}|{key_bits}|{format}|{stage}|{rank:?}");
    text.bytes().fold(0, |sum, byte| mix(sum ^ u64::from(byte)))
}

fn place(rank: Rank, key: Key) -> u64 {
    let rank = mix(u64::from(rank.to_u32()));
    mix(mix(rank ^ (key.0 >> 64) as u64) ^ key.0 as u64)
}

/// What a row adds to the sum of its rank.
fn share(row: &Row) -> u64 {
    let place = place(row.rank, row.key);
    let depth = mix(place ^ (1 << 48 | u64::from(row.depth)));
    depth.wrapping_add(row.verdict.map_or(0, |verdict| verdict_share(place, verdict)))
}

fn verdict_share(place: u64, verdict: Verdict) -> u64 {
    let best = verdict.best.map_or(0, |mv| 1 + u64::from(mv.0));
    mix(place ^ (2 << 48 | best << 16 | u64::from(verdict.score.0 as u16)))
}
