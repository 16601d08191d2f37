//! The limits of the solver.

use crate::{limits, threads::Threads};

/// The flags of every command that solves or verifies.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Effort {
    #[command(flatten)]
    threads: Threads,
    /// RAM for positions and values, such as 512MiB or 2GiB; anything beyond it stays in the store
    /// or table
    #[arg(long, value_name = "SIZE", default_value = "1GiB", value_parser = limits::memory)]
    pub memory_limit: usize,
}

impl Effort {
    /// Runs work on the requested number of threads.
    pub fn run<R: Send>(self, work: impl FnOnce() -> R + Send) -> anyhow::Result<R> {
        Ok(self.threads.pool()?.install(work))
    }

    /// The limits of the solver.
    pub fn limits(self) -> solver::Limits {
        solver::Limits { memory: self.memory_limit, ..solver::Limits::default() }
    }
}
