//! Both passes, one after the other.

use game::{Game, Verdict};

use crate::{
    explore,
    scans::{count, get},
    settle,
    solvable::Solvable,
    store::{Row, Stage, Store, StoreError},
    work::{Limits, Next, Progress, SolveError},
};

/// The result of solving a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Solution {
    /// The verdict on the start position, for the side that moves first.
    pub verdict: Verdict,
    /// The number of reachable positions.
    pub positions: u64,
}

/// Solves a game into a store, or continues where an earlier run stopped.
pub fn solve<G: Solvable>(
    game: &G,
    store: &mut dyn Store,
    limits: &Limits,
    watch: &mut dyn FnMut(&Progress) -> Next,
) -> Result<Solution, SolveError> {
    explore(game, store, limits, watch)?;
    settle(game, store, limits, watch)?;
    let positions = count(store)?;
    let (rank, key) = game.first()?;
    let verdict = get(store, rank, key)?.and_then(|row| row.verdict);
    let hole = || SolveError::Hole { rank, key: key.0 };
    Ok(Solution { verdict: verdict.ok_or_else(hole)?, positions })
}

/// The row of a position; `None` if the position is not in the store.
pub fn lookup<G: Game>(
    game: &G,
    store: &mut dyn Store,
    position: &G::Position,
) -> Result<Option<Row>, StoreError> {
    get(store, game.rank(position), game.pack(position))
}

/// True if every position of the store has its verdict.
pub fn is_solved(store: &dyn Store) -> bool {
    store.state().stage == Stage::Solved
}
