//! The board as the sets that every fact is computed from.

use chess::{
    Bitboard, Board, Color, Role, Square,
    attacks::{self, Sliders},
};

/// What pieces are worth, by [`Role::index`]. A king compares as dearer than anything else.
pub const VALUES: [u8; 6] = [1, 3, 3, 5, 9, 100];

/// The pieces, as sets that the survey asks for again and again.
#[derive(Clone, Copy)]
pub(crate) struct Field {
    pub(crate) occupied: Bitboard,
    pub(crate) colors: [Bitboard; 2],
    pub(crate) roles: [Bitboard; 6],
    pub(crate) diagonal: Bitboard,
    pub(crate) straight: Bitboard,
    /// The bits of [`Role::index`], so that the role on a square is three shifts away.
    bits: [Bitboard; 3],
}

impl Field {
    #[inline(always)]
    pub(crate) fn new(board: &Board) -> Field {
        let colors = Color::ALL.map(|color| board.by_color(color));
        let roles = Role::ALL.map(|role| board.by_role(role));
        let [_, knights, bishops, rooks, queens, kings] = roles;
        Field {
            occupied: colors[0] | colors[1],
            colors,
            roles,
            diagonal: bishops | queens,
            straight: rooks | queens,
            bits: [knights | rooks | kings, bishops | rooks, queens | kings],
        }
    }

    #[inline(always)]
    pub(crate) fn of(&self, color: Color, role: Role) -> Bitboard {
        self.colors[color as usize] & self.roles[role.index()]
    }

    #[inline(always)]
    pub(crate) fn king(&self, color: Color) -> Square {
        lone(self.of(color, Role::King))
    }

    /// The [`Role::index`] of the piece on an occupied square.
    #[inline(always)]
    pub(crate) fn role_index(&self, square: Square) -> usize {
        let bit = |set: Bitboard| (set.0 >> square.index()) as usize & 1;
        bit(self.bits[0]) | bit(self.bits[1]) << 1 | bit(self.bits[2]) << 2
    }

    /// What the piece on an occupied square is worth.
    #[inline(always)]
    pub(crate) fn value(&self, square: Square) -> u8 {
        const PADDED: [u8; 8] = [1, 3, 3, 5, 9, 100, 0, 0];
        PADDED[self.role_index(square)]
    }

    /// The pieces of both sides that attack a square; some may have left the board since.
    #[inline(always)]
    pub(crate) fn attackers<S: Sliders>(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let [pawns, knights, .., kings] = self.roles;
        let [white, black] = self.colors;
        attacks::pawn(Color::White, square) & pawns & black
            | attacks::pawn(Color::Black, square) & pawns & white
            | attacks::knight(square) & knights
            | attacks::king(square) & kings
            | S::bishop(square, occupied) & self.diagonal
            | S::rook(square, occupied) & self.straight
    }
}

/// The first square of a set that is known to have one.
#[inline(always)]
pub(crate) fn lone(set: Bitboard) -> Square {
    debug_assert!(!set.is_empty(), "a set without squares has no first one");
    Square::from_index(set.0.trailing_zeros() as usize & 63)
}
