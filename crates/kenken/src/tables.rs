//! Tables of cages: the fillings of a cage, one word each, and for each candidate the set of
//! fillings that need it.
//!
//! With them a removed candidate takes one `and` from the set of possible fillings. Tables of whole
//! cages are kept by clue and shape, because the drafts of a generator differ in a cage or two.

use std::collections::{HashMap, hash_map::Entry};

use crate::{
    cache::{Key, Mixer},
    filling::{self, Budget, MOST_CELLS, Slot},
    puzzle::{Clue, Rules},
};

/// The most fillings of a table.
pub(crate) const MOST_FILLINGS: usize = 1024;

/// The most words of all tables that are kept.
const MOST_WORDS: usize = 1 << 20;

/// Where the table of a cage lies.
#[derive(Clone, Copy, Default)]
pub(crate) struct Table {
    /// Where its fillings start.
    pub(crate) first: u32,
    /// Where the sets of fillings start: one for each bit of a filling.
    pub(crate) support: u32,
    /// The number of its fillings.
    pub(crate) count: u32,
    /// The candidates that its fillings have.
    pub(crate) union: u64,
    /// The words of a set of fillings; 0 if the cage has no table.
    pub(crate) words: u32,
}

/// Tables one after the other in one vector.
#[derive(Default)]
pub(crate) struct Tables {
    side: usize,
    rules: Option<Rules>,
    known: HashMap<Key, Option<Table>, std::hash::BuildHasherDefault<Mixer>>,
    /// Fillings and sets of fillings. Those that are kept come first.
    pub(crate) words: Vec<u64>,
    kept: usize,
}

impl Tables {
    /// Makes room for another puzzle: only kept tables stay.
    pub(crate) fn begin(&mut self, side: usize, rules: &Rules) {
        if self.side != side || self.rules != Some(*rules) || self.kept > MOST_WORDS {
            *self = Tables { side, rules: Some(*rules), ..Tables::default() };
        }
        self.words.truncate(self.kept);
    }

    /// The table of a cage of this shape, with every candidate; `None` if it has too many fillings.
    /// No table of this puzzle may have been made by [`Tables::list`] or [`Tables::copy`] before.
    pub(crate) fn whole(&mut self, rules: &Rules, clue: Clue, slots: &[Slot]) -> Option<Table> {
        let place = match self.known.entry(Key::of(clue, slots)?) {
            Entry::Occupied(place) => return *place.get(),
            Entry::Vacant(place) => place,
        };
        let mut open = [Slot::default(); MOST_CELLS];
        for (open, slot) in open.iter_mut().zip(slots) {
            *open = Slot { domain: u32::MAX >> (32 - self.side), clashes: slot.clashes };
        }
        let made = list(&mut self.words, self.side, rules, clue, &open[..slots.len()]);
        self.kept = self.words.len();
        *place.insert(made)
    }

    /// A table for this puzzle only; `None` if it would have too many fillings.
    pub(crate) fn list(&mut self, rules: &Rules, clue: Clue, slots: &[Slot]) -> Option<Table> {
        list(&mut self.words, self.side, rules, clue, slots)
    }

    /// A table of these fillings of one word each, for this puzzle only.
    pub(crate) fn copy(&mut self, fillings: &[u64], cells: usize) -> Table {
        let first = self.words.len();
        self.words.extend_from_slice(fillings);
        support(&mut self.words, first, cells * self.side)
    }
}

fn list(
    words: &mut Vec<u64>,
    side: usize,
    rules: &Rules,
    clue: Clue,
    slots: &[Slot],
) -> Option<Table> {
    if slots.len() > filling::lanes(side).min(MOST_CELLS) {
        return None;
    }
    let first = words.len();
    let budget = Budget { fillings: MOST_FILLINGS, steps: 8 * MOST_FILLINGS };
    filling::list(side, rules, clue, slots, budget, words)
        .then(|| support(words, first, slots.len() * side))
}

/// Adds the sets to the fillings from `first` on.
fn support(words: &mut Vec<u64>, first: usize, bits: usize) -> Table {
    let count = words.len() - first;
    let support = words.len();
    // A cage without fillings has an empty set of them.
    let width = count.div_ceil(64).max(1);
    words.resize(support + bits * width, 0);
    let (fillings, sets) = words[first..].split_at_mut(count);
    let mut union = 0;
    for (number, &filling) in fillings.iter().enumerate() {
        union |= filling;
        let mut rest = filling;
        while rest != 0 {
            sets[rest.trailing_zeros() as usize * width + number / 64] |= 1 << (number % 64);
            rest &= rest - 1;
        }
    }
    let [first, support, count, words] = [first, support, count, width].map(|n| n as u32);
    Table { first, support, count, union, words }
}
