//! `everyply.kenken`

#![expect(clippy::needless_pass_by_value, reason = "PyO3 hands arguments over by value")]

pub(crate) mod book;
pub(crate) mod grid;
pub(crate) mod make;
pub(crate) mod puzzle;
pub(crate) mod steps;

use std::time::Instant;

use ::kenken::{Level, Limits, Size, Solution, Solver};
use numpy::{PyArray2, ndarray::Array2};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::{
    error::{Error, Raise, exceptions, refuse},
    limits, threads,
};
use puzzle::{Asked, items};

exceptions! {
    kenken.KeenError from ::kenken::keen::KeenError, "A text that is not a game ID.";
    kenken.JsonError from ::kenken::json::JsonError, "A text that is not a puzzle in JSON.";
    kenken.DrawingError from ::kenken::drawing::DrawingError, "A text that is not a drawing of a \
        puzzle.";
    kenken.NotKeen from ::kenken::keen::NotKeen, "A puzzle that a game ID cannot express.";
    kenken.GenerateError from ::kenken::GenerateError, "A recipe for which no puzzle was found.";
    kenken.Fault from ::kenken::Fault, "A filled grid that does not solve the puzzle.";
}

pyo3::create_exception!(
    everyply.kenken,
    Unsettled,
    Error,
    "A limit was reached before there was an answer."
);

/// KenKen: solve, count, grade, explain and generate puzzles.
#[pymodule(name = "kenken", submodule)]
pub(crate) mod module {
    #[pymodule_export]
    use super::{
        Count, DrawingError, Fault, GenerateError, JsonError, KeenError, NotKeen, Unsettled, check,
        count, count_all, grade, solutions, solve,
    };
    #[pymodule_export]
    use crate::kenken::{
        book::{Book, book},
        make::{Generated, generate, generate_batch, make_unique, minimise},
        puzzle::Puzzle,
        steps::{Explanation, Step, explain, hint},
    };
}

/// The solution of a puzzle, as a square array of digits; None if there is none.
///
/// A puzzle is a Puzzle or text: a game ID, JSON or a drawing. If it has several solutions, one of
/// them is returned; `count` finds out whether there are more. `nodes` limits the number of
/// guesses, and `time_limit` the time in seconds. None means no limit, and so does a `time_limit`
/// of 0. Raises Unsettled if a limit is reached first.
///
/// >>> from everyply import kenken
/// >>> kenken.solve("4:_a_7a4_a3,a4a5s1s1d2d2m4m6")
/// array([[3, 1, 4, 2],
///        [1, 4, 2, 3],
///        [2, 3, 1, 4],
///        [4, 2, 3, 1]], dtype=uint8)
#[pyfunction]
#[pyo3(signature = (puzzle, *, nodes=None, time_limit=Some(10.0)))]
#[pyo3(text_signature = "(puzzle, *, nodes=None, time_limit=10.0)")]
fn solve<'py>(
    py: Python<'py>,
    puzzle: Asked,
    nodes: Option<u64>,
    time_limit: Option<f64>,
) -> PyResult<Option<Bound<'py, PyArray2<u8>>>> {
    let bounds = bounds(nodes, time_limit)?;
    let count = py.detach(|| Solver::new().count(&puzzle.0, 1, &bounds));
    match count.first {
        Some(solution) => Ok(Some(square(py, &solution))),
        None if count.complete => Ok(None),
        None => Err(Unsettled::new_err("no solution found within the limits")),
    }
}

/// The solutions of a puzzle, up to `most` of them, each as a square array of digits.
///
/// The other arguments are those of `solve`. Raises Unsettled if a limit is reached first.
///
/// >>> from everyply import kenken
/// >>> [grid.tolist() for grid in kenken.solutions("2:__b,a3a3")]
/// [[[1, 2], [2, 1]], [[2, 1], [1, 2]]]
#[pyfunction]
#[pyo3(signature = (puzzle, most=100, *, nodes=None, time_limit=Some(10.0)))]
#[pyo3(text_signature = "(puzzle, most=100, *, nodes=None, time_limit=10.0)")]
fn solutions<'py>(
    py: Python<'py>,
    puzzle: Asked,
    most: usize,
    nodes: Option<u64>,
    time_limit: Option<f64>,
) -> PyResult<Vec<Bound<'py, PyArray2<u8>>>> {
    let bounds = bounds(nodes, time_limit)?;
    let (found, complete) = py.detach(|| Solver::new().solutions(&puzzle.0, most, &bounds));
    if !complete {
        return Err(Unsettled::new_err("not all solutions were found within the limits"));
    }
    Ok(found.iter().map(|solution| square(py, solution)).collect())
}

/// Counts solutions, up to `most`.
///
/// >>> from everyply import kenken
/// >>> found = kenken.count("2:__b,a3a3", most=10)
/// >>> found.solutions, found.complete, found.unique
/// (2, True, False)
#[pyfunction]
#[pyo3(signature = (puzzle, most=2, *, nodes=None, time_limit=Some(10.0)))]
#[pyo3(text_signature = "(puzzle, most=2, *, nodes=None, time_limit=10.0)")]
fn count(
    py: Python<'_>,
    puzzle: Asked,
    most: u64,
    nodes: Option<u64>,
    time_limit: Option<f64>,
) -> PyResult<Count> {
    let most = at_least_one(most)?;
    let bounds = bounds(nodes, time_limit)?;
    Ok(Count { found: py.detach(|| Solver::new().count(&puzzle.0, most, &bounds)), most })
}

/// Counts the solutions of many puzzles on all cores. The limits apply to each puzzle.
///
/// >>> from everyply import kenken
/// >>> [found.unique for found in kenken.count_all(["4:_a_7a4_a3,a4a5s1s1d2d2m4m6", "2:__b,a3a3"])]
/// [True, False]
#[pyfunction]
#[pyo3(signature = (puzzles, most=2, *, nodes=None, time_limit=Some(10.0)))]
#[pyo3(text_signature = "(puzzles, most=2, *, nodes=None, time_limit=10.0)")]
fn count_all(
    py: Python<'_>,
    puzzles: &Bound<'_, PyAny>,
    most: u64,
    nodes: Option<u64>,
    time_limit: Option<f64>,
) -> PyResult<Vec<Count>> {
    let most = at_least_one(most)?;
    bounds(nodes, time_limit)?;
    let puzzles = items(puzzles)?;
    threads::detach(py, || {
        let each = puzzles.par_iter().map_init(Solver::new, |solver, item| {
            Ok(Count { found: solver.count(&item.puzzle, most, &bounds(nodes, time_limit)?), most })
        });
        each.collect()
    })
}

/// A count of solutions.
#[pyclass(frozen, module = "everyply.kenken")]
pub(crate) struct Count {
    found: ::kenken::Count,
    most: u64,
}

#[pymethods]
impl Count {
    /// The number of solutions found, at most the number asked for.
    #[getter]
    fn solutions(&self) -> u64 {
        self.found.solutions
    }

    /// Whether no limit stopped the count.
    #[getter]
    fn complete(&self) -> bool {
        self.found.complete
    }

    /// Whether there is exactly one solution; None if a limit stopped the count first.
    #[getter]
    fn unique(&self) -> Option<bool> {
        self.found.unique(self.most)
    }

    /// The first solution found.
    #[getter]
    fn first<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray2<u8>>> {
        self.found.first.as_ref().map(|solution| square(py, solution))
    }

    /// The number of guesses and conflicts.
    #[getter]
    fn nodes(&self) -> u64 {
        self.found.statistics.nodes + self.found.statistics.conflicts
    }

    fn __repr__(&self) -> String {
        let said = |flag| if flag { "True" } else { "False" };
        format!("Count(solutions={}, complete={})", self.solutions(), said(self.complete()))
    }
}

/// The level of a puzzle: `easy`, `normal`, `hard`, `extreme` or `unreasonable`. If it has no
/// level, the reason: `no solution`, `many solutions`, or `unknown` if a limit was reached first.
///
/// >>> from everyply import kenken
/// >>> kenken.grade("4:_a_7a4_a3,a4a5s1s1d2d2m4m6")
/// 'easy'
#[pyfunction]
#[pyo3(signature = (puzzle, *, nodes=None, time_limit=Some(10.0)))]
#[pyo3(text_signature = "(puzzle, *, nodes=None, time_limit=10.0)")]
fn grade(
    py: Python<'_>,
    puzzle: Asked,
    nodes: Option<u64>,
    time_limit: Option<f64>,
) -> PyResult<&'static str> {
    let bounds = bounds(nodes, time_limit)?;
    Ok(py.detach(|| ::kenken::grade(&puzzle.0, &bounds)).name())
}

/// Checks that a filled grid solves a puzzle; raises Fault if it does not.
///
/// >>> from everyply import kenken
/// >>> puzzle = kenken.Puzzle("4:_a_7a4_a3,a4a5s1s1d2d2m4m6")
/// >>> kenken.check(puzzle, kenken.solve(puzzle))
/// >>> kenken.check(puzzle, [[1, 1, 1, 1]] * 4)
/// Traceback (most recent call last):
///     ...
/// everyply.kenken.Fault: row 1: 1 appears twice
#[pyfunction]
fn check(puzzle: Asked, grid: &Bound<'_, PyAny>) -> PyResult<()> {
    let rows = grid.try_iter()?.map(|row| row?.try_iter()?.collect::<PyResult<Vec<_>>>());
    let rows = rows.collect::<PyResult<Vec<Vec<Bound<'_, PyAny>>>>>()?;
    let size = Size::new(rows.len()).filter(|size| rows.iter().all(|r| r.len() == size.side()));
    let size = size.ok_or_else(|| refuse("grid: expected a square of digits".to_owned()))?;
    let digits = rows.iter().flatten().map(|digit| {
        // No grid has a digit that large, so the error names it.
        digit.extract::<i64>().map(|digit| u8::try_from(digit).unwrap_or(u8::MAX))
    });
    let solution = Solution::new(size, digits.collect::<PyResult<_>>()?);
    ::kenken::check(&puzzle.0, &solution).map_err(|fault| fault.raise_at(""))
}

/// The digits of a grid as a NumPy array.
fn square<'py>(py: Python<'py>, solution: &Solution) -> Bound<'py, PyArray2<u8>> {
    let side = solution.size().side();
    let digits = solution.digits().to_vec();
    let square = Array2::from_shape_vec((side, side), digits).expect("a grid is a square");
    PyArray2::from_owned_array(py, square)
}

pub(crate) fn bounds(nodes: Option<u64>, time_limit: Option<f64>) -> PyResult<Limits> {
    let deadline = limits::time(time_limit)?.and_then(|limit| Instant::now().checked_add(limit));
    Ok(Limits { nodes, deadline })
}

pub(crate) fn at_least_one(most: u64) -> PyResult<u64> {
    if most == 0 {
        return Err(refuse("most 0, expected at least 1".to_owned()));
    }
    Ok(most)
}

pub(crate) fn level(name: &str) -> PyResult<Level> {
    Level::from_name(name).ok_or_else(|| {
        refuse(format!("level '{name}', expected easy, normal, hard, extreme or unreasonable"))
    })
}
