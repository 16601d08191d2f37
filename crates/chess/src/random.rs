//! Random numbers that depend on a seed and on nothing else. The build script reads this file too.

/// A stream of numbers: SplitMix64, whose state is one word.
///
/// ```
/// use chess::Random;
///
/// let mut one = Random::new(7);
/// let mut other = Random::new(7);
/// assert_eq!(one.next(), other.next());
/// assert!(one.below(10) < 10);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct Random(u64);

impl Random {
    /// The stream of a seed.
    pub const fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The word that the stream goes on from: a stream made of it gives the same numbers.
    #[must_use = "the word is the result"]
    pub const fn state(self) -> u64 {
        self.0
    }

    /// The next number.
    #[inline]
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A number below `bound`, which is not 0. Numbers are not all equally likely: their chances
    /// differ by less than one in 2^64 / bound.
    #[inline]
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// The seed of the game with this index in a batch that was given one seed.
    pub fn seed(seed: u64, index: usize) -> u64 {
        Random(seed ^ Random(index as u64).next()).next()
    }
}
