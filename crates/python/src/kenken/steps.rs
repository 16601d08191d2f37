//! Deductions in words.

use ::kenken::{Attempt, Digits, Explainer, Fault, Hint, Limits, Next};
use pyo3::prelude::*;

use super::{Unsettled, bounds, grid::attempt, puzzle::Asked};
use crate::error::Raise;

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
    /// The grid after it, with its pencil marks, as text that `hint` reads.
    grid: String,
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
/// `grid` is a half-filled grid: rows of cells, each a digit, None or a negative number for an empty
/// cell, or a list of pencil marks. It can also be text, as `Step.grid` is: `3[14].2/1.../..../....`.
/// A cell without marks can still be every digit that its row and column do not have. `level` is the
/// hardest level of rules to use. `nodes` limits the number of guesses, and `time_limit` the time in
/// seconds. None means no limit, and so does a `time_limit` of 0. Raises Fault if digits or marks of
/// `grid` are wrong, and names them. Raises Unsettled if a limit is reached first.
///
/// >>> from everyply import kenken
/// >>> puzzle = "4:_a_7a4_a3,a4a5s1s1d2d2m4m6"
/// >>> step = kenken.hint(puzzle, [[3, [1, 4], None, 2], [1] + [None] * 3, [None] * 4, [None] * 4])
/// >>> step.rule
/// 'cage digits'
/// >>> kenken.hint(puzzle, [[4, None, None, 2]] + [[None] * 4] * 3)
/// Traceback (most recent call last):
///     ...
/// everyply.kenken.Fault: grid: wrong: 4 in r1c1
/// >>> grid = None
/// >>> while step := kenken.hint(puzzle, grid):
/// ...     grid = step.grid
/// >>> grid
/// '3142/1423/2314/4231'
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
    let attempt = attempt(&puzzle.0, grid)?;
    let hints = hints(py, attempt.clone(), Some(1), level, bounds(nodes, time_limit)?)?;
    Ok(hints.into_iter().next().map(|step| shown(attempt, step)))
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
    let limits = bounds(nodes, time_limit)?;
    let level = super::level(level)?;
    let start = attempt(&puzzle.0, grid)?;
    let (steps, end) = py.detach(|| {
        if start.wrong(&limits).is_none() {
            return Ok((Vec::new(), "unsettled"));
        }
        refuse_wrong(&start, &limits)?;
        let mut explainer = Explainer::from_notes(&puzzle.0, &start.candidates()).within(limits);
        let mut steps = Vec::new();
        loop {
            let end = match explainer.next(level) {
                Next::Step(step) => {
                    steps.push(step);
                    continue;
                }
                Next::Stuck => "stuck",
                Next::Solved => "solved",
                Next::Contradiction => "contradiction",
                Next::Unsettled => "unsettled",
            };
            return Ok::<_, PyErr>((steps, end));
        }
    })?;
    let mut now = start;
    let steps = steps.into_iter().map(|step| {
        let before = now.clone();
        now.apply(&step);
        shown(before, step)
    });
    Ok(Explanation { steps: steps.collect(), end })
}

/// The deductions of a half-filled grid: so many, or up to the next digit. Raises if there is
/// something wrong in the grid or a limit is reached.
pub(crate) fn hints(
    py: Python<'_>,
    mut attempt: Attempt<'_>,
    steps: Option<usize>,
    level: &str,
    limits: Limits,
) -> PyResult<Vec<::kenken::Step>> {
    let level = super::level(level)?;
    py.detach(|| {
        let mut found = Vec::new();
        while steps.is_none_or(|steps| found.len() < steps) {
            match attempt.hint(level, &limits) {
                Hint::Deduction(deduction) => {
                    attempt.follow(&deduction);
                    let is_digit = !deduction.follows.placed.is_empty();
                    found.push(deduction.follows);
                    if steps.is_none() && is_digit {
                        break;
                    }
                }
                Hint::Wrong(wrong) => {
                    let fault = Fault::Notes { notes: wrong.text };
                    return Err(fault.raise_at("grid: "));
                }
                Hint::Unsettled => {
                    return Err(Unsettled::new_err("no step found within the limits"));
                }
                Hint::Solved | Hint::Stuck | Hint::NoSolution => break,
            }
        }
        Ok(found)
    })
}

fn refuse_wrong(attempt: &Attempt<'_>, limits: &Limits) -> PyResult<()> {
    match attempt.wrong(limits) {
        Some(wrong) if !wrong.is_empty() => {
            Err(Fault::Notes { notes: wrong.text }.raise_at("grid: "))
        }
        _ => Ok(()),
    }
}

/// A deduction, and the grid after it.
fn shown(before: Attempt<'_>, step: ::kenken::Step) -> Step {
    let lowest = before.puzzle().rules().lowest_digit();
    let digits = |digits: Digits| digits.ranks().map(|rank| rank as u64 + lowest).collect();
    let mut after = before;
    after.apply(&step);
    Step {
        rule: step.rule.name(),
        cage: step.cage,
        because: step.because.iter().map(|cell| cell.0).collect(),
        removed: step.removed.iter().map(|&(cell, set)| (cell.0, digits(set))).collect(),
        placed: step.placed.iter().map(|&(cell, digit)| (cell.0, digit)).collect(),
        text: step.text,
        grid: after.to_string(),
    }
}
