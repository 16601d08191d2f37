//! Moves, and sets of moves that share a piece.

use arrayvec::ArrayVec;

use crate::{Bitboard, Rank, Role, Square};

/// A move by its squares. Castling is the king moving onto its own rook, which is
/// unambiguous in every variant; [`Uci`](crate::Uci) prints it as people expect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move {
    /// Where the piece stands.
    pub from: Square,
    /// Where it goes.
    pub to: Square,
    /// What a pawn on the last rank becomes.
    pub promotion: Option<Role>,
}

/// All legal moves of one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveSet {
    /// What moves.
    pub role: Role,
    /// Where it stands.
    pub from: Square,
    /// Where it may go. For a king this includes its own rooks it may castle with.
    pub to: Bitboard,
}

impl MoveSet {
    /// How many moves these are; a pawn reaching the last rank has four.
    #[inline]
    pub fn len(&self) -> u32 {
        self.to.len() + 3 * self.promotions().len()
    }

    /// Whether there is no move.
    pub fn is_empty(&self) -> bool {
        self.to.is_empty()
    }

    /// The moves, one by one.
    pub fn iter(&self) -> impl Iterator<Item = Move> + use<> {
        let MoveSet { role, from, to } = *self;
        let promotions = self.promotions();
        (to - promotions).map(move |to| Move { from, to, promotion: None }).chain(
            promotions.flat_map(move |to| {
                debug_assert_eq!(role, Role::Pawn);
                Role::PROMOTIONS.map(|role| Move { from, to, promotion: Some(role) })
            }),
        )
    }

    #[inline]
    fn promotions(&self) -> Bitboard {
        let last = Bitboard::rank(Rank::FIRST) | Bitboard::rank(Rank::EIGHTH);
        if self.role == Role::Pawn { self.to & last } else { Bitboard::EMPTY }
    }
}

/// The legal moves of a position: one [`MoveSet`] for each piece that can move.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MoveSets(pub(crate) ArrayVec<MoveSet, 16>);

impl MoveSets {
    /// The sets, one for each piece that can move.
    #[inline]
    pub fn sets(&self) -> &[MoveSet] {
        &self.0
    }

    /// The moves, one by one.
    pub fn iter(&self) -> impl Iterator<Item = Move> + '_ {
        self.0.iter().flat_map(MoveSet::iter)
    }

    /// How many moves there are.
    #[inline]
    pub fn len(&self) -> u32 {
        self.0.iter().map(MoveSet::len).sum()
    }

    /// Whether there is no move.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the move is among them.
    pub fn contains(&self, mv: Move) -> bool {
        self.0.iter().filter(|set| set.from == mv.from && set.to.contains(mv.to)).any(
            |set| match mv.promotion {
                None => !set.promotions().contains(mv.to),
                Some(role) => set.promotions().contains(mv.to) && Role::PROMOTIONS.contains(&role),
            },
        )
    }
}
