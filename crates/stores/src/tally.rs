//! What the rows of a rank must add up to.
//!
//! Databases check that their pages hang together, not that a number in them is still the one
//! written. A sum over all rows of a rank, kept along as they change and compared after each scan
//! of the rank, finds the rest: a flipped bit changes it, whatever the order of rows.

use std::collections::{BTreeMap, BTreeSet};

use game::{Key, Rank, Verdict};
use solver::{Header, Row, State, StoreError, mix};

/// How many rows a rank has, and the sum over them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) rows: u64,
    pub(crate) sum: u64,
}

impl Tally {
    /// Counts a row that was not there before.
    pub(crate) fn found(&mut self, rank: Rank, key: Key, depth: u16) {
        self.rows += 1;
        self.sum = self.sum.wrapping_add(depth_share(place(rank, key), depth));
    }

    /// Counts a row's depth anew.
    pub(crate) fn come_nearer(&mut self, rank: Rank, key: Key, old: u16, new: u16) {
        let place = place(rank, key);
        self.sum = self.sum.wrapping_sub(depth_share(place, old));
        self.sum = self.sum.wrapping_add(depth_share(place, new));
    }

    /// Counts a row's verdict, in place of an older one if there was one.
    pub(crate) fn settled(&mut self, rank: Rank, key: Key, old: Option<Verdict>, new: Verdict) {
        let place = place(rank, key);
        self.sum = self.sum.wrapping_sub(old.map_or(0, |old| verdict_share(place, old)));
        self.sum = self.sum.wrapping_add(verdict_share(place, new));
    }

    fn row(&mut self, row: &Row) {
        self.found(row.rank, row.key, row.depth);
        if let Some(verdict) = row.verdict {
            self.settled(row.rank, row.key, None, verdict);
        }
    }
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
pub(crate) struct Audit<'a> {
    tallies: &'a Tallies,
    /// The ranks of which the scan has still to show the end.
    expected: Vec<Rank>,
    seen: Tally,
}

impl<'a> Audit<'a> {
    /// An audit of a scan over these ranks.
    pub(crate) fn new(tallies: &'a Tallies, ranks: std::ops::RangeInclusive<Rank>) -> Audit<'a> {
        let expected = tallies.ranks.range(ranks).rev().map(|(rank, _)| *rank).collect();
        Audit { tallies, expected, seen: Tally::default() }
    }

    /// Takes the next rows of the scan.
    pub(crate) fn rows(&mut self, rows: &[Row], place: &str) -> Result<(), StoreError> {
        for row in rows {
            while self.expected.last().is_some_and(|rank| *rank < row.rank) {
                self.close(place)?;
            }
            if self.expected.last() != Some(&row.rank) {
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
        let rank = self.expected.pop().expect("a rank is open");
        let (wanted, seen) = (self.tallies.of(rank), std::mem::take(&mut self.seen));
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

fn depth_share(place: u64, depth: u16) -> u64 {
    mix(place ^ (1 << 48 | u64::from(depth)))
}

fn verdict_share(place: u64, verdict: Verdict) -> u64 {
    let best = verdict.best.map_or(0, |mv| 1 + u64::from(mv.0));
    mix(place ^ (2 << 48 | best << 16 | u64::from(verdict.score.0 as u16)))
}
