//! Verification: recomputes verdicts and compares them with the stored ones.

use std::collections::BTreeSet;

use game::{Key, Rank, Value, Verdict};

use crate::{
    random::Random,
    scans::next_batch,
    settle::BATCH,
    solvable::Solvable,
    store::{Row, Stage, Store, StoreError},
    values::Values,
    work::{Limits, Next, SolveError},
};

/// Which rows to verify.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sample {
    /// Every row.
    All,
    /// A random sample of this many rows.
    Some {
        /// How many.
        rows: u64,
        /// Random seed; the same seed selects the same rows.
        seed: u64,
    },
}

/// What a verification found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Report {
    /// Rows that were recomputed.
    pub checked: u64,
    /// Rows in the store.
    pub rows: u64,
    /// The first [`Report::MOST`] faults, ordered by rank and key.
    pub faults: Vec<Fault>,
    /// The number of all faults.
    pub wrong: u64,
    /// The ranks with faults, which [`crate::repair`] solves again.
    pub damaged: BTreeSet<Rank>,
}

impl Report {
    /// How many faults are listed.
    pub const MOST: usize = 1000;

    /// Counts a fault, and lists it unless [`Report::MOST`] are listed already.
    pub fn add(&mut self, fault: Fault) {
        self.wrong += 1;
        self.damaged.insert(fault.rank());
        if self.faults.len() < Report::MOST {
            self.faults.push(fault);
        }
    }
}

/// A fault of a row or of a rank.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The verdict differs from the one that follows from the successors.
    Wrong {
        /// The row.
        row: Row,
        /// The recomputed verdict.
        derived: Verdict,
    },
    /// A row without a verdict.
    Unsettled(Row),
    /// A position is missing or has no verdict, although a stored position leads to it.
    Missing {
        /// Its rank.
        rank: Rank,
        /// The position.
        key: Key,
    },
    /// A row that is not a position of the game, or has the wrong rank.
    Foreign(Row),
    /// The store reports that the rows of a rank are damaged.
    Unreadable {
        /// The rank.
        rank: Rank,
        /// The error of the store.
        error: StoreError,
    },
}

impl Fault {
    /// The rank of the fault.
    pub fn rank(&self) -> Rank {
        match self {
            Fault::Wrong { row, .. } | Fault::Unsettled(row) | Fault::Foreign(row) => row.rank,
            Fault::Missing { rank, .. } | Fault::Unreadable { rank, .. } => *rank,
        }
    }
}

/// Recomputes the verdicts of rows from the verdicts of their successors, and reports every row
/// that differs or is missing.
///
/// If every row agrees with the rows of its successors, and every final position agrees with the
/// rules, then all rows are correct. No reachable position is missing either, because every
/// successor is looked up. The verification does not check whether a row can be reached, nor
/// whether its depth is correct.
///
/// If the store reports that rows are damaged, that is a fault of their rank. Positions that depend
/// on such a rank cannot be recomputed and do not count as checked.
pub fn verify<G: Solvable>(
    game: &G,
    store: &mut dyn Store,
    sample: Sample,
    limits: &Limits,
    watch: &mut dyn FnMut(u64, u64) -> Next,
) -> Result<Report, SolveError> {
    let ranks = store.ranks()?;
    let rows = ranks.iter().map(|(_, rows)| rows).sum();
    let mut report = Report { rows, ..Report::default() };
    look_for_start(game, store, &mut report)?;
    let (mut chosen, values) = match sample {
        Sample::All => (None, Values::new(limits.memory, None)),
        Sample::Some { rows: wanted, seed } => {
            (Some(choose(wanted, rows, seed)), Values::new(0, Some(Rank::MAX)))
        }
    };
    let (mut before, aim) = (0, chosen.as_ref().map_or(rows, |chosen| chosen.len() as u64));
    let has_remoteness = store.state().header.has_remoteness();
    let unreadable = BTreeSet::new();
    let mut pass = Pass { game, limits, values, has_remoteness, unreadable, report };
    for (rank, count) in ranks {
        let of_rank = before..before + count;
        before = of_rank.end;
        // The remaining numbers are those of this rank and of higher ones.
        let here = chosen.as_mut().map(|chosen| {
            let later = chosen.split_off(&of_rank.end);
            std::mem::replace(chosen, later)
        });
        if here.as_ref().is_some_and(BTreeSet::is_empty) {
            continue;
        }
        match pass.verify_rank(store, rank, of_rank.start, here.as_ref()) {
            Err(SolveError::Store(error @ StoreError::Corrupt { .. })) => {
                pass.values.pass_over(rank);
                pass.unreadable.insert(rank);
                pass.report.add(Fault::Unreadable { rank, error });
            }
            result => result?,
        }
        if watch(pass.report.checked, aim) == Next::Stop {
            return Err(SolveError::Stopped);
        }
    }
    Ok(pass.report)
}

/// The state of a verification.
struct Pass<'a, G> {
    game: &'a G,
    limits: &'a Limits,
    values: Values,
    /// Whether the rows have a remoteness to compare.
    has_remoteness: bool,
    /// Ranks whose values cannot be read.
    unreadable: BTreeSet<Rank>,
    report: Report,
}

impl<G: Solvable> Pass<'_, G> {
    /// Recomputes the chosen rows of a rank, or all of them. The first row of the rank has the
    /// number `first`.
    fn verify_rank(
        &mut self,
        store: &mut dyn Store,
        rank: Rank,
        first: u64,
        chosen: Option<&BTreeSet<u64>>,
    ) -> Result<(), SolveError> {
        let (mut number, mut last) = (first, None);
        loop {
            let (mut rows, mut passed) = (Vec::new(), last);
            let more = next_batch(store, rank, last, self.limits.rows(), |row| {
                if chosen.is_none_or(|chosen| chosen.contains(&number)) {
                    rows.push(*row);
                }
                number += 1;
                passed = Some(row.key);
            })?;
            self.verify_rows(store, rank, &rows)?;
            if chosen.is_none() && last.is_none() && !more {
                let known =
                    rows.iter().filter_map(|row| Some((row.key, Value::from(row.verdict?))));
                let (keys, values) = known.unzip();
                self.values.keep(rank, keys, values);
            }
            last = passed;
            if !more {
                break;
            }
        }
        if chosen.is_none() && !self.values.contains(rank) {
            self.values.pass_over(rank);
        }
        Ok(())
    }

    fn verify_rows(
        &mut self,
        store: &mut dyn Store,
        rank: Rank,
        rows: &[Row],
    ) -> Result<(), SolveError> {
        let game = self.game;
        for rows in rows.chunks(BATCH) {
            let belong = game.belong(rows)?;
            let (mut ours, mut keys) = (Vec::new(), Vec::new());
            for (row, belongs) in rows.iter().zip(belong) {
                if belongs {
                    ours.push(row);
                    keys.push(row.key);
                } else {
                    self.report.checked += 1;
                    self.report.add(Fault::Foreign(*row));
                }
            }
            if self.values.has_gaps() {
                let mut wanted = game.wanted(&keys, &self.values)?;
                wanted.retain(|(rank, _)| !self.unreadable.contains(rank));
                self.values.fetch(store, &wanted)?;
            }
            let derived = game.verdicts(rank, &keys, &self.values)?;
            for (row, derived) in ours.into_iter().zip(derived) {
                self.compare(row, derived)?;
            }
        }
        Ok(())
    }

    fn compare(
        &mut self,
        row: &Row,
        derived: Result<Verdict, SolveError>,
    ) -> Result<(), SolveError> {
        if matches!(&derived, Err(SolveError::Hole { rank, .. }) if self.unreadable.contains(rank))
        {
            return Ok(());
        }
        self.report.checked += 1;
        let derived = derived.map(|derived| match self.has_remoteness {
            true => derived,
            false => Verdict { remoteness: None, ..derived },
        });
        match (row.verdict, derived) {
            (None, _) => self.report.add(Fault::Unsettled(*row)),
            (Some(stored), Ok(derived)) if stored != derived => {
                self.report.add(Fault::Wrong { row: *row, derived });
            }
            (Some(_), Ok(_)) => {}
            (Some(_), Err(SolveError::Hole { rank, key })) => {
                self.report.add(Fault::Missing { rank, key: Key(key) });
            }
            (Some(_), Err(error)) => return Err(error),
        }
        Ok(())
    }
}

fn look_for_start<G: Solvable>(
    game: &G,
    store: &mut dyn Store,
    report: &mut Report,
) -> Result<(), SolveError> {
    let (rank, key) = game.first()?;
    let mut rows = Vec::new();
    match store.find(rank, &[key], &mut rows) {
        // The scan of its rank reports this fault.
        Err(StoreError::Corrupt { .. }) => return Ok(()),
        found => found?,
    }
    if rows[0].is_none() || store.state().stage != Stage::Solved {
        report.add(Fault::Missing { rank, key });
    }
    Ok(())
}

/// A sample of `wanted` different numbers below `rows`, by Floyd's algorithm.
pub(crate) fn choose(wanted: u64, rows: u64, seed: u64) -> BTreeSet<u64> {
    let mut chosen = BTreeSet::new();
    let mut random = Random(seed);
    for top in rows.saturating_sub(wanted)..rows {
        let number = random.below(top + 1);
        if !chosen.insert(number) {
            chosen.insert(top);
        }
    }
    chosen
}
