//! All stages, one after the other.

use std::collections::BTreeMap;

use game::{Game, Rank};

use super::{
    Part,
    bytes::{Blob, sections},
    message::{Done, Task},
    plan::Plan,
};
use crate::{
    store::StoreError,
    work::{Next, Progress, SolveError},
};

/// Where the progress of the work is kept. Only one writer at a time has it.
pub trait Desk {
    /// The number of this writer. No two writers have the same.
    fn writer(&self) -> u64;

    /// What was committed, by this writer or earlier ones.
    fn stages(&mut self) -> Result<Vec<Vec<u8>>, StoreError>;

    /// Commits the stage with this number, the next one.
    fn commit(&mut self, stage: usize, bytes: Vec<u8>) -> Result<(), StoreError>;

    /// Stays the only writer. This is called every few seconds.
    fn keep(&mut self) -> Result<(), StoreError>;

    /// Makes a solved store of some parts, with so many rows of every rank, and removes the rest.
    fn finish(&mut self, parts: Vec<Part>, ranks: BTreeMap<Rank, u64>) -> Result<(), StoreError>;
}

/// Whoever has tasks run.
pub trait Runner {
    /// Why it did not work.
    type Error: From<SolveError>;

    /// Runs tasks, in any order or at once, and returns what came of each. Calls `wait` every few
    /// seconds meanwhile.
    fn run(
        &mut self,
        tasks: &[Task],
        wait: &mut dyn FnMut() -> Result<(), StoreError>,
    ) -> Result<Vec<Done>, Self::Error>;
}

/// How the work is split into tasks. The rows are the same for any split.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Split {
    /// A level with so many known positions is a stage of its own, of several tasks.
    pub wide: u64,
    /// The most positions, roughly, of several small levels that one task works off together.
    pub enough: u64,
    /// The most tasks of a stage, roughly.
    pub tasks: u64,
    /// The memory of a task in bytes. Levels are split until their tasks fit, or are single
    /// regions.
    pub memory: usize,
    /// The rows of a part of the store.
    pub part: u64,
}

impl Default for Split {
    fn default() -> Split {
        Split { wide: 1 << 17, enough: 1 << 19, tasks: 16, memory: 1 << 27, part: 1 << 20 }
    }
}

/// Solves a game by tasks, or continues after the last stage that was committed.
///
/// # Errors
///
/// Those of tasks and of the desk; [`SolveError::Stopped`] if `watch` says so.
pub fn solve<G: Game, R: Runner>(
    game: &G,
    desk: &mut dyn Desk,
    runner: &mut R,
    split: Split,
    watch: &mut dyn FnMut(&Progress) -> Next,
) -> Result<(), R::Error> {
    let top = game.rank(&game.start()).level;
    let mut plan = Plan::new(split, desk.writer(), top);
    for (stage, bytes) in desk.stages().map_err(SolveError::from)?.into_iter().enumerate() {
        if !read(&bytes).is_some_and(|done| plan.add(done)) {
            return Err(unreadable(stage).into());
        }
    }
    loop {
        let tasks = plan.next();
        if tasks.is_empty() {
            break;
        }
        let done = runner.run(&tasks, &mut || desk.keep())?;
        let stage = plan.stage();
        let bytes = written(&done);
        if done.len() != tasks.len() || !plan.add(done) {
            return Err(unreadable(stage).into());
        }
        desk.commit(stage, bytes).map_err(SolveError::from)?;
        if watch(&plan.progress()) == Next::Stop {
            return Err(SolveError::Stopped.into());
        }
    }
    let ranks = plan.ranks();
    Ok(desk.finish(plan.parts(), ranks).map_err(SolveError::from)?)
}

fn written(done: &[Done]) -> Vec<u8> {
    let mut blob = Blob::default();
    for done in done {
        blob.add(&done.writer());
    }
    blob.finish()
}

fn read(bytes: &[u8]) -> Option<Vec<Done>> {
    sections(bytes)?.into_iter().map(Done::read).collect()
}

fn unreadable(stage: usize) -> SolveError {
    let cause = "it does not fit what was committed before".to_owned();
    StoreError::Corrupt { place: format!("stage {stage} of the work"), cause }.into()
}
