//! Pieces, and the byte that holds one on the board.

pub use chess::Role;

use crate::seat::Seat;

/// Something that stands on a square.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Piece {
    /// A piece that moves and gives check.
    Living {
        /// Its owner.
        seat: Seat,
        /// What it is.
        role: Role,
        /// Whether it is a queen that was a pawn, where the rules value such a one differently.
        promoted: bool,
    },
    /// A piece of a player who is out. It stays, blocks, gives no check and may be taken.
    Dead {
        /// Whose it was, where that is known.
        seat: Option<Seat>,
        /// What it was.
        role: Role,
    },
}

impl Piece {
    /// A piece as it stands at the start.
    pub const fn new(seat: Seat, role: Role) -> Piece {
        Piece::Living { seat, role, promoted: false }
    }

    /// What it is or was.
    pub const fn role(self) -> Role {
        match self {
            Piece::Living { role, .. } | Piece::Dead { role, .. } => role,
        }
    }

    /// Whose it is, if it lives.
    pub const fn owner(self) -> Option<Seat> {
        match self {
            Piece::Living { seat, .. } => Some(seat),
            Piece::Dead { .. } => None,
        }
    }
}

/// What is on a square, in a byte.
///
/// Bits 0 to 2: 0 empty, one more than [`Role::index`] for a living piece, 7 a dead piece. A living piece
/// has its seat in bits 3 and 4 and bit 5 set if it was promoted. A dead one has in bits 3 to 7
/// five times [`Role::index`] plus the seat, 4 where the seat is unknown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(transparent)]
pub struct Cell(pub(crate) u8);

impl Cell {
    /// An empty square.
    pub const EMPTY: Cell = Cell(0);

    /// The cell behind the board's edge: not empty, and nothing that could be taken. A code that
    /// no piece has.
    pub(crate) const WALL: Cell = Cell(1 << 3);

    /// The cell that holds this piece.
    pub const fn of(piece: Piece) -> Cell {
        match piece {
            Piece::Living { seat, role, promoted } => {
                Cell(code(role) as u8 | (seat as u8) << 3 | if promoted { PROMOTED } else { 0 })
            }
            Piece::Dead { seat, role } => {
                let seat = match seat {
                    Some(seat) => seat as u8,
                    None => 4,
                };
                Cell(DEAD | (role.index() as u8 * 5 + seat) << 3)
            }
        }
    }

    /// What stands there.
    pub const fn piece(self) -> Option<Piece> {
        Some(match self.0 & 7 {
            0 => return None,
            DEAD => {
                let (role, seat) = ((self.0 >> 3) / 5, (self.0 >> 3) % 5);
                let seat = if seat < 4 { Some(Seat::ALL[seat as usize]) } else { None };
                Piece::Dead { seat, role: Role::ALL[role as usize] }
            }
            role => Piece::Living {
                seat: Seat::ALL[(self.0 >> 3 & 3) as usize],
                role: Role::ALL[role as usize - 1],
                promoted: self.0 & PROMOTED != 0,
            },
        })
    }

    /// The byte itself.
    #[inline]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The lowest five bits: all that matters for movement. A mask of 32 bits is a set of codes.
    #[inline]
    pub(crate) const fn code(self) -> u32 {
        (self.0 & 31) as u32
    }

    #[inline]
    pub(crate) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The role of a piece that is known to live.
    #[inline]
    pub(crate) const fn living_role(self) -> Role {
        Role::ALL[(self.0 & 7) as usize - 1]
    }

    /// The owner of a piece that is known to live.
    #[inline]
    pub(crate) const fn owner(self) -> Seat {
        Seat::ALL[(self.0 >> 3 & 3) as usize]
    }

    /// Whether it is a living queen that was a pawn, where the rules value such a one differently.
    #[inline]
    pub const fn is_promoted(self) -> bool {
        self.0 & PROMOTED != 0 && self.0 & 7 != DEAD
    }
}

/// The lowest three bits of a living piece.
pub(crate) const fn code(role: Role) -> u32 {
    role.index() as u32 + 1
}

pub(crate) const DEAD: u8 = 7;
const PROMOTED: u8 = 1 << 5;

/// The codes of one seat's living pieces.
pub(crate) const fn codes_of(seat: Seat) -> u32 {
    0b111_1110 << (8 * seat as u32)
}

/// The codes of dead pieces.
pub(crate) const DEAD_CODES: u32 = 0x8080_8080;
