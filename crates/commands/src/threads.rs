//! How many threads work.

use std::{num::NonZeroUsize, thread};

use anyhow::Context;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// More than any machine has cores; far more would only wait for each other to be started.
const MOST: usize = 4096;

/// The flag of every command that works on several cores.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Threads {
    /// Number of threads [default: number of cores]
    #[arg(long, value_name = "T", value_parser = number)]
    threads: Option<NonZeroUsize>,
}

impl Threads {
    /// How many threads there are to be.
    pub fn count(self) -> NonZeroUsize {
        let all = || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.threads.unwrap_or_else(all)
    }

    /// That many threads to share work among.
    pub fn pool(self) -> anyhow::Result<ThreadPool> {
        let count = self.count().get();
        let built = ThreadPoolBuilder::new().num_threads(count).build();
        built.with_context(|| format!("the system cannot start {count} threads, see --threads"))
    }
}

/// Reads a number of threads.
pub fn number(text: &str) -> Result<NonZeroUsize, String> {
    let number = text.parse::<NonZeroUsize>().ok().filter(|number| number.get() <= MOST);
    number.ok_or_else(|| format!("expected a number from 1 to {MOST}"))
}
