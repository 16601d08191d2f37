//! Why there is no answer.

use game::ScoreError;
use kalah::{ParseKalahError, Position, Rules, SheetsError};
use solver::StoreError;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// The store or the files of the table failed, or hold something else.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A store of another game.
    #[error("{place}: {cause}")]
    OtherGame {
        /// The store.
        place: String,
        /// What is wrong with the name of its game.
        cause: ParseKalahError,
    },
    /// There is no table in the directory.
    #[error("there is no table at {0}")]
    NoTable(String),
    /// A table of another game, or of a size that cannot be numbered.
    #[error("{place}: {cause}")]
    Sheets {
        /// The table.
        place: String,
        /// What is wrong with its name.
        cause: SheetsError,
    },
    /// Values for other rules.
    #[error("{place} was solved with the rules {held}, not with {asked}")]
    OtherRules {
        /// The store or the table.
        place: String,
        /// The rules of its values.
        held: Rules,
        /// The rules asked for.
        asked: Rules,
    },
    /// A position of another size.
    #[error("{position} has {} pits on a side, not {expected}", position.pits())]
    Pits {
        /// The position.
        position: Position,
        /// The pits of the game.
        expected: usize,
    },
    /// A position that the solved game never comes to.
    #[error("{position} cannot be reached in {game}")]
    Unreachable {
        /// The position.
        position: Position,
        /// The game.
        game: String,
    },
    /// A position with more seeds than any in the table.
    #[error("{position} has {} seeds, but the table has values for at most {most}", position.seeds_in_play())]
    Beyond {
        /// The position.
        position: Position,
        /// The most seeds in the table.
        most: u32,
    },
    /// A game whose solving was stopped.
    #[error("{0} is not solved yet; resume solving it")]
    Unsolved(String),
    /// A move that is worth more than any score.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// A key in the store that is no position.
    #[error("{0:#x} is not a position")]
    Key(u128),
}
