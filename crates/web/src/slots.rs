//! Places for work, of which there are only so many at a time.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::refusal::Refusal;

/// Places for work at a time, and a queue of a certain length before them.
#[derive(Debug)]
pub(crate) struct Slots {
    free: Arc<Semaphore>,
    waiting: AtomicUsize,
    most_waiting: usize,
}

impl Slots {
    pub(crate) fn new(count: usize, most_waiting: usize) -> Slots {
        let free = Arc::new(Semaphore::new(count));
        Slots { free, waiting: AtomicUsize::new(0), most_waiting }
    }

    /// A place, as soon as one is free; refused where too many wait already.
    pub(crate) async fn take(&self) -> Result<OwnedSemaphorePermit, Refusal> {
        if let Ok(permit) = self.free.clone().try_acquire_owned() {
            return Ok(permit);
        }
        // Whoever gives up while waiting leaves the queue as well.
        let queued = Queued(&self.waiting);
        if queued.0.fetch_add(1, Ordering::Relaxed) >= self.most_waiting {
            return Err(Refusal::busy());
        }
        self.free.clone().acquire_owned().await.map_err(|_| Refusal::busy())
    }
}

struct Queued<'a>(&'a AtomicUsize);

impl Drop for Queued<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
