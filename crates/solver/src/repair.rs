//! Solving again what is damaged.

use std::collections::BTreeSet;

use game::Rank;

use crate::{
    explore, settle,
    solvable::Solvable,
    solve::{Solution, solve},
    store::{Stage, Store},
    work::{Limits, Next, Progress, SolveError},
};

/// Solves a store again in which these ranks are damaged, [`crate::Report::damaged`].
///
/// Their rows are removed, and the work goes on as if it had been stopped: all ranks are explored
/// again, which finds the positions that are missing, and those from the lowest damaged one on are
/// settled again. Rows that are sound stay where they are. A repair that is stopped or killed goes
/// on like any other work, with [`solve`](crate::solve()).
pub fn repair<G: Solvable>(
    game: &G,
    store: &mut dyn Store,
    damaged: &BTreeSet<Rank>,
    limits: &Limits,
    watch: &mut dyn FnMut(&Progress) -> Next,
) -> Result<Solution, SolveError> {
    if let Some(lowest) = damaged.first() {
        let ranks = store.ranks()?;
        let sound = ranks.iter().map(|(rank, _)| *rank).rfind(|rank| rank < lowest);
        store.clear(&damaged.iter().copied().collect::<Vec<_>>())?;
        store.commit(Stage::Exploring(None))?;
        explore(game, store, limits, watch)?;
        store.commit(Stage::Settling(sound))?;
        settle(game, store, limits, watch)?;
    }
    solve(game, store, limits, watch)
}
