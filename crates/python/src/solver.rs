//! `everyply.solver`

mod rules;

use std::sync::{Mutex, MutexGuard, PoisonError};

use ::solver::{
    Access, Batched, Header, Limits, Next, Sample, SolveError as Failure, Store, get, is_solved,
};
use game::{Edge, Key, Rank, Score, Turn, Verdict};
use numpy::PyArray1;
use pyo3::prelude::*;

use crate::{
    error::{Raise, refuse},
    input,
    kalah::{SolveError, StoreError, UnknownPosition, heed},
    threads,
};
use rules::Rules;

/// Games of your own, defined by functions over NumPy arrays and solved completely.
#[pymodule(name = "solver", submodule)]
pub(crate) mod module {
    #[pymodule_export]
    use super::{Game, Move, Solution, SolveError, StoreError, UnknownPosition, open, solve};
}

/// A two-player zero-sum game that always ends.
///
/// A position is a number, its key, seen from the side to move. `name` contains everything that
/// positions and values depend on: a store keeps it and cannot be opened for another game. `start`
/// is the first position, and no key has more than `key_bits` bits, at most 63. The rules are three
/// functions that take an array of keys (uint64):
///
/// `children(keys)` returns the moves of all these positions as arrays of equal length: the place
/// of the position in `keys`, the number of the move (0 to 65535), and the key after it, seen from
/// the side that moves next. Two more arrays may follow: the points that the mover scores, and
/// whether the same side moves again. A position without moves is the end of the game. Of equally
/// good moves the first is the best.
///
/// `ranks(keys)` returns a number from 0 to 65535 for each position, which every move makes smaller,
/// such as the stones left; or two arrays, of which the second decides where the first is equal.
///
/// `values(keys)` returns the points that the side to move gets at the end of the game, for
/// positions without moves.
///
/// >>> import numpy as np
/// >>> from everyply import solver
/// >>> def children(heaps):
/// ...     taken, place = np.meshgrid([1, 2, 3], np.arange(len(heaps)))
/// ...     legal = taken <= heaps[place]
/// ...     taken, place = taken[legal], place[legal]
/// ...     return place, taken, heaps[place] - taken.astype(np.uint64)
/// >>> nim = solver.Game(
/// ...     "nim stones=21", start=21, key_bits=5, children=children,
/// ...     ranks=lambda heaps: heaps, values=lambda heaps: np.full(len(heaps), -1))
/// >>> solution = solver.solve(nim)
/// >>> solution
/// Solution(nim stones=21: value 1, best 1, 22 positions in memory:)
/// >>> solution.moves(6)
/// [Move(2: 6 to 4, value 1), Move(1: 6 to 5, value -1), Move(3: 6 to 3, value -1)]
/// >>> [move.number for move in solution.line(6)]
/// [2, 1, 3]
/// >>> solution.values([8, 9]), solution.verify()
/// (array([-1,  1], dtype=int16), 22)
#[pyclass(frozen, module = "everyply.solver")]
pub(crate) struct Game {
    rules: Batched<Rules>,
}

#[pymethods]
impl Game {
    #[new]
    #[pyo3(signature = (name, *, start, key_bits, children, ranks, values))]
    fn new(
        name: String,
        start: u64,
        key_bits: u32,
        children: Py<PyAny>,
        ranks: Py<PyAny>,
        values: Py<PyAny>,
    ) -> PyResult<Game> {
        if !(1..=63).contains(&key_bits) {
            return Err(refuse(format!("key_bits {key_bits}, expected 1 to 63")));
        }
        if start >> key_bits != 0 {
            return Err(refuse(format!("start {start} has more than {key_bits} bits")));
        }
        if name.is_empty() || name.contains(['\n', '\r']) {
            return Err(refuse("name: expected one line of text".to_owned()));
        }
        let raised = Mutex::default();
        let rules = Rules { name, start, key_bits, children, ranks, values, raised };
        Ok(Game { rules: Batched::new(rules) })
    }

    /// The name.
    #[getter]
    fn name(&self) -> &str {
        &self.rules.game().name
    }

    /// The key of the first position.
    #[getter]
    fn start(&self) -> u64 {
        self.rules.game().start
    }

    /// The most bits that a key has.
    #[getter]
    fn key_bits(&self) -> u32 {
        self.rules.game().key_bits
    }

    fn __repr__(&self) -> String {
        format!("Game({})", self.name())
    }
}

impl Game {
    /// The exception for an error: that of the game's own function if one was raised.
    fn raise(&self, error: Failure) -> PyErr {
        match (self.rules.game().raised(), error) {
            (Some(raised), _) => raised,
            (None, Failure::Store(error)) => error.raise_at(""),
            (None, error) => error.raise_at(""),
        }
    }

    fn rank(&self, key: Key) -> Result<Rank, Failure> {
        Ok(self.rules.ranks(&[key])?[0])
    }
}

/// Solves a game: computes the value and the best move of every position that can be reached.
///
/// `store` is the URL of the store for the positions, such as `memory:`, `sqlite:FILE` or
/// `file:DIRECTORY`. With `resume`, work that was stopped is resumed. `memory_limit` is the RAM in
/// bytes for positions and values; anything beyond it stays in the store. Ctrl-C commits the work
/// and stops.
///
/// Raises StoreError; SolveError if the rules break a requirement, with the position that shows it;
/// and whatever the functions of the game raise.
///
/// >>> import numpy as np
/// >>> from everyply import solver
/// >>> def children(keys):
/// ...     places = np.flatnonzero(keys)
/// ...     return places, np.ones_like(places), keys[places] - np.uint64(1)
/// >>> game = solver.Game(
/// ...     "one stone at a time from 5", start=5, key_bits=3, children=children,
/// ...     ranks=lambda keys: keys, values=lambda keys: np.full(len(keys), -1))
/// >>> solution = solver.solve(game)
/// >>> solution.value, solution.positions
/// (1, 6)
#[pyfunction]
#[pyo3(signature = (game, store="memory:", *, resume=false, memory_limit=1_073_741_824))]
fn solve(
    py: Python<'_>,
    game: Py<Game>,
    store: &str,
    resume: bool,
    memory_limit: usize,
) -> PyResult<Solution> {
    let rules = &game.get().rules;
    let header = Header::of(rules);
    let access = if resume { Access::Resume(header) } else { Access::Create(header) };
    let limits = Limits { memory: memory_limit, ..Limits::default() };
    let mut signal = None;
    let solved = threads::detach(py, || {
        let mut opened = stores::open(store, access)?;
        ::solver::solve(rules, &mut *opened, &limits, &mut |_| heed(&mut signal))?;
        Ok::<_, Failure>(opened)
    });
    let opened = match (solved, signal) {
        (Err(Failure::Stopped), Some(signal)) => return Err(signal),
        (Err(error), _) => return Err(game.get().raise(error)),
        (Ok(opened), _) => opened,
    };
    // A store that is not in memory is opened for reading, so that others may write there again.
    if store == "memory:" {
        return Solution::new(py, game, opened, store);
    }
    drop(opened);
    open(py, game, store)
}

/// Opens a store in which a game was solved.
///
/// Raises StoreError if there is none, or if it holds another game.
///
/// >>> import tempfile
/// >>> import numpy as np
/// >>> from everyply import solver
/// >>> def children(keys):
/// ...     places = np.flatnonzero(keys)
/// ...     return places, np.ones_like(places), keys[places] - np.uint64(1)
/// >>> game = solver.Game(
/// ...     "one stone at a time from 5", start=5, key_bits=3, children=children,
/// ...     ranks=lambda keys: keys, values=lambda keys: np.full(len(keys), -1))
/// >>> with tempfile.TemporaryDirectory() as directory:
/// ...     solved = solver.solve(game, f"file:{directory}/stones")
/// ...     solver.open(game, f"file:{directory}/stones").values([4, 5])
/// array([-1,  1], dtype=int16)
#[pyfunction]
#[pyo3(signature = (game, store))]
fn open(py: Python<'_>, game: Py<Game>, store: &str) -> PyResult<Solution> {
    let opened = threads::detach(py, || stores::open(store, Access::Read));
    let opened = opened.map_err(|error| error.raise_at(""))?;
    let (found, wanted) = (&opened.state().header, Header::of(&game.get().rules));
    if *found != wanted {
        let (place, found) = (stores::shown(store), found.game.clone());
        let error = ::solver::StoreError::Game { place, found, wanted: wanted.game };
        return Err(error.raise_at(""));
    }
    if !is_solved(&*opened) {
        let place = stores::shown(store);
        return Err(SolveError::new_err(format!("{place} is not solved completely; resume it")));
    }
    Solution::new(py, game, opened, store)
}

/// A solved game.
#[pyclass(frozen, module = "everyply.solver")]
pub(crate) struct Solution {
    /// The game.
    #[pyo3(get)]
    game: Py<Game>,
    first: Verdict,
    positions: u64,
    url: String,
    store: Mutex<Box<dyn Store>>,
}

impl Solution {
    fn new(
        py: Python<'_>,
        game: Py<Game>,
        mut store: Box<dyn Store>,
        url: &str,
    ) -> PyResult<Solution> {
        let inner = game.get();
        let found = threads::detach(py, || {
            let key = Key(inner.start().into());
            let rank = inner.rank(key)?;
            let row = get(&mut *store, rank, key)?.and_then(|row| row.verdict);
            let first = row.ok_or(Failure::Hole { rank, key: key.0 })?;
            Ok((first, ::solver::count(&mut *store)?))
        });
        let (first, positions) = found.map_err(|error| inner.raise(error))?;
        Ok(Solution { game, first, positions, url: url.to_owned(), store: Mutex::new(store) })
    }

    /// A panic in another thread does not damage a store that is only read.
    fn store(&self) -> MutexGuard<'_, Box<dyn Store>> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `work` while other Python threads run.
    fn ask<R: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&Game, &mut dyn Store) -> Result<R, Asked> + Send,
    ) -> PyResult<R> {
        let game = self.game.get();
        let asked = threads::detach(py, || work(game, &mut **self.store()));
        asked.map_err(|error| match error {
            Asked::Failed(error) => game.raise(error),
            Asked::Unknown(key) => UnknownPosition::new_err(format!(
                "{key} ({key:#x}) cannot be reached in {}",
                game.name()
            )),
        })
    }
}

/// Why a question has no answer.
enum Asked {
    Failed(Failure),
    Unknown(u128),
}

impl<E: Into<Failure>> From<E> for Asked {
    fn from(error: E) -> Asked {
        Asked::Failed(error.into())
    }
}

fn verdict(game: &Game, store: &mut dyn Store, key: Key) -> Result<Verdict, Asked> {
    Ok(verdicts(game, store, &[key])?[0])
}

/// The verdicts on some positions, looked up rank by rank.
fn verdicts(game: &Game, store: &mut dyn Store, keys: &[Key]) -> Result<Vec<Verdict>, Asked> {
    let ranks = game.rules.ranks(keys)?.into_iter();
    let mut order: Vec<_> =
        ranks.zip(keys).zip(0_usize..).map(|((rank, key), at)| (rank, *key, at)).collect();
    order.sort_unstable();
    let mut verdicts = vec![Verdict::over(Score(0)); keys.len()];
    for of_rank in order.chunk_by(|one, other| one.0 == other.0) {
        let mut wanted: Vec<Key> = of_rank.iter().map(|(_, key, _)| *key).collect();
        wanted.dedup();
        let mut rows = Vec::new();
        store.find(of_rank[0].0, &wanted, &mut rows)?;
        for (_, key, at) in of_rank {
            let row = wanted.binary_search(key).ok().and_then(|place| rows[place]);
            verdicts[*at] = row.and_then(|row| row.verdict).ok_or(Asked::Unknown(key.0))?;
        }
    }
    Ok(verdicts)
}

#[pymethods]
impl Solution {
    /// The value: the points of the side that moves first less those of the other, with best play.
    #[getter]
    fn value(&self) -> i16 {
        self.first.score.0
    }

    /// The best first move.
    #[getter]
    fn best(&self) -> Option<u16> {
        self.first.best.map(|mv| mv.0)
    }

    /// The plies to the end of the game with best play: the side that is ahead, or even, takes the
    /// shortest way and the side that is behind the longest. None if the store was solved by an
    /// earlier version, which did not keep it.
    #[getter]
    fn remoteness(&self) -> Option<u16> {
        self.first.remoteness
    }

    /// The number of positions that can be reached.
    #[getter]
    fn positions(&self) -> u64 {
        self.positions
    }

    /// The URL of its store, without any password.
    #[getter(store)]
    fn url(&self) -> String {
        stores::shown(&self.url)
    }

    /// The values of some positions for the side to move, as an array.
    ///
    /// Raises UnknownPosition for a key that cannot be reached.
    fn values<'py>(
        &self,
        py: Python<'py>,
        keys: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<i16>>> {
        let keys = input::integers::<u64>(keys, "keys", None)?;
        let keys: Vec<Key> = keys.into_iter().map(|key| Key(key.into())).collect();
        let found = self.ask(py, |game, store| verdicts(game, store, &keys))?;
        let values = found.iter().map(|verdict| verdict.score.0).collect();
        Ok(PyArray1::from_vec(py, values))
    }

    /// The moves of a position, best first; those of the first position without an argument.
    #[pyo3(signature = (key=None))]
    fn moves(&self, py: Python<'_>, key: Option<u64>) -> PyResult<Vec<Move>> {
        let key = Key(key.unwrap_or(self.game.get().start()).into());
        self.ask(py, |game, store| {
            let own = verdict(game, store, key)?;
            let edges = game.rules.edges(&[key])?;
            let after = verdicts(game, store, &edges.to)?;
            let mut moves = Vec::new();
            for (at, after) in after.iter().enumerate() {
                let edge = edges.get(at);
                let worth = match Score::new(edge.worth(after.score)) {
                    Ok(worth) => worth,
                    Err(error) => {
                        let rank = game.rank(key)?;
                        let error = error.into();
                        return Err(Failure::Score { rank, key: key.0, error }.into());
                    }
                };
                let remoteness = after.remoteness.map(|plies| u32::from(plies) + 1);
                let is_best = own.best == Some(edge.mv);
                moves.push(Move::new(key, &edge, worth, remoteness, is_best));
            }
            moves.sort_by_key(|mv| (std::cmp::Reverse(mv.value), !mv.best));
            Ok(moves)
        })
    }

    /// Best play from a position to the end; from the first position without an argument.
    #[pyo3(signature = (key=None))]
    fn line(&self, py: Python<'_>, key: Option<u64>) -> PyResult<Vec<Move>> {
        let mut key = Key(key.unwrap_or(self.game.get().start()).into());
        self.ask(py, |game, store| {
            let mut line = Vec::new();
            loop {
                let Verdict { score, best, remoteness } = verdict(game, store, key)?;
                let Some(best) = best else { return Ok(line) };
                let edges = game.rules.edges(&[key])?;
                let played = (0..edges.len()).map(|at| edges.get(at)).find(|edge| edge.mv == best);
                let Some(edge) = played else {
                    let rank = game.rank(key)?;
                    return Err(Failure::Hole { rank, key: key.0 }.into());
                };
                line.push(Move::new(key, &edge, score, remoteness.map(u32::from), true));
                key = edge.to;
            }
        })
    }

    /// Computes values again from those of the positions that follow, and returns how many were
    /// checked: all of them, or a `sample` of so many, chosen by `seed`.
    ///
    /// Raises SolveError with the first position that is wrong or missing.
    #[pyo3(signature = (sample=None, *, seed=0))]
    fn verify(&self, py: Python<'_>, sample: Option<u64>, seed: u64) -> PyResult<u64> {
        let sample = sample.map_or(Sample::All, |rows| Sample::Some { rows, seed });
        let mut signal = None;
        let report = self.ask(py, |game, store| {
            let limits = Limits::default();
            let heeded = &mut |_, _| -> Next { heed(&mut signal) };
            Ok(::solver::verify(&game.rules, store, sample, &limits, heeded)?)
        });
        if let Some(signal) = signal {
            return Err(signal);
        }
        let report = report?;
        match report.faults.first() {
            None => Ok(report.checked),
            Some(fault) => {
                let (wrong, rank) = (report.wrong, fault.rank());
                let key = rules::place_of(fault);
                let words = format!("{wrong} positions are wrong; the first has rank {rank}{key}");
                Err(SolveError::new_err(words))
            }
        }
    }

    fn __repr__(&self) -> String {
        let best = self.best().map_or("None".to_owned(), |best| best.to_string());
        format!(
            "Solution({}: value {}, best {best}, {} positions in {})",
            self.game.get().name(),
            self.value(),
            self.positions,
            self.url()
        )
    }
}

/// A move of a position.
#[pyclass(frozen, get_all, module = "everyply.solver")]
pub(crate) struct Move {
    /// The position it is made in.
    before: u64,
    /// Its number.
    number: u16,
    /// The position after it, seen from the side that moves next.
    after: u64,
    /// The points that the mover scores with it.
    gain: i16,
    /// Whether the same side moves again.
    again: bool,
    /// Its value for the mover, with best play after it.
    value: i16,
    /// The plies to the end with best play after it, this move included; None if the store was
    /// solved by an earlier version, which did not keep them.
    remoteness: Option<u32>,
    /// Whether it is the best move. Of moves that are equal in value and remoteness, the first is
    /// the best.
    best: bool,
}

impl Move {
    fn new(
        before: Key,
        edge: &Edge<Key>,
        value: Score,
        remoteness: Option<u32>,
        best: bool,
    ) -> Move {
        Move {
            before: before.0 as u64,
            number: edge.mv.0,
            after: edge.to.0 as u64,
            gain: edge.gain.0,
            again: edge.turn == Turn::Keeps,
            value: value.0,
            remoteness,
            best,
        }
    }
}

#[pymethods]
impl Move {
    fn __repr__(&self) -> String {
        let Move { before, number, after, value, .. } = self;
        format!("Move({number}: {before} to {after}, value {value})")
    }
}
