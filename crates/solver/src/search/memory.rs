//! Bounds of positions met before, in bounded memory.

use game::{Key, MoveId};

/// What is known of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bounds {
    /// The value is at least this.
    pub(super) least: i16,
    /// The value is at most this.
    pub(super) most: i16,
    /// The move that gave the lower bound.
    pub(super) best: Option<MoveId>,
}

/// A table of fixed size. Two positions share a bucket with two places: one for the position that
/// cost more to search, one for the latest.
pub(super) struct Transpositions {
    buckets: Vec<[Entry; 2]>,
}

#[derive(Clone, Copy)]
struct Entry {
    /// The whole key: positions are never taken for one another.
    key: [u64; 2],
    least: i16,
    most: i16,
    /// 0 for none.
    best: u16,
    /// The cost of the search, as a power of two plus one; 0 if nothing is here.
    cost: u16,
}

const NOTHING: Entry = Entry { key: [0; 2], least: 0, most: 0, best: 0, cost: 0 };

impl Transpositions {
    pub(super) fn new(memory: usize) -> Transpositions {
        let buckets = (memory / size_of::<[Entry; 2]>()).max(1);
        Transpositions { buckets: vec![[NOTHING; 2]; buckets] }
    }

    /// What is known of a position beside `limits`.
    pub(super) fn get(&self, key: Key, limits: Bounds) -> Bounds {
        let key = words(key);
        let bucket = &self.buckets[self.bucket(key)];
        match bucket.iter().find(|entry| entry.key == key && entry.cost > 0) {
            Some(entry) => Bounds {
                least: entry.least,
                most: entry.most,
                best: (entry.best > 0).then_some(MoveId(entry.best)),
            },
            None => limits,
        }
    }

    /// Keeps bounds that took `nodes` positions to find.
    pub(super) fn put(&mut self, key: Key, bounds: Bounds, nodes: u64) {
        let key = words(key);
        let entry = Entry {
            key,
            least: bounds.least,
            most: bounds.most,
            best: bounds.best.map_or(0, |mv| mv.0),
            cost: (u64::BITS - nodes.leading_zeros()) as u16 + 1,
        };
        let at = self.bucket(key);
        let bucket = &mut self.buckets[at];
        if bucket[0].key == key || entry.cost >= bucket[0].cost {
            if bucket[0].key != key {
                bucket[1] = bucket[0];
            }
            bucket[0] = entry;
        } else {
            bucket[1] = entry;
        }
    }

    fn bucket(&self, key: [u64; 2]) -> usize {
        let mut mixed = key[0] ^ key[1].wrapping_mul(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        ((u128::from(mixed) * self.buckets.len() as u128) >> 64) as usize
    }
}

fn words(key: Key) -> [u64; 2] {
    [key.0 as u64, (key.0 >> 64) as u64]
}
