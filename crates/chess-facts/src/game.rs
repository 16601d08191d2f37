//! A game that keeps the facts of its positions.

use std::cell::OnceCell;

use chess::{IllegalMove, Move, Position};

use crate::{Definitions, Facts, Level};

/// A [`chess::Game`] that knows the facts of its positions. They are computed when first asked
/// for and kept for as long as the position can be come back to.
///
/// ```
/// use chess::{Color, San, Square};
/// use chess_facts::{Definitions, Game, Level};
/// let mut game = Game::new(chess::Game::default(), Level::Everything, Definitions::Std);
/// for text in ["e4", "e5", "Nf3", "d6", "d4", "Bg4"] {
///     let mv = text.parse::<San>()?.find(game.position())?;
///     game.play(mv).expect("a move that was found is legal");
/// }
/// assert!(game.facts()[Color::White].relatively_pinned.contains(Square::F3));
/// game.undo();
/// assert!(!game.facts()[Color::White].relatively_pinned.contains(Square::F3));
/// # Ok::<(), chess::SanError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Game {
    game: chess::Game,
    level: Level,
    definitions: Definitions,
    /// One for each position from the start on, those that wait to be redone included. Boxed,
    /// because facts are large and most positions of a game may never be asked about.
    facts: Vec<OnceCell<Box<Facts>>>,
}

impl Game {
    /// Watches a game that may be under way.
    pub fn new(game: chess::Game, level: Level, definitions: Definitions) -> Game {
        let facts = vec![OnceCell::new(); game.positions().len()];
        Game { game, level, definitions, facts }
    }

    /// The game.
    pub fn game(&self) -> &chess::Game {
        &self.game
    }

    /// The current position.
    pub fn position(&self) -> &Position {
        self.game.position()
    }

    /// The facts of the current position.
    pub fn facts(&self) -> &Facts {
        self.facts_at(self.game.moves().len())
    }

    /// The facts of the position after so many plies.
    ///
    /// # Panics
    /// If fewer plies have been played.
    pub fn facts_at(&self, plies: usize) -> &Facts {
        let position = &self.game.positions()[plies];
        self.facts[plies].get_or_init(|| {
            let mut facts = Box::new(Facts::empty());
            facts.compute(position, self.level, self.definitions);
            facts
        })
    }

    /// Makes a legal move and forgets what could be redone. An illegal move changes nothing.
    pub fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        self.game.play(mv)?;
        self.facts.truncate(self.game.moves().len());
        self.facts.push(OnceCell::new());
        Ok(())
    }

    /// Takes the last move back and names it.
    pub fn undo(&mut self) -> Option<Move> {
        self.game.undo()
    }

    /// Makes again what was last taken back.
    pub fn redo(&mut self) -> Option<Move> {
        let mv = self.game.redo()?;
        // A game that was handed over may have moves to redo.
        if self.facts.len() <= self.game.moves().len() {
            self.facts.push(OnceCell::new());
        }
        Some(mv)
    }
}
