//! The memory that operators share.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use datafusion::{
    common::human_readable_size,
    error::{DataFusionError, Result},
    execution::memory_pool::{MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation},
};

/// Memory that the statements of several engines share, and what a program keeps of their answers.
#[derive(Clone, Debug)]
pub struct SharedMemory(Arc<Pool>);

impl SharedMemory {
    /// So many bytes.
    pub fn new(bytes: usize) -> SharedMemory {
        SharedMemory(Arc::new(Pool::new(bytes)))
    }

    /// A part of it, empty at first, for what the program keeps.
    pub fn keep(&self, what: &str) -> KeptMemory {
        KeptMemory(MemoryConsumer::new(what).register(&self.pool()))
    }

    /// Bytes in use.
    pub fn used(&self) -> usize {
        self.0.reserved()
    }

    pub(crate) fn pool(&self) -> Arc<dyn MemoryPool> {
        self.0.clone()
    }
}

/// A part of shared memory, returned when it is dropped.
#[derive(Debug)]
pub struct KeptMemory(MemoryReservation);

impl KeptMemory {
    /// Takes more of it; false if there is not so much left.
    #[must_use = "what is not there cannot be used"]
    pub fn try_grow(&self, bytes: usize) -> bool {
        self.0.try_grow(bytes).is_ok()
    }

    /// Its bytes.
    pub fn bytes(&self) -> usize {
        self.0.size()
    }
}

/// A pool that is divided among operators by what they do when they get no more.
///
/// A sort that gets no more spills: it merges the batches that it holds into a run, and later merges
/// runs. A merge cannot spill, and DataFusion's merges of runs take whatever they are given. In a
/// pool that is merely fair to those who spill, the first sort that is done reading takes the rest
/// of the memory for its runs, and the next one fails at the moment when it is to make room. So
/// merges have a part of the memory of their own, and each of them a share of it.
#[derive(Debug)]
pub(crate) struct Pool {
    size: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    used: usize,
    /// Operators that spill, but for channels.
    spillers: usize,
    channels: usize,
    /// The bytes of each merge. It holds them in many reservations.
    merges: HashMap<usize, usize>,
}

/// What an operator does when it gets no more memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Conduct {
    /// A sort or an aggregate spills what it holds.
    Spills,
    /// A repartition spills what it has not handed on yet; it needs little memory to go on.
    Hands,
    /// A merge of a sort merges fewer runs at a time, as long as it gets two.
    Merges,
    /// All others fail, or spill without saying that they can.
    Holds,
}

impl Conduct {
    /// By the names of DataFusion 55.2, whose consumers say no more of themselves.
    fn of(consumer: &MemoryConsumer) -> Conduct {
        let name = consumer.name();
        match consumer.can_spill() {
            true if name.starts_with("RepartitionExec[") => Conduct::Hands,
            true => Conduct::Spills,
            false if name.starts_with("ExternalSorterMerge[") => Conduct::Merges,
            false => Conduct::Holds,
        }
    }
}

impl Pool {
    pub(crate) fn new(size: usize) -> Pool {
        Pool { size, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What one operator may hold, whatever is left. A merge makes a copy of every batch and of its
    /// keys, so merges have nearly twice the memory of sorts. Without merges a good half is left
    /// for the batch that an aggregate makes of its groups when it spills.
    fn share(&self, state: &State, conduct: Conduct) -> usize {
        let merges = state.merges.len();
        let percent = |percent: usize, among: usize| self.size / 100 * percent / among.max(1);
        match conduct {
            Conduct::Spills if merges == 0 => percent(50, state.spillers),
            // A sort that hands on its rows still merges, but holds nothing to spill any more.
            Conduct::Spills => percent(30, state.spillers.max(merges)),
            Conduct::Merges => percent(55, merges),
            Conduct::Hands => percent(10, state.channels),
            Conduct::Holds => self.size,
        }
    }
}

impl fmt::Display for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let used = human_readable_size(self.reserved());
        let size = human_readable_size(self.size);
        write!(f, "{}(used: {used}, pool_size: {size})", self.name())
    }
}

impl MemoryPool for Pool {
    fn name(&self) -> &str {
        "divided"
    }

    fn register(&self, consumer: &MemoryConsumer) {
        let mut state = self.state();
        match Conduct::of(consumer) {
            Conduct::Spills => state.spillers += 1,
            Conduct::Hands => state.channels += 1,
            Conduct::Merges => {
                state.merges.insert(consumer.id(), 0);
            }
            Conduct::Holds => {}
        }
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        let mut state = self.state();
        match Conduct::of(consumer) {
            Conduct::Spills => state.spillers -= 1,
            Conduct::Hands => state.channels -= 1,
            Conduct::Merges => {
                state.merges.remove(&consumer.id());
            }
            Conduct::Holds => {}
        }
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        let mut state = self.state();
        state.used += additional;
        if let Some(held) = state.merges.get_mut(&reservation.consumer().id()) {
            *held += additional;
        }
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        let mut state = self.state();
        state.used -= shrink;
        if let Some(held) = state.merges.get_mut(&reservation.consumer().id()) {
            *held -= shrink;
        }
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        let consumer = reservation.consumer();
        let mut state = self.state();
        let share = self.share(&state, Conduct::of(consumer));
        let held = state.merges.get(&consumer.id()).copied().unwrap_or(reservation.size());
        let fits = |held: usize, most: usize| held.saturating_add(additional) <= most;
        if fits(held, share) && fits(state.used, self.size) {
            state.used += additional;
            if let Some(held) = state.merges.get_mut(&consumer.id()) {
                *held += additional;
            }
            return Ok(());
        }
        drop(state);
        let [additional, held, share] = [additional, held, share].map(human_readable_size);
        // The words of DataFusion's own pools, which are read again in error.rs.
        Err(DataFusionError::ResourcesExhausted(format!(
            "Failed to allocate additional {additional} for {} with {held} already allocated for \
             this reservation - {share} is its share of {self}",
            consumer.name()
        )))
    }

    fn reserved(&self) -> usize {
        self.state().used
    }

    fn memory_limit(&self) -> MemoryLimit {
        MemoryLimit::Finite(self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SqlError;

    fn pool() -> Arc<dyn MemoryPool> {
        Arc::new(Pool::new(100 << 20))
    }

    fn spills(pool: &Arc<dyn MemoryPool>, name: &str) -> MemoryReservation {
        MemoryConsumer::new(name).with_can_spill(true).register(pool)
    }

    #[test]
    fn b2_operators_that_spill_leave_room_for_those_that_do_not() {
        let pool = pool();
        let groups = [spills(&pool, "group[0]"), spills(&pool, "group[1]")];
        for group in &groups {
            group.try_grow(25 << 20).unwrap();
            let told = SqlError::from(group.try_grow(1).unwrap_err()).to_string();
            assert_eq!(told, "the statement needs more than the memory limit of 100.0 MB (group)");
        }
        let join = MemoryConsumer::new("join").register(&pool);
        join.try_grow(50 << 20).unwrap();
        assert!(join.try_grow(1).is_err());
    }

    #[test]
    fn what_is_kept_counts_until_it_is_dropped() {
        let shared = SharedMemory::new(100);
        let kept = shared.keep("rows");
        assert!(kept.try_grow(70) && !kept.try_grow(31));
        assert_eq!((kept.bytes(), shared.clone().used()), (70, 70));
        let join = MemoryConsumer::new("join").register(&shared.pool());
        assert!(join.try_grow(31).is_err());
        drop(kept);
        join.try_grow(100).unwrap();
    }

    #[test]
    fn b2_a_merge_leaves_the_others_their_shares() {
        let pool = pool();
        let sorts = [0, 1].map(|part| {
            let merge = MemoryConsumer::new(format!("ExternalSorterMerge[{part}]"));
            (spills(&pool, &format!("ExternalSorter[{part}]")), merge.register(&pool))
        });
        for (sort, merge) in &sorts {
            let another = merge.new_empty();
            merge.try_grow(20 << 20).unwrap();
            another.try_grow(7 << 20).unwrap();
            assert!(another.try_grow(1 << 20).is_err(), "both count as one merge");
            drop(another);
            merge.try_grow(7 << 20).unwrap();
            sort.try_grow(15 << 20).unwrap();
            assert!(sort.try_grow(1 << 20).is_err());
        }
        let [(done, _still_merges), (reads, _)] = &sorts;
        done.free();
        assert!(reads.try_grow(1 << 20).is_err(), "what it holds must fit into its merge");
        let channels = [0, 1].map(|part| spills(&pool, &format!("RepartitionExec[{part}]")));
        assert!(channels.iter().all(|channel| channel.try_grow(5 << 20).is_ok()));
        drop(sorts);
        assert_eq!(pool.reserved(), 10 << 20);
        let sort = spills(&pool, "ExternalSorter[0]");
        sort.try_grow(50 << 20).unwrap();
    }
}
