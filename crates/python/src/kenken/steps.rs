//! Deductions in words.

use ::kenken::{Digits, Explainer, Limits, Next};
use pyo3::prelude::*;

use super::{Unsettled, bounds, level, puzzle::Asked};
use crate::error::{Raise, refuse};

/// One deduction.
#[pyclass(frozen, get_all, module = "everyply.kenken")]
#[derive(Clone)]
pub(crate) struct Step {
    /// Its rule.
    rule: &'static str,
    /// The number of the cage it uses, if it uses one.
    cage: Option<usize>,
    /// The cells it follows from, in row-major order from 0.
    because: Vec<u16>,
    /// The candidates it removes: cells, each with its digits.
    removed: Vec<(u16, Vec<u64>)>,
    /// The cells it leaves with one candidate, and that digit.
    placed: Vec<(u16, u8)>,
    /// The deduction in words.
    text: String,
}

#[pymethods]
impl Step {
    fn __str__(&self) -> String {
        self.text.clone()
    }

    fn __repr__(&self) -> String {
        format!("Step({}: {})", self.rule, self.text)
    }
}

/// Deductions in order, and why they end.
#[pyclass(frozen, get_all, module = "everyply.kenken")]
pub(crate) struct Explanation {
    /// The deductions.
    steps: Vec<Step>,
    /// `solved`, `stuck` (no rule of this level applies), `contradiction`, or `unsettled` (a limit
    /// was reached).
    end: &'static str,
}

#[pymethods]
impl Explanation {
    fn __repr__(&self) -> String {
        format!("Explanation({} steps, {})", self.steps.len(), self.end)
    }
}

/// The next deduction, with the simplest rule that applies. None if there is none; `explain` then
/// says why.
///
/// `grid` holds the digits that are already filled in: rows of digits, with None or a negative
/// number for an empty cell. `level` is the hardest level of rules to use. `nodes` limits the
/// number of guesses, and `time_limit` the time in seconds. None means no limit, and so does a
/// `time_limit` of 0. Raises Fault if digits of `grid` are wrong, and names them. Raises Unsettled
/// if a limit is reached first.
///
/// >>> from everyply import kenken
/// >>> puzzle = "4:_a_7a4_a3,a4a5s1s1d2d2m4m6"
/// >>> step = kenken.hint(puzzle, [[3, None, None, 2], [1] + [None] * 3, [None] * 4, [None] * 4])
/// >>> step.rule
/// 'naked single'
/// >>> print(step)
/// row 1 already has 2 and 3 (in r1c1 and r1c4), so r1c2 and r1c3 cannot be 2 or 3
/// >>> kenken.hint(puzzle, [[4, None, None, 2]] + [[None] * 4] * 3)
/// Traceback (most recent call last):
///     ...
/// everyply.kenken.Fault: grid: wrong: 4 in r1c1
#[pyfunction]
#[pyo3(signature = (puzzle, grid=None, *, level="unreasonable", nodes=None, time_limit=Some(10.0)))]
#[pyo3(
    text_signature = "(puzzle, grid=None, *, level='unreasonable', nodes=None, time_limit=10.0)"
)]
pub(super) fn hint(
    py: Python<'_>,
    puzzle: Asked,
    grid: Option<&Bound<'_, PyAny>>,
    level: &str,
    nodes: Option<u64>,
    time_limit: Option<f64>,
) -> PyResult<Option<Step>> {
    let mut found = deduce(py, &puzzle.0, grid, level, bounds(nodes, time_limit)?, 1)?;
    match found.end {
        UNSETTLED => Err(Unsettled::new_err("no step found within the limits")),
        _ => Ok(found.steps.pop()),
    }
}

/// All deductions with the rules of a level, until none applies.
///
/// The arguments are those of `hint`. If a limit is reached, `end` says so.
///
/// >>> from everyply import kenken
/// >>> explanation = kenken.explain("4:_a_7a4_a3,a4a5s1s1d2d2m4m6", level="easy")
/// >>> explanation.end, explanation.steps[4].text
/// ('solved', 'in row 3 the digit 3 fits only r3c2')
#[pyfunction]
#[pyo3(signature = (puzzle, grid=None, *, level="unreasonable", nodes=None, time_limit=Some(10.0)))]
#[pyo3(
    text_signature = "(puzzle, grid=None, *, level='unreasonable', nodes=None, time_limit=10.0)"
)]
pub(super) fn explain(
    py: Python<'_>,
    puzzle: Asked,
    grid: Option<&Bound<'_, PyAny>>,
    level: &str,
    nodes: Option<u64>,
    time_limit: Option<f64>,
) -> PyResult<Explanation> {
    deduce(py, &puzzle.0, grid, level, bounds(nodes, time_limit)?, usize::MAX)
}

/// How an explanation ends that met a limit.
const UNSETTLED: &str = "unsettled";

fn deduce(
    py: Python<'_>,
    puzzle: &::kenken::Puzzle,
    grid: Option<&Bound<'_, PyAny>>,
    name: &str,
    bounds: Limits,
    most: usize,
) -> PyResult<Explanation> {
    let (steps, end) = deduced(py, puzzle, grid, name, bounds, most)?;
    let end = match end {
        Next::Stuck | Next::Step(_) => "stuck",
        Next::Solved => "solved",
        Next::Contradiction => "contradiction",
        Next::Unsettled => UNSETTLED,
    };
    let steps = steps.into_iter().map(|step| shown(puzzle, step)).collect();
    Ok(Explanation { steps, end })
}

/// At most this many deductions, and the result after them.
pub(crate) fn deduced(
    py: Python<'_>,
    puzzle: &::kenken::Puzzle,
    grid: Option<&Bound<'_, PyAny>>,
    name: &str,
    bounds: Limits,
    most: usize,
) -> PyResult<(Vec<::kenken::Step>, Next)> {
    let level = level(name)?;
    let notes = grid.map(|grid| notes(puzzle, grid)).transpose()?;
    if let Some(notes) = &notes {
        match py.detach(|| ::kenken::check_notes(puzzle, notes, &bounds)) {
            Some(checked) => checked.map_err(|fault| fault.raise_at("grid: "))?,
            None => return Ok((Vec::new(), Next::Unsettled)),
        }
    }
    Ok(py.detach(|| {
        let mut explainer = match &notes {
            None => Explainer::new(puzzle),
            Some(notes) => Explainer::from_notes(puzzle, notes),
        }
        .within(bounds);
        let mut steps = Vec::new();
        while steps.len() < most {
            match explainer.next(level) {
                Next::Step(step) => steps.push(step),
                end => return (steps, end),
            }
        }
        (steps, Next::Stuck)
    }))
}

fn shown(puzzle: &::kenken::Puzzle, step: ::kenken::Step) -> Step {
    let lowest = puzzle.rules().lowest_digit();
    let digits = |digits: Digits| digits.ranks().map(|rank| rank as u64 + lowest).collect();
    Step {
        rule: step.rule.name(),
        cage: step.cage,
        because: step.because.iter().map(|cell| cell.0).collect(),
        removed: step.removed.iter().map(|&(cell, set)| (cell.0, digits(set))).collect(),
        placed: step.placed.iter().map(|&(cell, digit)| (cell.0, digit)).collect(),
        text: step.text,
    }
}

/// The candidates of a partly filled grid.
fn notes(puzzle: &::kenken::Puzzle, grid: &Bound<'_, PyAny>) -> PyResult<Vec<Digits>> {
    let side = puzzle.size().side();
    let lowest = puzzle.rules().lowest_digit() as i64;
    let mut notes = Vec::with_capacity(side * side);
    for (row, cells) in grid.try_iter()?.enumerate() {
        let start = notes.len();
        for cell in cells?.try_iter()? {
            let digit: Option<i64> = cell?.extract()?;
            notes.push(match digit.filter(|&digit| digit >= 0) {
                None => puzzle.size().digits(),
                Some(digit) if (lowest..lowest + side as i64).contains(&digit) => {
                    Digits::one((digit - lowest) as usize)
                }
                Some(digit) => {
                    return Err(refuse(format!(
                        "grid[{row}]: {digit} is not a digit of this grid"
                    )));
                }
            });
        }
        let found = notes.len() - start;
        if found != side {
            return Err(refuse(format!("grid[{row}]: {found} cells, expected {side}")));
        }
    }
    if notes.len() != side * side {
        let found = notes.len() / side;
        return Err(refuse(format!("grid: {found} rows, expected {side}")));
    }
    Ok(notes)
}
