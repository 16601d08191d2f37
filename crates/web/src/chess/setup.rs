//! The position editor: whether a position is legal, or why not, and what may be chosen for it.

use chess::{FenError, Position, Rank, Square};
use serde::Serialize;

use super::names::Name;

/// What the editor is told of a position.
#[derive(Serialize)]
pub(crate) struct Answer {
    legal: bool,
    /// Why not.
    reason: Option<String>,
    /// The FEN as it is written, if it is legal.
    fen: Option<String>,
    /// The castling rights that kings and rooks allow, of `KQkq`.
    castling: Vec<char>,
    /// The squares that a pawn may just have passed, if it can be captured there.
    en_passant: Vec<Name>,
}

impl Answer {
    /// The answer for a FEN that may be wrong.
    pub(crate) fn of(fen: &str) -> Answer {
        let checked = Position::from_fen(fen);
        let mut fields = fen.split_ascii_whitespace();
        let placement = fields.next().unwrap_or_default();
        let turn = fields.next().unwrap_or("w");
        let castling = "KQkq".chars().filter(|right| {
            let asked = Position::from_fen(format!("{placement} {turn} {right} - 0 1"));
            // Whatever else may be wrong, the rook is there.
            matches!(asked, Ok(_) | Err(FenError::Illegal(_)))
        });
        let en_passant = Square::all().filter(|square| {
            let is_passed = matches!(square.rank(), Rank::THIRD | Rank::SIXTH);
            is_passed
                && Position::from_fen(format!("{placement} {turn} - {square} 0 1"))
                    .is_ok_and(|position| position.en_passant() == Some(*square))
        });
        Answer {
            legal: checked.is_ok(),
            reason: checked.as_ref().err().map(ToString::to_string),
            fen: checked.as_ref().ok().map(ToString::to_string),
            castling: castling.collect(),
            en_passant: en_passant.map(Name).collect(),
        }
    }
}
