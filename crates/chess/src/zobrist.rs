//! Zobrist keys. They are part of the table format, so they come from a fixed
//! generator and never change: SplitMix64 started at the ASCII bytes `everyply`
//! read as a big-endian number. It is asked for the keys of White's pawn, knight,
//! bishop, rook, queen and king on a1, b1 to h8, then Black's; then the rooks that
//! may castle on a1 to h1 and a8 to h8; then the en-passant files a to h; then
//! Black to move. A position's hash is the XOR of the keys that apply, the
//! en-passant file only when a legal capture exists.

use crate::{Bitboard, Board, Color, Piece, Random, Rank, Square};

#[inline]
pub(crate) fn piece(piece: Piece, square: Square) -> u64 {
    KEYS.pieces[piece.color as usize][piece.role.index()][square.index()]
}

#[inline]
pub(crate) fn castling(rook: Square) -> u64 {
    let back = usize::from(rook.rank() != Rank::FIRST);
    KEYS.castling[back][rook.file().index()]
}

#[inline]
pub(crate) fn en_passant(square: Square) -> u64 {
    KEYS.en_passant[square.file().index()]
}

#[inline]
pub(crate) fn black_to_move() -> u64 {
    KEYS.black_to_move
}

/// The key of a colour's piece on a square where no other colour has one; zero if there is none.
/// Without a branch, since captures cannot be predicted.
#[inline(always)]
pub(crate) fn captured(board: &Board, color: Color, square: Square) -> u64 {
    let [_, knights, bishops, rooks, queens, kings] = board.roles;
    let bit = |set: Bitboard| (set.0 >> square.index() & 1) as usize;
    let row = bit(knights | rooks | kings) | bit(bishops | rooks) << 1 | bit(queens | kings) << 2;
    // An empty square has the row of a pawn; the seventh row is never used and zero.
    let empty = bit(!board.occupied());
    KEYS.pieces[color as usize][row | empty << 1 | empty << 2][square.index()]
}

/// The hash of a position from scratch.
pub(crate) fn hash(
    board: &Board,
    turn: Color,
    castling_rooks: Bitboard,
    en_passant_square: Option<Square>,
) -> u64 {
    let mut hash = if turn == Color::Black { black_to_move() } else { 0 };
    // One loop over all pieces, whose row is put together from four sets, mispredicts one exit
    // where a loop for each kind of piece mispredicts twelve.
    let [pawns, knights, bishops, rooks, queens, kings] = board.roles;
    let bits = [knights | rooks | kings, bishops | rooks, queens | kings, board.colors[1]];
    debug_assert_eq!(pawns & (bits[0] | bits[1] | bits[2]), Bitboard::EMPTY);
    for square in board.occupied() {
        let bit = |index: usize| (bits[index].0 >> square.index() & 1) as usize;
        let row = bit(0) | bit(1) << 1 | bit(2) << 2 | bit(3) << 3;
        hash ^= KEYS.pieces[row / 8][row % 8][square.index()];
    }
    for rook in castling_rooks {
        hash ^= castling(rook);
    }
    if let Some(square) = en_passant_square {
        hash ^= en_passant(square);
    }
    hash
}

struct Keys {
    /// By colour and role; two rows are never used, so that a row is three bits.
    pieces: [[[u64; 64]; 8]; 2],
    castling: [[u64; 8]; 2],
    en_passant: [u64; 8],
    black_to_move: u64,
}

static KEYS: Keys = generate();

const fn generate() -> Keys {
    let mut keys = Keys {
        pieces: [[[0; 64]; 8]; 2],
        castling: [[0; 8]; 2],
        en_passant: [0; 8],
        black_to_move: 0,
    };
    let mut random = Random::new(u64::from_be_bytes(*b"everyply"));
    let mut index = 0;
    while index < 768 {
        keys.pieces[index / 384][index / 64 % 6][index % 64] = random.next();
        index += 1;
    }
    index = 0;
    while index < 16 {
        keys.castling[index / 8][index % 8] = random.next();
        index += 1;
    }
    index = 0;
    while index < 8 {
        keys.en_passant[index] = random.next();
        index += 1;
    }
    keys.black_to_move = random.next();
    keys
}
