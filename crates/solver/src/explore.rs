//! The downward pass: every position that can be reached, each exactly once.

use std::ops::ControlFlow;
use std::time::Instant;

use game::{Game, Rank};
use rayon::prelude::*;

use crate::frontier::Frontier;
use crate::store::{Found, Stage, Store};
use crate::work::{Limits, Next, Pass, Progress, SolveError};

/// Lists every position that can be reached from the start, or goes on where an earlier run
/// stopped. Does nothing in a store that is explored already.
///
/// Every move lowers the rank, so once all ranks above are done, a rank is complete: one downward
/// pass meets each position once, with the fewest moves that lead to it.
pub fn explore<G: Game>(
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
        let start = game.start();
        let found = Found { key: game.pack(&start), depth: 0 };
        pass.frontier.push(game.rank(&start), &[found]);
        pass.progress.known += 1;
    }
    pass.run(done, watch)
}

struct Explore<'a, G> {
    game: &'a G,
    store: &'a mut dyn Store,
    limits: &'a Limits,
    frontier: Frontier,
    /// Ranks that the store has rows of, with how many, below the one in work.
    stored: Vec<(Rank, u64)>,
    progress: Progress,
    committed: Instant,
}

impl<'a, G: Game> Explore<'a, G> {
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

    /// Stores the rank's positions, now that all are known, and finds what follows from them.
    fn explore_rank(&mut self, rank: Rank) -> Result<(), SolveError> {
        let waiting = self.frontier.take(rank);
        let new = self.store.add(rank, &waiting)?;
        let in_store = self.stored.pop_if(|(stored, _)| *stored == rank).is_some();
        self.progress.done += new;
        if !in_store {
            return self.expand(rank, &waiting);
        }
        let mut all = Vec::new();
        self.store.scan(rank..=rank, &mut |rows| {
            all.extend(rows.iter().map(|row| Found { key: row.key, depth: row.depth }));
            ControlFlow::Continue(())
        })?;
        self.progress.done += all.len() as u64 - new;
        self.expand(rank, &all)
    }

    fn expand(&mut self, rank: Rank, positions: &[Found]) -> Result<(), SolveError> {
        // A chunk's children stay in the cache while they are sorted into their ranks.
        let chunks = positions.par_chunks(1 << 12).map(|chunk| children(self.game, rank, chunk));
        let chunks: Vec<_> = chunks.collect::<Result<_, _>>()?;
        for children in chunks {
            for of_rank in children.chunk_by(|a, b| a.0 == b.0) {
                let found: Vec<_> = of_rank.iter().map(|(_, found)| *found).collect();
                self.frontier.push(of_rank[0].0, &found);
            }
        }
        let known = self.progress.done + self.frontier.len() as u64;
        self.progress.known = self.stored.iter().map(|(_, rows)| rows).sum::<u64>() + known;
        Ok(())
    }

    /// Hands everything that waits to the store.
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

/// What follows in one move from positions of one rank, sorted by rank and key, without repeats.
fn children<G: Game>(
    game: &G,
    rank: Rank,
    positions: &[Found],
) -> Result<Vec<(Rank, Found)>, SolveError> {
    let mut children = Vec::with_capacity(4 * positions.len());
    let mut rising = None;
    for found in positions {
        let position = game.unpack(found.key).ok_or_else(|| foreign(game, found.key.0))?;
        if game.outcome(&position).is_some() {
            continue;
        }
        let depth = found.depth.saturating_add(1);
        game.edges(&position, |edge| {
            let to = game.rank(&edge.to);
            if to >= rank {
                rising = Some(SolveError::Rising { from: rank, to });
            }
            children.push((to, Found { key: game.pack(&edge.to), depth }));
        });
    }
    if let Some(rising) = rising {
        return Err(rising);
    }
    children.sort_unstable();
    children.dedup_by_key(|(rank, found)| (*rank, found.key));
    Ok(children)
}

pub(crate) fn foreign<G: Game>(game: &G, key: u128) -> SolveError {
    SolveError::Foreign { key, game: game.name() }
}
