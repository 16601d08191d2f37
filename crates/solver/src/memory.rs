//! A store in memory.

use std::{
    collections::BTreeMap,
    ops::{ControlFlow, RangeInclusive},
};

use game::{Key, Rank};

use crate::store::{Found, Header, Row, Settled, Stage, State, Store, StoreError};

/// Rows in memory, sorted by key within each rank.
#[derive(Debug)]
pub struct Memory {
    state: State,
    ranks: BTreeMap<Rank, Vec<Row>>,
}

impl Memory {
    /// An empty store for a game.
    pub fn new(header: Header) -> Memory {
        Memory { state: State { header, stage: Stage::Exploring(None) }, ranks: BTreeMap::new() }
    }
}

impl Store for Memory {
    fn state(&self) -> &State {
        &self.state
    }

    fn ranks(&mut self) -> Result<Vec<(Rank, u64)>, StoreError> {
        Ok(self.ranks.iter().map(|(rank, rows)| (*rank, rows.len() as u64)).collect())
    }

    fn add(&mut self, rank: Rank, found: &[Found]) -> Result<u64, StoreError> {
        if found.is_empty() {
            return Ok(0);
        }
        let rows = self.ranks.entry(rank).or_default();
        let before = rows.len();
        let old = std::mem::replace(rows, Vec::with_capacity(before + found.len()));
        let mut old = old.into_iter().peekable();
        for found in found {
            while let Some(earlier) = old.next_if(|old| old.key < found.key) {
                rows.push(earlier);
            }
            rows.push(match old.next_if(|old| old.key == found.key) {
                Some(same) => Row { depth: same.depth.min(found.depth), ..same },
                None => Row::unsettled(rank, *found),
            });
        }
        rows.extend(old);
        Ok((rows.len() - before) as u64)
    }

    fn settle(&mut self, rank: Rank, settled: &[Settled]) -> Result<(), StoreError> {
        let mut rows = self.ranks.get_mut(&rank).map_or(&mut [][..], Vec::as_mut_slice);
        for settled in settled {
            let at = rows.partition_point(|row| row.key < settled.key);
            rows = &mut rows[at..];
            match rows.first_mut().filter(|row| row.key == settled.key) {
                Some(row) => row.verdict = Some(settled.verdict),
                None => return Err(unknown("memory:", rank, settled.key)),
            }
        }
        Ok(())
    }

    fn scan(
        &mut self,
        ranks: RangeInclusive<Rank>,
        visit: &mut dyn FnMut(&[Row]) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        for rows in self.ranks.range(ranks).map(|(_, rows)| rows) {
            if visit(rows).is_break() {
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
        let known = self.ranks.get(&rank).map_or(&[][..], Vec::as_slice);
        rows.extend(
            keys.iter()
                .map(|key| known.binary_search_by_key(key, |row| row.key).ok().map(|at| known[at])),
        );
        Ok(())
    }

    fn commit(&mut self, stage: Stage) -> Result<(), StoreError> {
        self.state.stage = stage;
        Ok(())
    }

    fn clear(&mut self, ranks: &[Rank]) -> Result<(), StoreError> {
        self.ranks.retain(|rank, _| ranks.binary_search(rank).is_err());
        Ok(())
    }
}

/// The error of settling a position that is not in the store.
pub fn unknown(place: &str, rank: Rank, key: Key) -> StoreError {
    StoreError::Corrupt {
        place: place.to_owned(),
        cause: format!("position {:#x} of rank {rank} is missing", key.0),
    }
}
