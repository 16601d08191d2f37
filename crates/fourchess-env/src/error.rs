//! What can be wrong with what a batch is given.

use fourchess::FenError;
use thiserror::Error;

/// Why a batch did nothing. It is as it was before.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Error {
    /// A batch of nothing.
    #[error("a batch needs at least one game")]
    NoGames,
    /// Nobody to do the work.
    #[error("a batch needs at least one thread")]
    NoThreads,
    /// The threads could not be started.
    #[error("{threads} threads cannot be started: {cause}")]
    Threads {
        /// As many as were asked for.
        threads: usize,
        /// What the system says.
        cause: String,
    },
    /// More games than there is memory for.
    #[error("a batch of {games} games needs {bytes} bytes of memory, which cannot be allocated")]
    TooLarge {
        /// As many as were asked for.
        games: usize,
        /// What they take.
        bytes: usize,
    },
    /// Rules whose moves have no numbers of their own.
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
    /// There is no such game.
    #[error("there is no game {game}: the batch has {games} games, numbered from 0")]
    NoGame {
        /// The number given.
        game: usize,
        /// How many there are.
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
    /// A game that has ended, stepped without being reset.
    #[error("game {game} has ended and must be reset before it is stepped")]
    Ended {
        /// The first such game.
        game: usize,
    },
    /// A text that is not a position.
    #[error("position of game {game}: {cause}")]
    Fen {
        /// The game that was to start with it.
        game: usize,
        /// What is wrong with it.
        cause: FenError,
    },
    /// A position in which the game is over.
    #[error("game {game} cannot start from a position in which the game is over")]
    Over {
        /// The game.
        game: usize,
    },
}
