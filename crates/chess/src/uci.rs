//! Moves in the notation of the UCI protocol.

use std::{fmt, str::FromStr};

use crate::{CastlingSide, File, Move, Position, Role, Square, fen::shown};

/// A move in the notation of the UCI protocol, such as `e2e4`, `e7e8q` or `e1g1`.
///
/// Castling is written as the king's step (`e1g1`) where king and rook stand as in orthodox
/// chess and as the king moving onto its rook (`b1a1`) elsewhere; both are read wherever they
/// are unambiguous.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Uci {
    /// Where the piece stands.
    pub from: Square,
    /// Where it goes, or the rook to castle with.
    pub to: Square,
    /// What a pawn becomes.
    pub promotion: Option<Role>,
}

/// Why a text is not a UCI move, or not one of this position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UciError {
    /// Not of the form of a UCI move.
    #[error("'{0}' is not a UCI move")]
    Syntax(String),
    /// Well formed, but not legal.
    #[error("{0} is not a legal move here")]
    Illegal(Uci),
}

impl Uci {
    /// Reads the text of a move.
    pub fn from_ascii(text: &[u8]) -> Result<Uci, UciError> {
        let wrong = || UciError::Syntax(shown(text));
        let (squares, promotion) = match text.len() {
            4 => (text, None),
            5 => {
                let role = Role::from_letter(text[4].to_ascii_uppercase()).ok_or_else(wrong)?;
                if !Role::PROMOTIONS.contains(&role) {
                    return Err(wrong());
                }
                (&text[..4], Some(role))
            }
            _ => return Err(wrong()),
        };
        let from = Square::from_ascii(&squares[..2]).ok_or_else(wrong)?;
        let to = Square::from_ascii(&squares[2..]).ok_or_else(wrong)?;
        Ok(Uci { from, to, promotion })
    }

    /// The notation of a legal move.
    pub fn of(position: &Position, mv: Move) -> Uci {
        let Move { from, to, promotion } = mv;
        let castles = position.king(position.turn()) == from
            && position.board().by_color(position.turn()).contains(to);
        let orthodox = from.file() == File::E && [File::A, File::H].contains(&to.file());
        if castles && orthodox {
            let to = CastlingSide::of(from, to).king_to(from.rank());
            return Uci { from, to, promotion };
        }
        Uci { from, to, promotion }
    }

    /// Appends the text to a string, without allocating if there is room.
    pub fn write(self, out: &mut String) {
        self.write_to(out).expect("a string takes all");
    }

    fn write_to(self, out: &mut impl fmt::Write) -> fmt::Result {
        for square in [self.from, self.to] {
            out.write_char(square.file().letter())?;
            out.write_char(square.rank().digit())?;
        }
        match self.promotion {
            Some(role) => out.write_char(role.letter().to_ascii_lowercase()),
            None => Ok(()),
        }
    }

    /// The legal move this means.
    pub fn find(self, position: &Position) -> Result<Move, UciError> {
        let Uci { from, to, promotion } = self;
        let mut mv = Move { from, to, promotion };
        let king = position.king(position.turn());
        if from == king && from.file() == File::E && from.rank() == to.rank() {
            let side = match to.file() {
                File::G => Some(CastlingSide::Short),
                File::C => Some(CastlingSide::Long),
                _ => None,
            };
            let rook = side.and_then(|side| position.castling_rook(position.turn(), side));
            mv.to = rook.unwrap_or(to);
        }
        if position.is_legal(mv) { Ok(mv) } else { Err(UciError::Illegal(self)) }
    }
}

impl FromStr for Uci {
    type Err = UciError;

    fn from_str(text: &str) -> Result<Uci, UciError> {
        Uci::from_ascii(text.as_bytes())
    }
}

impl fmt::Display for Uci {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_to(f)
    }
}
