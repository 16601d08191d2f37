//! Legal moves, generated as sets and without making any move: pieces that are pinned
//! stay on their line, a check confines everybody but the king to the squares that
//! end it, and the king keeps off attacked squares.
//!
//! The functions are generic over the side to move and over the slider lookup and are
//! inlined into two entry points, one of which is compiled with the processor's bit
//! instructions. That costs code size and buys a quarter to a third of the time of perft.

use arrayvec::ArrayVec;

#[cfg(target_arch = "x86_64")]
use crate::attacks::Pext;
use crate::{
    Bitboard, Board, CastlingSide, Color, Move, MoveSet, MoveSets, Position, Rank, Role, Square,
    attacks::{self, Magic, Sliders, has_quick_pext},
};

impl Position {
    /// The legal moves, one set for each piece that can move.
    pub fn legal_moves(&self) -> MoveSets {
        #[cfg(target_arch = "x86_64")]
        if has_quick_pext() {
            // SAFETY: the processor has the features the function is compiled with.
            return unsafe { generate_pext(self) };
        }
        generate::<Magic>(self)
    }

    /// Whether a move is legal here.
    pub fn is_legal(&self, mv: Move) -> bool {
        self.legal_moves().contains(mv)
    }
}

/// The side to move, known at compile time.
pub(crate) trait Side {
    type Other: Side;
    const COLOR: Color;
    /// One rank towards the enemy.
    fn ahead(set: Bitboard) -> Bitboard;
}

pub(crate) struct White;
pub(crate) struct Black;

impl Side for White {
    type Other = Black;
    const COLOR: Color = Color::White;

    #[inline(always)]
    fn ahead(set: Bitboard) -> Bitboard {
        set.up()
    }
}

impl Side for Black {
    type Other = White;
    const COLOR: Color = Color::Black;

    #[inline(always)]
    fn ahead(set: Bitboard) -> Bitboard {
        set.down()
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,lzcnt,popcnt")]
fn generate_pext(position: &Position) -> MoveSets {
    generate::<Pext>(position)
}

#[inline(always)]
fn generate<S: Sliders>(position: &Position) -> MoveSets {
    let mut sets = MoveSets(ArrayVec::new());
    match position.turn {
        Color::White => list::<S, White>(position, &mut sets.0),
        Color::Black => list::<S, Black>(position, &mut sets.0),
    }
    sets
}

/// What holds the pieces of the side to move back.
pub(crate) struct Restraints {
    pub(crate) king: Square,
    pub(crate) checkers: Bitboard,
    /// Where anything but the king may go to: everywhere, or onto or before the checker.
    pub(crate) targets: Bitboard,
    /// Ranks and files between the king and enemy sliders with one piece between, slider included.
    straight: Bitboard,
    /// The same for diagonals.
    diagonal: Bitboard,
}

impl Restraints {
    #[inline(always)]
    pub(crate) fn of<C: Side>(board: &Board) -> Restraints {
        let them = board.by_color(C::Other::COLOR);
        let occupied = board.occupied();
        let king = king::<C>(board);
        let mut checkers = them
            & (attacks::knight(king) & board.by_role(Role::Knight)
                | attacks::pawn(C::COLOR, king) & board.by_role(Role::Pawn));
        let mut straight = Bitboard::EMPTY;
        let mut diagonal = Bitboard::EMPTY;
        // A ray whose one piece is the enemy's own is recorded too; no piece of ours stands on it,
        // and no piece pinned on another ray can reach it, so that does no harm.
        for slider in attacks::rook_rays(king) & board.straight_sliders() & them {
            let path = attacks::between(king, slider);
            let pieces = path & occupied;
            if pieces.is_empty() {
                checkers |= slider;
            } else if !pieces.is_many() {
                straight |= path | slider;
            }
        }
        for slider in attacks::bishop_rays(king) & board.diagonal_sliders() & them {
            let path = attacks::between(king, slider);
            let pieces = path & occupied;
            if pieces.is_empty() {
                checkers |= slider;
            } else if !pieces.is_many() {
                diagonal |= path | slider;
            }
        }
        let mut targets = !board.by_color(C::COLOR);
        if let Some(checker) = checkers.first() {
            targets &= attacks::between(king, checker) | checker;
        }
        Restraints { king, checkers, targets, straight, diagonal }
    }

    /// Whether a piece other than the king may move between two squares it attacks or pushes to.
    #[inline(always)]
    pub(crate) fn allow(&self, from: Square, to: Square) -> bool {
        !self.checkers.is_many()
            && self.targets.contains(to)
            && (!(self.straight | self.diagonal).contains(from)
                || attacks::line(self.king, from).contains(to))
    }
}

/// The pieces of `by` that attack the king of the other side, found from the few sliders on its
/// lines rather than by lookup in the large tables, which are rarely in the cache when positions
/// come from text.
pub(crate) fn checkers(board: &Board, king: Square, by: Color) -> Bitboard {
    let mut checkers = attacks::pawn(!by, king) & board.by_role(Role::Pawn)
        | attacks::knight(king) & board.by_role(Role::Knight)
        | attacks::king(king) & board.by_role(Role::King);
    let sliders = attacks::rook_rays(king) & board.straight_sliders()
        | attacks::bishop_rays(king) & board.diagonal_sliders();
    for slider in sliders & board.by_color(by) {
        if (attacks::between(king, slider) & board.occupied()).is_empty() {
            checkers |= slider;
        }
    }
    checkers & board.by_color(by)
}

#[inline(always)]
fn king<C: Side>(board: &Board) -> Square {
    Square::from_low_bits(board.by_piece(C::COLOR, Role::King).0.trailing_zeros())
}

#[inline(always)]
pub(crate) fn list<S: Sliders, C: Side>(position: &Position, sets: &mut ArrayVec<MoveSet, 16>) {
    let board = &position.board;
    let restraints = Restraints::of::<C>(board);
    let mut add = |role, from, to: Bitboard| {
        if !to.is_empty() {
            sets.push(MoveSet { role, from, to });
        }
    };
    let in_check = !restraints.checkers.is_empty();
    let mut king_to = king_steps::<S, C>(board, restraints.king);
    if !in_check && !position.castling.is_empty() {
        king_to |= castling_rooks::<S, C>(position, restraints.king);
    }
    add(Role::King, restraints.king, king_to);
    if restraints.checkers.is_many() {
        return;
    }

    let Restraints { king, targets, straight, diagonal, .. } = restraints;
    let us = board.by_color(C::COLOR);
    let pinned = straight | diagonal;
    let occupied = board.occupied();
    for from in board.by_role(Role::Knight) & us & !pinned {
        add(Role::Knight, from, attacks::knight(from) & targets);
    }
    for from in board.by_role(Role::Bishop) & us & !straight {
        let line = if diagonal.contains(from) { diagonal } else { Bitboard::FULL };
        add(Role::Bishop, from, S::bishop(from, occupied) & targets & line);
    }
    for from in board.by_role(Role::Rook) & us & !diagonal {
        let line = if straight.contains(from) { straight } else { Bitboard::FULL };
        add(Role::Rook, from, S::rook(from, occupied) & targets & line);
    }
    for from in board.by_role(Role::Queen) & us {
        let mut to = S::bishop(from, occupied) | S::rook(from, occupied);
        if pinned.contains(from) {
            to &= attacks::line(king, from);
        }
        add(Role::Queen, from, to & targets);
    }
    let capturers = match position.en_passant {
        Some(square) => legal_en_passant::<S, C>(board, &restraints, square),
        None => Bitboard::EMPTY,
    };
    let them = board.by_color(C::Other::COLOR);
    let third = Bitboard::rank(Rank::THIRD.of(C::COLOR));
    for from in board.by_role(Role::Pawn) & us {
        let push = C::ahead(from.into()) - occupied;
        let double = C::ahead(push & third) - occupied;
        let mut to = push | double | attacks::pawn(C::COLOR, from) & them;
        if pinned.contains(from) {
            to &= attacks::line(king, from);
        }
        to &= targets;
        if capturers.contains(from)
            && let Some(square) = position.en_passant
        {
            to |= square;
        }
        add(Role::Pawn, from, to);
    }
}

/// How many legal moves there are, without listing them.
#[inline(always)]
pub(crate) fn count<S: Sliders, C: Side>(position: &Position) -> u32 {
    let board = &position.board;
    let restraints = Restraints::of::<C>(board);
    let mut count = king_steps::<S, C>(board, restraints.king).len();
    if restraints.checkers.is_many() {
        return count;
    }
    let Restraints { king, targets, straight, diagonal, checkers } = restraints;
    let us = board.by_color(C::COLOR);
    let occupied = board.occupied();
    if checkers.is_empty() && !position.castling.is_empty() {
        count += castling_rooks::<S, C>(position, king).len();
    }
    for from in board.by_role(Role::Knight) & us & !(straight | diagonal) {
        count += (attacks::knight(from) & targets).len();
    }
    let bishops = board.diagonal_sliders() & us & !straight;
    for from in bishops - diagonal {
        count += (S::bishop(from, occupied) & targets).len();
    }
    for from in bishops & diagonal {
        count += (S::bishop(from, occupied) & targets & diagonal).len();
    }
    let rooks = board.straight_sliders() & us & !diagonal;
    for from in rooks - straight {
        count += (S::rook(from, occupied) & targets).len();
    }
    for from in rooks & straight {
        count += (S::rook(from, occupied) & targets & straight).len();
    }

    let pawns = board.by_role(Role::Pawn) & us;
    let them = board.by_color(C::Other::COLOR);
    let third = Bitboard::rank(Rank::THIRD.of(C::COLOR));
    let last = Bitboard::rank(Rank::EIGHTH.of(C::COLOR));
    // A pawn pinned along a file may go on along it; along a rank, `straight` does not hold
    // the square ahead.
    let pushers = pawns - diagonal;
    let push = (C::ahead(pushers - straight) | C::ahead(pushers & straight) & straight) - occupied;
    let double = (C::ahead(push & third) - occupied) & targets;
    let push = push & targets;
    let takers = pawns - straight;
    let free = C::ahead(takers - diagonal);
    let bound = C::ahead(takers & diagonal);
    let takes = them & targets;
    let take_left = (free.left() | bound.left() & diagonal) & takes;
    let take_right = (free.right() | bound.right() & diagonal) & takes;
    count += push.len() + double.len() + take_left.len() + take_right.len();
    if !((push | take_left | take_right) & last).is_empty() {
        count += 3 * ((push & last).len() + (take_left & last).len() + (take_right & last).len());
    }
    if let Some(square) = position.en_passant {
        count += legal_en_passant::<S, C>(board, &restraints, square).len();
    }
    count
}

/// Where the king may step.
#[inline(always)]
pub(crate) fn king_steps<S: Sliders, C: Side>(board: &Board, king: Square) -> Bitboard {
    let steps = attacks::king(king) - board.by_color(C::COLOR);
    if steps.is_empty() {
        return steps;
    }
    // The king does not shield the squares behind it.
    steps - attacked_by::<S, C::Other>(board, board.occupied() ^ king)
}

/// Every square a side attacks.
#[inline(always)]
fn attacked_by<S: Sliders, C: Side>(board: &Board, occupied: Bitboard) -> Bitboard {
    let pieces = board.by_color(C::COLOR);
    let ahead = C::ahead(board.by_role(Role::Pawn) & pieces);
    let mut attacked = ahead.left() | ahead.right() | attacks::king(king::<C>(board));
    for from in board.by_role(Role::Knight) & pieces {
        attacked |= attacks::knight(from);
    }
    for from in board.diagonal_sliders() & pieces {
        attacked |= S::bishop(from, occupied);
    }
    for from in board.straight_sliders() & pieces {
        attacked |= S::rook(from, occupied);
    }
    attacked
}

/// The rooks the king may castle with now. The king is not in check.
#[inline(always)]
fn castling_rooks<S: Sliders, C: Side>(position: &Position, king: Square) -> Bitboard {
    let board = &position.board;
    let rank = Rank::FIRST.of(C::COLOR);
    let mut legal = Bitboard::EMPTY;
    for rook in position.castling & Bitboard::rank(rank) {
        let side = CastlingSide::of(king, rook);
        let king_to = side.king_to(rank);
        let rook_to = side.rook_to(rank);
        let king_path = attacks::between(king, king_to) | king_to;
        let rook_path = attacks::between(rook, rook_to) | rook_to;
        let others = board.occupied() ^ king ^ rook;
        if !((king_path | rook_path) & others).is_empty() {
            continue;
        }
        // Without the rook, too, the squares must be safe: in Chess960 it may have shielded them.
        let without_both = others | rook_to;
        if king_path.into_iter().all(|square| {
            let blockers = if square == king_to { without_both } else { others | rook };
            !is_attacked::<S, C::Other>(board, square, blockers)
        }) {
            legal |= rook;
        }
    }
    legal
}

#[inline(always)]
pub(crate) fn is_attacked<S: Sliders, By: Side>(
    board: &Board,
    square: Square,
    occupied: Bitboard,
) -> bool {
    !attackers::<S, By>(board, square, occupied).is_empty()
}

/// The pieces of a side that attack a square.
#[inline(always)]
pub(crate) fn attackers<S: Sliders, By: Side>(
    board: &Board,
    square: Square,
    occupied: Bitboard,
) -> Bitboard {
    let attackers = attacks::pawn(By::Other::COLOR, square) & board.by_role(Role::Pawn)
        | attacks::knight(square) & board.by_role(Role::Knight)
        | attacks::king(square) & board.by_role(Role::King)
        | S::bishop(square, occupied) & board.diagonal_sliders()
        | S::rook(square, occupied) & board.straight_sliders();
    attackers & board.by_color(By::COLOR)
}

/// Whether the king may castle with a rook now.
pub(crate) fn may_castle<C: Side>(position: &Position, rook: Square) -> bool {
    let king = position.king(C::COLOR);
    let board = &position.board;
    !is_attacked::<Magic, C::Other>(board, king, board.occupied())
        && castling_rooks::<Magic, C>(position, king).contains(rook)
}

/// The pawns of the side to move that may legally capture onto the en-passant square.
#[inline(always)]
pub(crate) fn legal_en_passant<S: Sliders, C: Side>(
    board: &Board,
    restraints: &Restraints,
    square: Square,
) -> Bitboard {
    let pawns = board.by_piece(C::COLOR, Role::Pawn);
    let captured = C::Other::ahead(square.into());
    let mut legal = Bitboard::EMPTY;
    for from in attacks::pawn(C::Other::COLOR, square) & pawns {
        // Two pieces leave and one arrives, so pins do not tell; look from the king instead.
        let occupied = board.occupied() ^ from ^ captured | square;
        let them = board.by_color(C::Other::COLOR) - captured;
        let leapers = board.by_role(Role::Knight) | board.by_role(Role::Pawn);
        let checkers = restraints.checkers & leapers
            | S::bishop(restraints.king, occupied) & board.diagonal_sliders()
            | S::rook(restraints.king, occupied) & board.straight_sliders();
        if (checkers & them).is_empty() {
            legal |= from;
        }
    }
    legal
}

/// The pawns of `turn` that may legally capture onto an en-passant square.
pub(crate) fn en_passant_capturers(board: &Board, turn: Color, square: Square) -> Bitboard {
    match turn {
        Color::White => {
            let restraints = Restraints::of::<White>(board);
            legal_en_passant::<Magic, White>(board, &restraints, square)
        }
        Color::Black => {
            let restraints = Restraints::of::<Black>(board);
            legal_en_passant::<Magic, Black>(board, &restraints, square)
        }
    }
}
