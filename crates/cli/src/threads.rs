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
    pub(crate) fn count(self) -> NonZeroUsize {
        let all = || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.threads.unwrap_or_else(all)
    }

    /// That many threads to share work among.
    pub(crate) fn pool(self) -> anyhow::Result<ThreadPool> {
        Ok(ThreadPoolBuilder::new().num_threads(self.count().get()).build()?)
    }
}
