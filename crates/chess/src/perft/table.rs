//! Counts of perft that are kept, so that a position reached in several ways is counted once.

use std::{
    collections::TryReserveError,
    sync::atomic::{AtomicU64, Ordering, fence},
};

use super::Walk;
use crate::{Color, Position, Role};

/// Memory for the counts of positions, which threads share.
///
/// An entry holds the whole position, not a hash of it, so a count is never taken for that of
/// another position.
///
/// ```
/// let table = chess::PerftTable::new(1 << 20)?;
/// assert_eq!(table.perft(&chess::Position::default(), 5), 4_865_609);
/// # Ok::<(), std::collections::TryReserveError>(())
/// ```
pub struct PerftTable {
    buckets: Vec<Bucket>,
}

impl PerftTable {
    /// A table of at most so many bytes, and at least one bucket of 64.
    ///
    /// # Errors
    /// If there is not so much memory.
    pub fn new(bytes: usize) -> Result<PerftTable, TryReserveError> {
        let length = (bytes / size_of::<Bucket>()).max(1);
        let mut buckets = Vec::new();
        buckets.try_reserve_exact(length)?;
        buckets.resize_with(length, Bucket::default);
        Ok(PerftTable { buckets })
    }

    /// How many sequences of `depth` legal moves start from a position, like
    /// [`perft`](crate::perft()). What is counted on the way is kept for the next call.
    pub fn perft(&self, position: &Position, depth: u32) -> u64 {
        super::count(position, depth, Some(self))
    }

    #[inline(always)]
    pub(super) fn bucket(&self, key: &Key) -> &Bucket {
        let range = self.buckets.len() as u128;
        &self.buckets[((u128::from(key.hash()) * range) >> 64) as usize]
    }
}

/// A position without its counters: the occupied squares, and four bits for the piece on each of
/// them. A legal position has at most 32 pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key([u64; 3]);

impl Key {
    #[inline(always)]
    pub(super) fn of<W: Walk>(position: &Position) -> Key {
        let board = &position.board;
        let set = |role: Role| board.roles[role.index()].0;
        let castling = position.castling.0;
        // The pawn that may be captured stands behind the square that it passed.
        let passed = position.en_passant.map_or(0, |square| 1 << (square.index() ^ 8));
        // Pawn, knight, bishop, rook, queen, king; then the rook that may castle and the pawn
        // that may be captured in passing.
        let (rooks, kings) = (set(Role::Rook), set(Role::King));
        let low = (set(Role::Knight) | rooks | kings) ^ castling | passed;
        let middle = set(Role::Bishop) | rooks | passed;
        let high = set(Role::Queen) | kings | castling | passed;
        let black = board.colors[Color::Black as usize].0;
        let occupied = board.occupied().0;
        let pick = |set| W::pick(set, occupied);
        Key([occupied, pick(low) | pick(middle) << 32, pick(high) | pick(black) << 32])
    }

    #[inline(always)]
    fn hash(&self) -> u64 {
        let [occupied, low, high] = self.0;
        let fold = |a: u64, b: u64| {
            let product = u128::from(a) * u128::from(b);
            product as u64 ^ (product >> 64) as u64
        };
        // Digits of pi, the customary numbers without a purpose.
        let pieces = fold(low ^ 0x243f_6a88_85a3_08d3, high ^ 0x1319_8a2e_0370_7344);
        fold(pieces ^ occupied, 0xa409_3822_299f_31d0) ^ pieces
    }
}

/// One line of the cache: an entry for the deepest count, and one for the last.
#[derive(Default)]
#[repr(align(64))]
pub(super) struct Bucket([Entry; 2]);

impl Bucket {
    /// Begins to bring the line into the cache.
    #[inline(always)]
    pub(super) fn fetch(&self) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every x86-64 processor has the instruction, which reads nothing.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(self).cast());
        }
    }

    #[inline(always)]
    pub(super) fn find(&self, key: &Key, turn: Color, depth: u32) -> Option<u64> {
        let kind = Entry::kind(turn, depth);
        self.0[0].find(key, kind).or_else(|| self.0[1].find(key, kind))
    }

    #[inline(always)]
    pub(super) fn keep(&self, key: &Key, turn: Color, depth: u32, count: u64) {
        if count >> COUNT_BITS != 0 || depth > DEEPEST {
            return;
        }
        let shallower = usize::from(depth < self.0[0].depth());
        self.0[shallower].keep(key, Entry::kind(turn, depth), count);
    }
}

/// A position and its count. The state is, from the lowest bit: 16 bits that are counted up twice
/// for each change and are odd during it, the side to move, 7 bits of depth, and the count. A
/// reader that sees the same even state before and after has read one entry and not parts of two.
#[derive(Default)]
struct Entry {
    state: AtomicU64,
    position: [AtomicU64; 3],
}

const DEEPEST: u32 = 127;
const COUNT_BITS: u32 = 40;
const VERSION: u64 = 0xffff;

impl Entry {
    fn kind(turn: Color, depth: u32) -> u64 {
        u64::from(depth) << 1 | turn as u64
    }

    fn depth(&self) -> u32 {
        (self.state.load(Ordering::Relaxed) >> 17) as u32 & DEEPEST
    }

    #[inline(always)]
    fn find(&self, key: &Key, kind: u64) -> Option<u64> {
        let state = self.state.load(Ordering::Acquire);
        if state & 1 != 0 || state >> 16 & 0xff != kind {
            return None;
        }
        let position = self.position.each_ref().map(|word| word.load(Ordering::Relaxed));
        fence(Ordering::Acquire);
        let unchanged = self.state.load(Ordering::Relaxed) == state;
        (unchanged && position == key.0).then_some(state >> 24)
    }

    /// Does nothing while another thread changes the entry.
    #[inline(always)]
    fn keep(&self, key: &Key, kind: u64, count: u64) {
        let state = self.state.load(Ordering::Relaxed);
        let claim =
            || self.state.compare_exchange(state, state | 1, Ordering::Acquire, Ordering::Relaxed);
        if state & 1 != 0 || claim().is_err() {
            return;
        }
        fence(Ordering::Release);
        for (word, value) in self.position.iter().zip(key.0) {
            word.store(value, Ordering::Relaxed);
        }
        let version = (state & VERSION).wrapping_add(2) & VERSION;
        self.state.store(count << 24 | kind << 16 | version, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::{Random, attacks::Magic};

    /// Also with castling rights, en passant and promoted pieces, as random games have them.
    #[test]
    fn keys_are_equal_exactly_for_equal_positions() {
        let mut seen: HashMap<(Key, Color), Position> = HashMap::new();
        let mut random = Random::new(6);
        for _ in 0..300 {
            let mut position = Position::default();
            for _ in 0..120 {
                let moves: Vec<_> = position.legal_moves().iter().collect();
                if moves.is_empty() {
                    break;
                }
                position = position.play(moves[random.below(moves.len())]);
                let key = Key::of::<Magic>(&position);
                let known = *seen.entry((key, position.turn)).or_insert(position);
                assert!(known.is_repetition_of(&position), "{known} and {position}");
                #[cfg(target_arch = "x86_64")]
                if crate::attacks::has_quick_pext() {
                    assert_eq!(Key::of::<crate::attacks::Pext>(&position), key, "{position}");
                }
            }
        }
        let distinct: std::collections::HashSet<_> = seen.values().map(|p| p.hash).collect();
        assert_eq!(distinct.len(), seen.len(), "equal positions have equal keys");
    }

    #[test]
    fn an_entry_returns_what_was_kept_and_nothing_else() {
        let (bucket, key) = (Bucket::default(), Key([1, 2, 3]));
        assert_eq!(bucket.find(&key, Color::White, 2), None);
        bucket.keep(&key, Color::White, 2, 400);
        assert_eq!(bucket.find(&key, Color::White, 2), Some(400));
        assert_eq!(bucket.find(&key, Color::Black, 2), None);
        assert_eq!(bucket.find(&key, Color::White, 3), None);
        assert_eq!(bucket.find(&Key([1, 2, 4]), Color::White, 2), None);
        bucket.keep(&key, Color::White, 3, 1 << COUNT_BITS);
        assert_eq!(bucket.find(&key, Color::White, 3), None, "the count does not fit");
    }
}
