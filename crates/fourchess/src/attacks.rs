//! Who attacks a square.

use crate::{
    geometry::{DIAGONAL_SETS, KING_SETS, KING_STEPS, KNIGHT_SETS, PAWNS, STRAIGHT_SETS, THROUGH},
    piece::{Cell, Role, code},
    position::Position,
    rules::Rules,
    seat::{Edge, Seat, Seating},
    square::{Square, Squares},
};

impl Position {
    /// Whether an opponent of `seat` attacks the square.
    pub fn is_attacked(&self, square: Square, seat: Seat, rules: &Rules) -> bool {
        let (at, enemies) = (square.index(), self.opponents(seat, rules));
        if !(self.knights & enemies & KNIGHT_SETS[at]).is_empty() {
            return true;
        }
        let sliders = self.straights | self.diagonals;
        // Pawns and kings are neighbours.
        let neighbours = KING_SETS[at] & enemies & !(self.knights | sliders);
        if !neighbours.is_empty()
            && neighbours.into_iter().any(|from| self.steps_to(from, square, rules))
        {
            return true;
        }
        let straights = self.straights & enemies & STRAIGHT_SETS[at];
        let diagonals = self.diagonals & enemies & DIAGONAL_SETS[at];
        straights.into_iter().any(|from| self.is_clear(from, square, 0))
            || diagonals.into_iter().any(|from| self.is_clear(from, square, 2))
    }

    /// The squares of the pieces that attack a square as opponents of `seat`.
    pub fn attackers(&self, square: Square, seat: Seat, rules: &Rules) -> Squares {
        let (at, enemies) = (square.index(), self.opponents(seat, rules));
        let sliders = self.straights | self.diagonals;
        let neighbours = KING_SETS[at] & enemies & !(self.knights | sliders);
        let straights = self.straights & enemies & STRAIGHT_SETS[at];
        let diagonals = self.diagonals & enemies & DIAGONAL_SETS[at];
        let knights = self.knights & enemies & KNIGHT_SETS[at];
        let stepping = neighbours.into_iter().filter(|from| self.steps_to(*from, square, rules));
        let straight = straights.into_iter().filter(|from| self.is_clear(*from, square, 0));
        let diagonal = diagonals.into_iter().filter(|from| self.is_clear(*from, square, 2));
        knights.into_iter().chain(stepping).chain(straight).chain(diagonal).collect()
    }

    /// Whether the pawn or king on `from` attacks a neighbour.
    fn steps_to(&self, from: Square, to: Square, rules: &Rules) -> bool {
        let cell = self.cells[from.index()];
        cell.living_role() == Role::King
            || PAWNS[rules.edge(cell.owner()) as usize][from.index()].takes.contains(&to)
    }

    /// Whether nothing stands between two squares on a line of the first or second kind from
    /// `kind`.
    #[inline]
    fn is_clear(&self, one: Square, other: Square, kind: usize) -> bool {
        let (one, other) = (&THROUGH[one.index()], &THROUGH[other.index()]);
        let kind = kind + usize::from(one.lines[kind] != other.lines[kind]);
        let (low, high) =
            (one.bits[kind].min(other.bits[kind]), one.bits[kind].max(other.bits[kind]));
        let word = u32::from(self.lines[one.lines[kind] as usize]);
        word & ((1 << high) - (2 << low)) == 0
    }
}

/// Directions: both ways along the four kinds of lines, up the line first.
pub(crate) type Threats = [[u32; 2]; 8];

/// The codes of pieces that attack the square they are seen from, by seating, by the direction
/// they are seen in and by whether they are neighbours (1) or farther away (0). Knights aside.
pub(crate) static THREATS: [Threats; 2] =
    [threats(Seating::Clockwise), threats(Seating::Counterclockwise)];

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

const fn threats(seating: Seating) -> Threats {
    let mut threats = [[0; 2]; 8];
    let mut direction = 0;
    while direction < 8 {
        let slider = if direction < 4 { Role::Rook } else { Role::Bishop };
        let mut seat = 0;
        while seat < 4 {
            let first = 8 * seat;
            let slides = (1 << code(slider) | 1 << code(Role::Queen)) << first;
            threats[direction][0] |= slides;
            threats[direction][1] |= slides | 1 << (code(Role::King) + first);
            if pawn_attacks_along(seating.edge(Seat::ALL[seat as usize]), direction) {
                threats[direction][1] |= 1 << (code(Role::Pawn) + first);
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
