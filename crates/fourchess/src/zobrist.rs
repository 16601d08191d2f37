//! Keys of positions for telling repetitions.

use chess::Random;

use crate::{piece::Cell, seat::Seat, square::Square};

/// A piece on a square. A product of two random odd numbers instead of a table of 160 x 32 words,
/// which would fill the fastest cache; the shift brings the good upper bits down.
#[inline]
pub(crate) fn piece(square: Square, cell: Cell) -> u64 {
    let product = SQUARES[square.index()].wrapping_mul(CODES[cell.code() as usize]);
    product ^ product >> 32
}

/// A square that a pawn has passed. Each seat passes squares of its own, so the square says whose.
#[inline]
pub(crate) fn passed(square: Square) -> u64 {
    // A code that no piece has.
    piece(square, Cell::EMPTY)
}

#[inline]
pub(crate) fn rights(rights: u8) -> u64 {
    u64::from(rights).wrapping_mul(RIGHTS)
}

#[inline]
pub(crate) fn turn(seat: Seat) -> u64 {
    TURNS[seat.index()]
}

const fn random<const N: usize>(seed: u64) -> [u64; N] {
    let mut stream = Random::new(seed);
    let mut numbers = [0; N];
    let mut index = 0;
    while index < N {
        numbers[index] = stream.next() | 1;
        index += 1;
    }
    numbers
}

/// One more than there are squares: no square passed is a square too.
static SQUARES: [u64; Square::COUNT + 1] = random(1);
static CODES: [u64; 32] = random(2);
static TURNS: [u64; 4] = random(3);
const RIGHTS: u64 = random::<1>(4)[0];
