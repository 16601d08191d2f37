//! Work on all cores, in forked processes too.

use std::{
    num::NonZeroUsize,
    process,
    sync::{
        Arc, Mutex, PoisonError,
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

/// The threads of a process that was forked from it.
static FORKED: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Remembers the process that imports the module.
pub(crate) fn imported() {
    HOME.store(process::id(), Ordering::Relaxed);
}

/// Lets other threads of Python run while work is done on all cores.
pub(crate) fn detach<R: Send>(py: Python<'_>, work: impl FnOnce() -> R + Send) -> R {
    py.detach(|| match forked() {
        None => work(),
        Some(threads) => threads.install(work),
    })
}

/// A forked process has the threads of its parent in name only, and waiting for them would take
/// forever, so it starts its own.
fn forked() -> Option<Arc<ThreadPool>> {
    let here = process::id();
    if here == HOME.load(Ordering::Relaxed) {
        return None;
    }
    let mut forked = FORKED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((process, threads)) = &*forked
        && *process == here
    {
        return Some(threads.clone());
    }
    let threads = Arc::new(ThreadPoolBuilder::new().build().expect("a process may start threads"));
    // Threads of the parent cannot be told to stop from here.
    std::mem::forget(forked.replace((here, threads.clone())));
    Some(threads)
}
