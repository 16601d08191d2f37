//! A table of Bigtable.
//!
//! A row for every position: its key is the rank in 4 bytes and the key in 16, big-endian, so that
//! scans by rank are ranges; its one cell holds depth, score and best move. Bigtable has no
//! transactions over rows, but every cell has a timestamp: here it is the number of the commit
//! that the cell belongs to. Readers ask for nothing above the last commit, whose number stands in
//! the row `header` and is raised in one atomic step; cells that a killed writer left above it are
//! removed when the store is next opened for writing.

mod cells;
mod session;

use std::collections::BTreeMap;
use std::ops::{ControlFlow, RangeInclusive};

use game::{Key, Rank};
use solver::{Access, Found, Row, Settled, Stage, State, Store, StoreError, unknown};

use cells::Ledger;
use session::{Session, Span};

/// Rows asked for at once.
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
    Ok(Box::new(Bigtable { session, ledger, ranks }))
}

struct Bigtable {
    session: Session,
    /// As of the last commit.
    ledger: Ledger,
    /// Rows of every rank, those not committed included.
    ranks: BTreeMap<Rank, u64>,
}

impl Bigtable {
    fn write(&mut self, rows: &[Row]) -> Result<(), StoreError> {
        if self.ledger.clean && !rows.is_empty() {
            // Said before it is so: after a kill there may be cells to remove.
            self.ledger.clean = false;
            self.session.write_ledger(&self.ledger)?;
        }
        self.session.write_rows(rows, self.ledger.commits + 1)
    }

    fn look_up(&mut self, rank: Rank, keys: &[Key]) -> Result<Vec<Option<Row>>, StoreError> {
        let mut rows = vec![None; keys.len()];
        let there = self.ranks.get(&rank).copied().unwrap_or(0);
        if there == 0 {
            return Ok(rows);
        }
        // Many keys of a rank are found faster by reading all of it.
        let whole = keys.len() as u64 * 8 > there;
        for (at, keys) in keys.chunks(PAGE).enumerate() {
            let spans: Vec<Span> = match whole {
                true => vec![Span::between(rank, keys[0], keys[keys.len() - 1])],
                false => keys.iter().map(|key| Span::between(rank, *key, *key)).collect(),
            };
            for row in self.session.read_all(&spans, self.ledger.commits + 1)? {
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
        Ok(self.ranks.iter().map(|(rank, rows)| (*rank, *rows)).collect())
    }

    fn add(&mut self, rank: Rank, found: &[Found]) -> Result<u64, StoreError> {
        let keys: Vec<Key> = found.iter().map(|found| found.key).collect();
        let known = self.look_up(rank, &keys)?;
        let changed = found.iter().zip(&known).filter_map(|(found, known)| match known {
            None => Some(Row::unsettled(rank, *found)),
            Some(row) if found.depth < row.depth => Some(Row { depth: found.depth, ..*row }),
            Some(_) => None,
        });
        self.write(&changed.collect::<Vec<_>>())?;
        let new = known.iter().filter(|row| row.is_none()).count() as u64;
        *self.ranks.entry(rank).or_default() += new;
        Ok(new)
    }

    fn settle(&mut self, rank: Rank, settled: &[Settled]) -> Result<(), StoreError> {
        let keys: Vec<Key> = settled.iter().map(|settled| settled.key).collect();
        let known = self.look_up(rank, &keys)?;
        let judged = settled.iter().zip(known).map(|(settled, known)| {
            let known = known.ok_or_else(|| unknown(self.session.place(), rank, settled.key))?;
            Ok(Row { verdict: Some(settled.verdict), ..known })
        });
        let judged = judged.collect::<Result<Vec<Row>, StoreError>>()?;
        self.write(&judged)
    }

    fn scan(
        &mut self,
        ranks: RangeInclusive<Rank>,
        visit: &mut dyn FnMut(&[Row]) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        let mut left = Some(Span::ranks(ranks));
        while let Some(span) = left {
            let rows = self.session.read_page(&span, PAGE, self.ledger.commits + 1)?;
            if rows.is_empty() || visit(&rows).is_break() {
                break;
            }
            left = rows.last().and_then(|row| span.after(row.rank, row.key));
        }
        Ok(())
    }

    fn find(
        &mut self,
        rank: Rank,
        keys: &[Key],
        rows: &mut Vec<Option<Row>>,
    ) -> Result<(), StoreError> {
        rows.extend(self.look_up(rank, keys)?);
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
}
