//! Who attacks a square: looking from it along the lines.

use crate::geometry::{KING_STEPS, KNIGHT_LISTS, LINE_SQUARES, THROUGH};
use crate::piece::{Cell, Kind};
use crate::position::Position;
use crate::rules::Rules;
use crate::seat::{Edge, Seat, Seating};
use crate::square::Square;

impl Position {
    /// Whether an opponent of `seat` attacks the square.
    #[must_use]
    pub fn is_attacked(&self, square: Square, seat: Seat, rules: &Rules) -> bool {
        self.is_attacked_by(square, rules.foes(seat), rules.seating)
    }

    /// Whether a piece with one of these codes attacks the square.
    pub(crate) fn is_attacked_by(&self, square: Square, codes: u32, seating: Seating) -> bool {
        is_hit(self, square, codes, &THREATS[seating as usize])
            || KNIGHT_LISTS[square.index()]
                .squares()
                .iter()
                .any(|from| is_one_of(codes & KNIGHTS, self.cells[from.index()]))
    }
}

/// Directions: both ways along the four kinds of lines, up the line first.
pub(crate) type Threats = [[u32; 2]; 8];

/// The codes of pieces that attack the square they are seen from, by seating, by the direction
/// they are seen in and by whether they are neighbours (1) or farther away (0). Knights aside.
pub(crate) static THREATS: [Threats; 2] =
    [threats(Seating::Clockwise), threats(Seating::Counterclockwise)];

const KNIGHTS: u32 = 0x0101_0101 << Kind::Knight as u32;

#[inline]
pub(crate) fn is_one_of(codes: u32, cell: Cell) -> bool {
    codes >> cell.code() & 1 == 1
}

/// The set bit nearest above `bit`; the wall is one. The bit added far up is never the nearest,
/// but spares the instruction's special case of an empty word.
#[inline]
pub(crate) fn next_above(word: u32, bit: u32) -> u32 {
    bit + 1 + (word >> (bit + 1) | 1 << 16).trailing_zeros()
}

/// The set bit nearest below `bit`; the wall at 0 is one.
#[inline]
pub(crate) fn next_below(word: u32, bit: u32) -> u32 {
    31 - (word & ((1 << bit) - 1) | 1).leading_zeros()
}

/// Whether anything but a knight attacks the square.
#[inline]
fn is_hit(position: &Position, square: Square, codes: u32, threats: &Threats) -> bool {
    let through = &THROUGH[square.index()];
    let mut found = 0;
    for kind in 0..4 {
        let line = through.lines[kind] as usize;
        let bit = u32::from(through.bits[kind]);
        let word = u32::from(position.lines[line]);
        let (above, below) = (next_above(word, bit), next_below(word, bit));
        let upper = position.cells[LINE_SQUARES[line][above as usize & 15].index()];
        let lower = position.cells[LINE_SQUARES[line][below as usize & 15].index()];
        found |= threats[2 * kind][usize::from(above == bit + 1)] >> upper.code()
            & codes >> upper.code();
        found |= threats[2 * kind + 1][usize::from(below + 1 == bit)] >> lower.code()
            & codes >> lower.code();
    }
    found & 1 == 1
}

const fn threats(seating: Seating) -> Threats {
    let mut threats = [[0; 2]; 8];
    let mut direction = 0;
    while direction < 8 {
        let slider = if direction < 4 { Kind::Rook } else { Kind::Bishop };
        let mut seat = 0;
        while seat < 4 {
            let code = 8 * seat;
            let slides = (1 << slider as u32 | 1 << Kind::Queen as u32) << code;
            threats[direction][0] |= slides;
            threats[direction][1] |= slides | 1 << (Kind::King as u32 + code);
            if pawn_attacks_along(seating.edge(Seat::ALL[seat as usize]), direction) {
                threats[direction][1] |= 1 << (Kind::Pawn as u32 + code);
            }
            seat += 1;
        }
        direction += 1;
    }
    threats
}

/// Whether a pawn of this edge that is seen as a neighbour in this direction takes back along it.
const fn pawn_attacks_along(edge: Edge, direction: usize) -> bool {
    let (files, ranks) = KING_STEPS[direction];
    let (ahead, up) = edge.forward();
    // It takes diagonally, one step forward: the way back, measured along forward, is one.
    direction >= 4 && -files * ahead - ranks * up == 1
}
