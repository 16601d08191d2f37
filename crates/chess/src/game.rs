//! A game with its history, and how games end.

use crate::{Color, Move, Position};

/// A game in progress: its positions and moves, with undo and redo.
///
/// ```
/// use chess::{Ending, Game, San};
/// let mut game = Game::default();
/// for text in ["f3", "e5", "g4", "Qh4#"] {
///     let mv = text.parse::<San>()?.find(game.position())?;
///     game.play(mv).expect("a move that was found is legal");
/// }
/// assert_eq!(game.ending(), Some(Ending::Checkmate { winner: chess::Color::Black }));
/// game.undo();
/// assert_eq!(game.ending(), None);
/// # Ok::<(), chess::SanError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Game {
    /// One more than the moves; those beyond `plies` wait to be redone.
    positions: Vec<Position>,
    moves: Vec<Move>,
    plies: usize,
}

/// A move that is not legal in the position it was meant for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}-{} is not a legal move here", .0.from, .0.to)]
pub struct IllegalMove(pub Move);

/// How the rules end a game without anybody's consent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ending {
    /// The side to move is mated.
    Checkmate {
        /// The side that mated.
        winner: Color,
    },
    /// The side to move has no move.
    Stalemate,
    /// Nobody can mate any more.
    InsufficientMaterial,
    /// 75 moves of both sides without capture or pawn move.
    SeventyFiveMoves,
    /// The position has occurred five times.
    FivefoldRepetition,
}

impl Ending {
    /// How a game that went through these positions has ended by itself, if it has.
    ///
    /// # Panics
    /// If there is no position.
    pub fn of(positions: &[Position]) -> Option<Ending> {
        let position = positions.last().expect("a game has a position");
        if position.legal_moves().is_empty() {
            return Some(if position.is_check() {
                Ending::Checkmate { winner: !position.turn() }
            } else {
                Ending::Stalemate
            });
        }
        if position.is_insufficient_material() {
            return Some(Ending::InsufficientMaterial);
        }
        if position.halfmoves() >= 150 {
            return Some(Ending::SeventyFiveMoves);
        }
        (repetitions(positions) >= 5).then_some(Ending::FivefoldRepetition)
    }

    /// The name used in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Ending::Checkmate { .. } => "checkmate",
            Ending::Stalemate => "stalemate",
            Ending::InsufficientMaterial => "insufficient_material",
            Ending::SeventyFiveMoves => "seventy_five_moves",
            Ending::FivefoldRepetition => "fivefold_repetition",
        }
    }
}

/// How often the last of the positions of a game occurs among them.
pub fn repetitions(positions: &[Position]) -> usize {
    let Some(now) = positions.last() else { return 0 };
    // A capture or pawn move cannot be taken back, so nothing before it repeats.
    let reversible = usize::from(now.halfmoves());
    let earlier = positions.iter().rev().step_by(2).take(reversible / 2 + 1);
    earlier.filter(|position| position.is_repetition_of(now)).count()
}

impl Game {
    /// A game that starts from any position.
    pub fn new(start: Position) -> Game {
        Game { positions: vec![start], moves: Vec::new(), plies: 0 }
    }

    /// The current position.
    pub fn position(&self) -> &Position {
        &self.positions[self.plies]
    }

    /// The positions from the start to now.
    pub fn positions(&self) -> &[Position] {
        &self.positions[..=self.plies]
    }

    /// The moves from the start to now.
    pub fn moves(&self) -> &[Move] {
        &self.moves[..self.plies]
    }

    /// Makes a legal move and forgets what could be redone. An illegal move changes nothing.
    pub fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        if !self.position().is_legal(mv) {
            return Err(IllegalMove(mv));
        }
        self.positions.truncate(self.plies + 1);
        self.moves.truncate(self.plies);
        self.positions.push(self.position().play(mv));
        self.moves.push(mv);
        self.plies += 1;
        Ok(())
    }

    /// Takes the last move back and names it.
    pub fn undo(&mut self) -> Option<Move> {
        self.plies = self.plies.checked_sub(1)?;
        Some(self.moves[self.plies])
    }

    /// Makes again what was last taken back.
    pub fn redo(&mut self) -> Option<Move> {
        let mv = *self.moves.get(self.plies)?;
        self.plies += 1;
        Some(mv)
    }

    /// How often the current position has occurred, this time included.
    pub fn repetitions(&self) -> usize {
        repetitions(self.positions())
    }

    /// Whether the side to move may claim a draw because the position has occurred three times.
    pub fn is_threefold_repetition(&self) -> bool {
        self.repetitions() >= 3
    }

    /// Whether the side to move may claim a draw by the fifty-move rule.
    pub fn is_fifty_moves(&self) -> bool {
        self.position().halfmoves() >= 100
    }

    /// How the game has ended by itself, if it has. Mate goes before the 75-move rule.
    pub fn ending(&self) -> Option<Ending> {
        Ending::of(self.positions())
    }
}

impl Default for Game {
    fn default() -> Game {
        Game::new(Position::default())
    }
}
