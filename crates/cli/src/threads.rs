//! How many threads work.

use std::{num::NonZeroUsize, thread};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// The flag of every command that works on several cores.
#[derive(Clone, Copy, Debug, clap::Args)]
pub(crate) struct Threads {
    /// How many threads [default: all cores]
    #[arg(long, value_name = "T")]
    threads: Option<NonZeroUsize>,
}

impl Threads {
    pub(crate) fn count(self) -> usize {
        let threads = self.threads.map(NonZeroUsize::get);
        threads.unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from))
    }

    /// That many threads to share work among.
    pub(crate) fn pool(self) -> anyhow::Result<ThreadPool> {
        Ok(ThreadPoolBuilder::new().num_threads(self.count()).build()?)
    }
}
