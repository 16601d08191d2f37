//! Solves a game with independent tasks. Tasks exchange data only through blobs in a shared store,
//! so they can run on many machines.
//!
//! The work goes in stages. A stage explores some levels, or settles those of an earlier stage, or
//! gathers rows into the parts of a store. The tasks of a stage do not depend on each other. A task
//! reads blobs of earlier stages and writes a blob of its own ([`Worker::run`]). What it writes
//! depends only on what it reads, so a task that was lost can simply run again. [`solve`] plans the
//! stages, has their tasks run by a [`Runner`], and commits each stage at a [`Desk`].
//!
//! Most of the work on a position is on its successors, which belong to other tasks:
//!
//! - A task that explores writes what it found in lower levels into an outbox, sorted by level,
//!   region and key. Whoever explores those levels reads that from all outboxes.
//! - A task that settles positions also answers: for every key that an outbox has of them, in the
//!   order of the outbox, it writes the value. The task that wrote the outbox reads the answers
//!   when its own turn comes. Answers contain no keys, and joining them needs no sort.
//!
//! Large levels are split by [`game::Game::region`]. Each task processes its positions rank by
//! rank. One task processes several small levels.

mod bytes;
mod explore;
mod gather;
mod message;
mod plan;
mod settle;
mod solve;

use game::{Game, Key, Rank};

use crate::{
    store::{Header, Row, StoreError},
    work::SolveError,
};

pub use self::{
    message::{Done, Explore, Explored, Gather, Settle, Settled, Task},
    solve::{Desk, Runner, Split, solve},
};

/// Where tasks read and write. Blobs are never changed; a task that runs twice writes the same
/// bytes twice.
pub trait Blobs {
    /// Some bytes of a blob.
    fn read(&mut self, name: &str, span: Span) -> Result<Vec<u8>, StoreError>;

    /// Writes a blob. It is durable when this function returns.
    fn write(&mut self, name: &str, bytes: Vec<u8>) -> Result<(), StoreError>;

    /// Writes rows as a part of a store. They are sorted by rank and key.
    fn write_part(
        &mut self,
        part: Number,
        header: &Header,
        rows: &[Row],
    ) -> Result<Part, StoreError>;

    /// Says how many bytes of memory the task holds. An error ends it.
    fn hold(&mut self, bytes: usize) -> Result<(), StoreError> {
        let _ = bytes;
        Ok(())
    }
}

/// The number of a part: that of its writer, and one of the writer's own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Number {
    /// The writer.
    pub writer: u64,
    /// The part.
    pub part: u64,
}

/// A part of a store, as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// The CRC-32 of its bytes.
    pub crc32: u32,
    /// The number of its rows.
    pub rows: u64,
    /// Its first row.
    pub first: (Rank, Key),
    /// Its last row.
    pub last: (Rank, Key),
}

/// Some bytes of a blob.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Span {
    /// Where they begin.
    pub offset: u64,
    /// How many they are.
    pub bytes: u64,
}

impl Span {
    fn end(self) -> u64 {
        self.offset + self.bytes
    }

    /// Both, and what is between them.
    fn joined(self, other: Span) -> Span {
        let offset = self.offset.min(other.offset);
        Span { offset, bytes: self.end().max(other.end()) - offset }
    }
}

/// Runs tasks of one game.
pub trait Worker: Send + Sync {
    /// Runs a task.
    fn run(&self, task: &Task, blobs: &mut dyn Blobs) -> Result<Done, SolveError>;
}

impl<G: Game + Send> Worker for G {
    fn run(&self, task: &Task, blobs: &mut dyn Blobs) -> Result<Done, SolveError> {
        match task {
            Task::Explore(task) => explore::run(self, task, blobs).map(Done::Explored),
            Task::Settle(task) => settle::run(self, task, blobs).map(Done::Settled),
            Task::Gather(task) => gather::run(&Header::of(self), task, blobs).map(Done::Gathered),
        }
    }
}

/// Maximum number of tasks for a level. Regions that are equal modulo this number go to the same
/// task.
const LANES: u16 = 64;

/// The positions of a level whose regions have the same remainder.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Cell {
    level: u16,
    lane: u16,
}

impl Cell {
    fn of<G: Game>(game: &G, rank: Rank, position: &G::Position) -> Cell {
        let lane = (game.region(position) % u64::from(LANES)) as u16;
        Cell { level: rank.level, lane }
    }
}

fn damaged(name: &str) -> SolveError {
    let cause = "a section of it does not match its checksum".to_owned();
    StoreError::Corrupt { place: name.to_owned(), cause }.into()
}
