//! Puzzles for Python.

use ::kenken::{drawing, json, keen, svg};
use pyo3::{prelude::*, types::PyString};

use crate::error::Raise;

/// A puzzle, read from a game ID, from JSON or from a drawing.
///
/// Raises KeenError, JsonError or DrawingError where the text is none of them.
///
/// >>> from everyply import kenken
/// >>> puzzle = kenken.Puzzle("4:_a_7a4_a3,a4a5s1s1d2d2m4m6")
/// >>> puzzle.size, len(puzzle.cages)
/// (4, 8)
/// >>> puzzle.cages[0]
/// ('+', 4, [0, 4])
/// >>> kenken.Puzzle(puzzle.json()) == puzzle
/// True
#[pyclass(frozen, eq, hash, module = "everyply.kenken")]
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Puzzle(pub(crate) ::kenken::Puzzle);

#[pymethods]
impl Puzzle {
    #[new]
    fn new(text: &str) -> PyResult<Puzzle> {
        parse(text, "").map(Puzzle)
    }

    /// Cells along one side.
    #[getter]
    fn size(&self) -> usize {
        self.0.size().side()
    }

    /// The cages: the sign of the operator (one of + - * / = ?), the target, and the cells in
    /// reading order from 0.
    #[getter]
    fn cages(&self) -> Vec<(char, u64, Vec<u16>)> {
        let cells = |cells: &[::kenken::Cell]| cells.iter().map(|cell| cell.0).collect();
        let cages = self.0.cages();
        cages.map(|c| (c.clue.operator.sign(), c.clue.target, cells(c.cells))).collect()
    }

    /// Whether its digits start from 0.
    #[getter]
    fn zero(&self) -> bool {
        self.0.rules().zero
    }

    /// Its game ID; raises NotKeen if it has none.
    fn game_id(&self) -> PyResult<String> {
        keen::print(&self.0).map_err(|error| error.raise_at(""))
    }

    /// The puzzle as a JSON object.
    fn json(&self) -> String {
        json::print(&self.0, None, None)
    }

    /// The puzzle as a drawing that can be typed and read again.
    fn drawing(&self) -> String {
        drawing::print(&self.0)
    }

    /// The puzzle as SVG.
    fn svg(&self) -> String {
        svg::draw(&self.0, None)
    }

    /// The puzzle drawn with boxes.
    fn __str__(&self) -> String {
        drawing::boxes(&self.0, None)
    }

    pub(super) fn __repr__(&self) -> String {
        match keen::print(&self.0) {
            Ok(id) => format!("Puzzle('{id}')"),
            Err(_) => format!("Puzzle('{}')", self.json()),
        }
    }

    /// Pickles as its JSON.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> (Bound<'py, PyAny>, (String,)) {
        (slf.get_type().into_any(), (slf.get().json(),))
    }
}

/// An argument that is a puzzle or the text of one.
pub(crate) struct Asked(pub(crate) ::kenken::Puzzle);

impl<'py> FromPyObject<'_, 'py> for Asked {
    type Error = PyErr;

    fn extract(argument: Borrowed<'_, 'py, PyAny>) -> PyResult<Asked> {
        asked(&argument, "puzzle: ").map(Asked)
    }
}

/// The puzzle that an argument is or says.
pub(crate) fn asked(argument: &Bound<'_, PyAny>, place: &str) -> PyResult<::kenken::Puzzle> {
    match argument.cast::<Puzzle>() {
        Ok(puzzle) => Ok(puzzle.get().0.clone()),
        Err(_) => parse(argument.cast::<PyString>()?.to_str()?, place),
    }
}

/// Reads a puzzle in whatever format it is in.
fn parse(text: &str, place: &str) -> PyResult<::kenken::Puzzle> {
    let mut lines = text.lines().map(str::trim);
    match lines.find(|line| !line.is_empty() && !line.starts_with('#')) {
        Some(line) if line.starts_with('{') => {
            json::parse(text).map(|read| read.puzzle).map_err(|error| error.raise_at(place))
        }
        Some(line) if line.contains(':') => {
            keen::parse(text.trim()).map_err(|error| error.raise_at(place))
        }
        _ => drawing::parse(text).map_err(|error| error.raise_at(place)),
    }
}
