//! Planes of pieces from the cells of a board, all squares at once.
//!
//! Six bits of every cell say what stands there. Each of them, taken from all cells, is a set of
//! squares, and the planes are intersections of such sets.

#[cfg(target_arch = "x86_64")]
mod avx2;

use fourchess::{Cell, Seat, Square};

use crate::{
    observation::{DEAD, PROMOTED, Planes},
    view::{Cells, Order},
};

/// The bits of a cell that matter: three for the role, two for the seat, one for promoted queens.
const BITS: usize = 6;

/// Writes the planes of living pieces for the player to move, then those of dead pieces and of
/// promoted queens. What follows in `planes` may be overwritten.
#[inline]
pub(crate) fn write(cells: Cells<'_>, turn: Seat, planes: &mut Planes) {
    #[cfg(target_arch = "x86_64")]
    if avx2::write(cells, turn, planes) {
        return;
    }
    write_plainly(cells, turn, planes);
}

/// The same on every processor.
pub(crate) fn write_plainly(cells: Cells<'_>, turn: Seat, planes: &mut Planes) {
    let bits = slice(cells);
    for word in 0..Square::COUNT.div_ceil(64) {
        let bits = bits.map(|set| set[word]);
        let mut set = |plane: usize, value: u64| {
            planes[plane][2 * word] = value as u32;
            if let Some(upper) = planes[plane].get_mut(2 * word + 1) {
                *upper = (value >> 32) as u32;
            }
        };
        let either =
            |bit: usize, wanted: usize| if wanted & 1 == 1 { bits[bit] } else { !bits[bit] };
        // The lowest three bits of a piece are one more than its role, and 7 if it is dead.
        let with_code = |code: usize| either(0, code) & either(1, code >> 1) & either(2, code >> 2);
        let roles: [u64; 6] = std::array::from_fn(|role| with_code(role + 1));
        for after in 0..4 {
            let seat = turn.index() + after;
            let owned = either(3, seat) & either(4, seat >> 1);
            for (role, &pieces) in roles.iter().enumerate() {
                set(6 * after + role, pieces & owned);
            }
        }
        let dead = with_code(7);
        set(DEAD, dead);
        set(PROMOTED, bits[5] & !dead);
    }
}

/// For each bit of a cell the set of squares whose cells have it.
fn slice(cells: Cells<'_>) -> [[u64; 3]; BITS] {
    let mut sets = [[0; 3]; BITS];
    for (index, eight) in cells.cells.as_chunks::<8>().0.iter().enumerate() {
        let bytes = u64::from_le_bytes(eight.map(Cell::bits));
        let (index, bytes) = match cells.order {
            Order::Forward => (index, bytes),
            Order::Backward => (Square::COUNT / 8 - 1 - index, bytes.swap_bytes()),
        };
        for (bit, set) in sets.iter_mut().enumerate() {
            // The product moves the lowest bit of each byte into the highest byte.
            let lowest = bytes >> bit & 0x0101_0101_0101_0101;
            let byte = lowest.wrapping_mul(0x0102_0408_1020_4080) >> 56;
            set[index / 8] |= byte << (8 * (index % 8));
        }
    }
    sets
}

#[cfg(test)]
mod tests {
    use fourchess::{Game, Random, Rules};

    use super::*;
    use crate::{observation::Observation, view::View};

    /// Positions of random games, some with dead pieces and promoted queens, seen from every seat.
    #[test]
    fn wide_registers_write_the_planes_that_plain_words_write() {
        let rules = &Rules::FFA;
        for seed in 0..40 {
            let mut random = Random::new(seed);
            let mut game = Game::new(rules);
            for _ in 0..10 * seed {
                if game.ending().is_none() {
                    let mv = game.moves()[random.below(game.moves().len())];
                    game.play(mv).expect("a legal move");
                }
            }
            let position = game.position();
            let view = View::of(position, rules);
            for seat in Seat::ALL {
                let cells = view.cells(position, rules.edge(seat));
                let mut planes = [[0xdead_beef; Observation::WORDS]; Observation::PLANES];
                let mut plainly = planes;
                write(cells, seat, &mut planes);
                write_plainly(cells, seat, &mut plainly);
                assert_eq!(planes[..=PROMOTED], plainly[..=PROMOTED], "seed {seed}, {seat}");
            }
        }
    }
}
