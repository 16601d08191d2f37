//! Work on all cores, in forked processes too.

use std::{
    error::Error,
    iter,
    num::NonZeroUsize,
    process,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    thread,
};

use pyo3::{PyResult, Python};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::error::refuse;

/// More threads than any machine has cores would only wait for each other to be started.
const MOST_THREADS: usize = 4096;

/// The argument `threads`: None is one for each core.
pub(crate) fn given(threads: Option<usize>) -> PyResult<NonZeroUsize> {
    let Some(threads) = threads else {
        return Ok(thread::available_parallelism().unwrap_or(NonZeroUsize::MIN));
    };
    let wrong = || refuse(format!("threads {threads}, expected 1 to {MOST_THREADS}"));
    NonZeroUsize::new(threads).filter(|_| threads <= MOST_THREADS).ok_or_else(wrong)
}

/// The process that imported the module.
static HOME: AtomicU32 = AtomicU32::new(0);

/// The threads of a process that was forked from it, or that cannot start one for each core.
static OWN: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Remembers the process that imports the module.
pub(crate) fn imported() {
    HOME.store(process::id(), Ordering::Relaxed);
}

/// Lets other threads of Python run while work is done on all cores.
pub(crate) fn detach<R: Send>(py: Python<'_>, work: impl FnOnce() -> R + Send) -> R {
    py.detach(|| {
        if process::id() == HOME.load(Ordering::Relaxed) && has_usual() {
            return work();
        }
        match own() {
            Some(threads) => threads.install(work),
            None => {
                // It fails if this thread belongs to a pool already, which is as good.
                let _here = ThreadPoolBuilder::new().num_threads(1).use_current_thread().build();
                work()
            }
        }
    })
}

/// Whether the threads are there that are used by default. They are started once, and it is a panic
/// to use them after that has failed.
fn has_usual() -> bool {
    static STARTED: OnceLock<bool> = OnceLock::new();
    // Without a cause they have been started before.
    *STARTED.get_or_init(|| match ThreadPoolBuilder::new().build_global() {
        Ok(()) => true,
        Err(error) => error.source().is_none(),
    })
}

/// The threads of this process alone. A forked process has the threads of its parent in name only,
/// and waiting for them would take forever, so it starts its own: one for each core, or as many as
/// the system starts. `None` if it starts none.
fn own() -> Option<Arc<ThreadPool>> {
    let here = process::id();
    let mut own = OWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((process, threads)) = &*own
        && *process == here
    {
        return Some(threads.clone());
    }
    let all = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let counts = iter::successors(Some(all), |count| (*count > 1).then_some(count / 2));
    let start = |count| ThreadPoolBuilder::new().num_threads(count).build().ok();
    let threads = Arc::new(counts.into_iter().find_map(start)?);
    // Threads of the parent cannot be told to stop from here.
    std::mem::forget(own.replace((here, threads.clone())));
    Some(threads)
}
