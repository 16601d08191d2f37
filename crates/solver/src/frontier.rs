//! Pending positions: those that were found but are not stored yet.

use std::collections::BTreeMap;

use game::Rank;

use crate::store::Found;

/// Pending positions by rank. The list of a rank is sorted and has no duplicates when it is taken.
///
/// A rank is complete once every higher rank is explored. Until then its list only grows. Whenever
/// it has doubled, it is sorted and duplicates are removed. This keeps both the time and the memory
/// for duplicates within a constant factor.
#[derive(Default)]
pub(crate) struct Frontier {
    lists: BTreeMap<Rank, Waiting>,
}

#[derive(Default)]
struct Waiting {
    found: Vec<Found>,
    /// How many of the first positions are sorted and without duplicates.
    tidy: usize,
}

impl Frontier {
    pub(crate) fn push(&mut self, rank: Rank, found: &[Found]) {
        let list = self.lists.entry(rank).or_default();
        list.found.extend_from_slice(found);
        if list.found.len() > 2 * list.tidy + 1024 {
            list.tidy();
        }
    }

    pub(crate) fn highest(&self) -> Option<Rank> {
        self.lists.last_key_value().map(|(rank, _)| *rank)
    }

    /// Takes the positions of a rank, sorted by key, each with its smallest depth.
    pub(crate) fn take(&mut self, rank: Rank) -> Vec<Found> {
        let mut list = self.lists.remove(&rank).unwrap_or_default();
        list.tidy();
        list.found
    }

    /// Takes everything, rank by rank.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = (Rank, Vec<Found>)> + use<> {
        let lists = std::mem::take(&mut self.lists);
        lists.into_iter().map(|(rank, mut list)| {
            list.tidy();
            (rank, list.found)
        })
    }

    /// The number of pending positions, duplicates included.
    pub(crate) fn len(&self) -> usize {
        self.lists.values().map(|list| list.found.len()).sum()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.lists.values().map(|list| list.found.capacity() * size_of::<Found>()).sum()
    }
}

impl Waiting {
    fn tidy(&mut self) {
        if self.tidy < self.found.len() {
            self.found.sort_unstable();
            // Sorted by key, then depth: the first entry of a key has the smallest depth.
            self.found.dedup_by_key(|found| found.key);
            self.tidy = self.found.len();
        }
    }
}
