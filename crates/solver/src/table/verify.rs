//! Verification of a table: recomputes every value with the plain rules.

use std::collections::BTreeSet;

use game::{Cell, Game, Half, Numbered, Score, Sheet, judge};
use rayon::prelude::*;

use super::{
    TableError,
    block::{block_of, cells},
    directory::{Directory, corrupt},
    reader::{Table, all_sheets},
};
use crate::{Next, Sample, StoreError, verify::choose};

/// About how many positions are checked between two reports of progress.
const BATCH: u64 = 1 << 22;

/// What a verification of a table found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TableReport<P> {
    /// Positions that were recomputed.
    pub checked: u64,
    /// Positions in the table.
    pub positions: u64,
    /// The first [`TableReport::MOST`] faults, in the order of the table.
    pub faults: Vec<TableFault<P>>,
    /// The number of all faults.
    pub wrong: u64,
    /// The sheets with faults, which [`super::repair`] computes again.
    pub damaged: BTreeSet<Sheet>,
}

impl<P> TableReport<P> {
    /// How many faults are listed.
    pub const MOST: usize = 1000;
}

/// A fault of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TableFault<P> {
    /// A value differs from the one that follows from the successors.
    Wrong {
        /// The position.
        position: P,
        /// Its value in the table.
        value: Score,
        /// The recomputed value.
        derived: Score,
    },
    /// A successor of the position is not in the table.
    Hole {
        /// The position.
        position: P,
    },
    /// A block is not in the table.
    Missing(Sheet),
    /// The position or one of its successors cannot be read.
    Unreadable {
        /// The position.
        position: P,
        /// Why.
        error: StoreError,
    },
}

/// Recomputes values of a table from the values of the successors, with the plain rules of the
/// game. Reports every value that differs or is missing.
///
/// `memory` is the cache size of all threads together.
pub fn verify<N: Numbered>(
    numbered: &N,
    place: &Directory,
    sample: Sample,
    memory: usize,
    watch: &mut dyn FnMut(u64, u64) -> Next,
) -> Result<TableReport<Position<N>>, TableError> {
    let halves = numbered.halves();
    let most = halves.len() as u16 - 1;
    let manifest = Table::open(numbered, place, 0)?.manifest().clone();
    let (there, missing): (Vec<_>, Vec<_>) =
        all_sheets(most).partition(|sheet| manifest.blocks.contains_key(&block_of(*sheet)));
    let sheets = Sheets::new(halves, &there);
    let positions = sheets.positions();
    let mut report = TableReport {
        checked: 0,
        positions,
        faults: Vec::new(),
        wrong: missing.len() as u64,
        damaged: missing.iter().copied().collect(),
    };
    report.faults.extend(missing.into_iter().map(TableFault::Missing));
    let numbers: Vec<u64> = match sample {
        Sample::All => Vec::new(),
        Sample::Some { rows, seed } => choose(rows, positions, seed).into_iter().collect(),
    };
    let aim = if sample == Sample::All { positions } else { numbers.len() as u64 };
    let threads = rayon::current_num_threads();
    let mut tables = Vec::new();
    for _ in 0..threads {
        tables.push(Table::open(numbered, place, memory / threads)?);
    }
    while report.checked < aim {
        let batch = report.checked..aim.min(report.checked + BATCH);
        let share = (batch.end - batch.start).div_ceil(threads as u64).max(1);
        let found: Vec<Vec<(Sheet, TableFault<_>)>> = tables
            .par_iter_mut()
            .enumerate()
            .map(|(thread, table)| {
                let from = (batch.start + thread as u64 * share).min(batch.end);
                let numbers = (from..(from + share).min(batch.end))
                    .map(|at| numbers.get(at as usize).copied().unwrap_or(at));
                let checked = |number| {
                    let cell = sheets.cell(number);
                    check(table, cell).map(|fault| (cell.sheet, fault))
                };
                numbers.filter_map(checked).collect()
            })
            .collect();
        report.checked = batch.end;
        for (sheet, fault) in found.into_iter().flatten() {
            report.wrong += 1;
            report.damaged.insert(sheet);
            if report.faults.len() < TableReport::<Position<N>>::MOST {
                report.faults.push(fault);
            }
        }
        if watch(report.checked, aim) == Next::Stop {
            return Err(TableError::Stopped);
        }
    }
    Ok(report)
}

type Position<N> = <<N as Numbered>::Game as Game>::Position;

/// The sheets of a table, with consecutive numbers for their positions.
struct Sheets<'a> {
    halves: &'a [Half],
    /// Each sheet, and how many positions come before it.
    starts: Vec<(u64, Sheet)>,
    positions: u64,
}

impl<'a> Sheets<'a> {
    fn new(halves: &'a [Half], sheets: &[Sheet]) -> Sheets<'a> {
        let mut positions = 0;
        let mut starts = Vec::new();
        for sheet in sheets {
            starts.push((positions, *sheet));
            positions += cells(halves, *sheet) as u64;
        }
        Sheets { halves, starts, positions }
    }

    fn positions(&self) -> u64 {
        self.positions
    }

    fn cell(&self, number: u64) -> Cell {
        let at = self.starts.partition_point(|(start, _)| *start <= number) - 1;
        let (start, sheet) = self.starts[at];
        let width = self.halves[usize::from(sheet.other)].count();
        let within = (number - start) as usize;
        Cell { sheet, row: within / width, column: within % width }
    }
}

/// The fault of a position, if it has one.
fn check<N: Numbered>(table: &mut Table<&N>, cell: Cell) -> Option<TableFault<Position<N>>> {
    let numbered = *table.numbered();
    let position = numbered.position(cell);
    let value = match table.value_at(cell) {
        Ok(Some(value)) => value,
        Ok(None) => return Some(TableFault::Hole { position }),
        Err(error) => return Some(TableFault::Unreadable { position, error }),
    };
    let mut failed = None;
    let derived = judge(numbered.game(), &position, |after| {
        table.value(after).unwrap_or_else(|error| {
            failed = Some(error);
            None
        })
    });
    let unreadable = |error| Some(TableFault::Unreadable { position, error });
    match (derived, failed) {
        (_, Some(error)) => unreadable(error),
        (Err(error), None) => unreadable(corrupt(&table.name(), &error.to_string())),
        (Ok(None), None) => Some(TableFault::Hole { position }),
        (Ok(Some(derived)), None) if derived.score != value => {
            Some(TableFault::Wrong { position, value, derived: derived.score })
        }
        (Ok(Some(_)), None) => None,
    }
}
