//! Generated puzzles for Python.

use ::kenken::{Batch, Minimise, OperatorMix, Recipe, Rules, Size};
use numpy::PyArray2;
use pyo3::prelude::*;

use super::{
    level,
    puzzle::{Asked, Puzzle},
    square,
};
use crate::{
    error::{Raise, refuse},
    threads,
};

/// A generated puzzle, with its only solution and the level that was asked for.
#[pyclass(frozen, module = "everyply.kenken")]
pub(crate) struct Generated(pub(super) ::kenken::Generated);

#[pymethods]
impl Generated {
    /// The puzzle.
    #[getter]
    fn puzzle(&self) -> Puzzle {
        Puzzle(self.0.puzzle.clone())
    }

    /// Its only solution.
    #[getter]
    fn solution<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<u8>> {
        square(py, &self.0.solution)
    }

    /// The level that was asked for.
    #[getter]
    fn level(&self) -> Option<&'static str> {
        self.0.level.map(::kenken::Level::name)
    }

    /// The picture that a notebook shows.
    fn _repr_svg_(&self) -> String {
        ::kenken::svg::draw(&self.0.puzzle, None)
    }

    fn __repr__(&self) -> String {
        format!("Generated({})", self.puzzle().__repr__())
    }
}

/// Generates a puzzle with exactly one solution. It is the same for the same arguments on every
/// machine.
///
/// `level` is `easy`, `normal`, `hard`, `extreme`, `unreasonable`, or None for any. `operators`
/// lists the operators to use: + - * / and ? for a hidden operator. Repeat one to make it more
/// frequent. `cages` lists the weights of cages with 1, 2, 3... cells. With `zero`, digits start at
/// 0. With `wide`, - and / may be used on more than two cells. Raises GenerateError if no such
/// puzzle was found.
///
/// >>> from everyply import kenken
/// >>> made = kenken.generate(5, "hard", seed=3)
/// >>> made.puzzle.size, kenken.grade(made.puzzle), kenken.count(made.puzzle).unique
/// (5, 'hard', True)
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "in Python they have names and defaults")]
#[pyo3(signature = (size=6, level=None, *, seed=0, operators=OPERATORS, cages=CAGES.to_vec(), zero=false, wide=false))]
#[pyo3(
    text_signature = "(size=6, level=None, *, seed=0, operators='++---**//////', cages=(2, 50, 30, 12, 4), zero=False, wide=False)"
)]
pub(super) fn generate(
    py: Python<'_>,
    size: usize,
    level: Option<&str>,
    seed: u64,
    operators: &str,
    cages: Vec<u32>,
    zero: bool,
    wide: bool,
) -> PyResult<Generated> {
    let recipe = recipe(size, level, operators, cages, zero, wide)?;
    let made = threads::detach(py, || ::kenken::generate(&recipe, seed));
    made.map(Generated).map_err(|error| error.raise_at(""))
}

/// Generates `count` puzzles of a seed on all cores, beginning with number `start`.
///
/// No puzzle is repeated, unless 1,000 further attempts find no other one. Number 0 is the puzzle of
/// `generate`. The other arguments are those of `generate`.
///
/// >>> from everyply import kenken
/// >>> made = kenken.generate_batch(4, 3, seed=1)
/// >>> made[0].puzzle == kenken.generate(4, seed=1).puzzle
/// True
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "in Python they have names and defaults")]
#[pyo3(signature = (size, count, level=None, *, seed=0, start=0, operators=OPERATORS, cages=CAGES.to_vec(), zero=false, wide=false))]
#[pyo3(
    text_signature = "(size, count, level=None, *, seed=0, start=0, operators='++---**//////', cages=(2, 50, 30, 12, 4), zero=False, wide=False)"
)]
pub(super) fn generate_batch(
    py: Python<'_>,
    size: usize,
    count: u64,
    level: Option<&str>,
    seed: u64,
    start: u64,
    operators: &str,
    cages: Vec<u32>,
    zero: bool,
    wide: bool,
) -> PyResult<Vec<Generated>> {
    let recipe = recipe(size, level, operators, cages, zero, wide)?;
    Ok(batch(py, &recipe, seed, start, count)?.into_iter().map(Generated).collect())
}

/// Keeps the cages of a puzzle and finds digits and clues that give it exactly one solution. The
/// clues of the puzzle are ignored.
///
/// Raises GenerateError if none were found. The other arguments are those of `generate`.
///
/// >>> from everyply import kenken
/// >>> made = kenken.make_unique("4:_a_7a4_a3,a4a5s1s1d2d2m4m6", seed=1)
/// >>> len(made.puzzle.cages), kenken.count(made.puzzle).unique
/// (8, True)
#[pyfunction]
#[pyo3(signature = (layout, *, seed=0, operators=OPERATORS))]
#[pyo3(text_signature = "(layout, *, seed=0, operators='++---**//////')")]
pub(super) fn make_unique(
    py: Python<'_>,
    layout: Asked,
    seed: u64,
    operators: &str,
) -> PyResult<Generated> {
    let mix = mix(operators)?;
    let made = threads::detach(py, || ::kenken::make_unique(&layout.0, &mix, seed));
    made.map(Generated).map_err(|error| error.raise_at(""))
}

/// The puzzle with as little as possible that still has the same only solution; None if its solution
/// is not the only one.
///
/// `what` is `operators`, which hides as many operators as possible, or `clues`, which merges cages.
/// Merged cages have the sizes of `cages` and the `operators`, as in `generate`.
///
/// >>> from everyply import kenken
/// >>> puzzle = kenken.Puzzle("4:_a_7a4_a3,a4a5s1s1d2d2m4m6")
/// >>> fewer = kenken.minimise(puzzle, "clues")
/// >>> len(fewer.cages) < len(puzzle.cages), kenken.count(fewer).unique
/// (True, True)
#[pyfunction]
#[pyo3(signature = (puzzle, what="operators", *, seed=0, operators=OPERATORS, cages=CAGES.to_vec()))]
#[pyo3(
    text_signature = "(puzzle, what='operators', *, seed=0, operators='++---**//////', cages=(2, 50, 30, 12, 4))"
)]
pub(super) fn minimise(
    py: Python<'_>,
    puzzle: Asked,
    what: &str,
    seed: u64,
    operators: &str,
    cages: Vec<u32>,
) -> PyResult<Option<Puzzle>> {
    let what = match what {
        "operators" => Minimise::Operators,
        "clues" => Minimise::Clues { sizes: &cages, operators: mix(operators)? },
        other => return Err(refuse(format!("what '{other}', expected operators or clues"))),
    };
    Ok(threads::detach(py, || ::kenken::minimise(&puzzle.0, what, seed)).map(Puzzle))
}

/// Generates puzzles on all cores, and checks Python's signals regularly.
pub(crate) fn batch(
    py: Python<'_>,
    recipe: &Recipe,
    seed: u64,
    start: u64,
    count: u64,
) -> PyResult<Vec<::kenken::Generated>> {
    let end = start.checked_add(count);
    let end = end.ok_or_else(|| refuse("start + count is past 2^64".to_owned()))?;
    let mut all = Vec::new();
    let mut batch = Batch::new(recipe, seed, start);
    for from in (start..end).step_by(TOGETHER as usize) {
        py.check_signals()?;
        let count = TOGETHER.min(end - from);
        for made in threads::detach(py, || batch.next(count)) {
            all.push(made.map_err(|error| error.raise_at(""))?);
        }
    }
    Ok(all)
}

/// As on the command line, and as in `Recipe::new`.
pub(crate) const OPERATORS: &str = "++---**//////";
pub(crate) const CAGES: [u32; 5] = [2, 50, 30, 12, 4];

/// The number of puzzles between two checks of Python's signals.
const TOGETHER: u64 = 64;

pub(crate) fn recipe(
    size: usize,
    name: Option<&str>,
    operators: &str,
    cage_sizes: Vec<u32>,
    zero: bool,
    wide_sub_div: bool,
) -> PyResult<Recipe> {
    let size = Size::new(size).ok_or_else(|| refuse(format!("size {size}, expected 1 to 32")))?;
    Ok(Recipe {
        size,
        level: name.map(level).transpose()?,
        operators: mix(operators)?,
        cage_sizes,
        rules: Rules { zero, wide_sub_div, ..Rules::default() },
    })
}

/// The mix of operators that signs stand for, each as often as it is repeated.
fn mix(signs: &str) -> PyResult<OperatorMix> {
    let mut mix = OperatorMix { add: 0, subtract: 0, multiply: 0, divide: 0, unknown: 0 };
    for sign in signs.chars() {
        *match sign {
            '+' => &mut mix.add,
            '-' => &mut mix.subtract,
            '*' => &mut mix.multiply,
            '/' => &mut mix.divide,
            '?' => &mut mix.unknown,
            _ => return Err(refuse(format!("operators: '{sign}' is not one of + - * / ?"))),
        } += 1;
    }
    Ok(mix)
}
