//! A cache of the values of lower ranks, used while a rank is settled.

use std::collections::BTreeMap;

use game::{Key, Rank, Value};

use crate::store::{Row, Store, StoreError};

/// The values of as many complete ranks as fit.
///
/// The lowest ranks are evicted first. Most moves change the level only a little, so the ranks just
/// below the current one are needed most.
pub struct Values {
    ranks: BTreeMap<Rank, Block>,
    bytes: usize,
    limit: usize,
    /// Values fetched from the store for the current batch, sorted.
    fetched: Vec<(Rank, Key, Value)>,
    /// The highest rank that was evicted. Its values and those of all lower ranks must be fetched.
    dropped: Option<Rank>,
}

struct Block {
    keys: Vec<Key>,
    values: Vec<Value>,
}

impl Block {
    fn bytes(&self) -> usize {
        self.keys.capacity() * size_of::<Key>() + self.values.capacity() * size_of::<Value>()
    }
}

impl Values {
    /// A cache of at most `limit` bytes. Ranks up to `known` were settled by an earlier run; their
    /// values are fetched when they are needed.
    pub(crate) fn new(limit: usize, known: Option<Rank>) -> Values {
        let (ranks, fetched) = (BTreeMap::new(), Vec::new());
        Values { ranks, bytes: 0, limit, fetched, dropped: known }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes + self.fetched.capacity() * size_of::<(Rank, Key, Value)>()
    }

    /// Caches the values of a rank that is higher than all before.
    pub(crate) fn keep(&mut self, rank: Rank, keys: Vec<Key>, values: Vec<Value>) {
        let block = Block { keys, values };
        self.bytes += block.bytes();
        self.ranks.insert(rank, block);
        while self.bytes > self.limit {
            let Some((rank, block)) = self.ranks.pop_first() else { break };
            self.bytes -= block.bytes();
            self.dropped = Some(rank);
        }
    }

    /// Skips a rank that is too large to cache. It is higher than all before.
    pub(crate) fn pass_over(&mut self, rank: Rank) {
        self.ranks.clear();
        self.bytes = 0;
        self.dropped = Some(rank);
    }

    /// Whether the values of a rank are cached.
    pub(crate) fn contains(&self, rank: Rank) -> bool {
        self.ranks.contains_key(&rank)
    }

    /// Whether the value of a position of this rank may have to be fetched.
    pub(crate) fn must_fetch(&self, rank: Rank) -> bool {
        self.dropped.is_some_and(|dropped| rank <= dropped)
    }

    /// Whether some values may have to be fetched.
    pub(crate) fn has_gaps(&self) -> bool {
        self.dropped.is_some()
    }

    /// Fetches the values of these positions if the store has them. The positions must be sorted
    /// and different.
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
                    self.fetched.push((rank, *key, verdict.into()));
                }
            }
        }
        Ok(())
    }

    /// The value of a position.
    pub(crate) fn get(&self, rank: Rank, key: Key) -> Option<Value> {
        if let Some(block) = self.ranks.get(&rank) {
            return block.keys.binary_search(&key).ok().map(|at| block.values[at]);
        }
        let found = self.fetched.binary_search_by_key(&(rank, key), |(rank, key, _)| (*rank, *key));
        found.ok().map(|at| self.fetched[at].2)
    }
}
