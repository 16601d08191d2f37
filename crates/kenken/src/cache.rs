//! The fillings of cages that come again and again, such as those of the drafts of a generator, most
//! of which differ in a cage or two.
//!
//! A cage is known by its clue and its shape. Its fillings are kept as if every digit were a
//! candidate everywhere, and those that the candidates allow are copied. They come in the order in
//! which [`filling::list`] lists them.

use std::{
    collections::{HashMap, hash_map::Entry},
    hash::{BuildHasherDefault, Hasher},
};

use crate::{
    filling::{self, Budget, Slot},
    puzzle::{Clue, Rules},
};

/// The most cells of a cage that is kept, so that its shape fits into a number.
const MOST_CELLS: usize = 8;

/// The most fillings of a cage that is kept. Choosing from more takes longer than listing those
/// that are possible.
const MOST_FILLINGS: usize = 600;

/// The most words of all fillings together.
const MOST_WORDS: usize = 1 << 17;

/// What the fillings of a cage depend on.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    clue: Clue,
    /// The number of cells, and for each pair of them a bit if they share a line.
    shape: u64,
}

impl Key {
    /// The key of a cage, unless it has too many cells.
    pub(crate) fn of(clue: Clue, slots: &[Slot]) -> Option<Key> {
        if slots.len() > MOST_CELLS {
            return None;
        }
        let mut shape = slots.len() as u64;
        for (place, slot) in slots.iter().enumerate() {
            shape = shape << place | u64::from(slot.clashes);
        }
        Some(Key { clue, shape })
    }
}

/// What is known of a cage.
enum Known {
    /// It came once. A cage that does not come again is not worth listing in full.
    Once,
    /// These words are its fillings.
    Kept { first: usize, end: usize },
    /// It has too many fillings.
    TooMany,
}

/// Fillings by clue and shape, for one size and one set of rules.
#[derive(Default)]
pub(crate) struct Cache {
    side: usize,
    rules: Option<Rules>,
    known: HashMap<Key, Known, BuildHasherDefault<Mixer>>,
    words: Vec<u64>,
}

impl Cache {
    /// Appends to `out` what [`filling::list`] would append, if the cage is one that is kept.
    /// Otherwise returns `false`.
    pub(crate) fn list(
        &mut self,
        side: usize,
        rules: &Rules,
        clue: Clue,
        slots: &[Slot],
        out: &mut Vec<u64>,
    ) -> bool {
        let Some(key) = Key::of(clue, slots) else { return false };
        if self.side != side || self.rules != Some(*rules) || self.words.len() > MOST_WORDS {
            *self = Cache { side, rules: Some(*rules), ..Cache::default() };
        }
        let known = match self.known.entry(key) {
            Entry::Vacant(place) => {
                place.insert(Known::Once);
                return false;
            }
            Entry::Occupied(place) => place.into_mut(),
        };
        if let Known::Once = known {
            *known = keep(side, rules, clue, slots, &mut self.words);
        }
        let Known::Kept { first, end } = *known else { return false };
        let words = slots.len().div_ceil(filling::lanes(side));
        copy_possible(&self.words[first..end], words, &pack(side, slots)[..words], out);
        true
    }
}

/// Lists the fillings of a cage whose cells have every candidate.
fn keep(side: usize, rules: &Rules, clue: Clue, slots: &[Slot], words: &mut Vec<u64>) -> Known {
    let mut open = [Slot::default(); MOST_CELLS];
    for (place, slot) in open.iter_mut().zip(slots) {
        *place = Slot { domain: u32::MAX >> (32 - side), clashes: slot.clashes };
    }
    let first = words.len();
    // Fewer than the budget of a board, so that a board would list the cage as well.
    let budget = Budget { fillings: MOST_FILLINGS, steps: 8 * MOST_FILLINGS };
    match filling::list(side, rules, clue, &open[..slots.len()], budget, words) {
        true => Known::Kept { first, end: words.len() },
        false => Known::TooMany,
    }
}

/// The candidates of all cells, in the layout of fillings.
fn pack(side: usize, slots: &[Slot]) -> [u64; filling::MOST_WORDS] {
    let lanes = filling::lanes(side);
    let mut packed = [0; filling::MOST_WORDS];
    for (place, slot) in slots.iter().enumerate() {
        packed[place / lanes] |= u64::from(slot.domain) << (place % lanes * side);
    }
    packed
}

/// Appends the fillings that have no digit but the candidates.
fn copy_possible(fillings: &[u64], words: usize, candidates: &[u64], out: &mut Vec<u64>) {
    if let &[candidates] = candidates {
        // Every filling is written, and the next one overwrites it if it is not possible.
        let start = out.len();
        out.resize(start + fillings.len(), 0);
        let mut next = start;
        for &filling in fillings {
            out[next] = filling;
            next += usize::from(filling & !candidates == 0);
        }
        out.truncate(next);
        return;
    }
    for filling in fillings.chunks_exact(words) {
        if filling.iter().zip(candidates).all(|(word, candidates)| word & !candidates == 0) {
            out.extend_from_slice(filling);
        }
    }
}

/// A hash of a few numbers that nobody chooses to make it slow: by multiplication.
#[derive(Default)]
pub(crate) struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        // The table uses the lowest bits and the highest ones.
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_isize(&mut self, number: isize) {
        self.write_u64(number as u64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{puzzle::Operator, random::Random};

    /// Random shapes, clues and candidates, each cage three times: unknown, listed, kept.
    #[test]
    fn what_is_kept_is_what_would_be_listed() {
        let mut random = Random::new(22, 0);
        let mut cache = Cache::default();
        let mut kept = 0;
        for round in 0..4000 {
            let side = [4, 6, 9, 16, 32][round / 800];
            let rules = Rules { zero: round % 7 == 0, wide_sub_div: true, ..Rules::default() };
            let cells = 2 + random.below(4);
            let operators = [
                Operator::Add,
                Operator::Subtract,
                Operator::Multiply,
                Operator::Divide,
                Operator::Unknown,
            ];
            let clue = Clue {
                operator: operators[random.below(operators.len())],
                target: 1 + random.below(2 * side) as u64,
            };
            let shape: Vec<u32> = (0..cells).map(|place| random.below(1 << place) as u32).collect();
            for _ in 0..3 {
                let slot = |&clashes: &u32| {
                    let full = u32::MAX >> (32 - side);
                    Slot { domain: (random.below(1 << 31) as u32 * 2 + 1) & full, clashes }
                };
                let slots: Vec<Slot> = shape.iter().map(slot).collect();
                let (mut quickly, mut listed) = (vec![7], vec![7]);
                if cache.list(side, &rules, clue, &slots, &mut quickly) {
                    let budget = Budget { fillings: usize::MAX, steps: usize::MAX };
                    assert!(filling::list(side, &rules, clue, &slots, budget, &mut listed));
                    kept += 1;
                }
                assert_eq!(quickly, listed, "round {round}");
            }
        }
        assert!(kept > 2000, "{kept}");
    }
}
