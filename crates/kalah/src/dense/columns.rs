//! The half that selects the column: how a column changes when seeds are sown onto its half, when
//! one of its pits is captured, and when its own side moves; and the loops along a row.

use super::{
    Lines,
    throw::{Last, Throw},
};
use crate::{Layouts, position::MAX_PITS};

/// The largest number of layouts that fits four bytes together with a number of seeds.
pub(super) const MOST: u64 = 1 << COLUMN_BITS;

const COLUMN_BITS: u32 = 24;

/// All layouts of the half that selects the column.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    count: usize,
    /// For 1, 2, .. seeds sown onto the half: the new column of each column.
    shifts: Vec<Vec<u32>>,
    /// For each pit: the number of seeds in it and the column without them, for each column.
    emptied: Vec<Vec<Emptied>>,
    /// For each pit: the columns that have no seeds there.
    bare: Vec<Vec<u32>>,
    /// Moves of the columns' side that neither reach the store nor end in an empty pit.
    stays: Vec<Stay>,
    /// For each pit of the other side: moves that capture it if it holds seeds.
    misses: Vec<Vec<Stay>>,
}

/// The seeds of a pit in the high bits, and the column without them in the low bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Emptied(u32);

impl Emptied {
    #[inline]
    fn seeds(self) -> u8 {
        (self.0 >> COLUMN_BITS) as u8
    }

    #[inline]
    fn column(self) -> usize {
        (self.0 & (MOST as u32 - 1)) as usize
    }
}

/// A move of the column's side that keeps all its seeds in play.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stay {
    from: u32,
    to: u32,
}

impl Columns {
    /// The layouts with `seeds` seeds, if at most `most` seeds are in play.
    pub(super) fn new(layouts: &Layouts, seeds: u32, most: u32) -> Columns {
        let pits = layouts.pits();
        let count = layouts.count(seeds) as usize;
        let mut columns = Columns {
            count,
            shifts: vec![Vec::with_capacity(count); most.saturating_sub(seeds) as usize],
            emptied: vec![Vec::with_capacity(count); pits],
            bare: vec![Vec::new(); pits],
            stays: Vec::new(),
            misses: vec![Vec::new(); pits],
        };
        let mut side = [0; MAX_PITS];
        for column in 0..count as u32 {
            layouts.layout(seeds, column.into(), &mut side[..pits]);
            columns.add(layouts, column, &side[..pits]);
        }
        columns.bare.iter_mut().for_each(Vec::shrink_to_fit);
        columns.misses.iter_mut().for_each(Vec::shrink_to_fit);
        columns.stays.shrink_to_fit();
        columns
    }

    fn add(&mut self, layouts: &Layouts, column: u32, side: &[u8]) {
        let changed = |change: &mut dyn FnMut(&mut [u8])| {
            let mut after = [0; MAX_PITS];
            let after = &mut after[..side.len()];
            after.copy_from_slice(side);
            change(after);
            layouts.number(after) as u32
        };
        for (shift, seeds) in self.shifts.iter_mut().zip(1..) {
            shift.push(changed(&mut |side| Throw::sow_across(side, seeds)));
        }
        for pit in 0..side.len() {
            let seeds = side[pit];
            let left = changed(&mut |side| side[pit] = 0);
            self.emptied[pit].push(Emptied(u32::from(seeds) << COLUMN_BITS | left));
            if seeds == 0 {
                self.bare[pit].push(column);
                continue;
            }
            let throw = Throw::new(side.len(), pit, seeds.into());
            let Last::Own(last) = throw.last else { continue };
            if throw.across == 0 {
                let to = changed(&mut |side| Throw::sow_own(side, pit));
                let opposite = side.len() - 1 - last;
                let moves =
                    if side[last] > 0 { &mut self.stays } else { &mut self.misses[opposite] };
                moves.push(Stay { from: column, to });
            }
        }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The columns after some seeds are sown onto the half; `None` for no seeds.
    pub(super) fn shift(&self, seeds: usize) -> Option<&[u32]> {
        Some(&self.shifts[seeds.checked_sub(1)?])
    }

    /// The columns after a pit is emptied.
    pub(super) fn emptied(&self, pit: usize) -> &[Emptied] {
        &self.emptied[pit]
    }

    /// The columns that have no seeds in a pit.
    pub(super) fn bare(&self, pit: usize) -> &[u32] {
        &self.bare[pit]
    }

    /// The moves of the columns' side that always keep all seeds in play.
    pub(super) fn stays(&self) -> &[Stay] {
        &self.stays
    }

    /// The moves of the columns' side that keep all seeds in play if the opposite pit `pit` is
    /// empty.
    pub(super) fn misses(&self, pit: usize) -> &[Stay] {
        &self.misses[pit]
    }

    /// A lower bound of the bytes for each column, if up to `sown` seeds can be sown onto it. Empty
    /// pits and moves that stay in play are not counted.
    pub(super) fn bytes_each(pits: usize, sown: u32) -> u64 {
        4 * (u64::from(sown) + pits as u64)
    }

    pub(super) fn memory(&self) -> usize {
        let numbers = self.shifts.iter().chain(&self.bare).map(|columns| size_of_val(&**columns));
        let emptied = self.emptied.iter().map(|columns| size_of_val(&**columns));
        let stays = self.misses.iter().chain([&self.stays]).map(|moves| size_of_val(&**moves));
        numbers.sum::<usize>() + emptied.sum::<usize>() + stays.sum::<usize>()
    }
}

/// The same side moves again.
pub(super) fn keep(values: &mut [i8], line: &[i8], gain: i8) {
    for (value, after) in values.iter_mut().zip(line) {
        *value = (*value).max(after.wrapping_add(gain));
    }
}

/// The same side moves again, with seeds sown across.
pub(super) fn keep_shifted(values: &mut [i8], line: &[i8], shift: &[u32], gain: i8) {
    if line.is_empty() {
        return;
    }
    for (value, to) in values.iter_mut().zip(shift) {
        *value = (*value).max(line[*to as usize].wrapping_add(gain));
    }
}

/// The other side moves.
pub(super) fn pass(values: &mut [i8], line: &[i8]) {
    for (value, after) in values.iter_mut().zip(line) {
        *value = (*value).max(after.wrapping_neg());
    }
}

/// The other side moves, in some columns only.
pub(super) fn pass_some(values: &mut [i8], line: &[i8], columns: &[u32]) {
    for column in columns.iter().map(|column| *column as usize) {
        values[column] = values[column].max(line[column].wrapping_neg());
    }
}

/// The other side moves, with seeds sown across.
pub(super) fn pass_shifted(values: &mut [i8], line: &[i8], shift: &[u32], gain: i8) {
    if line.is_empty() {
        return;
    }
    for (value, to) in values.iter_mut().zip(shift) {
        *value = (*value).max(gain.wrapping_sub(line[*to as usize]));
    }
}

/// A pit of the columns' half is captured, and the other side moves.
pub(super) fn capture(values: &mut [i8], lines: &Lines<'_>, emptied: &[Emptied], gain: i8) {
    for (value, emptied) in values.iter_mut().zip(emptied) {
        capture_one(value, lines, *emptied, gain);
    }
}

/// A pit of the columns' half is captured after seeds are sown across, and the other side moves.
pub(super) fn capture_shifted(
    values: &mut [i8],
    lines: &Lines<'_>,
    shift: &[u32],
    emptied: &[Emptied],
    gain: i8,
) {
    for (value, to) in values.iter_mut().zip(shift) {
        capture_one(value, lines, emptied[*to as usize], gain);
    }
}

#[inline]
fn capture_one(value: &mut i8, lines: &Lines<'_>, emptied: Emptied, gain: i8) {
    let seeds = emptied.seeds();
    // A row that is not given is empty.
    if let Some(after) = lines[usize::from(seeds)].get(emptied.column()) {
        *value = (*value).max((gain + seeds as i8).wrapping_sub(*after));
    }
}

/// The moves of the columns' side that keep all seeds in play, from the values of its turned row.
pub(super) fn stay(turned: &mut [i8], upright: &[i8], moves: &[Stay]) {
    for Stay { from, to } in moves {
        let value = &mut turned[*from as usize];
        *value = (*value).max(upright[*to as usize].wrapping_neg());
    }
}
