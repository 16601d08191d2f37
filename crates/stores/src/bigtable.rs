//! A store in a Bigtable table.
//!
//! There is a row for every position. Its row key is the rank in 4 bytes and the key in 16 bytes,
//! big-endian, so scans by rank are ranges. Its only cell holds checksum, depth, score and best move.
//! Bigtable has no transactions over several rows, but every cell has a timestamp. Here the
//! timestamp is the number of the commit that the cell belongs to. Readers ignore cells above the
//! last commit. The number of the last commit is in the row `header` and is raised in one atomic
//! step. Cells that a killed writer left above it are removed when the store is next opened for
//! writing.

mod admin;
mod cells;
mod session;

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::{ControlFlow, RangeInclusive},
};

use cells::Ledger;
use game::{Key, Rank};
use session::{Session, Span};
use solver::{Access, Found, Row, Settled, Stage, State, Store, StoreError, unknown};

use crate::tally::{Audit, Tally};

/// Rows per request.
const PAGE: usize = 1 << 13;

pub(crate) fn open(
    project: &str,
    instance: &str,
    table: &str,
    access: &Access,
) -> Result<Box<dyn Store>, StoreError> {
    let mut session = Session::connect(project, instance, table, access)?;
    let mut ledger = match (session.ledger()?, access.header()) {
        (Some(ledger), _) => {
            access.admit(&ledger.state.header, session.place())?;
            ledger
        }
        (None, None) => return Err(StoreError::Missing(session.place().to_owned())),
        (None, Some(header)) => {
            let ledger = Ledger::new(header.clone());
            session.write_ledger(&ledger)?;
            ledger
        }
    };
    if *access != Access::Read && !ledger.clean {
        session.remove_after(ledger.commits)?;
        ledger.clean = true;
        session.write_ledger(&ledger)?;
    }
    let ranks = ledger.ranks.clone();
    let reading = *access == Access::Read;
    Ok(Box::new(Bigtable { session, ledger, reading, ranks, audited: BTreeSet::new() }))
}

struct Bigtable {
    session: Session,
    /// The ledger as of the last commit.
    ledger: Ledger,
    /// Whether it is open for reading only.
    reading: bool,
    /// The tally of every rank, including rows that are not committed yet.
    ranks: BTreeMap<Rank, Tally>,
    /// Ranks that were compared with the ledger and have not changed since.
    audited: BTreeSet<Rank>,
}

impl Bigtable {
    fn write(&mut self, rows: &[Row]) -> Result<(), StoreError> {
        if self.ledger.clean && !rows.is_empty() {
            // Recorded in advance: after a kill there may be cells to remove.
            self.ledger.clean = false;
            self.session.write_ledger(&self.ledger)?;
        }
        self.session.write_rows(rows, self.ledger.commits + 1)
    }

    /// The last commit whose cells are visible. A writer also sees its own cells before they are
    /// committed.
    fn newest(&self) -> u64 {
        self.ledger.commits + u64::from(!self.reading)
    }

    fn tally(&self, rank: Rank) -> Tally {
        self.ranks.get(&rank).copied().unwrap_or_default()
    }

    fn change(&mut self, rank: Rank, tally: Tally) {
        self.ranks.insert(rank, tally);
        self.audited.remove(&rank);
    }

    /// Compares a rank with the ledger, once for each change of the rank. If a row is not found, it
    /// may have been lost.
    fn audit(&mut self, rank: Rank) -> Result<(), StoreError> {
        if self.audited.contains(&rank) {
            return Ok(());
        }
        self.scan(rank..=rank, &mut |_| ControlFlow::Continue(()))?;
        self.audited.insert(rank);
        Ok(())
    }

    /// Replaces the error of a reader if a writer has committed meanwhile. Only two versions of a
    /// cell are kept, so after two commits the rows that a reader opened are gone and look damaged.
    fn explain(&mut self, error: StoreError) -> StoreError {
        let StoreError::Corrupt { .. } = error else { return error };
        match self.session.ledger() {
            Ok(Some(ledger)) if self.reading && ledger.commits != self.ledger.commits => {
                StoreError::Busy(self.session.place().to_owned())
            }
            _ => error,
        }
    }

    fn scan_all(
        &mut self,
        ranks: RangeInclusive<Rank>,
        visit: &mut dyn FnMut(&[Row]) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let tallies = self.ranks.range(ranks.clone()).map(|(rank, tally)| (*rank, *tally));
        let mut audit = Audit::new(tallies);
        let mut left = Some(Span::ranks(ranks));
        while let Some(span) = left {
            let rows = self.session.read_page(&span, PAGE, self.newest())?;
            audit.rows(&rows, self.session.place())?;
            if rows.is_empty() {
                break;
            }
            if visit(&rows).is_break() {
                return Ok(());
            }
            left = rows.last().and_then(|row| span.after(row.rank, row.key));
        }
        audit.end(self.session.place())
    }

    fn look_up(&mut self, rank: Rank, keys: &[Key]) -> Result<Vec<Option<Row>>, StoreError> {
        let mut rows = vec![None; keys.len()];
        let there = self.tally(rank).rows;
        if there == 0 {
            return Ok(rows);
        }
        // For many keys of a rank, reading the whole rank is faster.
        let whole = keys.len() as u64 * 8 > there;
        for (at, keys) in keys.chunks(PAGE).enumerate() {
            let spans: Vec<Span> = match whole {
                true => vec![Span::between(rank, keys[0], keys[keys.len() - 1])],
                false => keys.iter().map(|key| Span::between(rank, *key, *key)).collect(),
            };
            for row in self.session.read_all(&spans, self.newest())? {
                if let Ok(found) = keys.binary_search(&row.key) {
                    rows[at * PAGE + found] = Some(row);
                }
            }
        }
        Ok(rows)
    }
}

impl Store for Bigtable {
    fn state(&self) -> &State {
        &self.ledger.state
    }

    fn ranks(&mut self) -> Result<Vec<(Rank, u64)>, StoreError> {
        Ok(self.ranks.iter().map(|(rank, tally)| (*rank, tally.rows)).collect())
    }

    fn add(&mut self, rank: Rank, found: &[Found]) -> Result<u64, StoreError> {
        let keys: Vec<Key> = found.iter().map(|found| found.key).collect();
        let known = self.look_up(rank, &keys)?;
        let (mut tally, mut changed) = (self.tally(rank), Vec::new());
        let before = tally.rows;
        for (found, known) in found.iter().zip(&known) {
            match known {
                None => {
                    let new = Row::unsettled(rank, *found);
                    tally.row(&new);
                    changed.push(new);
                }
                Some(row) if found.depth < row.depth => {
                    let nearer = Row { depth: found.depth, ..*row };
                    tally.replaced(row, &nearer);
                    changed.push(nearer);
                }
                Some(_) => {}
            }
        }
        self.write(&changed)?;
        self.change(rank, tally);
        Ok(tally.rows - before)
    }

    fn settle(&mut self, rank: Rank, settled: &[Settled]) -> Result<(), StoreError> {
        let keys: Vec<Key> = settled.iter().map(|settled| settled.key).collect();
        let known = self.look_up(rank, &keys)?;
        let (mut tally, mut judged) = (self.tally(rank), Vec::with_capacity(settled.len()));
        for (settled, known) in settled.iter().zip(known) {
            let known: Row =
                known.ok_or_else(|| unknown(self.session.place(), rank, settled.key))?;
            let row = Row { verdict: Some(settled.verdict), ..known };
            tally.replaced(&known, &row);
            judged.push(row);
        }
        self.write(&judged)?;
        self.change(rank, tally);
        Ok(())
    }

    fn scan(
        &mut self,
        ranks: RangeInclusive<Rank>,
        visit: &mut dyn FnMut(&[Row]) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.scan_all(ranks, visit).map_err(|error| self.explain(error))
    }

    fn find(
        &mut self,
        rank: Rank,
        keys: &[Key],
        rows: &mut Vec<Option<Row>>,
    ) -> Result<(), StoreError> {
        let found = self.look_up(rank, keys).map_err(|error| self.explain(error))?;
        if found.contains(&None) {
            self.audit(rank)?;
        }
        rows.extend(found);
        Ok(())
    }

    fn commit(&mut self, stage: Stage) -> Result<(), StoreError> {
        let ledger = Ledger {
            state: State { stage, ..self.ledger.state.clone() },
            commits: self.ledger.commits + 1,
            clean: true,
            ranks: self.ranks.clone(),
        };
        self.session.write_ledger(&ledger)?;
        self.ledger = ledger;
        Ok(())
    }

    // Bigtable removes rows at once. After a kill the ranks are still damaged, as they were before.
    fn clear(&mut self, ranks: &[Rank]) -> Result<(), StoreError> {
        for rank in ranks {
            self.session.remove(&Span::ranks(*rank..=*rank), None)?;
            self.ranks.remove(rank);
            self.audited.remove(rank);
        }
        Ok(())
    }
}
