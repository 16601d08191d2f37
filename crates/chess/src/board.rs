//! Pieces on squares, legal or not.

use crate::{Bitboard, Color, Piece, Role, Square, attacks};

/// Which piece stands where. A board may be anything; a [`Position`](crate::Position) is legal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Board {
    pub(crate) roles: [Bitboard; 6],
    pub(crate) colors: [Bitboard; 2],
}

impl Board {
    /// A board without pieces.
    pub const EMPTY: Board = Board { roles: [Bitboard::EMPTY; 6], colors: [Bitboard::EMPTY; 2] };

    /// The occupied squares.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.colors[0] | self.colors[1]
    }

    /// The squares of one colour's pieces.
    #[inline]
    pub fn by_color(&self, color: Color) -> Bitboard {
        self.colors[color as usize]
    }

    /// The squares of one kind of pieces of both colours.
    #[inline]
    pub fn by_role(&self, role: Role) -> Bitboard {
        self.roles[role.index()]
    }

    /// The squares of one colour's pieces of one kind.
    #[inline]
    pub fn by_piece(&self, color: Color, role: Role) -> Bitboard {
        self.by_color(color) & self.by_role(role)
    }

    /// The bishops and queens of both colours.
    #[inline]
    pub fn diagonal_sliders(&self) -> Bitboard {
        self.by_role(Role::Bishop) | self.by_role(Role::Queen)
    }

    /// The rooks and queens of both colours.
    #[inline]
    pub fn straight_sliders(&self) -> Bitboard {
        self.by_role(Role::Rook) | self.by_role(Role::Queen)
    }

    /// The role of the piece on a square.
    #[inline]
    pub fn role_at(&self, square: Square) -> Option<Role> {
        if !self.occupied().contains(square) {
            return None;
        }
        Role::ALL.into_iter().find(|&role| self.by_role(role).contains(square))
    }

    /// The owner of the piece on a square.
    #[inline]
    pub fn color_at(&self, square: Square) -> Option<Color> {
        Color::ALL.into_iter().find(|&color| self.by_color(color).contains(square))
    }

    /// The piece on a square.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        Some(Piece { color: self.color_at(square)?, role: self.role_at(square)? })
    }

    /// Every piece with its square, from a1 to h8.
    pub fn pieces(&self) -> impl Iterator<Item = (Square, Piece)> + '_ {
        self.occupied().map(|square| (square, self.piece_at(square).expect("occupied")))
    }

    /// Puts a piece on a square, in the place of what stood there.
    pub fn put(&mut self, square: Square, piece: Piece) {
        self.remove(square);
        self.roles[piece.role.index()] |= square;
        self.colors[piece.color as usize] |= square;
    }

    /// Empties a square.
    pub fn remove(&mut self, square: Square) {
        for set in self.roles.iter_mut().chain(&mut self.colors) {
            *set -= square;
        }
    }

    /// The material of both sides, such as `KQRPPvKR`: White's pieces, then Black's, each from
    /// king to pawn.
    pub fn material(&self) -> String {
        let mut text = String::with_capacity(40);
        for color in Color::ALL {
            if color == Color::Black {
                text.push('v');
            }
            for role in
                [Role::King, Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn]
            {
                let count = self.by_piece(color, role).len();
                text.extend(std::iter::repeat_n(role.letter(), count as usize));
            }
        }
        text
    }

    /// The sliders of `by` that would attack `square` if exactly one piece between them, of either
    /// side, were away.
    pub fn xray_attackers(&self, square: Square, by: Color) -> Bitboard {
        let occupied = self.occupied();
        let (diagonal, straight) =
            (attacks::bishop(square, occupied), attacks::rook(square, occupied));
        let deeper_diagonal = attacks::bishop(square, occupied - diagonal) - diagonal;
        let deeper_straight = attacks::rook(square, occupied - straight) - straight;
        let sliders =
            deeper_diagonal & self.diagonal_sliders() | deeper_straight & self.straight_sliders();
        sliders & self.by_color(by)
    }

    /// The pieces of `by` that attack `square`, with `occupied` squares blocking the sliders.
    #[inline]
    pub fn attackers(&self, square: Square, by: Color, occupied: Bitboard) -> Bitboard {
        let attackers = attacks::pawn(!by, square) & self.by_role(Role::Pawn)
            | attacks::knight(square) & self.by_role(Role::Knight)
            | attacks::king(square) & self.by_role(Role::King)
            | attacks::bishop(square, occupied) & self.diagonal_sliders()
            | attacks::rook(square, occupied) & self.straight_sliders();
        attackers & self.by_color(by)
    }
}
