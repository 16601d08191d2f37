//! Half-filled grids from Python.

use ::kenken::{Attempt, AttemptError, Puzzle};
use pyo3::{prelude::*, types::PyString};

use crate::error::refuse;

/// A half-filled grid: text, or rows of cells. Each cell is a digit, None or a negative number if it
/// is empty, or a list of pencil marks.
pub(crate) fn attempt<'a>(
    puzzle: &'a Puzzle,
    grid: Option<&Bound<'_, PyAny>>,
) -> PyResult<Attempt<'a>> {
    let Some(grid) = grid else { return Ok(Attempt::new(puzzle)) };
    if let Ok(text) = grid.cast::<PyString>() {
        return Attempt::parse(puzzle, text.to_str()?).map_err(refuse_grid);
    }
    let side = puzzle.size().side();
    let (mut digits, mut marks) = (Vec::new(), Vec::new());
    for (row, cells) in grid.try_iter()?.enumerate() {
        let start = digits.len();
        for cell in cells?.try_iter()? {
            let cell = cell?;
            match cell.extract::<Option<i64>>() {
                Ok(digit) => {
                    digits.push(digit.filter(|&digit| digit >= 0).map(small));
                    marks.push(Vec::new());
                }
                // It is no number, so it must be a list of them.
                Err(error) => {
                    let Ok(cells) = cell.try_iter() else { return Err(error) };
                    let noted = cells.map(|mark| Ok(small(mark?.extract()?)));
                    digits.push(None);
                    marks.push(noted.collect::<PyResult<_>>()?);
                }
            }
        }
        let found = digits.len() - start;
        if found != side {
            return Err(refuse(format!("grid[{row}]: {found} cells, expected {side}")));
        }
    }
    if digits.len() != side * side {
        let found = digits.len() / side;
        return Err(refuse(format!("grid: {found} rows, expected {side}")));
    }
    Attempt::from_parts(puzzle, &digits, &marks).map_err(refuse_grid)
}

fn refuse_grid(error: AttemptError) -> PyErr {
    refuse(format!("grid: {error}"))
}

/// A number as a digit. No grid has a digit that large, so an error names it.
fn small(digit: i64) -> u8 {
    u8::try_from(digit).unwrap_or(u8::MAX)
}
