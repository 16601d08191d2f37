//! How work is limited, watched and stopped.

use std::time::Duration;

use game::{Rank, ScoreError};

use crate::{Row, StoreError, settle::BATCH};

/// How much memory the solver may use and how often it commits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes for positions that wait to be stored, for values that are looked up and for the rows
    /// in work. The store's own buffers come on top, and so do a few megabytes for the batch of
    /// positions in work, however small this is.
    pub memory: usize,
    /// What may be lost to a kill, as time.
    pub commit_every: Duration,
}

impl Limits {
    /// The rows of a rank that are worked on at once: a quarter of the memory, but so many that
    /// all threads have something to do.
    pub(crate) fn rows(&self) -> usize {
        (self.memory / 4 / size_of::<Row>()).max(BATCH)
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { memory: 1 << 30, commit_every: Duration::from_secs(10) }
    }
}

/// Which pass is at work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pass {
    /// Listing positions, downward.
    Explore,
    /// Giving values, upward.
    Settle,
}

/// How far a pass has come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// The pass.
    pub pass: Pass,
    /// The rank that was just finished.
    pub rank: Rank,
    /// Positions finished by this pass, those of earlier runs included.
    pub done: u64,
    /// Positions known to need it; all of them when settling.
    pub known: u64,
    /// Bytes held for waiting positions or for values.
    pub memory: usize,
}

/// What to do after hearing of progress.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// Go on.
    Continue,
    /// Commit and stop; the work can be resumed.
    Stop,
}

/// Why a game was not solved.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SolveError {
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The caller asked to stop; everything so far is committed.
    #[error("stopped; the work so far is committed and can be resumed")]
    Stopped,
    /// The store has a key that is no position of the game.
    #[error("the store has {key:#x}, which is not a position of {game}")]
    Foreign {
        /// The key.
        key: u128,
        /// The game's name.
        game: String,
    },
    /// A position that follows from a stored one is not stored, or has no value yet.
    #[error("position {key:#x} of rank {rank} is missing or has no value")]
    Hole {
        /// The rank of the position.
        rank: Rank,
        /// Its key.
        key: u128,
    },
    /// A position is worth more, or less, than a score can say.
    #[error("position {key:#x} of rank {rank}: {error}")]
    Score {
        /// The rank of the position.
        rank: Rank,
        /// Its key.
        key: u128,
        /// What it is worth.
        error: ScoreError,
    },
    /// The game broke its promise of how many bits a key has.
    #[error("key {key:#x} has more than {bits} bits, the number that {game} declares")]
    Wide {
        /// The key.
        key: u128,
        /// The bits that were promised.
        bits: u32,
        /// The game's name.
        game: String,
    },
    /// A position is more moves away from the start than a depth can say.
    #[error("position {key:#x} of rank {rank} is more than {max} moves from the start", max = u16::MAX - 1)]
    Deep {
        /// The rank of the position.
        rank: Rank,
        /// Its key.
        key: u128,
    },
    /// The game broke its promise that every move lowers the rank.
    #[error("a move leads from rank {from} to {to}, which is not lower")]
    Rising {
        /// The rank before the move.
        from: Rank,
        /// The rank after it.
        to: Rank,
    },
}
