//! Counting move sequences on all cores, whatever the game.

use pyo3::prelude::*;
use rayon::prelude::*;

use crate::{error::refuse, threads};

/// Deeper than anyone can wait for, and shallow enough for the stack.
pub(crate) const DEEPEST: u32 = 64;
/// Plies counted without a look at Python's signals: a fraction of a second.
const BELOW_LOOK: u32 = 6;

/// Counts below each legal move of a position, which is made by `play`. Below `BELOW_LOOK` plies
/// `perft` counts the rest.
pub(crate) fn divide<P: Sync, M: Copy + Send>(
    py: Python<'_>,
    position: &P,
    depth: u32,
    legal: &impl Fn(&P) -> Vec<M>,
    play: &(impl Fn(&P, M) -> P + Sync),
    perft: &(impl Fn(&P, u32) -> u64 + Sync),
) -> PyResult<Vec<(M, u64)>> {
    if depth > DEEPEST {
        return Err(refuse(format!("depth {depth}, expected at most {DEEPEST}")));
    }
    let below = |mv| {
        let (next, rest) = (play(position, mv), depth - 1);
        if rest == 0 {
            return Ok((mv, 1));
        }
        if rest > BELOW_LOOK {
            let divided = divide(py, &next, rest, legal, play, perft)?;
            return Ok((mv, divided.iter().map(|(_, nodes)| nodes).sum()));
        }
        py.check_signals()?;
        let (moves, count) = (legal(&next), |reply| perft(&play(&next, reply), rest - 1));
        Ok((mv, threads::detach(py, || moves.into_par_iter().map(count).sum())))
    };
    legal(position).into_iter().map(below).collect()
}
