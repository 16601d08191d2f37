//! Random numbers from a seed: the same on every machine.

/// A generator of random numbers (SplitMix64).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// The generator for one item of a batch. Every item has its own generator, so items can be
    /// computed in any order and on any thread.
    pub(crate) fn new(seed: u64, item: u64) -> Random {
        let mut mixed = Random(seed);
        let start = mixed.next();
        Random(start ^ Random(item).next().rotate_left(17))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below a bound, which must not be 0.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.next()) * bound as u128) >> 64) as usize
    }

    /// True with this probability in percent.
    pub(crate) fn percent(&mut self, chance: usize) -> bool {
        self.below(100) < chance
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last + 1));
        }
    }

    /// An index, chosen at random by weight; `None` if all weights are 0.
    pub(crate) fn weighted(&mut self, weights: &[u32]) -> Option<usize> {
        let total: u64 = weights.iter().map(|&weight| u64::from(weight)).sum();
        if total == 0 {
            return None;
        }
        let mut drawn = self.below(total as usize) as u64;
        weights.iter().position(|&weight| {
            let here = drawn < u64::from(weight);
            drawn = drawn.saturating_sub(u64::from(weight));
            here
        })
    }
}

/// A random Latin square of ranks. Each row is a random matching of columns with digits that they
/// do not have yet. A rectangle of such rows can always be completed.
pub(crate) fn latin_square(random: &mut Random, side: usize) -> Vec<u8> {
    let mut square = Vec::with_capacity(side * side);
    // The digits that each column does not have yet.
    let mut lacks = vec![u32::MAX >> (32 - side); side];
    let mut order: Vec<u8> = (0..side as u8).collect();
    for _ in 0..side {
        // Permuting the digits at random makes the matching random.
        random.shuffle(&mut order);
        let mut holder = vec![usize::MAX; side];
        for column in 0..side {
            let mut tried = 0;
            let placed = place(column, &lacks, &order, &mut holder, &mut tried);
            debug_assert!(placed, "a Latin rectangle can be completed");
        }
        let start = square.len();
        square.resize(start + side, 0);
        for (digit, &column) in holder.iter().enumerate() {
            square[start + column] = digit as u8;
            lacks[column] &= !(1 << digit);
        }
    }
    square
}

fn place(
    column: usize,
    lacks: &[u32],
    order: &[u8],
    holder: &mut [usize],
    tried: &mut u32,
) -> bool {
    for &digit in order {
        if lacks[column] >> digit & 1 == 0 || *tried >> digit & 1 == 1 {
            continue;
        }
        *tried |= 1 << digit;
        let owner = holder[usize::from(digit)];
        if owner == usize::MAX || place(owner, lacks, order, holder, tried) {
            holder[usize::from(digit)] = column;
            return true;
        }
    }
    false
}
