//! Checks that apply to every store.

use std::ops::{ControlFlow, RangeInclusive};

use game::{Key, Rank};
use solver::{Found, Row, Settled, Stage, State, Store, StoreError};

use crate::told;

/// A store that refuses writes if it was opened for reading, and refuses everything after an error,
/// because half a batch must never be committed.
pub(crate) struct Guard {
    store: Box<dyn Store>,
    refusal: Option<StoreError>,
}

impl Guard {
    pub(crate) fn new(store: Box<dyn Store>, place: String, reading: bool) -> Guard {
        Guard { store, refusal: reading.then_some(StoreError::ReadOnly(place)) }
    }

    fn write<T>(
        &mut self,
        action: impl FnOnce(&mut dyn Store) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        if let Some(refusal) = &self.refusal {
            return Err(refusal.clone());
        }
        let result = action(&mut *self.store).map_err(told);
        self.refusal = result.as_ref().err().cloned();
        result
    }
}

impl Store for Guard {
    fn state(&self) -> &State {
        self.store.state()
    }

    fn ranks(&mut self) -> Result<Vec<(Rank, u64)>, StoreError> {
        self.store.ranks().map_err(told)
    }

    fn add(&mut self, rank: Rank, found: &[Found]) -> Result<u64, StoreError> {
        debug_assert!(found.is_sorted_by(|a, b| a.key < b.key), "keys ascend without repeats");
        self.write(|store| if found.is_empty() { Ok(0) } else { store.add(rank, found) })
    }

    fn settle(&mut self, rank: Rank, settled: &[Settled]) -> Result<(), StoreError> {
        debug_assert!(settled.is_sorted_by(|a, b| a.key < b.key), "keys ascend without repeats");
        self.write(|store| if settled.is_empty() { Ok(()) } else { store.settle(rank, settled) })
    }

    fn scan(
        &mut self,
        ranks: RangeInclusive<Rank>,
        visit: &mut dyn FnMut(&[Row]) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        if ranks.is_empty() { Ok(()) } else { self.store.scan(ranks, visit).map_err(told) }
    }

    fn find(
        &mut self,
        rank: Rank,
        keys: &[Key],
        rows: &mut Vec<Option<Row>>,
    ) -> Result<(), StoreError> {
        debug_assert!(keys.is_sorted_by(|a, b| a < b), "keys ascend without repeats");
        if keys.is_empty() { Ok(()) } else { self.store.find(rank, keys, rows).map_err(told) }
    }

    fn commit(&mut self, stage: Stage) -> Result<(), StoreError> {
        self.write(|store| store.commit(stage))
    }

    fn clear(&mut self, ranks: &[Rank]) -> Result<(), StoreError> {
        debug_assert!(ranks.is_sorted_by(|a, b| a < b), "ranks ascend without repeats");
        self.write(|store| store.clear(ranks))
    }
}

#[cfg(test)]
mod tests {
    use game::{Score, Verdict};
    use solver::{FORMAT, Header, Memory};

    use super::*;

    #[test]
    fn half_a_batch_is_never_committed() {
        let header = Header { game: "any".to_owned(), key_bits: 8, format: FORMAT };
        let mut store = Guard::new(Box::new(Memory::new(header)), "memory:".to_owned(), false);
        let verdict = Verdict::over(Score(0));
        let error = store.settle(Rank::default(), &[Settled { key: Key(1), verdict }]);
        assert!(matches!(error, Err(StoreError::Corrupt { .. })));
        assert_eq!(store.commit(Stage::Solved), error);
        assert_eq!(store.state().stage, Stage::Exploring(None));
    }
}
