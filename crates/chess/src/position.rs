//! Legal positions.

use crate::{Bitboard, Board, Color, File, Rank, Role, Square, movegen, zobrist};

/// What a position is made of, not yet known to be legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// Who stands where.
    pub board: Board,
    /// The side to move.
    pub turn: Color,
    /// The rooks that may still castle.
    pub castling: Bitboard,
    /// The square a pawn has just passed over.
    pub en_passant: Option<Square>,
    /// Plies since the last capture or pawn move.
    pub halfmoves: u16,
    /// The number of the move, counted from 1 and raised after Black's.
    pub fullmoves: u16,
}

/// A legal chess position: a value of 88 bytes, copied to make a move.
///
/// Legal means: one king each, at most 16 pieces and 8 pawns each, no pawn on the first or
/// last rank, the side not to move not in check, castling rights only with king
/// and rook in place, and an en-passant square only while a legal capture exists.
/// Whether a game can lead to the position is not asked.
///
/// ```
/// let start = chess::Position::default();
/// assert_eq!(start.legal_moves().len(), 20);
/// let next = start.play("e4".parse::<chess::San>()?.find(&start)?);
/// assert_eq!(next.to_string(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Position {
    pub(crate) board: Board,
    pub(crate) hash: u64,
    pub(crate) castling: Bitboard,
    pub(crate) halfmoves: u16,
    pub(crate) fullmoves: u16,
    pub(crate) en_passant: Option<Square>,
    pub(crate) turn: Color,
}

/// Why a [`Setup`] is not a legal position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IllegalPosition {
    /// A side without a king.
    #[error("{} has no king", .0.name())]
    NoKing(Color),
    /// A side with more than one king.
    #[error("{} has {count} kings, expected 1", .color.name())]
    ManyKings {
        /// Whose.
        color: Color,
        /// How many.
        count: u32,
    },
    /// More pieces than a side can have.
    #[error("{} has {count} pieces, expected at most 16", .color.name())]
    ManyMen {
        /// Whose.
        color: Color,
        /// How many.
        count: u32,
    },
    /// More pawns than a side can have.
    #[error("{} has {count} pawns, expected at most 8", .color.name())]
    ManyPawns {
        /// Whose.
        color: Color,
        /// How many.
        count: u32,
    },
    /// A pawn where none can be.
    #[error("a pawn stands on {0}, on the first or last rank")]
    PawnOnBackRank(Square),
    /// The side that has just moved left its king in check.
    #[error("{} is to move, but the {} king on {king} is in check from {checker}", .turn.name(), (!*.turn).name())]
    OpponentInCheck {
        /// The side to move.
        turn: Color,
        /// The other side's king.
        king: Square,
        /// A piece that attacks it.
        checker: Square,
    },
    /// A castling right without its rook.
    #[error("{} may castle with a rook on {rook}, but none stands there", .color.name())]
    CastlingWithoutRook {
        /// Whose right.
        color: Color,
        /// Where the rook should be.
        rook: Square,
    },
    /// A castling right of a king that has left its back rank.
    #[error("{} may castle, but its king stands on {king}", .color.name())]
    CastlingWithoutKing {
        /// Whose right.
        color: Color,
        /// Where the king is.
        king: Square,
    },
    /// Two castling rights towards the same side.
    #[error("{} may castle with two rooks on the same side of its king", .0.name())]
    CastlingTwice(Color),
    /// A castling right on a rank where no king begins.
    #[error("a rook on {0} cannot castle")]
    CastlingRank(Square),
    /// An en-passant square that no pawn has just passed.
    #[error("en-passant square {0}: no pawn has just passed it")]
    EnPassant(Square),
}

impl Position {
    /// Checks a setup and makes it a position. An en-passant square that no legal
    /// capture can use is dropped, so equal positions compare and hash as equal.
    pub fn new(setup: Setup) -> Result<Position, IllegalPosition> {
        let Setup { board, turn, castling, en_passant, halfmoves, fullmoves } = setup;
        for color in Color::ALL {
            check_men(&board, color)?;
        }
        if let Some(pawn) = (board.by_role(Role::Pawn) & BACK_RANKS).first() {
            return Err(IllegalPosition::PawnOnBackRank(pawn));
        }
        let fullmoves = fullmoves.max(1);
        let mut position =
            Position { board, hash: 0, castling, halfmoves, fullmoves, en_passant: None, turn };
        let king = position.king(!turn);
        if let Some(checker) = movegen::checkers(&board, king, turn).first() {
            return Err(IllegalPosition::OpponentInCheck { turn, king, checker });
        }
        if !castling.is_empty() {
            check_castling(&position)?;
        }
        if let Some(square) = en_passant {
            check_en_passant(&position, square)?;
            if !movegen::en_passant_capturers(&board, turn, square).is_empty() {
                position.en_passant = en_passant;
            }
        }
        position.hash = zobrist::hash(&board, turn, castling, position.en_passant);
        Ok(position)
    }

    /// The pieces and their squares.
    #[inline]
    pub fn board(&self) -> &Board {
        &self.board
    }

    /// The side to move.
    #[inline]
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// Where a side's king stands.
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        self.board.by_piece(color, Role::King).first().expect("a legal position has two kings")
    }

    /// The rooks that may still castle, of both colours.
    #[inline]
    pub fn castling_rooks(&self) -> Bitboard {
        self.castling
    }

    /// The rook a side may still castle with towards the a-file or the h-file.
    pub fn castling_rook(&self, color: Color, side: CastlingSide) -> Option<Square> {
        let king = self.king(color);
        let rooks = self.castling & Bitboard::rank(Rank::FIRST.of(color));
        match side {
            CastlingSide::Long => rooks.first().filter(|&rook| rook < king),
            CastlingSide::Short => rooks.last().filter(|&rook| rook > king),
        }
    }

    /// The square a pawn has just passed, if a legal en-passant capture exists.
    #[inline]
    pub fn en_passant(&self) -> Option<Square> {
        self.en_passant
    }

    /// Plies since the last capture or pawn move.
    #[inline]
    pub fn halfmoves(&self) -> u16 {
        self.halfmoves
    }

    /// The number of the current move, from 1.
    #[inline]
    pub fn fullmoves(&self) -> u16 {
        self.fullmoves
    }

    /// The Zobrist hash; equal for positions that count as repeated.
    #[inline]
    pub fn zobrist(&self) -> u64 {
        self.hash
    }

    /// The pieces that give check.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        movegen::checkers(&self.board, self.king(self.turn), !self.turn)
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn is_check(&self) -> bool {
        !self.checkers().is_empty()
    }

    /// Whether the side to move is mated.
    pub fn is_checkmate(&self) -> bool {
        self.is_check() && self.legal_moves().is_empty()
    }

    /// Whether the side to move has no move and is not in check.
    pub fn is_stalemate(&self) -> bool {
        !self.is_check() && self.legal_moves().is_empty()
    }

    /// Whether no sequence of moves can mate: bare kings, one minor piece, or
    /// bishops that all stand on squares of one colour.
    pub fn is_insufficient_material(&self) -> bool {
        let board = &self.board;
        let heavy = board.by_role(Role::Pawn) | board.straight_sliders();
        let knights = board.by_role(Role::Knight);
        let bishops = board.by_role(Role::Bishop);
        if !heavy.is_empty() {
            return false;
        }
        if !knights.is_empty() {
            return (knights | bishops).len() == 1;
        }
        bishops.is_subset(Bitboard::LIGHT) || bishops.is_subset(Bitboard::DARK)
    }

    /// Whether the two positions count as the same for repetition: pieces, side to
    /// move, castling rights and en passant, but not the counters.
    pub fn is_repetition_of(&self, other: &Position) -> bool {
        self.hash == other.hash
            && self.board == other.board
            && self.turn == other.turn
            && self.castling == other.castling
            && self.en_passant == other.en_passant
    }

    /// The setup this position was or could be made from.
    pub fn setup(&self) -> Setup {
        let Position { board, turn, castling, en_passant, halfmoves, fullmoves, .. } = *self;
        Setup { board, turn, castling, en_passant, halfmoves, fullmoves }
    }
}

/// The start of a game.
impl Default for Position {
    fn default() -> Position {
        Position::from_fen("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1")
            .expect("the start of a game is legal")
    }
}

/// The two ways to castle. In Chess960 the rook may start anywhere on that side of the king.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CastlingSide {
    /// Towards the h-file: king to g, rook to f; `O-O`.
    Short,
    /// Towards the a-file: king to c, rook to d; `O-O-O`.
    Long,
}

impl CastlingSide {
    /// The side of a king's move onto its rook.
    #[inline]
    pub fn of(king: Square, rook: Square) -> CastlingSide {
        if rook > king { CastlingSide::Short } else { CastlingSide::Long }
    }

    /// Where the king lands.
    #[inline]
    pub fn king_to(self, rank: Rank) -> Square {
        Square::new(if self == CastlingSide::Short { File::G } else { File::C }, rank)
    }

    /// Where the rook lands.
    #[inline]
    pub fn rook_to(self, rank: Rank) -> Square {
        Square::new(if self == CastlingSide::Short { File::F } else { File::D }, rank)
    }
}

const BACK_RANKS: Bitboard =
    Bitboard(Bitboard::rank(Rank::FIRST).0 | Bitboard::rank(Rank::EIGHTH).0);

fn check_men(board: &Board, color: Color) -> Result<(), IllegalPosition> {
    let kings = board.by_piece(color, Role::King).len();
    if kings == 0 {
        return Err(IllegalPosition::NoKing(color));
    }
    if kings > 1 {
        return Err(IllegalPosition::ManyKings { color, count: kings });
    }
    let pieces = board.by_color(color).len();
    if pieces > 16 {
        return Err(IllegalPosition::ManyMen { color, count: pieces });
    }
    let pawns = board.by_piece(color, Role::Pawn).len();
    if pawns > 8 {
        return Err(IllegalPosition::ManyPawns { color, count: pawns });
    }
    Ok(())
}

fn check_castling(position: &Position) -> Result<(), IllegalPosition> {
    if let Some(rook) = (position.castling - BACK_RANKS).first() {
        return Err(IllegalPosition::CastlingRank(rook));
    }
    for color in Color::ALL {
        let back_rank = Rank::FIRST.of(color);
        let rooks = position.castling & Bitboard::rank(back_rank);
        if rooks.is_empty() {
            continue;
        }
        let king = position.king(color);
        if king.rank() != back_rank {
            return Err(IllegalPosition::CastlingWithoutKing { color, king });
        }
        if let Some(rook) = (rooks - position.board.by_piece(color, Role::Rook)).first() {
            return Err(IllegalPosition::CastlingWithoutRook { color, rook });
        }
        let left_of_king = rooks & Bitboard((1 << king.index()) - 1);
        if left_of_king.is_many() || (rooks - left_of_king).is_many() {
            return Err(IllegalPosition::CastlingTwice(color));
        }
    }
    Ok(())
}

/// The square must lie behind an enemy pawn that can have come from two squares further back.
fn check_en_passant(position: &Position, square: Square) -> Result<(), IllegalPosition> {
    let them = !position.turn;
    let towards_us = if them == Color::White { 1 } else { -1 };
    let pawn = square.step(0, towards_us);
    let origin = square.step(0, -towards_us);
    let (Some(pawn), Some(origin)) = (pawn, origin) else {
        return Err(IllegalPosition::EnPassant(square));
    };
    let passed = square.rank() == Rank::THIRD.of(them)
        && position.board.by_piece(them, Role::Pawn).contains(pawn)
        && (position.board.occupied() & (Bitboard::of(square) | origin)).is_empty();
    if passed { Ok(()) } else { Err(IllegalPosition::EnPassant(square)) }
}
