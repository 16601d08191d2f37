//! Standard algebraic notation.

use std::{fmt, str::FromStr};

use crate::{
    Bitboard, CastlingSide, Color, File, Move, Position, Rank, Role, Square,
    attacks::{self, Magic},
    fen::shown,
    movegen::{self, Black, Restraints, Side, White},
};

/// A move in standard algebraic notation, such as `Nf3`, `exd8=Q+` or `O-O`.
///
/// Read leniently: `0-0`, `e8Q`, `e2-e4`, `Pe4`, a capture without `x` or with `:`, and any of
/// `+ ++ # ! ?` at the end. Written exactly: the least disambiguation, `=` before a promotion,
/// `+` or `#` where they belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct San {
    /// What moves where.
    pub action: Action,
    /// What the notation says about the result.
    pub suffix: Option<Suffix>,
}

/// The move itself, without its check mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// `O-O` or `O-O-O`.
    Castle(CastlingSide),
    /// Everything else.
    Step {
        /// What moves.
        role: Role,
        /// From which file, if said.
        file: Option<File>,
        /// From which rank, if said.
        rank: Option<Rank>,
        /// Whether the text says that something is captured.
        captures: bool,
        /// Where it goes.
        to: Square,
        /// What a pawn becomes.
        promotion: Option<Role>,
    },
}

/// The mark of a move that gives check or mate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Suffix {
    /// `+`
    Check,
    /// `#`
    Checkmate,
}

/// Why a text is not a move in algebraic notation, or not one of this position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SanError {
    /// Not of the form of a move.
    #[error("'{0}' is not a move")]
    Syntax(String),
    /// Well formed, but no piece can legally do it.
    #[error("{0} is not a legal move here")]
    Illegal(San),
    /// Two or more pieces can legally do it.
    #[error("{san} is ambiguous: it may start from {}", list(*.from))]
    Ambiguous {
        /// The text.
        san: San,
        /// The squares it may start from.
        from: Bitboard,
    },
    /// A pawn on the last rank must become something.
    #[error("{0} does not name the piece that the pawn promotes to")]
    NoPromotion(San),
}

impl San {
    /// Reads the text of a move.
    #[inline]
    pub fn from_ascii(text: &[u8]) -> Result<San, SanError> {
        parse(text).ok_or_else(|| SanError::Syntax(shown(text)))
    }

    /// The legal move this means. The check mark and `x` are not held against it.
    #[inline]
    pub fn find(self, position: &Position) -> Result<Move, SanError> {
        let found = match position.turn() {
            Color::White => self.find_as::<White>(position),
            Color::Black => self.find_as::<Black>(position),
        };
        match found {
            Ok(mv) => Ok(mv),
            Err(refusal) => Err(self.refused(refusal)),
        }
    }

    #[cold]
    fn refused(self, refusal: Refusal) -> SanError {
        match refusal {
            Refusal::Illegal => SanError::Illegal(self),
            Refusal::Ambiguous(from) => SanError::Ambiguous { san: self, from },
            Refusal::NoPromotion => SanError::NoPromotion(self),
        }
    }

    /// The notation of a legal move.
    pub fn of(position: &Position, mv: Move) -> San {
        San::between(position, mv, &position.play(mv))
    }

    /// The same for whoever has the position after the move already.
    pub fn between(position: &Position, mv: Move, after: &Position) -> San {
        let suffix = match after.is_check() {
            true if after.legal_moves().is_empty() => Some(Suffix::Checkmate),
            true => Some(Suffix::Check),
            false => None,
        };
        San { action: action_of(position, mv), suffix }
    }

    /// Appends the text to a string, without allocating if there is room.
    pub fn write(self, out: &mut String) {
        self.write_to(out).expect("a string takes all");
    }

    fn write_to(self, out: &mut impl fmt::Write) -> fmt::Result {
        match self.action {
            Action::Castle(CastlingSide::Short) => out.write_str("O-O")?,
            Action::Castle(CastlingSide::Long) => out.write_str("O-O-O")?,
            Action::Step { role, file, rank, captures, to, promotion } => {
                if role != Role::Pawn {
                    out.write_char(role.letter())?;
                }
                if let Some(file) = file {
                    out.write_char(file.letter())?;
                }
                if let Some(rank) = rank {
                    out.write_char(rank.digit())?;
                }
                if captures {
                    out.write_char('x')?;
                }
                out.write_char(to.file().letter())?;
                out.write_char(to.rank().digit())?;
                if let Some(role) = promotion {
                    out.write_char('=')?;
                    out.write_char(role.letter())?;
                }
            }
        }
        match self.suffix {
            Some(Suffix::Check) => out.write_char('+'),
            Some(Suffix::Checkmate) => out.write_char('#'),
            None => Ok(()),
        }
    }

    /// What moves; the king in castling.
    #[inline]
    pub(crate) fn role(self) -> Role {
        match self.action {
            Action::Castle(_) => Role::King,
            Action::Step { role, .. } => role,
        }
    }

    #[inline(always)]
    fn find_as<C: Side>(self, position: &Position) -> Result<Move, Refusal> {
        let board = position.board();
        match self.action {
            Action::Castle(side) => {
                let king = position.king(C::COLOR);
                let rook = position.castling_rook(C::COLOR, side).ok_or(Refusal::Illegal)?;
                let mv = Move { from: king, to: rook, promotion: None };
                let is_legal = movegen::may_castle::<C>(position, rook);
                if is_legal { Ok(mv) } else { Err(Refusal::Illegal) }
            }
            Action::Step { role: Role::King, file, rank, to, promotion, .. } => {
                let king = position.king(C::COLOR);
                let legal = attacks::king(king).contains(to)
                    && origins(file, rank).contains(king)
                    && promotion.is_none()
                    && !board.by_color(C::COLOR).contains(to)
                    && !movegen::is_attacked::<Magic, C::Other>(board, to, board.occupied() ^ king);
                if !legal {
                    return Err(Refusal::Illegal);
                }
                Ok(Move { from: king, to, promotion: None })
            }
            Action::Step { role, file, rank, to, promotion, .. } => {
                let candidates = if role == Role::Pawn {
                    pawn_origins::<C>(position, file, to)
                } else {
                    attacks::of(role, C::COLOR, to, board.occupied())
                };
                let candidates = candidates & board.by_piece(C::COLOR, role) & origins(file, rank);
                let from = self.legal_origin::<C>(position, role, candidates, to)?;
                let last = role == Role::Pawn && to.rank() == Rank::EIGHTH.of(C::COLOR);
                match (last, promotion) {
                    (true, None) => Err(Refusal::NoPromotion),
                    (false, Some(_)) | (_, Some(Role::Pawn | Role::King)) => Err(Refusal::Illegal),
                    _ => Ok(Move { from, to, promotion }),
                }
            }
        }
    }

    /// The one piece among the candidates that may legally go to the square.
    #[inline(always)]
    fn legal_origin<C: Side>(
        self,
        position: &Position,
        role: Role,
        candidates: Bitboard,
        to: Square,
    ) -> Result<Square, Refusal> {
        let board = position.board();
        // Nearly always one piece is meant, there is no check, and nothing but that piece tells
        // whether the king stays safe: if the king does not see it, it shields the king from
        // nobody.
        let king = position.king(C::COLOR);
        let diagonally = attacks::bishop(king, board.occupied());
        let straight = attacks::rook(king, board.occupied());
        let checkers = diagonally & board.diagonal_sliders()
            | straight & board.straight_sliders()
            | attacks::knight(king) & board.by_role(Role::Knight)
            | attacks::pawn(C::COLOR, king) & board.by_role(Role::Pawn);
        if let Some(from) = candidates.only()
            && (checkers & board.by_color(C::Other::COLOR)).is_empty()
            && !(diagonally | straight).contains(from)
            && !board.by_color(C::COLOR).contains(to)
            && position.en_passant() != Some(to)
        {
            return Ok(from);
        }
        let restraints = Restraints::of::<C>(board);
        let legal = if role == Role::Pawn && position.en_passant() == Some(to) {
            let capturers = movegen::legal_en_passant::<Magic, C>(board, &restraints, to);
            candidates & capturers
        } else {
            candidates.filter(|&from| restraints.allow(from, to)).collect()
        };
        match legal.only() {
            Some(from) => Ok(from),
            None if legal.is_empty() => Err(Refusal::Illegal),
            None => Err(Refusal::Ambiguous(legal)),
        }
    }
}

/// Why no move is found: small, since it travels where moves are found by the million.
#[derive(Clone, Copy)]
enum Refusal {
    Illegal,
    Ambiguous(Bitboard),
    NoPromotion,
}

/// Where a pawn that goes to a square may come from: with a file other than that of the
/// square it captures, otherwise it advances.
#[inline(always)]
fn pawn_origins<C: Side>(position: &Position, file: Option<File>, to: Square) -> Bitboard {
    let board = position.board();
    if file.is_some_and(|file| file != to.file()) {
        let capturable =
            board.by_color(C::Other::COLOR).contains(to) || position.en_passant() == Some(to);
        return if capturable { attacks::pawn(C::Other::COLOR, to) } else { Bitboard::EMPTY };
    }
    if board.occupied().contains(to) {
        return Bitboard::EMPTY;
    }
    let one_back = C::Other::ahead(to.into());
    if to.rank() == Rank::FOURTH.of(C::COLOR) && (one_back & board.occupied()).is_empty() {
        return C::Other::ahead(one_back);
    }
    one_back
}

#[inline(always)]
fn origins(file: Option<File>, rank: Option<Rank>) -> Bitboard {
    file.map_or(Bitboard::FULL, Bitboard::file) & rank.map_or(Bitboard::FULL, Bitboard::rank)
}

fn action_of(position: &Position, mv: Move) -> Action {
    let Move { from, to, promotion } = mv;
    let board = position.board();
    let role = board.role_at(from).expect("a move starts from an occupied square");
    if role == Role::King && board.by_color(position.turn()).contains(to) {
        return Action::Castle(CastlingSide::of(from, to));
    }
    let captures = board.occupied().contains(to) || role == Role::Pawn && from.file() != to.file();
    let (file, rank) = match role {
        Role::Pawn => (captures.then(|| from.file()), None),
        Role::King => (None, None),
        _ => disambiguate(position, role, from, to),
    };
    Action::Step { role, file, rank, captures, to, promotion }
}

/// The least that tells a piece from its likes: nothing, the file, the rank, or both.
fn disambiguate(
    position: &Position,
    role: Role,
    from: Square,
    to: Square,
) -> (Option<File>, Option<Rank>) {
    let board = position.board();
    let rivals = attacks::of(role, position.turn(), to, board.occupied())
        & board.by_piece(position.turn(), role)
        & !Bitboard::of(from);
    if rivals.is_empty() {
        return (None, None);
    }
    let rivals: Bitboard = rivals
        .filter(|&rival| position.is_legal(Move { from: rival, to, promotion: None }))
        .collect();
    if rivals.is_empty() {
        (None, None)
    } else if (rivals & Bitboard::file(from.file())).is_empty() {
        (Some(from.file()), None)
    } else if (rivals & Bitboard::rank(from.rank())).is_empty() {
        (None, Some(from.rank()))
    } else {
        (Some(from.file()), Some(from.rank()))
    }
}

#[inline]
fn parse(text: &[u8]) -> Option<San> {
    let mut rest = text;
    let mut suffix = None;
    while let [head @ .., mark @ (b'+' | b'#' | b'!' | b'?')] = rest {
        match mark {
            b'#' => suffix = Some(Suffix::Checkmate),
            b'+' => suffix = suffix.or(Some(Suffix::Check)),
            _ => {}
        }
        rest = head;
    }
    let first = *rest.first()?;
    if matches!(first, b'O' | b'0' | b'o') {
        return Some(San { action: Action::Castle(parse_castling(rest)?), suffix });
    }

    let role = Role::from_letter(first);
    let mut promotion = None;
    let (role, mut rest) = match role {
        Some(role) => (role, &rest[1..]),
        None => (Role::Pawn, rest),
    };
    if role == Role::Pawn
        && let [head @ .., letter @ (b'Q' | b'R' | b'B' | b'N')] = rest
    {
        promotion = Role::from_letter(*letter);
        rest = head.strip_suffix(b"=").unwrap_or(head);
    }
    let (head, to) = rest.split_at_checked(rest.len().checked_sub(2)?)?;
    let to = Square::from_ascii(to)?;
    let (head, captures) = match head {
        [head @ .., b'x' | b':'] => (head, true),
        [head @ .., b'-'] => (head, false),
        _ => (head, false),
    };
    let (file, rank) = match head {
        [] => (None, None),
        &[file @ b'a'..=b'h'] => (File::from_letter(file), None),
        &[rank @ b'1'..=b'8'] => (None, Rank::from_digit(rank)),
        &[file, rank] => (Some(File::from_letter(file)?), Some(Rank::from_digit(rank)?)),
        _ => return None,
    };
    Some(San { action: Action::Step { role, file, rank, captures, to, promotion }, suffix })
}

fn parse_castling(text: &[u8]) -> Option<CastlingSide> {
    match text {
        b"O-O" | b"0-0" | b"o-o" => Some(CastlingSide::Short),
        b"O-O-O" | b"0-0-0" | b"o-o-o" => Some(CastlingSide::Long),
        _ => None,
    }
}

impl FromStr for San {
    type Err = SanError;

    fn from_str(text: &str) -> Result<San, SanError> {
        San::from_ascii(text.as_bytes())
    }
}

impl fmt::Display for San {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_to(f)
    }
}

fn list(squares: Bitboard) -> String {
    let names: Vec<String> = squares.map(|square| square.to_string()).collect();
    names.join(" or ")
}
