//! Tasks of solving a game, run by an engine: in this process, or on a cluster.

use std::{
    sync::{Arc, mpsc},
    thread,
    time::Duration,
};

use arrow::{array::AsArray, datatypes::UInt32Type};
use game::Game;
use solver::{
    SolveError, StoreError,
    tasks::{Done, Runner, Task},
};
use solver_plans::{TaskTable, Work};

use crate::{Engine, SqlError, stacks};

/// Has the tasks of a game run by an engine.
pub struct TaskRunner<'a> {
    engine: &'a Engine,
    work: Work,
}

impl<'a> TaskRunner<'a> {
    /// Tasks that solve a game into the store at a URL, which has to mean the same to every machine.
    pub fn new<G: Game>(engine: &'a Engine, game: &G, store: &str) -> TaskRunner<'a> {
        let games = engine.settings().games.clone();
        TaskRunner { engine, work: Work { place: store.to_owned(), game: game.name(), games } }
    }
}

/// Why a game was not solved by tasks.
#[derive(Debug, thiserror::Error)]
pub enum TasksError {
    /// Of the store or the game.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// Of the engine or its cluster.
    #[error(transparent)]
    Engine(#[from] SqlError),
}

/// How often somebody who waits for tasks is called.
const TICK: Duration = Duration::from_secs(5);

impl Runner for TaskRunner<'_> {
    type Error = TasksError;

    fn run(
        &mut self,
        tasks: &[Task],
        wait: &mut dyn FnMut() -> Result<(), StoreError>,
    ) -> Result<Vec<Done>, TasksError> {
        let tasks: Vec<Vec<u8>> = tasks.iter().map(Task::to_bytes).collect();
        let table = TaskTable { work: self.work.clone(), tasks };
        let engine = self.engine;
        let (sender, receiver) = mpsc::channel();
        thread::scope(|scope| {
            let work = move || {
                // Nobody has gone who could have received it.
                let _ = sender.send(collect(engine, table));
            };
            thread::Builder::new()
                .spawn_scoped(scope, work)
                .map_err(|error| stacks::none(&error))?;
            let mut kept = Ok(());
            loop {
                match receiver.recv_timeout(TICK) {
                    Ok(done) => {
                        kept.map_err(SolveError::from)?;
                        return Ok(done?);
                    }
                    Err(mpsc::RecvTimeoutError::Timeout) => kept = kept.and_then(|()| wait()),
                    Err(mpsc::RecvTimeoutError::Disconnected) => {
                        let what = "the thread that waits for tasks broke down".to_owned();
                        return Err(SqlError::Engine(what).into());
                    }
                }
            }
        })
    }
}

/// Runs the tasks of a table, and returns what came of them in their order.
fn collect(engine: &Engine, table: TaskTable) -> Result<Vec<Done>, SqlError> {
    let mut done: Vec<Option<Done>> = vec![None; table.tasks.len()];
    for batch in engine.plan(move |context| context.read_table(Arc::new(table)))? {
        let batch = batch?;
        let numbers = batch.column(0).as_primitive::<UInt32Type>().values();
        for (number, bytes) in numbers.iter().zip(batch.column(1).as_binary::<i32>()) {
            if let Some(place) = done.get_mut(*number as usize) {
                *place = bytes.and_then(Done::from_bytes);
            }
        }
    }
    let missing = || SqlError::Engine("a task returned no result".to_owned());
    done.into_iter().collect::<Option<_>>().ok_or_else(missing)
}
