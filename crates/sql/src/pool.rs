//! The memory that operators share.

use std::{
    fmt,
    sync::atomic::{AtomicUsize, Ordering},
};

use datafusion::{
    common::human_readable_size,
    error::{DataFusionError, Result},
    execution::memory_pool::{
        FairSpillPool, MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation,
    },
};

/// A fair pool of which operators that can spill hold at most half together. A sort that spills
/// merges what it holds, and a merge cannot spill: where sorts may fill the pool to its brim, they
/// fail at the moment when they are to make room.
#[derive(Debug)]
pub(crate) struct Pool {
    fair: FairSpillPool,
    size: usize,
    spillers: AtomicUsize,
}

impl Pool {
    pub(crate) fn new(size: usize) -> Pool {
        Pool { fair: FairSpillPool::new(size), size, spillers: AtomicUsize::new(0) }
    }

    /// What one operator that can spill may hold.
    fn share(&self) -> usize {
        self.size / 2 / self.spillers.load(Ordering::Relaxed).max(1)
    }
}

impl fmt::Display for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fair.fmt(f)
    }
}

impl MemoryPool for Pool {
    fn name(&self) -> &str {
        self.fair.name()
    }

    fn register(&self, consumer: &MemoryConsumer) {
        if consumer.can_spill() {
            self.spillers.fetch_add(1, Ordering::Relaxed);
        }
        self.fair.register(consumer);
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        if consumer.can_spill() {
            self.spillers.fetch_sub(1, Ordering::Relaxed);
        }
        self.fair.unregister(consumer);
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.fair.grow(reservation, additional);
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.fair.shrink(reservation, shrink);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        let (held, share) = (reservation.size(), self.share());
        if reservation.consumer().can_spill() && held.saturating_add(additional) > share {
            let name = reservation.consumer().name();
            let [additional, held, share] = [additional, held, share].map(human_readable_size);
            // The words of DataFusion's own pools, which are read again in error.rs.
            return Err(DataFusionError::ResourcesExhausted(format!(
                "Failed to allocate additional {additional} for {name} with {held} already \
                 allocated for this reservation - {share} is its share of {self}"
            )));
        }
        self.fair.try_grow(reservation, additional)
    }

    fn reserved(&self) -> usize {
        self.fair.reserved()
    }

    fn memory_limit(&self) -> MemoryLimit {
        self.fair.memory_limit()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::SqlError;

    #[test]
    fn b2_operators_that_spill_leave_room_for_those_that_do_not() {
        let pool: Arc<dyn MemoryPool> = Arc::new(Pool::new(64 << 20));
        let spills = || MemoryConsumer::new("sort").with_can_spill(true).register(&pool);
        let sorts = [spills(), spills()];
        for sort in &sorts {
            sort.try_grow(16 << 20).unwrap();
            let error = SqlError::from(sort.try_grow(1).unwrap_err());
            let told = error.to_string();
            assert_eq!(told, "the statement needs more than the memory limit of 64.0 MB (sort)");
        }
        let merge = MemoryConsumer::new("merge").register(&pool);
        merge.try_grow(32 << 20).unwrap();
        assert!(merge.try_grow(1).is_err());
    }
}
