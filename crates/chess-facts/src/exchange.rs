//! Static exchange evaluation: what captures on one square come to, if either side stops when
//! it likes.
//!
//! The least valuable piece captures first (pawn, knight, bishop, rook, queen, king; of equals the
//! one nearest to a1), sliders behind it join in as it leaves, and a king captures only if
//! nothing could recapture. Values are those of [`VALUES`]: pawn 1, knight and
//! bishop 3, rook 5, queen 9. Promotion on the way and en passant are not considered, but the
//! move that [`of_move`] begins with may be either.

use arrayvec::ArrayVec;
use chess::{
    Bitboard, Board, Color, Move, Position, Rank, Role, Square,
    attacks::{self, SliderWork, Sliders},
};

use crate::{
    Line,
    facts::PINS,
    field::{Field, VALUES, lone},
};

/// What to make of absolutely pinned pieces.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Pins {
    /// They capture like any other.
    #[default]
    Ignored,
    /// While the pinner stands, they capture along the line of the pin only. Pins are those at
    /// the beginning. A king does not capture what a pinned piece protects.
    Respected,
}

/// What the enemy gains by beginning exchanges on a square; 0 if it had better not begin, and on
/// an empty square or that of a king.
///
/// ```
/// use chess::{Position, Square};
/// use chess_facts::exchange::{self, Pins};
/// let position: Position = "4k3/8/3p4/4p3/8/5N2/8/4R1K1 w - - 0 1".parse()?;
/// assert_eq!(exchange::on_square(&position, Square::E5, Pins::Ignored), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn on_square(position: &Position, square: Square, pins: Pins) -> u8 {
    let Some(piece) = position.board().piece_at(square) else { return 0 };
    if piece.role == Role::King {
        return 0;
    }
    let exchange = Exchange {
        square,
        occupied: position.board().occupied(),
        begins: !piece.color,
        value: VALUES[piece.role.index()],
    };
    evaluate(position.board(), exchange, pins)
}

/// What a legal move wins or loses by exchanges on the square it goes to: what it captures and
/// what a promotion adds, less what the enemy then gains on that square. Castling is 0.
///
/// ```
/// use chess::{Position, San};
/// use chess_facts::exchange::{self, Pins};
/// let position: Position = "4k3/8/3p4/4p3/8/5N2/8/4R1K1 w - - 0 1".parse()?;
/// let mv = "Nxe5".parse::<San>()?.find(&position)?;
/// assert_eq!(exchange::of_move(&position, mv, Pins::Ignored), -1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Panics
/// If no piece stands where the move starts.
pub fn of_move(position: &Position, mv: Move, pins: Pins) -> i32 {
    let board = position.board();
    let piece = board.piece_at(mv.from).expect("a move starts from an occupied square");
    if board.by_color(piece.color).contains(mv.to) {
        return 0;
    }
    let worth = |role: Role| i32::from(VALUES[role.index()]);
    let mut occupied = board.occupied() ^ mv.from | mv.to;
    let mut gain = board.role_at(mv.to).map_or(0, worth);
    if piece.role == Role::Pawn && position.en_passant() == Some(mv.to) {
        occupied -= passed_pawn(mv.to);
        gain = worth(Role::Pawn);
    }
    let placed = mv.promotion.unwrap_or(piece.role);
    gain += worth(placed) - worth(piece.role);
    if placed == Role::King {
        return gain;
    }
    let value = VALUES[placed.index()];
    let exchange = Exchange { square: mv.to, occupied, begins: !piece.color, value };
    gain - i32::from(evaluate(board, exchange, pins))
}

/// The pawn that a capture onto this en-passant square takes.
#[inline(always)]
pub(crate) fn passed_pawn(en_passant: Square) -> Bitboard {
    let square = Bitboard::of(en_passant);
    if en_passant.rank() == Rank::SIXTH { square.down() } else { square.up() }
}

fn evaluate(board: &Board, exchange: Exchange, pins: Pins) -> u8 {
    struct Evaluation<'a>(&'a Board, Exchange, Pins);
    impl SliderWork for Evaluation<'_> {
        type Output = u8;

        #[inline(always)]
        fn run<S: Sliders>(self) -> u8 {
            let Evaluation(board, exchange, pins) = self;
            let field = Field::new(board);
            match pins {
                Pins::Ignored => exchange.gain::<S>(&field),
                Pins::Respected => {
                    let ties = Color::ALL.map(|color| ties(&field, color));
                    exchange.gain_among_pins::<S>(&field, &ties)
                }
            }
        }
    }
    attacks::quickest(Evaluation(board, exchange, pins))
}

/// The absolute pins of one side.
#[inline(always)]
fn ties(field: &Field, color: Color) -> ArrayVec<Line, PINS> {
    let king = field.king(color);
    let sliders =
        attacks::rook_rays(king) & field.straight | attacks::bishop_rays(king) & field.diagonal;
    let mut ties = ArrayVec::new();
    for slider in sliders & field.colors[!color as usize] {
        let pieces = attacks::between(king, slider) & field.occupied;
        if !pieces.is_empty()
            && !pieces.is_many()
            && !(pieces & field.colors[color as usize]).is_empty()
        {
            ties.push(Line { slider, front: lone(pieces), back: king });
        }
    }
    ties
}

/// Captures on one square, about to begin.
#[derive(Clone, Copy)]
pub(crate) struct Exchange {
    pub(crate) square: Square,
    /// What stands on the board. The square itself need not hold what is captured first.
    pub(crate) occupied: Bitboard,
    /// Who captures first.
    pub(crate) begins: Color,
    /// What is captured first.
    pub(crate) value: u8,
}

impl Exchange {
    #[inline(always)]
    pub(crate) fn gain<S: Sliders>(self, field: &Field) -> u8 {
        self.swap_off::<S>(field, |_| Bitboard::EMPTY)
    }

    /// The gain with pinned pieces held to their lines.
    #[inline(always)]
    pub(crate) fn gain_among_pins<S: Sliders>(
        self,
        field: &Field,
        ties: &[ArrayVec<Line, PINS>; 2],
    ) -> u8 {
        // Pieces that may not capture on the square, each with its pinner.
        let mut held = ArrayVec::<Line, { 2 * PINS }>::new();
        for ties in ties {
            for tie in ties {
                if !attacks::line(tie.slider, tie.back).contains(self.square) {
                    held.push(*tie);
                }
            }
        }
        self.swap_off::<S>(field, |occupied| {
            let mut pieces = Bitboard::EMPTY;
            for tie in &held {
                if occupied.contains(tie.slider) {
                    pieces |= tie.front;
                }
            }
            pieces
        })
    }

    #[inline(always)]
    fn swap_off<S: Sliders>(self, field: &Field, held: impl Fn(Bitboard) -> Bitboard) -> u8 {
        let Exchange { square, mut occupied, begins, value } = self;
        let mut attackers = field.attackers::<S>(square, occupied);
        // Sliders that may join in later; mostly there are none, which saves the lookups.
        let diagonal = attacks::bishop_rays(square) & field.diagonal & occupied;
        let straight = attacks::rook_rays(square) & field.straight & occupied;
        let sliders = diagonal | straight;
        let mut side = begins;
        let mut at_stake = value;
        // No more pieces than are on the board can capture.
        let mut captured = [0u8; 32];
        let mut captures = 0;
        loop {
            let pieces = attackers & field.colors[side as usize] & occupied & !held(occupied);
            if pieces.is_empty() {
                break;
            }
            let (role, from) = least(field, pieces);
            occupied ^= from;
            if !(sliders - attackers).is_empty() {
                attackers |= S::bishop(square, occupied) & diagonal;
                attackers |= S::rook(square, occupied) & straight;
            }
            side = !side;
            let others = attackers & field.colors[side as usize] & occupied;
            if role == Role::King.index() && !others.is_empty() {
                break;
            }
            captured[captures & 31] = at_stake;
            captures += 1;
            at_stake = VALUES[role];
        }
        let mut gain = 0u8;
        while captures > 0 {
            captures -= 1;
            gain = captured[captures & 31].saturating_sub(gain);
        }
        gain
    }
}

/// The [`Role::index`] of the least valuable of some pieces, and the one of them nearest to a1.
/// Chosen without branches: which it is cannot be foretold.
#[inline(always)]
fn least(field: &Field, pieces: Bitboard) -> (usize, Bitboard) {
    let mut role = Role::King.index();
    let mut least = pieces;
    for cheaper in (0..Role::King.index()).rev() {
        let of_role = pieces & field.roles[cheaper];
        role = if of_role.is_empty() { role } else { cheaper };
        least = if of_role.is_empty() { least } else { of_role };
    }
    (role, Bitboard(least.0 & least.0.wrapping_neg()))
}
