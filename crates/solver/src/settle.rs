//! The second pass: computes the value and the best move of every position, from the lowest rank to
//! the highest.

use std::time::Instant;

use game::{Game, Key, Rank, Verdict, judge};
use rayon::prelude::*;

use crate::{
    explore::foreign,
    scans::next_batch,
    store::{Settled, Stage, Store},
    values::Values,
    work::{Limits, Next, Pass, Progress, SolveError},
};

/// Positions that are settled together. Successors whose values are not cached are fetched
/// together.
pub(crate) const BATCH: usize = 1 << 16;

/// Computes the value and the best move of every position, or continues where an earlier run
/// stopped. Does nothing if the store is already solved.
///
/// # Errors
///
/// [`SolveError::Hole`] if the store is not completely explored.
pub fn settle<G: Game>(
    game: &G,
    store: &mut dyn Store,
    limits: &Limits,
    watch: &mut dyn FnMut(&Progress) -> Next,
) -> Result<(), SolveError> {
    let done = match store.state().stage {
        Stage::Solved => return Ok(()),
        Stage::Settling(done) => done,
        Stage::Exploring(_) => {
            let start = game.start();
            return Err(SolveError::Hole { rank: game.rank(&start), key: game.pack(&start).0 });
        }
    };
    let ranks = store.ranks()?;
    let count = |ranks: &[(Rank, u64)]| ranks.iter().map(|(_, rows)| rows).sum::<u64>();
    let settled = ranks.partition_point(|(rank, _)| done.is_some_and(|done| *rank <= done));
    let mut progress = Progress {
        pass: Pass::Settle,
        rank: Rank::default(),
        done: count(&ranks[..settled]),
        known: count(&ranks),
        memory: 0,
    };
    let mut values = Values::new(limits.memory, done);
    let mut committed = Instant::now();
    for (rank, rows) in &ranks[settled..] {
        settle_rank(game, store, *rank, limits, &mut values)?;
        progress.rank = *rank;
        progress.done += rows;
        progress.memory = values.bytes();
        let next = watch(&progress);
        if next == Next::Stop || committed.elapsed() >= limits.commit_every {
            store.commit(Stage::Settling(Some(*rank)))?;
            committed = Instant::now();
        }
        if next == Next::Stop {
            return Err(SolveError::Stopped);
        }
    }
    store.commit(Stage::Solved)?;
    Ok(())
}

fn settle_rank<G: Game>(
    game: &G,
    store: &mut dyn Store,
    rank: Rank,
    limits: &Limits,
    values: &mut Values,
) -> Result<(), SolveError> {
    let mut last = None;
    loop {
        let mut keys = Vec::new();
        let more = next_batch(store, rank, last, limits.rows(), |row| keys.push(row.key))?;
        let whole = last.is_none() && !more;
        last = keys.last().copied().or(last);
        let mut scores = Vec::with_capacity(keys.len());
        for keys in keys.chunks(BATCH) {
            if values.has_gaps() {
                let wanted = wanted(game, keys, values)?;
                values.fetch(store, &wanted)?;
            }
            let settled = judge_all(game, keys, values)?;
            store.settle(rank, &settled)?;
            scores.extend(settled.iter().map(|settled| settled.verdict.score));
        }
        if whole {
            values.keep(rank, keys, scores);
        }
        if !more {
            break;
        }
    }
    if !values.contains(rank) {
        values.pass_over(rank);
    }
    Ok(())
}

fn judge_all<G: Game>(game: &G, keys: &[Key], values: &Values) -> Result<Vec<Settled>, SolveError> {
    let judged = keys.par_iter().with_min_len(512).map(|key| {
        let verdict = verdict(game, *key, values)?;
        Ok(Settled { key: *key, verdict })
    });
    judged.collect()
}

/// The verdict on a position from the values of its successors.
pub(crate) fn verdict<G: Game>(game: &G, key: Key, values: &Values) -> Result<Verdict, SolveError> {
    let position = game.unpack(key).ok_or_else(|| foreign(game, key.0))?;
    let mut hole = None;
    let verdict = judge(game, &position, |to| {
        let (rank, key) = (game.rank(to), game.pack(to));
        let value = values.get(rank, key);
        if value.is_none() {
            hole = Some(SolveError::Hole { rank, key: key.0 });
        }
        value
    });
    let (rank, key) = (game.rank(&position), key.0);
    let verdict = verdict.map_err(|error| SolveError::Score { rank, key, error })?;
    verdict.ok_or_else(|| hole.unwrap_or(SolveError::Hole { rank, key }))
}

/// The successors of these positions whose values are not cached, sorted and without duplicates.
pub(crate) fn wanted<G: Game>(
    game: &G,
    keys: &[Key],
    values: &Values,
) -> Result<Vec<(Rank, Key)>, SolveError> {
    let chunks = keys.par_chunks(1 << 12).map(|keys| {
        let mut wanted = Vec::new();
        for key in keys {
            let position = game.unpack(*key).ok_or_else(|| foreign(game, key.0))?;
            if game.outcome(&position).is_none() {
                game.edges(&position, |edge| {
                    let rank = game.rank(&edge.to);
                    if values.must_fetch(rank) {
                        wanted.push((rank, game.pack(&edge.to)));
                    }
                });
            }
        }
        Ok(wanted)
    });
    let mut wanted = chunks.collect::<Result<Vec<_>, SolveError>>()?.concat();
    wanted.par_sort_unstable();
    wanted.dedup();
    Ok(wanted)
}
