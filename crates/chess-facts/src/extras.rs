//! Facts that belong to no level: moves that give check or mate, and x-ray defences. They are
//! computed only where they are asked for, apart from the one pass of the others.

use arrayvec::ArrayVec;
use chess::{
    Bitboard, Board, ByColor, Color, Move, MoveSet, Position, Role, Setup, Square,
    attacks::{self, SliderWork, Sliders},
};

use crate::{
    Line,
    facts::LINES,
    field::{Field, lone},
};

/// No legal position is known to have more moves.
const MOVES: usize = 218;

/// The facts of a position that belong to no level, as far as they were asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extras {
    /// What is true of each side.
    pub sides: ByColor<ExtraSide>,
}

/// What of [`Extras`] is true of one side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExtraSide {
    /// The position in which this side is to move. Nothing if that would leave the enemy in check,
    /// or if no moves were asked for.
    pub to_move: Option<Position>,
    /// Legal moves that give check, as if it were this side's turn; none if the enemy is in check
    /// already. Column `checking_moves`; those that mate: column `mating_moves`.
    pub checks: ArrayVec<CheckMove, MOVES>,
    /// Own sliders with exactly one piece, of either side, between them and another own piece other
    /// than the king. Column `xray_defenses`.
    pub xray_defenses: ArrayVec<Line, LINES>,
}

/// A legal move that gives check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CheckMove {
    /// The move.
    pub mv: Move,
    /// Whether it is mate.
    pub is_mate: bool,
}

/// Which of [`Extras`] are computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtraParts {
    /// [`ExtraSide::checks`] of White.
    pub white_checks: bool,
    /// [`ExtraSide::checks`] of Black.
    pub black_checks: bool,
    /// [`ExtraSide::xray_defenses`] of both sides.
    pub xray_defenses: bool,
}

impl ExtraParts {
    /// Every part.
    pub const ALL: ExtraParts =
        ExtraParts { white_checks: true, black_checks: true, xray_defenses: true };

    /// Whether nothing is to be computed.
    pub fn is_empty(self) -> bool {
        self == ExtraParts::default()
    }
}

impl Extras {
    /// Replaces this value by the facts of a position.
    ///
    /// ```
    /// use chess::{Color, Position};
    /// use chess_facts::{ExtraParts, Extras};
    /// let position: Position = "6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1".parse()?;
    /// let mut extras = Extras::default();
    /// extras.compute(&position, ExtraParts::ALL);
    /// assert_eq!(extras.sides[Color::White].mates().count(), 1);
    /// assert!(extras.sides[Color::Black].checks.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn compute(&mut self, position: &Position, parts: ExtraParts) {
        for (color, is_asked) in
            [(Color::White, parts.white_checks), (Color::Black, parts.black_checks)]
        {
            let side = &mut self.sides[color];
            side.checks.clear();
            side.to_move = if is_asked { to_move(position, color) } else { None };
            if let Some(position) = &side.to_move {
                attacks::quickest(FindChecks { position, found: &mut side.checks });
            }
            side.xray_defenses.clear();
            if parts.xray_defenses {
                defenses(position.board(), color, &mut side.xray_defenses);
            }
        }
    }
}

impl ExtraSide {
    /// The moves that mate. Column `mating_moves`.
    pub fn mates(&self) -> impl Iterator<Item = Move> + '_ {
        self.checks.iter().filter(|check| check.is_mate).map(|check| check.mv)
    }
}

/// The position with a side to move, if it is legal.
fn to_move(position: &Position, color: Color) -> Option<Position> {
    if position.turn() == color {
        return Some(*position);
    }
    if position.is_check() {
        return None;
    }
    let setup = Setup { turn: color, en_passant: None, ..position.setup() };
    Position::new(setup).ok()
}

struct FindChecks<'a> {
    position: &'a Position,
    found: &'a mut ArrayVec<CheckMove, MOVES>,
}

impl SliderWork for FindChecks<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Sliders>(self) {
        let FindChecks { position, found } = self;
        let search = Search::of::<S>(position);
        for set in position.legal_moves().sets() {
            search.checks_of::<S>(set, |mv| {
                let is_mate = position.play(mv).legal_moves().is_empty();
                found.push(CheckMove { mv, is_mate });
            });
        }
    }
}

/// What a move must do to give check.
struct Search<'a> {
    position: &'a Position,
    field: Field,
    king: Square,
    /// The squares from which a piece gives check, by [`Role::index`].
    squares: [Bitboard; 6],
    /// Own pieces that alone stand between an own slider and the enemy king.
    screens: Bitboard,
}

impl<'a> Search<'a> {
    #[inline(always)]
    fn of<S: Sliders>(position: &'a Position) -> Search<'a> {
        let field = Field::new(position.board());
        let us = position.turn();
        let king = field.king(!us);
        let diagonal = S::bishop(king, field.occupied);
        let straight = S::rook(king, field.occupied);
        let own = field.colors[us as usize];
        let mut screens = Bitboard::EMPTY;
        let sliders =
            attacks::bishop_rays(king) & field.diagonal | attacks::rook_rays(king) & field.straight;
        for slider in sliders & own {
            let between = attacks::between(king, slider) & field.occupied;
            if !between.is_many() {
                screens |= between & own;
            }
        }
        let squares = [
            attacks::pawn(!us, king),
            attacks::knight(king),
            diagonal,
            straight,
            diagonal | straight,
            Bitboard::EMPTY,
        ];
        Search { position, field, king, squares, screens }
    }

    /// Those of the moves of a piece that give check.
    #[inline(always)]
    fn checks_of<S: Sliders>(&self, set: &MoveSet, mut found: impl FnMut(Move)) {
        let MoveSet { role, from, to } = *set;
        let mut checks = to & self.squares[role.index()];
        if self.screens.contains(from) {
            checks |= to - attacks::line(self.king, from);
        }
        // Castling moves two pieces, and en passant opens two lines: these few are played.
        let own = self.field.colors[self.position.turn() as usize];
        let mut played = to & own;
        if role == Role::Pawn {
            let passed = self.position.en_passant().map_or(Bitboard::EMPTY, Bitboard::of);
            let last = Bitboard::rank(chess::Rank::FIRST) | Bitboard::rank(chess::Rank::EIGHTH);
            played |= to & passed;
            for to in to & last {
                for role in Role::PROMOTIONS {
                    let occupied = self.field.occupied - from;
                    let is_check = self.screens.contains(from)
                        && !attacks::line(self.king, from).contains(to)
                        || promoted::<S>(role, to, occupied).contains(self.king);
                    if is_check {
                        found(Move { from, to, promotion: Some(role) });
                    }
                }
            }
            checks -= last;
        }
        for to in checks - played {
            found(Move { from, to, promotion: None });
        }
        for to in played {
            let mv = Move { from, to, promotion: None };
            if self.position.play(mv).is_check() {
                found(mv);
            }
        }
    }
}

#[inline(always)]
fn promoted<S: Sliders>(role: Role, square: Square, occupied: Bitboard) -> Bitboard {
    match role {
        Role::Knight => attacks::knight(square),
        Role::Bishop => S::bishop(square, occupied),
        Role::Rook => S::rook(square, occupied),
        _ => S::bishop(square, occupied) | S::rook(square, occupied),
    }
}

fn defenses(board: &Board, color: Color, found: &mut ArrayVec<Line, LINES>) {
    let own = board.by_color(color) - board.by_role(Role::King);
    for back in own {
        for slider in board.xray_attackers(back, color) {
            let front = lone(attacks::between(slider, back) & board.occupied());
            found.push(Line { slider, front, back });
        }
    }
}
