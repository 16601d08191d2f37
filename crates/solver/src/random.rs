//! Numbers that depend on a seed and on nothing else: SplitMix64.

/// The increment of SplitMix64.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A stream of numbers.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        let number = mix(self.0);
        self.0 = self.0.wrapping_add(STEP);
        number
    }

    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }
}

/// The output function of SplitMix64. Each bit of the input changes about half of the bits of the
/// output.
pub const fn mix(number: u64) -> u64 {
    finalise(number.wrapping_add(STEP))
}

/// Like [`mix`], but 0 stays 0.
pub(crate) const fn finalise(number: u64) -> u64 {
    let mixed = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
