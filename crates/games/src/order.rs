//! Work on several threads whose results come in order.

use std::{
    collections::HashMap,
    num::NonZeroUsize,
    ops::ControlFlow,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
};

/// How far a thread may be ahead of the oldest result that is not taken, for each thread.
const AHEAD: u64 = 4;

/// Works on items on several threads, and takes the results in the order of the items, whoever
/// finished first.
///
/// If the system starts fewer threads, those work; if it starts none, the thread that calls does.
/// Each thread makes a worker of its own; `next` and `take` are called by one thread at a time.
/// The work ends when there are no more items, or when `take` breaks.
///
/// ```
/// use std::{num::NonZeroUsize, ops::ControlFlow};
///
/// let mut numbers = 0..1000_u64;
/// let mut squares = Vec::new();
/// games::in_order(
///     NonZeroUsize::new(3).unwrap(),
///     || numbers.next(),
///     || |number: u64| number * number,
///     |square| {
///         squares.push(square);
///         ControlFlow::Continue(())
///     },
/// );
/// assert!(squares.is_sorted() && squares.len() == 1000);
/// ```
pub fn in_order<T: Send, R: Send, W: FnMut(T) -> R>(
    threads: NonZeroUsize,
    next: impl FnMut() -> Option<T> + Send,
    worker: impl Fn() -> W + Sync,
    take: impl FnMut(R) -> ControlFlow<()> + Send,
) {
    let line = Line { next: 0, waiting: HashMap::new(), take, is_over: false };
    let order = Order {
        items: Mutex::new((0, next)),
        line: Mutex::new(line),
        moved: Condvar::new(),
        places: AHEAD * threads.get() as u64,
    };
    thread::scope(|scope| {
        let share = || order.share(worker());
        let start = || thread::Builder::new().spawn_scoped(scope, share).is_ok();
        let started = (0..threads.get()).take_while(|_| start()).count();
        if started == 0 {
            share();
        }
    });
}

struct Order<N, R, K> {
    items: Mutex<(u64, N)>,
    line: Mutex<Line<R, K>>,
    /// A result was taken.
    moved: Condvar,
    places: u64,
}

struct Line<R, K> {
    next: u64,
    waiting: HashMap<u64, R>,
    take: K,
    is_over: bool,
}

impl<N, R, K: FnMut(R) -> ControlFlow<()>> Order<N, R, K> {
    /// What each thread does.
    fn share<T>(&self, mut worker: impl FnMut(T) -> R)
    where
        N: FnMut() -> Option<T>,
    {
        // Without it the others would wait for ever for the result of a thread that panicked.
        let _over = Over(self);
        while let Some((number, item)) = self.item() {
            let result = worker(item);
            let mut line = self.line();
            line.waiting.insert(number, result);
            line.advance();
            self.moved.notify_all();
            while !line.is_over && number >= line.next + self.places {
                line = self.moved.wait(line).expect(UNPOISONED);
            }
            if line.is_over {
                return;
            }
        }
    }

    fn item<T>(&self) -> Option<(u64, T)>
    where
        N: FnMut() -> Option<T>,
    {
        let mut items = self.items.lock().expect(UNPOISONED);
        let item = (items.1)()?;
        items.0 += 1;
        Some((items.0 - 1, item))
    }

    fn line(&self) -> MutexGuard<'_, Line<R, K>> {
        self.line.lock().expect(UNPOISONED)
    }
}

const UNPOISONED: &str = "another thread has panicked";

impl<R, K: FnMut(R) -> ControlFlow<()>> Line<R, K> {
    /// Takes what is next, as far as it is there.
    fn advance(&mut self) {
        while !self.is_over
            && let Some(result) = self.waiting.remove(&self.next)
        {
            self.next += 1;
            self.is_over = (self.take)(result).is_break();
        }
    }
}

/// Ends the work of the other threads when its own panics.
struct Over<'a, N, R, K: FnMut(R) -> ControlFlow<()>>(&'a Order<N, R, K>);

impl<N, R, K: FnMut(R) -> ControlFlow<()>> Drop for Over<'_, N, R, K> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.line.lock().unwrap_or_else(PoisonError::into_inner).is_over = true;
            self.0.moved.notify_all();
        }
    }
}
