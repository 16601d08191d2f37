//! Booklets for Python.

use ::kenken::{
    Generated, Level,
    sheet::{self, Layout, Paper, Solutions},
};
use pyo3::{
    prelude::*,
    types::{PyBytes, PyString},
};
use tables::kenken as table;

use super::make::{CAGES, OPERATORS, batch, recipe};
use crate::{error::refuse, table::Table};

/// A booklet of puzzles, with their solutions.
#[pyclass(frozen, module = "everyply.kenken")]
pub(crate) struct Book {
    puzzles: Vec<(Generated, Option<Level>)>,
    pages: Vec<String>,
}

#[pymethods]
impl Book {
    /// The pages as SVG.
    #[getter]
    fn pages(&self) -> Vec<String> {
        self.pages.clone()
    }

    /// The table `kenken.puzzles`: the puzzles with their solutions, in the order of their numbers.
    #[getter]
    fn puzzles(&self) -> Table {
        let rows = (1..).zip(&self.puzzles);
        let rows = rows.map(|(number, (made, level))| table::made(number, made, *level));
        Table::of_rows(&table::PUZZLES, rows)
    }

    /// The booklet as a PDF.
    fn pdf<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let pages: Vec<&str> = self.pages.iter().map(String::as_str).collect();
        let file =
            py.detach(|| pictures::pdf(&pages)).map_err(|error| refuse(error.to_string()))?;
        Ok(PyBytes::new(py, &file))
    }

    /// The pages as PNG, with `dpi` dots per inch.
    #[pyo3(signature = (dpi=150.0))]
    fn png<'py>(&self, py: Python<'py>, dpi: f32) -> PyResult<Vec<Bound<'py, PyBytes>>> {
        // A unit of SVG is a 96th of an inch.
        let size = pictures::Size::Scale(dpi / 96.0);
        let pages = self.pages.iter().map(|page| {
            let file = py.detach(|| pictures::png(page, size));
            Ok(PyBytes::new(py, &file.map_err(|error| refuse(format!("dpi: {error}")))?))
        });
        pages.collect()
    }

    fn __len__(&self) -> usize {
        self.pages.len()
    }

    /// The picture that a notebook shows: the first page.
    fn _repr_svg_(&self) -> String {
        self.pages[0].clone()
    }

    fn __repr__(&self) -> String {
        format!("Book({} puzzles, {} pages)", self.puzzles.len(), self.pages.len())
    }
}

/// Makes a booklet of new puzzles.
///
/// `level` is a level, a list of levels that share the puzzles equally, or None for any. `paper` is
/// `a4` or `letter`, `per_page` is 1, 2, 4 or 6, and `solutions` is `end`, `none` or `facing`. The
/// other arguments are those of `generate`.
///
/// >>> from everyply import kenken
/// >>> book = kenken.book(4, 6, ["easy", "normal"], seed=7, per_page=6)
/// >>> book
/// Book(6 puzzles, 2 pages)
/// >>> book.pdf()[:5]
/// b'%PDF-'
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "in Python they have names and defaults")]
#[pyo3(signature = (size=6, count=24, level=None, *, seed=0, operators=OPERATORS, cages=CAGES.to_vec(), paper="a4", per_page=4, solutions="end", title="KenKen"))]
#[pyo3(
    text_signature = "(size=6, count=24, level=None, *, seed=0, operators='++---**//////', cages=(2, 50, 30, 12, 4), paper='a4', per_page=4, solutions='end', title='KenKen')"
)]
pub(super) fn book(
    py: Python<'_>,
    size: usize,
    count: u64,
    level: Option<&Bound<'_, PyAny>>,
    seed: u64,
    operators: &str,
    cages: Vec<u32>,
    paper: &str,
    per_page: usize,
    solutions: &str,
    title: &str,
) -> PyResult<Book> {
    let (columns, rows) = sheet::per_page(per_page)
        .ok_or_else(|| refuse(format!("per_page {per_page}, expected 1, 2, 4 or 6")))?;
    let layout = Layout {
        title,
        paper: named(&Paper::ALL, Paper::name, paper)
            .ok_or_else(|| refuse(format!("paper '{paper}', expected a4 or letter")))?,
        columns,
        rows: Some(rows),
        solutions: named(&Solutions::ALL, Solutions::name, solutions).ok_or_else(|| {
            refuse(format!("solutions '{solutions}', expected end, none or facing"))
        })?,
    };
    if count == 0 {
        return Err(refuse("count 0, expected at least 1".to_owned()));
    }
    let names = levels(level)?;
    let parts = names.len() as u64;
    let mut puzzles = Vec::new();
    for (part, name) in (0..).zip(&names) {
        let recipe = recipe(size, name.as_deref(), operators, cages.clone(), false, false)?;
        // The first levels get one more if the puzzles cannot be shared equally.
        let share = count / parts + u64::from(part < count % parts);
        // Puzzles with the same number have the same solution at every level, so numbers go on.
        puzzles.extend(batch(py, &recipe, seed, puzzles.len() as u64, share)?);
    }
    Ok(py.detach(|| {
        let graded = |made: Generated| {
            let level = made.graded();
            (made, level)
        };
        let puzzles: Vec<_> = puzzles.into_iter().map(graded).collect();
        let pages = sheet::booklet(&layout, &puzzles);
        Book { puzzles, pages }
    }))
}

/// The levels of an argument: one, several, or any.
fn levels(level: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<Option<String>>> {
    let Some(level) = level else { return Ok(vec![None]) };
    if let Ok(name) = level.cast::<PyString>() {
        return Ok(vec![Some(name.to_string())]);
    }
    let names = level.try_iter()?.map(|name| Ok(Some(name?.extract::<String>()?)));
    let names = names.collect::<PyResult<Vec<_>>>()?;
    if names.is_empty() {
        return Err(refuse("level: expected at least one".to_owned()));
    }
    Ok(names)
}

fn named<T: Copy>(all: &[T], name: fn(T) -> &'static str, wanted: &str) -> Option<T> {
    all.iter().copied().find(|&one| name(one) == wanted)
}
