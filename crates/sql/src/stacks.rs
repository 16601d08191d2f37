//! Threads, and stacks that are deep enough for any statement within bounds.

use std::{
    io,
    sync::{Arc, Condvar, Mutex},
    thread::{self, Builder, JoinHandle},
};

use crate::{SqlError, panics};

/// The name of every thread that works on statements begins so.
pub(crate) const NAME: &str = "everyply-sql";
/// A plan of a hundred operators is walked recursively, some walks several frames an operator.
pub(crate) const WORKER: usize = 64 << 20;
/// Statements are read and planned here. The walks of other crates over a statement are as deep as
/// its longest chain of operators, with frames of several kilobytes.
const LARGE: usize = 256 << 20;

/// Runs work on a large stack, and waits for it.
pub(crate) fn on_a_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, SqlError> {
    thread::scope(|scope| {
        let builder = Builder::new().name(NAME.to_owned()).stack_size(LARGE);
        let started = builder.spawn_scoped(scope, work).map_err(|error| none(&error))?;
        started.join().map_err(|panic| SqlError::Engine(panics::message(&*panic)))
    })
}

/// Begins work on a large stack.
pub(crate) fn begin(work: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, SqlError> {
    let builder = Builder::new().name(NAME.to_owned()).stack_size(LARGE);
    builder.spawn(work).map_err(|error| none(&error))
}

/// Makes sure that so many threads can be had at a time, and one that plans. A runtime of Tokio
/// that gets fewer than it asks for panics or waits for ever.
pub(crate) fn try_to_start(threads: usize) -> Result<(), SqlError> {
    let gate = Arc::new((Mutex::new(false), Condvar::new()));
    let mut started = Vec::with_capacity(threads + 1);
    let sizes = std::iter::repeat_n(WORKER, threads).chain([LARGE]);
    let mut failure = None;
    for size in sizes {
        let gate = gate.clone();
        let waits = move || {
            let (is_open, changed) = &*gate;
            let closed = is_open.lock().expect("nobody panics with it");
            drop(changed.wait_while(closed, |is_open| !*is_open));
        };
        match Builder::new().name(NAME.to_owned()).stack_size(size).spawn(waits) {
            Ok(thread) => started.push(thread),
            Err(error) => {
                failure = Some(error);
                break;
            }
        }
    }
    *gate.0.lock().expect("nobody panics with it") = true;
    gate.1.notify_all();
    let count = started.len();
    for thread in started {
        let _ = thread.join();
    }
    match failure {
        None => Ok(()),
        Some(error) => Err(SqlError::Io(format!(
            "the system started only {count} of {} threads: {error}; use fewer threads, or raise the \
             system's limits on memory and processes",
            threads + 1
        ))),
    }
}

/// What is said when there is not one more thread.
pub(crate) fn none(error: &io::Error) -> SqlError {
    SqlError::Io(format!("the system cannot start a thread: {error}"))
}
