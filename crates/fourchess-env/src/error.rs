//! The errors of a batch.

use fourchess::FenError;
use thiserror::Error;

use crate::state::StateError;

/// Why a call on a batch failed. The batch is unchanged.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Error {
    /// A batch without games.
    #[error("a batch needs at least one game")]
    NoGames,
    /// A batch without threads.
    #[error("a batch needs at least one thread")]
    NoThreads,
    /// The threads could not be started.
    #[error("{threads} threads cannot be started: {cause}")]
    Threads {
        /// The number of threads.
        threads: usize,
        /// The error of the system.
        cause: String,
    },
    /// The batch does not fit into memory.
    #[error("a batch of {games} games needs {bytes} bytes of memory, which cannot be allocated")]
    TooLarge {
        /// The number of games.
        games: usize,
        /// The bytes that they need.
        bytes: usize,
    },
    /// Rules that the actions do not cover.
    #[error("there are no actions for these rules: {0}")]
    Rules(&'static str),
    /// An array of the wrong length.
    #[error("{what} has {found} entries, expected {expected}")]
    Length {
        /// The array.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length it should have.
        expected: usize,
    },
    /// There is no game with this index.
    #[error("there is no game {game}: the batch has {games} games, numbered from 0")]
    NoGame {
        /// The index.
        game: usize,
        /// The number of games.
        games: usize,
    },
    /// An action that is not legal.
    #[error("action {action} is not legal in game {game}")]
    IllegalAction {
        /// The first game with such an action.
        game: usize,
        /// The action.
        action: u16,
    },
    /// A game has ended and must be reset.
    #[error("game {game} has ended and must be reset before it is stepped")]
    Ended {
        /// The first such game.
        game: usize,
    },
    /// A position is not valid FEN4.
    #[error("position of game {game}: {cause}")]
    Fen {
        /// The game that was to start from it.
        game: usize,
        /// What is wrong with it.
        cause: FenError,
    },
    /// The game is over in the position that it was to start from.
    #[error("game {game} cannot start from a position in which the game is over")]
    Over {
        /// The game.
        game: usize,
    },
    /// Bytes that are not a game of this batch.
    #[error("state {index}: {cause}")]
    State {
        /// Which of the states given.
        index: usize,
        /// What is wrong with it.
        cause: StateError,
    },
    /// A game named twice where each must be named once.
    #[error("game {game} is named twice")]
    Twice {
        /// The game.
        game: usize,
    },
}
