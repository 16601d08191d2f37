//! The second pass: computes the value, the best move and the remoteness of every position, from the
//! lowest rank to the highest.

use std::time::Instant;

use game::{Rank, Value};

use crate::{
    scans::next_batch,
    solvable::Solvable,
    store::{Settled, Stage, Store},
    values::Values,
    work::{Limits, Next, Pass, Progress, SolveError},
};

/// Positions that are settled together. Successors whose values are not cached are fetched
/// together.
pub(crate) const BATCH: usize = 1 << 16;

/// Computes the value, the best move and the remoteness of every position, or continues where an
/// earlier run stopped. Does nothing if the store is already solved.
///
/// # Errors
///
/// [`SolveError::Hole`] if the store is not completely explored.
pub fn settle<G: Solvable>(
    game: &G,
    store: &mut dyn Store,
    limits: &Limits,
    watch: &mut dyn FnMut(&Progress) -> Next,
) -> Result<(), SolveError> {
    let done = match store.state().stage {
        Stage::Solved => return Ok(()),
        Stage::Settling(done) => done,
        Stage::Exploring(_) => {
            let (rank, key) = game.first()?;
            return Err(SolveError::Hole { rank, key: key.0 });
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

fn settle_rank<G: Solvable>(
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
        let mut known = Vec::with_capacity(keys.len());
        for keys in keys.chunks(BATCH) {
            if values.has_gaps() {
                let wanted = game.wanted(keys, values)?;
                values.fetch(store, &wanted)?;
            }
            let verdicts = keys.iter().zip(game.verdicts(rank, keys, values)?);
            let settled = verdicts.map(|(&key, verdict)| Ok(Settled { key, verdict: verdict? }));
            let settled = settled.collect::<Result<Vec<_>, SolveError>>()?;
            store.settle(rank, &settled)?;
            known.extend(settled.iter().map(|settled| Value::from(settled.verdict)));
        }
        if whole {
            values.keep(rank, keys, known);
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
