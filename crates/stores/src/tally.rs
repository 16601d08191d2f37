//! Checksums of rows and ranks.
//!
//! Databases check the structure of their pages, but not the values in them. So every row has a
//! checksum over its values, which is compared whenever the row is read. Every rank has a tally:
//! the number of its rows and a checksum over all of them. The tally is updated with every change
//! and compared after each scan of the rank. That detects lost and added rows.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::RangeInclusive,
};

use game::{Key, Rank, Verdict};
use solver::{Header, Row, State, StoreError, mix};

/// The number of rows of a rank, and their checksum.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) rows: u64,
    pub(crate) sum: u64,
}

impl Tally {
    /// Counts the first verdict of a row, and returns the verdict's share of the row's checksum.
    pub(crate) fn settled(&mut self, rank: Rank, key: Key, verdict: Verdict) -> u32 {
        let share = verdict_share(place(rank, key), verdict);
        self.sum = self.sum.wrapping_add(share);
        share as u32 & ROW
    }

    /// Counts the replacement of a row.
    pub(crate) fn replaced(&mut self, old: &Row, new: &Row) {
        self.sum = self.sum.wrapping_sub(share(old)).wrapping_add(share(new));
    }

    /// Counts a new row, with its verdict if it has one.
    pub(crate) fn row(&mut self, row: &Row) {
        self.rows += 1;
        self.sum = self.sum.wrapping_add(share(row));
    }
}

/// The bits of a row's checksum. It fits a signed 32-bit integer.
pub(crate) const ROW: u32 = i32::MAX as u32;

/// The checksum of a row.
pub(crate) fn row_sum(row: &Row) -> u32 {
    share(row) as u32 & ROW
}

/// The row, if its checksum matches.
pub(crate) fn checked(row: Row, sum: u32, place: &str) -> Result<Row, StoreError> {
    if row_sum(&row) == sum {
        return Ok(row);
    }
    let cause =
        format!("position {:#x} of rank {} was changed after it was written", row.key.0, row.rank);
    Err(StoreError::Corrupt { place: place.to_owned(), cause })
}

/// The tallies of all ranks, and the ranks that have changed since the last commit.
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

    /// Removes a rank that has no rows any more.
    pub(crate) fn remove(&mut self, rank: Rank) {
        self.ranks.remove(&rank);
        self.changed.remove(&rank);
    }

    /// The tallies of a range of ranks, without empty ranks.
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

    /// The tallies that have changed since the last call.
    pub(crate) fn take_changed(&mut self) -> Vec<(Rank, Tally)> {
        let changed = std::mem::take(&mut self.changed);
        changed.into_iter().map(|rank| (rank, self.of(rank))).collect()
    }
}

/// Compares the rows of a scan with the tallies.
pub(crate) struct Audit {
    /// The ranks that the scan has not finished yet, the next one last.
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

    /// Ends the audit of a complete scan.
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

/// The checksum of a state.
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

/// The share of a row in the checksum of its rank.
fn share(row: &Row) -> u64 {
    let place = place(row.rank, row.key);
    let depth = mix(place ^ (1 << 48 | u64::from(row.depth)));
    depth.wrapping_add(row.verdict.map_or(0, |verdict| verdict_share(place, verdict)))
}

fn verdict_share(place: u64, verdict: Verdict) -> u64 {
    let best = verdict.best.map_or(0, |mv| 1 + u64::from(mv.0));
    // Without a remoteness, the checksum is that of format 2.
    let remoteness = verdict.remoteness.map_or(0, |plies| mix(3 << 48 | u64::from(plies)));
    mix(place ^ remoteness ^ (2 << 48 | best << 16 | u64::from(verdict.score.0 as u16)))
}
