//! Pits and positions.

use std::{fmt, ops::Index};

/// The most pits a side can have.
pub const MAX_PITS: usize = 8;

/// The most seeds in a game.
pub const MAX_SEEDS: u32 = 255;

/// A pit of one side, counted from 0 in sowing order. The last pit is next to the store of its
/// side.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Pit(pub(crate) u8);

impl Pit {
    /// The index in sowing order, from 0.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The number in text and in [`game::MoveId`], from 1.
    pub const fn number(self) -> u16 {
        self.0 as u16 + 1
    }
}

impl fmt::Display for Pit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.number())
    }
}

/// The seeds in the pits of one side, in sowing order. Unused pits are empty.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Side {
    pub(crate) seeds: [u8; MAX_PITS],
    pub(crate) pits: u8,
}

impl Side {
    /// The side with these pits, or `None` if there are no pits or more than [`MAX_PITS`].
    pub fn new(pits: &[u8]) -> Option<Side> {
        if pits.is_empty() || pits.len() > MAX_PITS {
            return None;
        }
        let mut seeds = [0; MAX_PITS];
        seeds[..pits.len()].copy_from_slice(pits);
        Some(Side { seeds, pits: pits.len() as u8 })
    }

    /// The pits in sowing order.
    #[inline]
    pub fn pits(&self) -> &[u8] {
        &self.seeds[..self.pits as usize]
    }

    /// The sum of all its seeds.
    #[inline]
    pub fn total(&self) -> u32 {
        self.seeds.iter().map(|seeds| u32::from(*seeds)).sum()
    }

    /// Whether all its pits are empty.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.seeds == [0; MAX_PITS]
    }

    /// Adds so many seeds to each pit of a range.
    #[inline]
    pub(crate) fn add(&mut self, start: usize, end: usize, seeds: u8) {
        // All pits are one word, and no sum exceeds a byte, because a game has 255 seeds at most.
        let ones = u64::from_le_bytes([1; MAX_PITS]);
        let range = below(end) & !below(start);
        let sum = u64::from_le_bytes(self.seeds) + (ones & range) * u64::from(seeds);
        self.seeds = sum.to_le_bytes();
    }

    /// The seeds of all pits as numbers of so many bits, the first pit lowest.
    #[inline]
    pub(crate) fn packed(&self, bits: u32) -> u64 {
        let pits = u64::from_le_bytes(self.seeds);
        let pairs = pits & 0x00ff_00ff_00ff_00ff | (pits >> 8 & 0x00ff_00ff_00ff_00ff) << bits;
        let fours =
            pairs & 0x0000_ffff_0000_ffff | (pairs >> 16 & 0x0000_ffff_0000_ffff) << (2 * bits);
        fours & 0xffff_ffff | fours >> 32 << (4 * bits)
    }

    /// The sum of the distances of its seeds from their store.
    #[inline]
    pub(crate) fn steps(&self) -> u32 {
        let pits = self.pits().iter().rev().zip(1..);
        pits.map(|(seeds, steps)| u32::from(*seeds) * steps).sum()
    }
}

/// The bytes of the pits before one.
#[inline]
fn below(pit: usize) -> u64 {
    u64::MAX.checked_shr(u64::BITS - 8 * pit as u32).unwrap_or(0)
}

impl Index<Pit> for Side {
    type Output = u8;

    fn index(&self, pit: Pit) -> &u8 {
        &self.seeds[pit.index()]
    }
}

/// The seeds in the pits, seen from the side to move, without the stores.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    pub(crate) own: Side,
    pub(crate) other: Side,
}

impl Position {
    /// The position with these sides, or `None` if they have different numbers of pits or more
    /// than [`MAX_SEEDS`] seeds together.
    pub fn new(own: Side, other: Side) -> Option<Position> {
        let fits = own.pits == other.pits && own.total() + other.total() <= MAX_SEEDS;
        fits.then_some(Position { own, other })
    }

    /// The side to move.
    pub fn own(&self) -> &Side {
        &self.own
    }

    /// The opponent's side.
    pub fn other(&self) -> &Side {
        &self.other
    }

    /// The number of pits on a side.
    pub fn pits(&self) -> usize {
        self.own.pits as usize
    }

    /// The seeds that are not in a store.
    #[inline]
    pub fn seeds_in_play(&self) -> u32 {
        self.own.total() + self.other.total()
    }

    /// The same pits seen from the opponent.
    #[inline]
    pub fn turned(&self) -> Position {
        Position { own: self.other, other: self.own }
    }
}
