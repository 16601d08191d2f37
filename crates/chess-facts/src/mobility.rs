//! Where the pieces of a side may legally go, whoever is to move.

use arrayvec::ArrayVec;
use chess::{
    Bitboard, CastlingSide, Color, Position, Rank, Square,
    attacks::{self, Sliders},
};

use crate::{
    Line, Side,
    facts::PINS,
    field::{Field, lone},
};

/// What holds the pieces of a side back. The side that is not to move is in no check.
pub(crate) struct Freedom {
    king: Square,
    /// Where pieces other than the king may go: not onto own pieces or the enemy king, and in check
    /// only where that ends it.
    targets: Bitboard,
    /// Pieces that must stay on the line to their king.
    tied: Bitboard,
}

impl Freedom {
    #[inline(always)]
    pub(crate) fn of(
        field: &Field,
        color: Color,
        us: &Side,
        ties: &ArrayVec<Line, PINS>,
    ) -> Freedom {
        let king = field.king(color);
        let mut targets = !field.colors[color as usize] - field.king(!color);
        if !us.checkers.is_empty() {
            let checker = lone(us.checkers);
            targets &= if us.checkers.is_many() {
                Bitboard::EMPTY
            } else {
                attacks::between(king, checker) | checker
            };
        }
        let tied = ties.iter().fold(Bitboard::EMPTY, |set, tie| set | tie.front);
        Freedom { king, targets, tied }
    }

    /// Where a piece other than the king may go, of the squares it attacks or is pushed to.
    #[inline(always)]
    pub(crate) fn among(&self, from: Square, squares: Bitboard) -> Bitboard {
        let to = squares & self.targets;
        if self.tied.contains(from) { to & attacks::line(self.king, from) } else { to }
    }
}

/// The squares that legal moves of the king reach.
#[inline(always)]
pub(crate) fn king_moves<S: Sliders>(
    position: &Position,
    field: &Field,
    color: Color,
    us: &Side,
    them: &Side,
) -> Bitboard {
    let king = field.king(color);
    let mut squares = king_steps(field, color, us, them, king);
    let rooks = position.castling_rooks() & Bitboard::rank(Rank::FIRST.of(color));
    if !rooks.is_empty() && us.checkers.is_empty() {
        squares |= castlings::<S>(field, color, them, king, rooks);
    }
    squares
}

#[inline(always)]
fn king_steps(field: &Field, color: Color, us: &Side, them: &Side, king: Square) -> Bitboard {
    let mut steps = attacks::king(king) - field.colors[color as usize] - them.attacks;
    // The king does not shield the squares behind it from the sliders that give check.
    for checker in us.checkers & (field.diagonal | field.straight) {
        steps -= attacks::line(checker, king) - checker;
    }
    steps
}

/// Where the king arrives when it castles with one of these rooks.
#[inline(always)]
fn castlings<S: Sliders>(
    field: &Field,
    color: Color,
    them: &Side,
    king: Square,
    rooks: Bitboard,
) -> Bitboard {
    let rank = Rank::FIRST.of(color);
    let mut arrivals = Bitboard::EMPTY;
    for rook in rooks {
        let side = CastlingSide::of(king, rook);
        let (king_to, rook_to) = (side.king_to(rank), side.rook_to(rank));
        let king_path = attacks::between(king, king_to) | king_to;
        let rook_path = attacks::between(rook, rook_to) | rook_to;
        let others = field.occupied ^ king ^ rook;
        if !((king_path | rook_path) & others).is_empty() || !(king_path & them.attacks).is_empty()
        {
            continue;
        }
        // In Chess960 the rook may have shielded the square of arrival.
        let sliders = field.straight & field.colors[!color as usize];
        if (S::rook(king_to, others | rook_to) & sliders).is_empty() {
            arrivals |= king_to;
        }
    }
    arrivals
}
