//! A position: the board, whose turn it is, and what the rules must remember.

use crate::{
    castling,
    game::Ending,
    geometry::{self, LINES, THROUGH, WALLS},
    piece::{Cell, Piece, Role, code},
    rules::{Rules, Setup, Sides},
    seat::Seat,
    square::{OUTSIDE, Square, Squares},
    zobrist,
};

/// How far a seat is still in the game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Status {
    /// Plays.
    Active,
    /// Has left, but the king walks on.
    Walking,
    /// Is out; the pieces are dead.
    Out,
}

/// A pawn that may be taken in passing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Offer {
    /// The square it passed, where the taker arrives.
    pub passed: Square,
    /// Where the pawn stands.
    pub pawn: Square,
}

/// A position of four-player chess, with points and clocks.
///
/// A small block of plain bytes without pointers: copy it, or keep thousands in an array. What
/// the rules need is kept up to date by every move: the cells; the occupied squares as one 16-bit
/// word for each of the 82 lines, walls included, so that a slider's reach is one count of zeros
/// each way; the living pieces as sets by seat and by movement; the kings.
///
/// How often a position has occurred is not in it: see [`History`](crate::History).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Position {
    pub(crate) key: u64,
    pub(crate) seats: [Squares; 4],
    pub(crate) pawns: Squares,
    pub(crate) knights: Squares,
    /// Bishops and queens.
    pub(crate) diagonals: Squares,
    /// Rooks and queens.
    pub(crate) straights: Squares,
    pub(crate) lines: [u16; LINES],
    /// The last cell is the wall that tables of squares lead to where the board ends.
    pub(crate) cells: [Cell; Square::COUNT + 1],
    /// [`OUTSIDE`] where a seat has none.
    pub(crate) kings: [Square; 4],
    /// The passed square, or [`OUTSIDE`].
    pub(crate) passed: [Square; 4],
    pub(crate) points: [i16; 4],
    pub(crate) plies: u16,
    pub(crate) quiet: u16,
    pub(crate) status: [Status; 4],
    /// Two bits for each edge: towards the low and the high end of its back line.
    pub(crate) rights: u8,
    pub(crate) turn: Seat,
    pub(crate) last_mover: Option<Seat>,
    pub(crate) ending: Option<Ending>,
    /// The seat by whose fall a game between pairs was decided.
    pub(crate) loser: Option<Seat>,
}

const _: () = assert!(size_of::<Position>() <= 576);

impl Position {
    /// The position the rules begin with.
    pub fn start(rules: &Rules) -> Position {
        Position::setup(rules, rules.setup)
    }

    /// The start with another setup than that of the rules.
    pub fn setup(rules: &Rules, setup: Setup) -> Position {
        let mut position = Position::empty();
        for seat in Seat::ALL {
            let edge = rules.edge(seat);
            let king = setup.king(seat, rules.seating);
            for (index, square) in geometry::back_line(edge).into_iter().enumerate() {
                let role = match index {
                    0 | 7 => Role::Rook,
                    1 | 6 => Role::Knight,
                    2 | 5 => Role::Bishop,
                    _ if index == king => Role::King,
                    _ => Role::Queen,
                };
                let (files, ranks) = edge.forward();
                let front = square.step(files, ranks).expect("pawns stand before their pieces");
                position.put(square, Cell::of(Piece::new(seat, role)));
                position.put(front, Cell::of(Piece::new(seat, Role::Pawn)));
            }
        }
        if rules.castling {
            position.set_rights(0xff);
        }
        position
    }

    /// No pieces, Red to move, everyone active.
    pub(crate) fn empty() -> Position {
        let mut cells = [Cell::EMPTY; Square::COUNT + 1];
        cells[OUTSIDE as usize] = Cell::WALL;
        Position {
            key: zobrist::turn(Seat::Red),
            seats: [Squares::EMPTY; 4],
            pawns: Squares::EMPTY,
            knights: Squares::EMPTY,
            diagonals: Squares::EMPTY,
            straights: Squares::EMPTY,
            lines: WALLS,
            cells,
            kings: [Square::raw(OUTSIDE); 4],
            passed: [Square::raw(OUTSIDE); 4],
            points: [0; 4],
            plies: 0,
            quiet: 0,
            status: [Status::Active; 4],
            rights: 0,
            turn: Seat::Red,
            last_mover: None,
            ending: None,
            loser: None,
        }
    }

    /// Whose turn it is.
    #[inline]
    pub fn turn(&self) -> Seat {
        self.turn
    }

    /// What stands on a square.
    pub fn piece(&self, square: Square) -> Option<Piece> {
        self.cell(square).piece()
    }

    /// What stands on a square, as a byte.
    #[inline]
    pub fn cell(&self, square: Square) -> Cell {
        self.cells[square.index()]
    }

    /// Every square's byte, by [`Square::index`].
    pub fn cells(&self) -> &[Cell] {
        &self.cells[..Square::COUNT]
    }

    /// The squares of a seat's living pieces.
    pub fn pieces(&self, seat: Seat) -> Squares {
        self.seats[seat.index()]
    }

    /// The squares on which something stands, alive or dead.
    #[inline]
    pub fn occupied(&self) -> Squares {
        geometry::occupied(&self.lines)
    }

    /// The squares of the rooks that may still castle.
    #[inline]
    pub fn castling_rooks(&self) -> Squares {
        castling::rooks(self.rights)
    }

    /// Where a seat's living king stands.
    #[inline]
    pub fn king(&self, seat: Seat) -> Option<Square> {
        let king = self.kings[seat.index()];
        (king.index() < Square::COUNT).then_some(king)
    }

    /// How far a seat is still in the game.
    #[inline]
    pub fn status(&self, seat: Seat) -> Status {
        self.status[seat.index()]
    }

    /// The points of every seat.
    #[inline]
    pub fn points(&self) -> [i16; 4] {
        self.points
    }

    /// Moves made since the start, or since the position was read.
    pub fn plies(&self) -> u16 {
        self.plies
    }

    /// Plies since the last capture, pawn move or elimination.
    pub fn quiet(&self) -> u16 {
        self.quiet
    }

    /// Who moved last, if anyone has.
    pub fn last_mover(&self) -> Option<Seat> {
        self.last_mover
    }

    /// How the game ended, once it has.
    #[inline]
    pub fn ending(&self) -> Option<Ending> {
        self.ending
    }

    /// A hash of all that decides which moves follow: equal positions have equal keys.
    #[inline]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// The pawn of a seat that may be taken in passing.
    pub fn offer(&self, seat: Seat, rules: &Rules) -> Option<Offer> {
        let passed = self.passed[seat.index()];
        if passed.index() >= Square::COUNT {
            return None;
        }
        let pawn = geometry::PAWNS[rules.edge(seat) as usize][passed.index()].push;
        let own = Cell::of(Piece::new(seat, Role::Pawn));
        (self.cells[pawn.index()] == own).then_some(Offer { passed, pawn })
    }

    /// Whether a seat may still castle towards its nearer and its farther rook, the sides that
    /// FEN4 calls the king's and the queen's.
    pub fn castling(&self, seat: Seat, rules: &Rules) -> [bool; 2] {
        let edge = rules.edge(seat);
        let Some(king) = self.king(seat).and_then(|king| castling::home_index(edge, king)) else {
            return [false; 2];
        };
        let held = |side: usize| self.rights & castling::right(edge, side) != 0;
        let near = castling::near_side(king);
        [held(near), held(1 - near)]
    }

    /// Whether a seat's king is attacked by an opponent.
    pub fn in_check(&self, seat: Seat, rules: &Rules) -> bool {
        self.king(seat).is_some_and(|king| self.is_attacked(king, seat, rules))
    }

    /// The place of each seat, 1 for the best; equals share the better place. During a game, the
    /// places as they would be if it ended.
    pub fn places(&self, rules: &Rules) -> [u8; 4] {
        let worth = Seat::ALL.map(|seat| match (rules.sides, self.loser) {
            (Sides::Free, _) => self.points[seat.index()],
            (Sides::Pairs, None) => 0,
            (Sides::Pairs, Some(loser)) => i16::from(rules.are_opponents(seat, loser)),
        });
        worth.map(|own| 1 + worth.iter().filter(|&&other| other > own).count() as u8)
    }

    /// The living pieces that play against a seat.
    #[inline]
    pub(crate) fn opponents(&self, seat: Seat, rules: &Rules) -> Squares {
        let beside = self.seats[seat.next().index()] | self.seats[seat.next().opposite().index()];
        match rules.sides {
            Sides::Free => beside | self.seats[seat.opposite().index()],
            Sides::Pairs => beside,
        }
    }

    /// Places a piece on an empty square.
    #[inline]
    pub(crate) fn put(&mut self, square: Square, cell: Cell) {
        self.cells[square.index()] = cell;
        self.flip_lines(square);
        self.flip_sets(square, cell);
        if cell.0 & 7 == code(Role::King) as u8 {
            self.kings[(cell.0 >> 3 & 3) as usize] = square;
        }
    }

    /// Flips a square's bit in the four lines through it.
    #[inline]
    pub(crate) fn flip_lines(&mut self, square: Square) {
        let through = &THROUGH[square.index()];
        for kind in 0..4 {
            self.lines[through.lines[kind] as usize] ^= 1 << through.bits[kind];
        }
    }

    /// Flips a piece in or out of the sets it belongs to, and of the key.
    #[inline]
    pub(crate) fn flip_sets(&mut self, square: Square, cell: Cell) {
        self.key ^= zobrist::piece(square, cell);
        let kind = cell.0 & 7;
        if kind == crate::piece::DEAD {
            return;
        }
        // Which piece moves is hard to foresee, so all sets are touched rather than one chosen.
        let belongs = |kinds: u32| kinds >> kind & 1 == 1;
        self.seats[(cell.0 >> 3 & 3) as usize].flip_if(square, true);
        self.pawns.flip_if(square, belongs(1 << code(Role::Pawn)));
        self.knights.flip_if(square, belongs(1 << code(Role::Knight)));
        self.diagonals.flip_if(square, belongs(1 << code(Role::Bishop) | 1 << code(Role::Queen)));
        self.straights.flip_if(square, belongs(1 << code(Role::Rook) | 1 << code(Role::Queen)));
    }

    /// Sets or clears the square that a seat's pawn has passed.
    #[inline]
    pub(crate) fn set_passed(&mut self, seat: Seat, passed: Square) {
        let old = self.passed[seat.index()];
        if old != passed {
            self.key ^= zobrist::passed(old) ^ zobrist::passed(passed);
            self.passed[seat.index()] = passed;
        }
    }

    #[inline]
    pub(crate) fn set_rights(&mut self, rights: u8) {
        if rights != self.rights {
            self.key ^= zobrist::rights(self.rights) ^ zobrist::rights(rights);
            self.rights = rights;
        }
    }

    #[inline]
    pub(crate) fn set_turn(&mut self, turn: Seat) {
        self.key ^= zobrist::turn(self.turn) ^ zobrist::turn(turn);
        self.turn = turn;
    }

    #[inline]
    pub(crate) fn earn(&mut self, seat: Seat, points: i16) {
        let sum = &mut self.points[seat.index()];
        *sum = sum.saturating_add(points);
    }

    /// Kills a seat's pieces: they stay as dead ones. The king is spared if it walks on.
    pub(crate) fn kill_pieces(&mut self, seat: Seat, left: Status, rules: &Rules) {
        let king = self.kings[seat.index()];
        for square in self.seats[seat.index()] {
            if left == Status::Walking && square == king {
                continue;
            }
            let cell = self.cells[square.index()];
            self.flip_sets(square, cell);
            let dead = Piece::Dead { seat: Some(seat), role: cell.living_role() };
            self.cells[square.index()] = Cell::of(dead);
            self.flip_sets(square, self.cells[square.index()]);
        }
        if left == Status::Out {
            self.kings[seat.index()] = Square::raw(OUTSIDE);
        }
        self.status[seat.index()] = left;
        self.set_rights(self.rights & !castling::rights(rules.edge(seat)));
        self.set_passed(seat, Square::raw(OUTSIDE));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;

    #[test]
    fn what_moves_keep_up_to_date_is_what_the_board_says() {
        for (seed, rules) in Rules::PRESETS.into_iter().cycle().take(60).enumerate() {
            let mut game = Game::new(rules);
            let mut state = seed as u64;
            while game.ending().is_none() {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let position = game.position();
                let text = position.fen(rules).to_string();
                // What FEN4 does not say.
                let rebuilt = Position {
                    plies: position.plies,
                    last_mover: position.last_mover,
                    ..Position::from_fen(&text, rules).expect("FEN4 of our own")
                };
                assert_eq!(rebuilt, *position, "seed {seed}: {text}");
                let mv = game.moves()[(state >> 33) as usize % game.moves().len()];
                game.play(mv).unwrap();
            }
        }
    }
}
