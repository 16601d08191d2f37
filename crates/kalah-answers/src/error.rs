//! Why a value cannot be looked up.

use game::{Score, ScoreError};
use kalah::{ParseKalahError, Position, Rules, SheetsError};
use solver::{StoreError, table::TableError};

/// Why a value cannot be looked up.
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
    /// The store or table was solved with other rules.
    #[error("{place} was solved with the rules {held}, not with {asked}")]
    OtherRules {
        /// The store or the table.
        place: String,
        /// The rules of the store or table.
        held: Rules,
        /// The rules that were asked for.
        asked: Rules,
    },
    /// The position has another number of pits.
    #[error("{position} has {} pits on a side, not {expected}", position.pits())]
    Pits {
        /// The position.
        position: Position,
        /// The number of pits on a side.
        expected: usize,
    },
    /// The position cannot be reached in the solved game.
    #[error("{position} cannot be reached in {game}")]
    Unreachable {
        /// The position.
        position: Position,
        /// The game.
        game: String,
    },
    /// The position has more seeds than the table.
    #[error("{position} has {} seeds, but the table has values for at most {most}", position.seeds_in_play())]
    Beyond {
        /// The position.
        position: Position,
        /// The most seeds in the table.
        most: u32,
    },
    /// The game is not completely solved.
    #[error("{0} is not solved yet; resume solving it")]
    Unsolved(String),
    /// A table was not built, or a position is too large to search.
    #[error(transparent)]
    Table(TableError),
    /// There is no directory in which a table could be built.
    #[error(
        "there is no directory for the table that the search needs; name one in EVERYPLY_CACHE"
    )]
    NoCache,
    /// The time was too short.
    #[error("the value of {position} was not found in time; it is between {least} and {most}")]
    Undecided {
        /// The position.
        position: Position,
        /// The value is at least this.
        least: Score,
        /// The value is at most this.
        most: Score,
    },
    /// The value of a move does not fit a score.
    #[error(transparent)]
    Score(#[from] ScoreError),
    /// A key in the store is not a position.
    #[error("{0:#x} is not a position")]
    Key(u128),
}

impl From<TableError> for AnswerError {
    fn from(error: TableError) -> AnswerError {
        match error {
            TableError::Store(error) => AnswerError::Store(error),
            error => AnswerError::Table(error),
        }
    }
}
