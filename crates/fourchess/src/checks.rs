//! The award for checking several kings with one move.

use crate::{
    castling::CASTLES,
    geometry::{
        DIAGONAL_SETS, KING_SETS, KNIGHT_SETS, LINE_SQUARES, PAWNS, STRAIGHT_SETS, THROUGH,
    },
    moves::{Manner, Move},
    piece::{Cell, Role, code},
    position::Position,
    rules::Rules,
    seat::Seat,
    square::{Square, Squares},
};

impl Rules {
    #[inline]
    pub(crate) const fn awards_checks(&self) -> bool {
        self.two_kings | self.two_kings_queen | self.three_kings | self.three_kings_queen != 0
    }
}

impl Position {
    /// The points for the kings that `mover` has just checked with `mv`.
    #[inline]
    pub(crate) fn check_award(&self, mv: Move, mover: Seat, rules: &Rules) -> i16 {
        if !self.may_check_two(mv, mover) {
            return 0;
        }
        self.exact_check_award(mv, mover, rules)
    }

    /// A quick look that most moves do not pass: are two of the kings in view?
    #[inline]
    fn may_check_two(&self, mv: Move, mover: Seat) -> bool {
        let kings = self.kings_in_view(mv) & !(1 << mover.index());
        kings & kings.wrapping_sub(1) != 0
    }

    /// The seats, a bit for each, whose kings may be attacked because of a move that has been
    /// made: on an empty board, the moved piece would attack the king, or a queen would see it
    /// from the square that was left. No other king has come into check. All seats if the move
    /// empties a third square.
    #[inline]
    pub fn kings_in_view(&self, mv: Move) -> u8 {
        if matches!(mv.manner, Manner::Castling | Manner::EnPassant) {
            return 0b1111;
        }
        let kind = usize::from(self.cells[mv.to.index()].bits() & 7);
        let seen = VIEWS[QUEEN][mv.from.index()] | VIEWS[kind][mv.to.index()];
        let mut seats = 0;
        for (seat, &king) in self.kings.iter().enumerate() {
            // No set contains what is outside the board.
            seats |= u8::from(seen.contains(king)) << seat;
        }
        seats
    }

    #[cold]
    fn exact_check_award(&self, mv: Move, mover: Seat, rules: &Rules) -> i16 {
        let checked = self.kings_checked(mv, mover, rules);
        if checked < 2 {
            return 0;
        }
        let with_queen = self.cells[mv.to.index()].living_role() == Role::Queen;
        match (checked, with_queen) {
            (2, false) => rules.two_kings,
            (2, true) => rules.two_kings_queen,
            (_, false) => rules.three_kings,
            (_, true) => rules.three_kings_queen,
        }
    }

    /// How many kings `mover` has just checked with `mv`, which has been made.
    #[inline]
    pub(crate) fn kings_checked(&self, mv: Move, mover: Seat, rules: &Rules) -> usize {
        let mut checked = 0;
        for seat in Seat::ALL {
            let king = self.kings[seat.index()];
            if rules.are_opponents(seat, mover)
                && king.index() < Square::COUNT
                && self.gives_check(king, mv, mover, rules)
            {
                checked += 1;
            }
        }
        checked
    }

    /// Whether the move, which has been made, attacks the king with the moved piece or with one
    /// whose way it has opened.
    #[inline]
    pub(crate) fn gives_check(&self, king: Square, mv: Move, mover: Seat, rules: &Rules) -> bool {
        let attacks = |from: Square| self.piece_attacks(from, king, mover, rules);
        if attacks(mv.to) || self.opens_line(mv.from, king, mover) {
            return true;
        }
        match mv.manner {
            Manner::Plain | Manner::DoubleStep => false,
            Manner::Castling => {
                let castles = CASTLES[rules.edge(mover) as usize].as_flattened();
                let castle = castles
                    .iter()
                    .find(|castle| castle.king_to == mv.to && self.is_rook(castle.rook_to, mover));
                castle.is_some_and(|castle| attacks(castle.rook_to))
            }
            Manner::EnPassant => {
                // The passed square is on the third rank of whoever pushed.
                let pusher = [mover.next(), mover.next().opposite()]
                    .into_iter()
                    .find(|&seat| mv.to.own_rank(rules.edge(seat)) == 3)
                    .expect("a pawn is taken in passing on its owner's third rank");
                let pawn = PAWNS[rules.edge(pusher) as usize][mv.to.index()].push;
                self.opens_line(pawn, king, mover)
            }
        }
    }

    fn is_rook(&self, square: Square, seat: Seat) -> bool {
        self.cells[square.index()].code() == Cell::of(crate::Piece::new(seat, Role::Rook)).code()
    }

    /// Whether the piece that stands on `from` attacks `to`.
    #[inline]
    fn piece_attacks(&self, from: Square, to: Square, owner: Seat, rules: &Rules) -> bool {
        let role = self.cells[from.index()].living_role();
        match role {
            Role::Pawn => PAWNS[rules.edge(owner) as usize][from.index()].takes.contains(&to),
            Role::Knight => KNIGHT_SETS[from.index()].contains(to),
            Role::Bishop => self.sees(from, to, 2..4),
            Role::Rook => self.sees(from, to, 0..2),
            Role::Queen => self.sees(from, to, 0..4),
            // A king that could attack another would stand in its check.
            Role::King => false,
        }
    }

    /// Whether the squares lie on a line of one of these kinds with nothing between.
    #[inline]
    fn sees(&self, from: Square, to: Square, kinds: std::ops::Range<usize>) -> bool {
        let (one, other) = (&THROUGH[from.index()], &THROUGH[to.index()]);
        for kind in kinds {
            if one.lines[kind] == other.lines[kind] {
                let (low, high) =
                    (one.bits[kind].min(other.bits[kind]), one.bits[kind].max(other.bits[kind]));
                let between = (1u32 << high) - (2u32 << low);
                return u32::from(self.lines[one.lines[kind] as usize]) & between == 0;
            }
        }
        false
    }

    /// Whether a slider of `mover` attacks the king through the square that was left.
    #[inline]
    fn opens_line(&self, left: Square, king: Square, mover: Seat) -> bool {
        let (one, other) = (&THROUGH[left.index()], &THROUGH[king.index()]);
        for kind in 0..4 {
            if one.lines[kind] != other.lines[kind] {
                continue;
            }
            let word = u32::from(self.lines[one.lines[kind] as usize]);
            let (gap, at) = (u32::from(one.bits[kind]), u32::from(other.bits[kind]));
            let squares = &LINE_SQUARES[one.lines[kind] as usize];
            let behind = if gap > at {
                gap + 1 + (word >> (gap + 1)).trailing_zeros()
            } else {
                31 - (word & ((1 << gap) - 1)).leading_zeros()
            };
            let (low, high) = (gap.min(at), gap.max(at));
            let is_open = word & ((1 << high) - (1 << low)) & !(1 << at) == 0;
            let slider = if kind < 2 { Role::Rook } else { Role::Bishop };
            let sliders = (1 << code(slider) | 1 << code(Role::Queen)) << (8 * mover as u32);
            let cell = self.cells[squares[behind as usize & 15].index()];
            return is_open && sliders >> cell.code() & 1 == 1;
        }
        false
    }
}

const QUEEN: usize = code(Role::Queen) as usize;

/// By the lowest three bits of a cell and by square: what the piece attacks from there on an empty
/// board. Pawns of all edges count as bishops.
static VIEWS: [[Squares; Square::COUNT]; 8] = views();

const fn views() -> [[Squares; Square::COUNT]; 8] {
    let mut views = [[Squares::EMPTY; Square::COUNT]; 8];
    let mut index = 0;
    while index < Square::COUNT {
        let (straight, diagonal) = (STRAIGHT_SETS[index], DIAGONAL_SETS[index]);
        views[code(Role::Pawn) as usize][index] = diagonal;
        views[code(Role::Knight) as usize][index] = KNIGHT_SETS[index];
        views[code(Role::Bishop) as usize][index] = diagonal;
        views[code(Role::Rook) as usize][index] = straight;
        views[QUEEN][index] = straight.union(diagonal);
        views[code(Role::King) as usize][index] = KING_SETS[index];
        index += 1;
    }
    views
}
