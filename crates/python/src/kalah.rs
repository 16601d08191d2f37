//! `everyply.kalah`

pub(crate) mod known;
pub(crate) mod playing;
pub(crate) mod table;

use std::sync::Mutex;

use ::kalah::{Kalah, Position, Rules, Standing};
use game::{Game, MoveId, Score, Turn, Verdict};
use kalah_answers::{Answers, Solved};
use numpy::PyArray1;
use pyo3::prelude::*;
use solver::{Header, Limits, Next, SolveError as Failure};
use stores::Access;

use crate::{
    error::{Error, Raise, exceptions},
    strings::Strings,
    threads,
};
use known::{Place, Worth, effort};

exceptions! {
    kalah.SizeError from ::kalah::SizeError, "An invalid size of Kalah.";
    kalah.SheetsError from ::kalah::SheetsError, "A size that tables do not support.";
    kalah.ParsePositionError from ::kalah::ParsePositionError, "A text that is not a position.";
    kalah.ParseRulesError from ::kalah::ParseRulesError, "An unknown name of rules.";
    kalah.StoreError from solver::StoreError, "A store or table that cannot be opened or used.";
    kalah.TableError from solver::table::TableError, "A table that was not built.";
    kalah.SolveError from solver::SolveError, "A game that was not solved.";
}

pyo3::create_exception!(
    everyply.kalah,
    UnknownPosition,
    Error,
    "A position without a value in the store or the table."
);

/// Kalah, solved completely: values, best moves, best play.
#[pymodule(name = "kalah", submodule)]
pub(crate) mod module {
    #[pymodule_export]
    use super::{
        Move, ParsePositionError, ParseRulesError, SheetsError, SizeError, Solution, SolveError,
        Step, StoreError, TableError, UnknownPosition, best, line, solve, value, values,
    };
    #[pymodule_export]
    use crate::kalah::playing::{Game, ParseOpponentError, RecordError, path};
    #[pymodule_export]
    use crate::kalah::table::build_table;
}

/// A solved game.
#[pyclass(frozen, module = "everyply.kalah")]
pub(crate) struct Solution {
    pub(crate) kalah: Kalah,
    pub(crate) solved: solver::Solution,
    pub(crate) url: String,
    /// The store of a solution in memory, which nothing else can access.
    memory: Option<Mutex<Answers>>,
}

#[pymethods]
impl Solution {
    /// The value: the final difference of the stores with best play, from the view of the side that
    /// moves first.
    #[getter]
    fn value(&self) -> i16 {
        self.solved.verdict.score.0
    }

    /// The best first pit, counted from 1.
    #[getter]
    fn best(&self) -> Option<u16> {
        pit(&self.solved.verdict)
    }

    /// The number of reachable positions.
    #[getter]
    fn positions(&self) -> u64 {
        self.solved.positions
    }

    /// The start position.
    #[getter]
    fn start(&self) -> String {
        self.kalah.start().to_string()
    }

    /// The rules it was solved with.
    #[getter]
    fn rules(&self) -> &'static str {
        self.kalah.rules().name()
    }

    /// The URL of its store, without any password.
    #[getter]
    fn store(&self) -> String {
        stores::shown(&self.url)
    }

    fn __repr__(&self) -> String {
        let (name, store) = (self.kalah.name(), self.store());
        format!(
            "Solution({name}: value {}, {} positions in {store})",
            self.value(),
            self.positions()
        )
    }
}

/// Solves a game: computes the value and the best move of every reachable position.
///
/// There are `seeds` seeds in each of `pits` pits on both sides. `rules` is `std_either`,
/// `empty_either`, `std_mover` or `empty_mover`. `store` is the URL of the store for the positions:
/// `memory:`, `sqlite:FILE` or `file:DIRECTORY`. With `resume`, work that was stopped is resumed.
/// `memory_limit` is the RAM in bytes for positions and values; anything beyond it stays in the
/// store. Ctrl-C commits the work and stops.
///
/// Raises SizeError, ParseRulesError, StoreError or SolveError.
///
/// >>> from everyply import kalah
/// >>> solution = kalah.solve(3, 3)
/// >>> solution.value, solution.best, solution.positions
/// (2, 2, 7779)
#[pyfunction]
#[pyo3(signature = (pits, seeds, rules="std_either", store="memory:", *, resume=false, memory_limit=1_073_741_824))]
fn solve(
    py: Python<'_>,
    pits: usize,
    seeds: u32,
    rules: &str,
    store: &str,
    resume: bool,
    memory_limit: usize,
) -> PyResult<Solution> {
    let kalah = Kalah::new(pits, seeds, named(rules)?).map_err(|error| error.raise_at(""))?;
    let header = Header::of(&kalah);
    let access = if resume { Access::Resume(header) } else { Access::Create(header) };
    let limits = Limits { memory: memory_limit, ..Limits::default() };
    let mut signal = None;
    let solved = threads::detach(py, || {
        let mut opened = stores::open(store, access)?;
        let solved = solver::solve(&kalah, &mut *opened, &limits, &mut |_| heed(&mut signal))?;
        Ok((solved, opened))
    });
    let (solved, opened) = match (solved, signal) {
        (Err(Failure::Stopped), Some(signal)) => return Err(signal),
        (Err(Failure::Store(error)), _) => return Err(error.raise_at("")),
        (Err(error), _) => return Err(error.raise_at("")),
        (Ok(solved), _) => solved,
    };
    // Other processes may open a store that is not in memory, so it is opened again for each call.
    let answers = Answers::Solved(Solved { kalah, store: opened });
    let memory = (store == "memory:").then(|| Mutex::new(answers));
    Ok(Solution { kalah, solved, url: store.to_owned(), memory })
}

/// A move of a position.
#[pyclass(frozen, get_all, module = "everyply.kalah")]
pub(crate) struct Move {
    /// The pit it sows, counted from 1.
    pit: u16,
    /// Its value for the mover: with best play after it, the seeds that the mover stores less those
    /// that the opponent stores, this move included. None if it was not found in time.
    value: Option<i16>,
    /// Whether it is the best move. Of moves that are equal in value and remoteness, the first is
    /// the best.
    best: bool,
    /// The plies to the end with best play after it, this move included; None unless a store has
    /// them.
    remoteness: Option<u32>,
    /// The seeds it stores, captured ones included.
    gain: u32,
    /// The captured seeds among them.
    captured: u32,
    /// Whether the same side moves again.
    again: bool,
    /// The position after it, seen from the side that moves next.
    position: String,
    /// Its effect in words.
    why: String,
}

#[pymethods]
impl Move {
    fn __repr__(&self) -> String {
        let value = self.value.map_or("None".to_owned(), |value| value.to_string());
        format!("Move(pit={}, value={value}, {})", self.pit, self.why)
    }
}

/// The moves of a position, best first, with their values and effects.
///
/// A position is written `a1,..,am/b1,..,bm`, with the pits of the side to move first. Values come
/// from `store`, a Solution or the URL of a store, or from `table`, the directory of a dense table.
/// If `rules` are given, they must be those of the store or table. Raises UnknownPosition if there
/// is no value.
///
/// Without `store` and `table`, positions are searched, down to a dense table that is built once
/// and kept in the directory `cache`: that of the environment variable EVERYPLY_CACHE, or
/// `everyply` in the cache directory of the system. For six pits with four seeds the table has
/// 548 million positions, 220 MB on disk, and takes some seconds. `time_limit` bounds the search
/// in seconds; values that were not found in time are None. Ctrl-C stops the search.
///
/// >>> from everyply import kalah
/// >>> solution = kalah.solve(3, 3)
/// >>> kalah.best("3,3,3/3,3,3", solution)
/// [Move(pit=2, value=2, stores 1), Move(pit=1, value=2, stores 1, moves again), Move(pit=3, value=-4, stores 1)]
#[pyfunction]
#[pyo3(signature = (position, store=None, *, table=None, rules=None, time_limit=None, cache=None))]
fn best(
    py: Python<'_>,
    position: &str,
    store: Option<&Bound<'_, PyAny>>,
    table: Option<std::path::PathBuf>,
    rules: Option<&str>,
    time_limit: Option<f64>,
    cache: Option<std::path::PathBuf>,
) -> PyResult<Vec<Move>> {
    let position = standing(position, "position: ")?.position;
    let place = Place::new(store, table, rules)?;
    place.consult(py, effort(time_limit, cache)?, |replies| {
        let best = replies.answer(&position)?.1;
        let kalah = Kalah::from_start(position, replies.rules());
        let moves = replies.moves(&position)?.into_iter();
        Ok(moves.map(|worth| judged(&kalah, &position, &worth, best)).collect())
    })
}

/// The value of a position: with best play, the seeds that the side to move will still store less
/// those that the opponent will store. Seeds that are already in the stores do not count.
///
/// The other arguments are those of `best`.
///
/// >>> from everyply import kalah
/// >>> solution = kalah.solve(3, 3)
/// >>> kalah.value("0,4,4/3,3,3", solution)
/// 1
/// >>> kalah.value("9,0,0/0,0,0", solution)
/// Traceback (most recent call last):
///     ...
/// everyply.kalah.UnknownPosition: 9,0,0/0,0,0 cannot be reached in kalah pits=3 seeds=3 rules=std_either
#[pyfunction]
#[pyo3(signature = (position, store=None, *, table=None, rules=None, time_limit=None, cache=None))]
fn value(
    py: Python<'_>,
    position: &str,
    store: Option<&Bound<'_, PyAny>>,
    table: Option<std::path::PathBuf>,
    rules: Option<&str>,
    time_limit: Option<f64>,
    cache: Option<std::path::PathBuf>,
) -> PyResult<i16> {
    let position = standing(position, "position: ")?.position;
    let place = Place::new(store, table, rules)?;
    let effort = effort(time_limit, cache)?;
    Ok(place.consult(py, effort, |replies| replies.value(&position))?.0)
}

/// The values of many positions, as an array.
///
/// The positions are any iterable of str, or an Arrow array of strings. The other arguments are
/// those of `best`.
///
/// >>> from everyply import kalah
/// >>> kalah.values(["3,3,3/3,3,3", "0,0,1/1,0,0"], kalah.solve(3, 3))
/// array([2, 0], dtype=int16)
#[pyfunction]
#[pyo3(signature = (positions, store=None, *, table=None, rules=None, time_limit=None, cache=None))]
fn values<'py>(
    py: Python<'py>,
    positions: &Bound<'py, PyAny>,
    store: Option<&Bound<'py, PyAny>>,
    table: Option<std::path::PathBuf>,
    rules: Option<&str>,
    time_limit: Option<f64>,
    cache: Option<std::path::PathBuf>,
) -> PyResult<Bound<'py, PyArray1<i16>>> {
    let positions = standings(positions)?;
    let place = Place::new(store, table, rules)?;
    let values = place.consult(py, effort(time_limit, cache)?, |replies| {
        let values = positions.iter().map(|Standing { position, .. }| replies.value(position));
        values.map(|value| Ok(value?.0)).collect()
    })?;
    Ok(PyArray1::from_vec(py, values))
}

/// A move of a line of best play.
#[pyclass(frozen, get_all, module = "everyply.kalah")]
pub(crate) struct Step {
    /// The player who makes it. Player 1 is the side to move at the beginning of the line.
    player: u8,
    /// The position it is made in.
    position: String,
    /// The pit it sows, counted from 1.
    pit: u16,
    /// The value of the position for the side to move.
    value: i16,
    /// The plies to the end with best play; None unless a store has them.
    remoteness: Option<u16>,
    /// The stores of player 1 and player 2 after the move.
    stores: (u32, u32),
    /// Its effect in words.
    why: String,
}

#[pymethods]
impl Step {
    fn __repr__(&self) -> String {
        let (one, two) = self.stores;
        format!("Step(player {} sows pit {}, stores {one}-{two})", self.player, self.pit)
    }
}

/// Best play from a position to the end.
///
/// The contents of the stores may follow the position, as `/own-other`. The other arguments are
/// those of `best`.
///
/// >>> from everyply import kalah
/// >>> solution = kalah.solve(2, 1)
/// >>> for step in kalah.line(solution.start, solution):
/// ...     print(step.player, step.position, step.pit, step.stores, step.why)
/// 1 1,1/1,1 2 (1, 0) stores 1, moves again
/// 1 1,0/1,1 1 (3, 0) captures 2
#[pyfunction]
#[pyo3(signature = (position, store=None, *, table=None, rules=None, time_limit=None, cache=None))]
fn line(
    py: Python<'_>,
    position: &str,
    store: Option<&Bound<'_, PyAny>>,
    table: Option<std::path::PathBuf>,
    rules: Option<&str>,
    time_limit: Option<f64>,
    cache: Option<std::path::PathBuf>,
) -> PyResult<Vec<Step>> {
    let standing = standing(position, "position: ")?;
    let place = Place::new(store, table, rules)?;
    place.consult(py, effort(time_limit, cache)?, |replies| {
        let steps = replies.line(&standing.position)?;
        let kalah = Kalah::from_start(standing.position, replies.rules());
        Ok(told(&kalah, &steps, standing.stores.unwrap_or_default()))
    })
}

fn judged(
    kalah: &Kalah,
    position: &Position,
    (edge, value, remoteness): &Worth,
    best: Option<MoveId>,
) -> Move {
    let sown = kalah.sow(position, kalah.pit_of(edge.mv).expect("a move of the position"));
    Move {
        pit: edge.mv.0,
        value: value.map(|Score(value)| value),
        best: best == Some(edge.mv),
        remoteness: *remoteness,
        gain: sown.gain,
        captured: sown.captured,
        again: sown.turn == Turn::Keeps,
        position: edge.to.to_string(),
        why: sown.why(),
    }
}

fn told(kalah: &Kalah, steps: &[solver::Step<Position>], stores: (u32, u32)) -> Vec<Step> {
    let mut stores = [stores.0, stores.1];
    let mut player = 0;
    let tell = |step: &solver::Step<Position>| {
        let pit = kalah.pit_of(step.edge.mv).expect("a move of the position");
        let sown = kalah.sow(&step.position, pit);
        stores[player] += sown.gain;
        let told = Step {
            player: player as u8 + 1,
            position: step.position.to_string(),
            pit: step.edge.mv.0,
            value: step.verdict.score.0,
            remoteness: step.verdict.remoteness,
            stores: (stores[0], stores[1]),
            why: sown.why(),
        };
        if step.edge.turn == Turn::Passes {
            player = 1 - player;
        }
        told
    };
    steps.iter().map(tell).collect()
}

fn pit(verdict: &Verdict) -> Option<u16> {
    verdict.best.map(|MoveId(pit)| pit)
}

pub(crate) fn named(rules: &str) -> PyResult<Rules> {
    rules.parse().map_err(|error: ::kalah::ParseRulesError| error.raise_at("rules: "))
}

/// Positions, each with its stores if they are given.
pub(crate) fn standings(positions: &Bound<'_, PyAny>) -> PyResult<Vec<Standing>> {
    let texts = Strings::new(positions, "positions")?;
    let texts = texts.texts("positions")?.into_iter().enumerate();
    texts.map(|(at, text)| standing(text, &format!("positions[{at}]: "))).collect()
}

pub(crate) fn standing(text: &str, place: &str) -> PyResult<Standing> {
    text.parse().map_err(|error: ::kalah::ParsePositionError| error.raise_at(place))
}

/// Continues unless Python has received a signal, such as that of Ctrl-C. Python receives signals
/// on the calling thread, where the solver reports its progress.
#[expect(clippy::redundant_closure_for_method_calls, reason = "the method has too few lifetimes")]
pub(crate) fn heed(signal: &mut Option<PyErr>) -> Next {
    match Python::attach(|py| py.check_signals()) {
        Ok(()) => Next::Continue,
        Err(error) => {
            *signal = Some(error);
            Next::Stop
        }
    }
}
