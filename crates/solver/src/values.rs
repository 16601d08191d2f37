//! Values of lower ranks, at hand while a rank is settled.

use std::collections::BTreeMap;

use game::{Key, Rank, Score};

use crate::store::{Row, Store, StoreError};

/// The values of whole ranks, as many as fit.
///
/// Where not all fit, the lowest ranks go first: most moves change the level by little, so the
/// ranks just below the one in work are asked for most.
pub(crate) struct Values {
    ranks: BTreeMap<Rank, Block>,
    bytes: usize,
    limit: usize,
    /// Values fetched from the store for the batch in work, sorted.
    fetched: Vec<(Rank, Key, Score)>,
    /// The highest rank that was dropped: it and all below have to be fetched.
    dropped: Option<Rank>,
}

struct Block {
    keys: Vec<Key>,
    scores: Vec<Score>,
}

impl Block {
    fn bytes(&self) -> usize {
        self.keys.capacity() * size_of::<Key>() + self.scores.capacity() * size_of::<Score>()
    }
}

impl Values {
    /// Values that take at most `limit` bytes. Ranks up to `known`, settled by an earlier run,
    /// are fetched when they are asked for.
    pub(crate) fn new(limit: usize, known: Option<Rank>) -> Values {
        let (ranks, fetched) = (BTreeMap::new(), Vec::new());
        Values { ranks, bytes: 0, limit, fetched, dropped: known }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes + self.fetched.capacity() * size_of::<(Rank, Key, Score)>()
    }

    /// Keeps the values of a rank, higher than all before.
    pub(crate) fn keep(&mut self, rank: Rank, keys: Vec<Key>, scores: Vec<Score>) {
        let block = Block { keys, scores };
        self.bytes += block.bytes();
        self.ranks.insert(rank, block);
        while self.bytes > self.limit {
            let Some((rank, block)) = self.ranks.pop_first() else { break };
            self.bytes -= block.bytes();
            self.dropped = Some(rank);
        }
    }

    /// Keeps nothing of a rank, higher than all before, that is too large.
    pub(crate) fn pass_over(&mut self, rank: Rank) {
        self.ranks.clear();
        self.bytes = 0;
        self.dropped = Some(rank);
    }

    /// True if the values of a rank are at hand.
    pub(crate) fn has(&self, rank: Rank) -> bool {
        self.ranks.contains_key(&rank)
    }

    /// True if the value of a position of this rank may have to be fetched.
    pub(crate) fn must_fetch(&self, rank: Rank) -> bool {
        self.dropped.is_some_and(|dropped| rank <= dropped)
    }

    /// True if some values may have to be fetched.
    pub(crate) fn has_gaps(&self) -> bool {
        self.dropped.is_some()
    }

    /// Fetches the values of these positions, which have to be sorted and different, as far as
    /// the store knows them.
    pub(crate) fn fetch(
        &mut self,
        store: &mut dyn Store,
        wanted: &[(Rank, Key)],
    ) -> Result<(), StoreError> {
        self.fetched.clear();
        let mut rows = Vec::new();
        for of_rank in wanted.chunk_by(|a, b| a.0 == b.0) {
            let rank = of_rank[0].0;
            let keys: Vec<_> = of_rank.iter().map(|(_, key)| *key).collect();
            rows.clear();
            store.find(rank, &keys, &mut rows)?;
            for (key, row) in keys.iter().zip(&rows) {
                if let Some(verdict) = row.as_ref().and_then(|row: &Row| row.verdict) {
                    self.fetched.push((rank, *key, verdict.score));
                }
            }
        }
        Ok(())
    }

    /// The value of a position.
    pub(crate) fn get(&self, rank: Rank, key: Key) -> Option<Score> {
        if let Some(block) = self.ranks.get(&rank) {
            return block.keys.binary_search(&key).ok().map(|at| block.scores[at]);
        }
        let found = self.fetched.binary_search_by_key(&(rank, key), |(rank, key, _)| (*rank, *key));
        found.ok().map(|at| self.fetched[at].2)
    }
}
