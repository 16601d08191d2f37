//! How work is limited, watched and stopped.

use std::time::Duration;

use game::{Rank, VerdictError};

use crate::{Row, StoreError, settle::BATCH};

/// How much memory the solver may use and how often it commits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Bytes for positions that are not stored yet, for cached values and for the rows being
    /// processed. The store's own buffers are not included, and neither are a few megabytes for the
    /// current batch of positions.
    pub memory: usize,
    /// How often to commit. A kill loses at most the work of this time.
    pub commit_every: Duration,
}

impl Limits {
    /// How many rows of a rank are processed at once: a quarter of the memory, but at least one
    /// batch, so that all threads have work.
    pub(crate) fn rows(&self) -> usize {
        (self.memory / 4 / size_of::<Row>()).max(BATCH)
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { memory: 1 << 30, commit_every: Duration::from_secs(10) }
    }
}

/// One of the two passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pass {
    /// Enumerates positions, from the highest rank to the lowest.
    Explore,
    /// Computes values, from the lowest rank to the highest.
    Settle,
}

/// The progress of a pass.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// The pass.
    pub pass: Pass,
    /// The rank that was just finished.
    pub rank: Rank,
    /// Positions that this pass has finished, in this run and in earlier ones.
    pub done: u64,
    /// Positions known to the pass so far. When settling, these are all positions.
    pub known: u64,
    /// Bytes in use for pending positions or cached values.
    pub memory: usize,
}

/// What to do next; the caller decides this at each report of progress.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// Continue.
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
    /// The store has a key that is not a position of the game.
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
    /// The value or the remoteness of a position does not fit.
    #[error("position {key:#x} of rank {rank}: {error}")]
    Score {
        /// The rank of the position.
        rank: Rank,
        /// Its key.
        key: u128,
        /// What does not fit.
        error: VerdictError,
    },
    /// A key has more bits than [`game::Game::key_bits`] says.
    #[error("key {key:#x} has more than {bits} bits, the number that {game} declares")]
    Wide {
        /// The key.
        key: u128,
        /// The number of bits that the game declares.
        bits: u32,
        /// The game's name.
        game: String,
    },
    /// A position is farther from the start than a depth can hold.
    #[error("position {key:#x} of rank {rank} is more than {max} moves from the start", max = u16::MAX - 1)]
    Deep {
        /// The rank of the position.
        rank: Rank,
        /// Its key.
        key: u128,
    },
    /// A move does not lower the rank, although [`game::Game::rank`] requires it.
    #[error("position {key:#x}: a move leads from rank {from} to {to}, which is not lower")]
    Rising {
        /// The position before the move.
        key: u128,
        /// The rank before the move.
        from: Rank,
        /// The rank after it.
        to: Rank,
    },
    /// A move within a level changes the region, although [`game::Game::region`] forbids it.
    #[error("position {key:#x}: a move within level {level} leads to another region")]
    Region {
        /// The position before the move.
        key: u128,
        /// The level.
        level: u16,
    },
    /// A game said two things of the same position, or of two positions with the same key.
    #[error("position {key:#x} of rank {rank}: {game} gave two different answers about its {what}")]
    Unsteady {
        /// The rank of the position.
        rank: Rank,
        /// Its key.
        key: u128,
        /// What the answers were about.
        what: &'static str,
        /// The game's name.
        game: String,
    },
    /// The rules of a game that answers in batches failed.
    #[error("the rules of {game} failed: {cause}")]
    Rules {
        /// The game's name.
        game: String,
        /// What they said.
        cause: String,
    },
}
