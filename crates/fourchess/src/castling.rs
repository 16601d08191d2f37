//! Castling along the four back lines.
//!
//! A king starts on the fourth or fifth of the eight squares of its back line and rooks at the
//! ends, so one rook is three squares away and the other four. A side is 0 towards the low end of
//! the line and 1 towards the high end; FEN4's king's side is the nearer one.

use crate::{
    geometry::{THROUGH, back_line},
    seat::Edge,
    square::{Square, Squares},
};

/// The bit of a right in [`Position::rights`](crate::Position).
#[inline]
pub(crate) const fn right(edge: Edge, side: usize) -> u8 {
    1 << (2 * edge as usize + side)
}

/// Both rights of an edge.
#[inline]
pub(crate) const fn rights(edge: Edge) -> u8 {
    right(edge, 0) | right(edge, 1)
}

/// The place of a king on its back line if it may castle from there.
pub(crate) fn home_index(edge: Edge, king: Square) -> Option<usize> {
    [3, 4].into_iter().find(|&index| back_line(edge)[index] == king)
}

/// The side of the rook that is nearer to a king on this place.
pub(crate) const fn near_side(king: usize) -> usize {
    if king == 3 { 0 } else { 1 }
}

/// The squares of the rooks that these rights speak of.
#[inline]
pub(crate) fn rooks(rights: u8) -> Squares {
    let mut rooks = Squares::EMPTY;
    for (bit, &square) in ROOKS.iter().enumerate() {
        rooks.flip_if(square, rights >> bit & 1 == 1);
    }
    rooks
}

/// One way to castle.
#[derive(Clone, Copy)]
pub(crate) struct Castle {
    pub(crate) king_to: Square,
    pub(crate) rook_from: Square,
    /// The square the king passes, where the rook arrives.
    pub(crate) rook_to: Square,
    /// The back line's word and the squares in it that must be empty.
    pub(crate) line: u8,
    pub(crate) empty: u16,
}

/// By edge, by the king's place less 3, by side.
pub(crate) static CASTLES: [[[Castle; 2]; 2]; 4] = castles();

/// The right that is lost when a rook leaves this square or is taken there; 0 for most squares.
pub(crate) static RIGHTS_OF: [u8; Square::COUNT] = rights_of();

/// Where the rook of each right starts, by the bit of the right.
static ROOKS: [Square; 8] = rook_squares();

const fn rook_squares() -> [Square; 8] {
    let mut squares = [back_line(Edge::South)[0]; 8];
    let mut bit = 0;
    while bit < 8 {
        squares[bit] = back_line(Edge::ALL[bit / 2])[7 * (bit % 2)];
        bit += 1;
    }
    squares
}

const fn castles() -> [[[Castle; 2]; 2]; 4] {
    let nowhere = back_line(Edge::South)[0];
    let none = Castle { king_to: nowhere, rook_from: nowhere, rook_to: nowhere, line: 0, empty: 0 };
    let mut table = [[[none; 2]; 2]; 4];
    let mut index = 0;
    while index < 16 {
        let (edge, king, side) = (index / 4, 3 + index / 2 % 2, index % 2);
        table[edge][king - 3][side] = castle(Edge::ALL[edge], king, side);
        index += 1;
    }
    table
}

const fn castle(edge: Edge, king: usize, side: usize) -> Castle {
    let squares = back_line(edge);
    // Ranks are lines of kind 0, files of kind 1.
    let kind = match edge {
        Edge::South | Edge::North => 0,
        Edge::West | Edge::East => 1,
    };
    let (rook, first, last) = if side == 0 { (0, 1, king - 1) } else { (7, king + 1, 6) };
    let mut empty = 0;
    let mut index = first;
    while index <= last {
        empty |= 1 << THROUGH[squares[index].index()].bits[kind];
        index += 1;
    }
    let (rook_to, king_to) = if side == 0 { (king - 1, king - 2) } else { (king + 1, king + 2) };
    Castle {
        king_to: squares[king_to],
        rook_from: squares[rook],
        rook_to: squares[rook_to],
        line: THROUGH[squares[0].index()].lines[kind],
        empty,
    }
}

const fn rights_of() -> [u8; Square::COUNT] {
    let mut table = [0; Square::COUNT];
    let mut edge = 0;
    while edge < 4 {
        let squares = back_line(Edge::ALL[edge]);
        table[squares[0].index()] = right(Edge::ALL[edge], 0);
        table[squares[7].index()] = right(Edge::ALL[edge], 1);
        edge += 1;
    }
    table
}
