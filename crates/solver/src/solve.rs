//! Both passes, one after the other.

use std::ops::ControlFlow;

use game::{Game, Rank, Verdict};

use crate::store::{Row, Stage, Store};
use crate::work::{Limits, Next, Progress, SolveError};
use crate::{explore, settle};

/// What is known of a solved game as a whole.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Solution {
    /// The verdict on the start position, for the side that moves first.
    pub verdict: Verdict,
    /// The positions that can be reached.
    pub positions: u64,
}

/// Solves a game into a store, or goes on where an earlier run stopped.
pub fn solve<G: Game>(
    game: &G,
    store: &mut dyn Store,
    limits: &Limits,
    watch: &mut dyn FnMut(&Progress) -> Next,
) -> Result<Solution, SolveError> {
    explore(game, store, limits, watch)?;
    settle(game, store, limits, watch)?;
    let positions = store.ranks()?.iter().map(|(_, rows)| rows).sum();
    let start = game.start();
    let verdict = lookup(game, store, &start)?.and_then(|row| row.verdict);
    let hole = || SolveError::Hole { rank: game.rank(&start), key: game.pack(&start).0 };
    Ok(Solution { verdict: verdict.ok_or_else(hole)?, positions })
}

/// What a store knows of a position; `None` if the position is not in it.
pub fn lookup<G: Game>(
    game: &G,
    store: &mut dyn Store,
    position: &G::Position,
) -> Result<Option<Row>, SolveError> {
    let mut rows = Vec::new();
    store.find(game.rank(position), &[game.pack(position)], &mut rows)?;
    Ok(rows.pop().flatten())
}

/// True if every position of the store has its verdict.
pub fn is_solved(store: &dyn Store) -> bool {
    store.state().stage == Stage::Solved
}

/// Hands every row with these fewest moves from the start to `visit`, in order of rank and key.
pub fn at_depth(
    store: &mut dyn Store,
    depth: u16,
    visit: &mut dyn FnMut(&Row),
) -> Result<(), SolveError> {
    every_row(store, &mut |row| {
        if row.depth == depth {
            visit(row);
        }
    })
}

/// Hands every row of a level, such as the seeds in play, to `visit`, in order of rank and key.
pub fn at_level(
    store: &mut dyn Store,
    level: u16,
    visit: &mut dyn FnMut(&Row),
) -> Result<(), SolveError> {
    let ranks = Rank { level, step: 0 }..=Rank { level, step: u16::MAX };
    let mut visit_all = |rows: &[Row]| {
        rows.iter().for_each(&mut *visit);
        ControlFlow::Continue(())
    };
    Ok(store.scan(ranks, &mut visit_all)?)
}

/// Hands every row to `visit`, in order of rank and key.
pub fn every_row(store: &mut dyn Store, visit: &mut dyn FnMut(&Row)) -> Result<(), SolveError> {
    let mut visit_all = |rows: &[Row]| {
        rows.iter().for_each(&mut *visit);
        ControlFlow::Continue(())
    };
    Ok(store.scan(Rank::default()..=Rank::MAX, &mut visit_all)?)
}
