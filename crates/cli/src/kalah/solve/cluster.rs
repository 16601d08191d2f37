//! Solving on a cluster.

use commands::{effort::Effort, solve::Bars, stored::refused};
use kalah::Kalah;
use solver::{
    Access, SolveError, Stage,
    tasks::{self, Split},
};
use sql::{
    Engine, Interrupt, Settings, SqlError, TaskRunner, TasksError, cluster::Address, quiet_panics,
};

use crate::{cluster, interrupt};

/// Solves a game into a store that all machines of a cluster share; false if it was interrupted.
pub(super) fn solve(
    kalah: &Kalah,
    url: &str,
    access: &Access,
    address: &Address,
    effort: Effort,
) -> anyhow::Result<bool> {
    cluster::require()?;
    quiet_panics();
    let url = stores::tasks::everywhere(url).map_err(refused)?;
    let (mut desk, state) = stores::tasks::desk(&url, access).map_err(refused)?;
    if state.stage == Stage::Solved {
        return Ok(true);
    }
    let interrupt = Interrupt::when(interrupt::requested);
    let engine =
        Engine::new(Settings { cluster: Some(address.clone()), interrupt, ..Settings::default() })?;
    let mut runner = TaskRunner::new(&engine, kalah, &url);
    let usual = Split::default();
    let split = Split { memory: usual.memory.min(effort.memory_limit), ..usual };
    let mut bars = Bars::new();
    let solved =
        tasks::solve(kalah, &mut *desk, &mut runner, split, &mut |progress| bars.show(progress));
    bars.end();
    match solved {
        Ok(()) => Ok(true),
        Err(TasksError::Solve(SolveError::Stopped) | TasksError::Engine(SqlError::Interrupted)) => {
            Ok(false)
        }
        Err(error) => Err(error.into()),
    }
}
