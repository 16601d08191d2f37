//! The transposition table of the search, in bounded memory.

use game::{Key, MoveId};
use memmap2::MmapMut;

use crate::{
    pages::{fetch, zeroed},
    random::finalise,
};

/// The bounds of a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Bounds {
    /// The value is at least this.
    pub(super) least: i16,
    /// The value is at most this.
    pub(super) most: i16,
    /// The move that produced the lower bound.
    pub(super) best: Option<MoveId>,
}

/// A table of fixed size, in buckets of one cache line. A position belongs to one bucket, where it
/// replaces the entry that was cheapest to compute.
///
/// An entry has the whole key, so positions are never confused:
///
/// ```text
/// 0..14 key   14..16 least   16..18 most   18 best move or 0   19 cost, 0 if nothing is here
/// ```
pub(super) struct Transpositions {
    bytes: MmapMut,
}

const BUCKET: usize = 64;
const ENTRY: usize = 20;
const KEY: usize = 14;
const COST: usize = 19;

impl Transpositions {
    /// An empty table; `None` if the system cannot allocate as much memory.
    pub(super) fn new(memory: usize) -> Option<Transpositions> {
        zeroed((memory / BUCKET).max(1) * BUCKET).map(|bytes| Transpositions { bytes })
    }

    /// The bounds of a position, at least as narrow as `limits`.
    #[inline]
    pub(super) fn get(&self, key: Key, limits: Bounds) -> Bounds {
        let at = self.bucket(key);
        for entry in self.bytes[at..][..BUCKET].chunks_exact(ENTRY) {
            if key_of(entry) == key.0 && entry[COST] > 0 {
                return Bounds {
                    least: i16::from_le_bytes([entry[14], entry[15]]),
                    most: i16::from_le_bytes([entry[16], entry[17]]),
                    best: (entry[18] > 0).then_some(MoveId(entry[18].into())),
                };
            }
        }
        limits
    }

    /// Fetches the bounds of a position.
    #[inline]
    pub(super) fn fetch(&self, key: Key) {
        fetch(&self.bytes, self.bucket(key));
    }

    /// The move that produced the lower bound of a position, if both are here.
    pub(super) fn best(&self, key: Key) -> Option<MoveId> {
        self.get(key, Bounds { least: 0, most: 0, best: None }).best
    }

    /// Stores bounds that took `nodes` nodes to compute.
    pub(super) fn put(&mut self, key: Key, bounds: Bounds, nodes: u64) {
        let at = self.bucket(key);
        let bytes = key.0.to_le_bytes();
        if bytes[KEY..] != [0; 16 - KEY] {
            // No game that can be searched has such keys.
            return;
        }
        let bucket = &mut self.bytes[at..][..BUCKET];
        let same = |entry: &[u8]| key_of(entry) == key.0;
        let place = bucket.chunks_exact(ENTRY).position(same).unwrap_or_else(|| {
            // Entries age, so that expensive bounds which are no longer useful are replaced too.
            bucket
                .chunks_exact_mut(ENTRY)
                .for_each(|entry| entry[COST] -= u8::from(entry[COST] > 1));
            let costs = bucket.chunks_exact(ENTRY).map(|entry| entry[COST]).enumerate();
            costs.min_by_key(|(_, cost)| *cost).map_or(0, |(place, _)| place)
        });
        let entry = &mut bucket[place * ENTRY..][..ENTRY];
        entry[..KEY].copy_from_slice(&bytes[..KEY]);
        entry[14..16].copy_from_slice(&bounds.least.to_le_bytes());
        entry[16..18].copy_from_slice(&bounds.most.to_le_bytes());
        entry[18] = bounds.best.and_then(|mv| u8::try_from(mv.0).ok()).unwrap_or(0);
        entry[COST] = (4 * (u64::BITS - nodes.leading_zeros())) as u8 + 1;
    }

    #[inline]
    fn bucket(&self, key: Key) -> usize {
        let (low, high) = (key.0 as u64, (key.0 >> 64) as u64);
        let mixed = finalise(low ^ high.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let buckets = (self.bytes.len() / BUCKET) as u128;
        ((u128::from(mixed) * buckets) >> 64) as usize * BUCKET
    }
}

/// The key of an entry, which is read as one number: keys are compared all the time.
#[inline]
fn key_of(entry: &[u8]) -> u128 {
    let bytes = entry[..16].try_into().expect("an entry is longer");
    u128::from_le_bytes(bytes) & ((1 << (8 * KEY)) - 1)
}
