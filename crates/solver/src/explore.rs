//! The first pass: enumerates every reachable position exactly once, from the highest rank to the
//! lowest.

use std::time::Instant;

use game::Rank;

use crate::{
    frontier::Frontier,
    scans::next_batch,
    solvable::{CHUNK, Solvable},
    store::{Found, Stage, Store},
    work::{Limits, Next, Pass, Progress, SolveError},
};

/// Enumerates every position that can be reached from the start, or continues where an earlier run
/// stopped. Does nothing if the store is already explored.
///
/// Every move lowers the rank, so a rank is complete once all higher ranks are done. One pass
/// therefore meets each position once, with the fewest moves that lead to it.
pub fn explore<G: Solvable>(
    game: &G,
    store: &mut dyn Store,
    limits: &Limits,
    watch: &mut dyn FnMut(&Progress) -> Next,
) -> Result<(), SolveError> {
    let Stage::Exploring(done) = store.state().stage else {
        return Ok(());
    };
    let mut pass = Explore::new(game, store, limits)?;
    if done.is_none() {
        let (rank, key) = game.first()?;
        pass.frontier.push(rank, &[Found { key, depth: 0 }]);
        pass.progress.known += 1;
    }
    pass.run(done, watch)
}

struct Explore<'a, G> {
    game: &'a G,
    store: &'a mut dyn Store,
    limits: &'a Limits,
    frontier: Frontier,
    /// Ranks below the current one that have rows in the store, with the number of rows.
    stored: Vec<(Rank, u64)>,
    progress: Progress,
    committed: Instant,
}

impl<'a, G: Solvable> Explore<'a, G> {
    fn new(
        game: &'a G,
        store: &'a mut dyn Store,
        limits: &'a Limits,
    ) -> Result<Explore<'a, G>, SolveError> {
        let stored = store.ranks()?;
        let known = stored.iter().map(|(_, rows)| rows).sum();
        let progress = Progress { pass: Pass::Explore, rank: Rank::MAX, done: 0, known, memory: 0 };
        let (frontier, committed) = (Frontier::default(), Instant::now());
        Ok(Explore { game, store, limits, frontier, stored, progress, committed })
    }

    fn run(
        mut self,
        done: Option<Rank>,
        watch: &mut dyn FnMut(&Progress) -> Next,
    ) -> Result<(), SolveError> {
        if let Some(done) = done {
            let explored = self.stored.iter().filter(|(rank, _)| *rank >= done);
            self.progress.done = explored.map(|(_, rows)| rows).sum();
            self.stored.retain(|(rank, _)| *rank < done);
        }
        while let Some(rank) = self.highest() {
            self.explore_rank(rank)?;
            self.progress.rank = rank;
            self.progress.memory = self.frontier.bytes();
            let next = watch(&self.progress);
            let spent = self.committed.elapsed() >= self.limits.commit_every;
            if next == Next::Stop || spent || self.progress.memory > self.limits.memory {
                self.spill()?;
                self.store.commit(Stage::Exploring(Some(rank)))?;
                self.committed = Instant::now();
            }
            if next == Next::Stop {
                return Err(SolveError::Stopped);
            }
        }
        self.store.commit(Stage::Settling(None))?;
        Ok(())
    }

    fn highest(&self) -> Option<Rank> {
        let stored = self.stored.last().map(|(rank, _)| *rank);
        stored.max(self.frontier.highest())
    }

    /// Stores the positions of a rank, which is now complete, and finds their successors.
    fn explore_rank(&mut self, rank: Rank) -> Result<(), SolveError> {
        let waiting = self.frontier.take(rank);
        let new = self.store.add(rank, &waiting)?;
        let in_store = self.stored.pop_if(|(stored, _)| *stored == rank);
        self.progress.done += new;
        match in_store {
            None => {
                for positions in waiting.chunks(batch()) {
                    self.expand(rank, positions)?;
                }
            }
            Some((_, before)) => {
                drop(waiting);
                self.progress.done += before;
                self.expand_stored(rank)?;
            }
        }
        let known = self.progress.done + self.frontier.len() as u64;
        self.progress.known = self.stored.iter().map(|(_, rows)| rows).sum::<u64>() + known;
        Ok(())
    }

    /// Finds the successors of all positions of a rank that are in the store.
    fn expand_stored(&mut self, rank: Rank) -> Result<(), SolveError> {
        let most = self.limits.rows();
        let mut last = None;
        loop {
            let mut found = Vec::new();
            let more = next_batch(&mut *self.store, rank, last, most, |row| {
                found.push(Found { key: row.key, depth: row.depth });
            })?;
            last = found.last().map(|found| found.key).or(last);
            for positions in found.chunks(batch()) {
                self.expand(rank, positions)?;
            }
            if !more {
                return Ok(());
            }
        }
    }

    /// Finds the successors of some positions of a rank. Pending positions are spilled to the store
    /// if they exceed the memory limit.
    fn expand(&mut self, rank: Rank, positions: &[Found]) -> Result<(), SolveError> {
        for children in self.game.successors(rank, positions)? {
            for of_rank in children.chunk_by(|a, b| a.0 == b.0) {
                let found: Vec<_> = of_rank.iter().map(|(_, found)| *found).collect();
                self.frontier.push(of_rank[0].0, &found);
            }
        }
        if self.frontier.bytes() > self.limits.memory {
            self.spill()?;
        }
        Ok(())
    }

    /// Writes all pending positions to the store.
    fn spill(&mut self) -> Result<(), SolveError> {
        for (rank, found) in self.frontier.drain() {
            let new = self.store.add(rank, &found)?;
            match self.stored.binary_search_by_key(&rank, |(rank, _)| *rank) {
                Ok(at) => self.stored[at].1 += new,
                Err(at) => self.stored.insert(at, (rank, new)),
            }
        }
        Ok(())
    }
}

/// Positions that are expanded between two checks of the memory limit.
fn batch() -> usize {
    2 * CHUNK * rayon::current_num_threads()
}
