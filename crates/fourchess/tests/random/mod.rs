//! Numbers that a seed names, the same on every machine.

pub(crate) struct Random(fourchess::Random);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(fourchess::Random::new(seed))
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0.below(bound as u32) as usize
    }
}
