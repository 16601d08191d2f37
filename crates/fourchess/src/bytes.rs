//! Positions and histories as bytes: one form for files, other processes and other devices.
//!
//! The form holds what cannot be computed from the rest, in a fixed order, little-endian, without
//! gaps that could differ. Reading it checks everything that move generation relies on, so bytes
//! from anywhere are either refused or played on with.

use thiserror::Error;

use crate::{
    castling::{self, home_index},
    game::{Ending, History},
    geometry::PAWNS,
    piece::{Cell, DEAD, Piece, Role, code},
    position::{Position, Status},
    rules::{EnPassant, KingCapture, Rules},
    seat::Seat,
    square::{OUTSIDE, Square},
};

/// Why bytes are not a position or a history.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum BytesError {
    /// A byte that no piece has.
    #[error("byte {byte} on {square} is no piece")]
    Cell {
        /// Where it stands.
        square: Square,
        /// The byte.
        byte: u8,
    },
    /// A byte that means nothing where it stands.
    #[error("{field} is {value}, which means nothing")]
    Value {
        /// What the byte should tell.
        field: &'static str,
        /// The byte.
        value: u32,
    },
    /// Too many kings, or none where the rules need one.
    #[error("{seat} has {kings} kings")]
    Kings {
        /// Whose.
        seat: Seat,
        /// How many.
        kings: usize,
    },
    /// More than sixteen pieces.
    #[error("{seat} has {pieces} pieces, at most 16 are possible")]
    Pieces {
        /// Whose.
        seat: Seat,
        /// How many.
        pieces: usize,
    },
    /// Living pieces of a seat that is out, or more than a king of one that walks.
    #[error("{seat} is out or has left, but has living pieces")]
    Living {
        /// Whose.
        seat: Seat,
    },
    /// A right to castle without king or rook at home.
    #[error("a right to castle is held without king and rook at home")]
    Rights,
    /// A passed square where no pawn passes one.
    #[error("{seat} cannot have passed {square}")]
    Passed {
        /// Whose pawn.
        seat: Seat,
        /// The square.
        square: Square,
    },
    /// A seat that is out is to move.
    #[error("{0} is to move but is out")]
    Turn(Seat),
    /// A game that goes on without a legal move.
    #[error("the game goes on, but there is no legal move")]
    NoMove,
    /// A byte that must be 0.
    #[error("byte {0} must be 0")]
    Reserved(usize),
}

/// The byte for "none" where a seat is expected.
const NO_SEAT: u8 = 255;

// Where each field begins.
const POINTS: usize = Square::COUNT;
const PLIES: usize = POINTS + 8;
const QUIET: usize = PLIES + 2;
const STATUS: usize = QUIET + 2;
const PASSED: usize = STATUS + 4;
const RIGHTS: usize = PASSED + 4;
const TURN: usize = RIGHTS + 1;
const LAST_MOVER: usize = TURN + 1;
const ENDING: usize = LAST_MOVER + 1;
const LOSER: usize = ENDING + 1;
const RESERVED: usize = LOSER + 1;

impl Position {
    /// How many bytes a position takes.
    pub const BYTES: usize = 192;

    /// The position as bytes, as docs/formats.md lists them. Equal positions have equal bytes.
    #[must_use = "the bytes are the result"]
    pub fn to_bytes(&self) -> [u8; Position::BYTES] {
        let mut bytes = [0; Position::BYTES];
        for (byte, cell) in bytes.iter_mut().zip(self.cells()) {
            *byte = cell.bits();
        }
        for seat in Seat::ALL.map(Seat::index) {
            let points = POINTS + 2 * seat;
            bytes[points..points + 2].copy_from_slice(&self.points[seat].to_le_bytes());
            bytes[STATUS + seat] = self.status[seat] as u8;
            bytes[PASSED + seat] = self.passed[seat].index() as u8;
        }
        bytes[PLIES..QUIET].copy_from_slice(&self.plies.to_le_bytes());
        bytes[QUIET..STATUS].copy_from_slice(&self.quiet.to_le_bytes());
        bytes[RIGHTS] = self.rights;
        bytes[TURN] = self.turn as u8;
        bytes[LAST_MOVER] = seat_byte(self.last_mover);
        bytes[ENDING] = self.ending.map_or(0, |ending| ending as u8 + 1);
        bytes[LOSER] = seat_byte(self.loser);
        bytes
    }

    /// The position that these bytes hold under these rules.
    ///
    /// A position that comes back can be played on with: whatever the move generator relies on
    /// has been checked, also that a game that goes on has a legal move.
    ///
    /// ```
    /// use fourchess::{Position, Rules};
    ///
    /// let start = Position::start(&Rules::FFA);
    /// assert_eq!(Position::from_bytes(&start.to_bytes(), &Rules::FFA), Ok(start));
    /// ```
    pub fn from_bytes(
        bytes: &[u8; Position::BYTES],
        rules: &Rules,
    ) -> Result<Position, BytesError> {
        if let Some(index) = (RESERVED..Position::BYTES).find(|&index| bytes[index] != 0) {
            return Err(BytesError::Reserved(index));
        }
        let mut position = Position::empty();
        for (square, &byte) in Square::all().zip(bytes) {
            let cell = cell(square, byte, rules)?;
            if cell != Cell::EMPTY {
                position.put(square, cell);
            }
        }
        position.ending = match bytes[ENDING] {
            0 => None,
            code => Some(*Ending::ALL.get(code as usize - 1).ok_or_else(|| wrong("ending", code))?),
        };
        for seat in Seat::ALL {
            let index = seat.index();
            let points = POINTS + 2 * index;
            position.points[index] = i16::from_le_bytes([bytes[points], bytes[points + 1]]);
            position.status[index] = match bytes[STATUS + index] {
                0 => Status::Active,
                1 => Status::Walking,
                2 => Status::Out,
                other => return Err(wrong("status", other)),
            };
            position.check_pieces(seat, rules)?;
            position.read_passed(seat, bytes[PASSED + index], rules)?;
        }
        position.plies = u16::from_le_bytes([bytes[PLIES], bytes[PLIES + 1]]);
        position.quiet = u16::from_le_bytes([bytes[QUIET], bytes[QUIET + 1]]);
        position.read_rights(bytes[RIGHTS], rules)?;
        let turn = seat("seat to move", bytes[TURN])?.ok_or_else(|| wrong("seat to move", NO_SEAT));
        position.set_turn(turn?);
        position.last_mover = seat("last mover", bytes[LAST_MOVER])?;
        position.loser = seat("loser", bytes[LOSER])?;
        position.check_turn(rules)?;
        Ok(position)
    }

    /// Whether a seat's living pieces agree with how far it is in the game.
    fn check_pieces(&self, seat: Seat, rules: &Rules) -> Result<(), BytesError> {
        let own = self.pieces(seat);
        let pieces = own.len();
        let king = Cell::of(Piece::new(seat, Role::King));
        let kings = own.into_iter().filter(|&square| self.cell(square) == king).count();
        let may_lack_king = self.ending.is_some() || rules.king_capture == KingCapture::Continues;
        match self.status(seat) {
            _ if kings > 1 => Err(BytesError::Kings { seat, kings }),
            Status::Active if kings == 0 && !may_lack_king => {
                Err(BytesError::Kings { seat, kings })
            }
            Status::Active if pieces > 16 => Err(BytesError::Pieces { seat, pieces }),
            Status::Walking if kings != 1 || pieces != 1 => Err(BytesError::Living { seat }),
            Status::Out if pieces != 0 => Err(BytesError::Living { seat }),
            _ => Ok(()),
        }
    }

    fn read_passed(&mut self, seat: Seat, byte: u8, rules: &Rules) -> Result<(), BytesError> {
        if byte == OUTSIDE {
            return Ok(());
        }
        let square = Square::new(byte as usize).ok_or_else(|| wrong("passed square", byte))?;
        let edge = rules.edge(seat);
        let pawn = PAWNS[edge as usize][square.index()].push;
        let is_possible = rules.en_passant != EnPassant::Off
            && square.own_rank(edge) == 3
            && self.status(seat) == Status::Active
            && self.cells[pawn.index()] == Cell::of(Piece::new(seat, Role::Pawn));
        if !is_possible {
            return Err(BytesError::Passed { seat, square });
        }
        self.set_passed(seat, square);
        Ok(())
    }

    fn read_rights(&mut self, rights: u8, rules: &Rules) -> Result<(), BytesError> {
        for seat in Seat::ALL {
            let edge = rules.edge(seat);
            let held = rights & castling::rights(edge);
            let rook = Cell::of(Piece::new(seat, Role::Rook));
            let at_home = |king| home_index(edge, king).is_some();
            // A king that was taken leaves its rights behind where nothing ends with it.
            let is_possible = rules.castling
                && self.status(seat) == Status::Active
                && self.king(seat).is_none_or(at_home)
                && castling::rooks(held).into_iter().all(|square| self.cell(square) == rook);
            if held != 0 && !is_possible {
                return Err(BytesError::Rights);
            }
        }
        self.set_rights(rights);
        Ok(())
    }

    fn check_turn(&self, rules: &Rules) -> Result<(), BytesError> {
        if self.ending.is_some() {
            return Ok(());
        }
        if self.status(self.turn) == Status::Out {
            return Err(BytesError::Turn(self.turn));
        }
        let mut count = crate::moves::Counter::default();
        self.legal_moves(rules, &mut count);
        if crate::moves::Sink::is_empty(&count) { Err(BytesError::NoMove) } else { Ok(()) }
    }
}

impl History {
    /// How many bytes a history takes.
    pub const BYTES: usize = 8 + 8 * History::ROOM;

    /// The history as bytes, as docs/formats.md lists them. What was forgotten leaves no trace.
    #[must_use = "the bytes are the result"]
    pub fn to_bytes(&self) -> [u8; History::BYTES] {
        let mut bytes = [0; History::BYTES];
        bytes[..4].copy_from_slice(&self.added().to_le_bytes());
        for (place, key) in bytes[8..].chunks_exact_mut(8).zip(self.keys()) {
            place.copy_from_slice(&key.to_le_bytes());
        }
        bytes
    }

    /// The history that these bytes hold.
    pub fn from_bytes(bytes: &[u8; History::BYTES]) -> Result<History, BytesError> {
        let len = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        // A game of a million plies without progress is none; and the count must not overflow.
        if len > 1 << 20 {
            return Err(BytesError::Value { field: "length of the history", value: len });
        }
        let used = 8 + 8 * (len as usize).min(History::ROOM);
        if let Some(index) = (4..8).chain(used..History::BYTES).find(|&index| bytes[index] != 0) {
            return Err(BytesError::Reserved(index));
        }
        let mut history = History::new();
        let keys = bytes[8..used].as_chunks().0.iter();
        history.refill(len, keys.map(|key| u64::from_le_bytes(*key)));
        Ok(history)
    }
}

/// The cell with this byte, if the rules can put it on this square.
fn cell(square: Square, byte: u8, rules: &Rules) -> Result<Cell, BytesError> {
    let cell = Cell(byte);
    let is_possible = match byte & 7 {
        0 => byte == 0,
        DEAD => byte >> 3 < 30,
        role => {
            let is_queen = role == code(Role::Queen) as u8;
            byte >> 6 == 0 && (!cell.is_promoted() || (is_queen && rules.marks_promoted()))
        }
    };
    if is_possible { Ok(cell) } else { Err(BytesError::Cell { square, byte }) }
}

fn seat(field: &'static str, byte: u8) -> Result<Option<Seat>, BytesError> {
    match byte {
        NO_SEAT => Ok(None),
        _ => Seat::ALL.get(byte as usize).copied().map(Some).ok_or_else(|| wrong(field, byte)),
    }
}

fn seat_byte(seat: Option<Seat>) -> u8 {
    seat.map_or(NO_SEAT, |seat| seat as u8)
}

fn wrong(field: &'static str, value: u8) -> BytesError {
    BytesError::Value { field, value: u32::from(value) }
}
