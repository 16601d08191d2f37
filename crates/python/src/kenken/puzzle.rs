//! Puzzles for Python.

use ::kenken::{Solution, drawing, json, keen, svg};
use pyo3::{
    prelude::*,
    types::{PyBytes, PyString},
};
use tables::kenken::id;

use super::grid::attempt;
use crate::error::{Raise, refuse};

/// A puzzle, read from a game ID, from JSON or from a drawing.
///
/// Raises KeenError, JsonError or DrawingError if the text is none of them.
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
    fn new(text: &Bound<'_, PyString>) -> PyResult<Puzzle> {
        asked(text, "").map(Puzzle)
    }

    /// The number of cells along one side.
    #[getter]
    fn size(&self) -> usize {
        self.0.size().side()
    }

    /// The cages: the operator (one of + - * / = ?), the target, and the cells in row-major order
    /// from 0.
    #[getter]
    fn cages(&self) -> Vec<(char, u64, Vec<u16>)> {
        let cells = |cells: &[::kenken::Cell]| cells.iter().map(|cell| cell.0).collect();
        let cages = self.0.cages();
        cages.map(|c| (c.clue.operator.sign(), c.clue.target, cells(c.cells))).collect()
    }

    /// Whether its digits start at 0.
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

    /// The puzzle as a drawing that can be read again.
    fn drawing(&self) -> String {
        drawing::print(&self.0)
    }

    /// The puzzle as SVG, with a half-filled grid as in `hint` if there is one.
    #[pyo3(signature = (grid=None))]
    fn svg(&self, grid: Option<&Bound<'_, PyAny>>) -> PyResult<String> {
        Ok(svg::draw_attempt(&attempt(&self.0, grid)?))
    }

    /// The picture of `svg` as PNG.
    #[pyo3(signature = (grid=None, width=640))]
    fn png<'py>(
        &self,
        py: Python<'py>,
        grid: Option<&Bound<'_, PyAny>>,
        width: u32,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let svg = self.svg(grid)?;
        let file = py.detach(|| pictures::png(&svg, pictures::Size::Width(width)));
        Ok(PyBytes::new(py, &file.map_err(|error| refuse(format!("width: {error}")))?))
    }

    /// The picture of `svg` as PDF.
    #[pyo3(signature = (grid=None))]
    fn pdf<'py>(
        &self,
        py: Python<'py>,
        grid: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let svg = self.svg(grid)?;
        let file = py.detach(|| pictures::pdf(&[&svg]));
        Ok(PyBytes::new(py, &file.map_err(|error| refuse(error.to_string()))?))
    }

    /// A half-filled grid, drawn with boxes.
    fn show(&self, grid: &Bound<'_, PyAny>) -> PyResult<String> {
        Ok(drawing::attempt_boxes(&attempt(&self.0, Some(grid))?))
    }

    /// The picture that a notebook shows.
    fn _repr_svg_(&self) -> String {
        svg::draw(&self.0, None)
    }

    /// The puzzle, drawn with boxes.
    fn __str__(&self) -> String {
        drawing::boxes(&self.0, None)
    }

    pub(super) fn __repr__(&self) -> String {
        match keen::print(&self.0) {
            Ok(id) => format!("Puzzle('{id}')"),
            Err(_) => format!("Puzzle('{}')", self.json()),
        }
    }

    /// A puzzle is pickled as JSON.
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
    item(argument, place, 1).map(|item| item.puzzle)
}

/// A puzzle, with its id and its given solution.
pub(crate) struct Item {
    /// The given id, else the game ID, else the number of the puzzle.
    pub(crate) id: String,
    pub(crate) puzzle: ::kenken::Puzzle,
    /// Not checked.
    pub(crate) solution: Option<Solution>,
}

/// The puzzles of an argument that is one puzzle or any iterable of them.
pub(crate) fn items(puzzles: &Bound<'_, PyAny>) -> PyResult<Vec<Item>> {
    if puzzles.is_instance_of::<Puzzle>() || puzzles.is_instance_of::<PyString>() {
        return Ok(vec![item(puzzles, "puzzles: ", 1)?]);
    }
    let puzzles = puzzles.try_iter()?.enumerate();
    let puzzles =
        puzzles.map(|(at, puzzle)| item(&puzzle?, &format!("puzzles[{at}]: "), at as u64 + 1));
    puzzles.collect()
}

/// The puzzle that an argument is or says, in whatever format, with what came with it.
fn item(argument: &Bound<'_, PyAny>, place: &str, number: u64) -> PyResult<Item> {
    let without = |puzzle| Item { id: id(&puzzle, number), puzzle, solution: None };
    if let Ok(puzzle) = argument.cast::<Puzzle>() {
        return Ok(without(puzzle.get().0.clone()));
    }
    let text = argument.cast::<PyString>()?.to_str()?;
    let mut lines = text.lines().map(str::trim);
    match lines.find(|line| !line.is_empty() && !line.starts_with('#')) {
        Some(line) if line.starts_with('{') => {
            let read = json::parse(text).map_err(|error| error.raise_at(place))?;
            let id = read.id.unwrap_or_else(|| id(&read.puzzle, number));
            Ok(Item { id, puzzle: read.puzzle, solution: read.solution })
        }
        Some(line) if line.contains(':') => {
            let puzzle = keen::parse(text.trim()).map_err(|error| error.raise_at(place))?;
            Ok(Item { id: text.trim().to_owned(), puzzle, solution: None })
        }
        _ => drawing::parse(text).map(without).map_err(|error| error.raise_at(place)),
    }
}
