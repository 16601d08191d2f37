//! The tables of KenKen.

use ::kenken::{Count, Grade, Limits, Puzzle, Solver};
use pyo3::prelude::*;
use rayon::prelude::*;
use tables::kenken as table;

use crate::{
    kenken::{
        at_least_one, bounds,
        grid::attempt,
        make::{CAGES, OPERATORS, batch, recipe},
        puzzle::{Item, items},
        steps::hints,
    },
    table::Table,
    threads,
};

/// The table `kenken.solutions`: one row for each puzzle, with its solution and whether it is the
/// only one.
///
/// `puzzles` is one puzzle or any iterable of puzzles: Puzzles, game IDs, JSON or drawings. `nodes`
/// limits the guesses for each puzzle, and `time_limit` the time in seconds. None means no limit,
/// and so does a `time_limit` of 0.
///
/// >>> from everyply import tables
/// >>> tables.kenken_solutions("4:_a_7a4_a3,a4a5s1s1d2d2m4m6")
/// kenken.solutions: 1 rows, 9 columns
/// id                            size  cages  level  solutions  nodes  grid
/// 4:_a_7a4_a3,a4a5s1s1d2d2m4m6     4      8  easy           1      0  3142/1423/2314/4231
#[pyfunction]
#[pyo3(signature = (puzzles, *, nodes=None, time_limit=Some(10.0)))]
#[pyo3(text_signature = "(puzzles, *, nodes=None, time_limit=10.0)")]
pub(super) fn kenken_solutions(
    py: Python<'_>,
    puzzles: &Bound<'_, PyAny>,
    nodes: Option<u64>,
    time_limit: Option<f64>,
) -> PyResult<Table> {
    let solved = each(py, puzzles, nodes, time_limit, |solver, puzzle, limits| {
        let count = solver.count(puzzle, 2, &limits()?);
        // Only a puzzle with a unique solution has a level.
        let grade = match count.unique(2) {
            Some(true) => ::kenken::grade(puzzle, &limits()?),
            _ => Grade::Unknown,
        };
        Ok((count, grade))
    })?;
    Ok(Table::of_rows(
        &table::SOLUTIONS,
        solved
            .iter()
            .map(|(item, (count, grade))| table::solution(&item.id, &item.puzzle, count, *grade)),
    ))
}

/// The table `kenken.counts`: the number of solutions of puzzles, up to `most`.
///
/// The other arguments are those of `kenken_solutions`.
///
/// >>> from everyply import tables
/// >>> tables.kenken_counts(["2:__b,a3a3"], most=10)
/// kenken.counts: 1 rows, 8 columns
/// id          solutions  complete  size  cages  nodes
/// 2:__b,a3a3          2  true         2      2      2
#[pyfunction]
#[pyo3(signature = (puzzles, most=2, *, nodes=None, time_limit=Some(10.0)))]
#[pyo3(text_signature = "(puzzles, most=2, *, nodes=None, time_limit=10.0)")]
pub(super) fn kenken_counts(
    py: Python<'_>,
    puzzles: &Bound<'_, PyAny>,
    most: u64,
    nodes: Option<u64>,
    time_limit: Option<f64>,
) -> PyResult<Table> {
    let most = at_least_one(most)?;
    let counted = counted(py, puzzles, most, nodes, time_limit)?;
    let rows = counted.iter().map(|(item, count)| table::counted(&item.id, &item.puzzle, count));
    Ok(Table::of_rows(&table::COUNTS, rows))
}

/// The table `kenken.checks`: whether puzzles have exactly one solution, and whether the solution
/// given with a puzzle in JSON is correct.
///
/// The arguments are those of `kenken_solutions`.
///
/// >>> from everyply import tables
/// >>> tables.kenken_checks(["2:__b,a3a3", "2:_b_,a4a2"])
/// kenken.checks: 2 rows, 3 columns
/// id          solutions  given
/// 2:__b,a3a3  several
/// 2:_b_,a4a2  one
#[pyfunction]
#[pyo3(signature = (puzzles, *, nodes=None, time_limit=Some(10.0)))]
#[pyo3(text_signature = "(puzzles, *, nodes=None, time_limit=10.0)")]
pub(super) fn kenken_checks(
    py: Python<'_>,
    puzzles: &Bound<'_, PyAny>,
    nodes: Option<u64>,
    time_limit: Option<f64>,
) -> PyResult<Table> {
    let counted = counted(py, puzzles, 2, nodes, time_limit)?;
    let rows = counted.iter().map(|(item, count)| {
        let given = item.solution.as_ref().map(|given| ::kenken::check(&item.puzzle, given));
        table::checked(&item.id, count, given.as_ref())
    });
    Ok(Table::of_rows(&table::CHECKS, rows))
}

/// The table `kenken.grades`: the levels of puzzles.
///
/// The arguments are those of `kenken_solutions`.
///
/// >>> from everyply import tables
/// >>> tables.kenken_grades(["4:_a_7a4_a3,a4a5s1s1d2d2m4m6", "2:__b,a3a3"])
/// kenken.grades: 2 rows, 5 columns
/// id                            size  cages  level  solutions
/// 4:_a_7a4_a3,a4a5s1s1d2d2m4m6     4      8  easy           1
/// 2:__b,a3a3                       2      2                 2
#[pyfunction]
#[pyo3(signature = (puzzles, *, nodes=None, time_limit=Some(10.0)))]
#[pyo3(text_signature = "(puzzles, *, nodes=None, time_limit=10.0)")]
pub(super) fn kenken_grades(
    py: Python<'_>,
    puzzles: &Bound<'_, PyAny>,
    nodes: Option<u64>,
    time_limit: Option<f64>,
) -> PyResult<Table> {
    let graded = each(py, puzzles, nodes, time_limit, |_, puzzle, limits| {
        Ok(::kenken::grade(puzzle, &limits()?))
    })?;
    let rows = graded.iter().map(|(item, grade)| table::graded(&item.id, &item.puzzle, *grade));
    Ok(Table::of_rows(&table::GRADES, rows))
}

/// The table `kenken.all_solutions`: a row for each solution of puzzles, up to `most` for each, and
/// the cells in which they differ. The column `solutions` is empty unless all of them are listed.
///
/// The other arguments are those of `kenken_solutions`.
///
/// >>> from everyply import tables
/// >>> tables.kenken_all_solutions("2:__b,a3a3")
/// kenken.all_solutions: 2 rows, 5 columns
/// id          number  solutions  grid   differs
/// 2:__b,a3a3       1          2  12/21  r1c1 r1c2 r2c1 r2c2
/// 2:__b,a3a3       2          2  21/12  r1c1 r1c2 r2c1 r2c2
#[pyfunction]
#[pyo3(signature = (puzzles, most=100, *, nodes=None, time_limit=Some(10.0)))]
#[pyo3(text_signature = "(puzzles, most=100, *, nodes=None, time_limit=10.0)")]
pub(super) fn kenken_all_solutions(
    py: Python<'_>,
    puzzles: &Bound<'_, PyAny>,
    most: usize,
    nodes: Option<u64>,
    time_limit: Option<f64>,
) -> PyResult<Table> {
    at_least_one(most as u64)?;
    let listed = each(py, puzzles, nodes, time_limit, |solver, puzzle, limits| {
        Ok(solver.list(puzzle, most, &limits()?))
    })?;
    let rows =
        listed.iter().flat_map(|(item, all)| table::all_solutions(&item.id, &item.puzzle, all));
    Ok(Table::of_rows(&table::ALL_SOLUTIONS, rows))
}

/// The table `kenken.hints`: the next `steps` deductions of a puzzle, each with the grid after it.
/// If `steps` is None, those up to the next digit. There are fewer if the puzzle is solved before, or
/// if no further rule of the level applies.
///
/// The other arguments are those of `kenken.hint`.
///
/// >>> from everyply import tables
/// >>> tables.kenken_hints("2:_b_,a4a2", steps=2).num_rows
/// 2
#[pyfunction]
#[pyo3(signature = (puzzle, grid=None, *, steps=None, level="unreasonable", nodes=None, time_limit=Some(10.0)))]
#[pyo3(
    text_signature = "(puzzle, grid=None, *, steps=None, level='unreasonable', nodes=None, time_limit=10.0)"
)]
pub(super) fn kenken_hints(
    py: Python<'_>,
    puzzle: &Bound<'_, PyAny>,
    grid: Option<&Bound<'_, PyAny>>,
    steps: Option<usize>,
    level: &str,
    nodes: Option<u64>,
    time_limit: Option<f64>,
) -> PyResult<Table> {
    let puzzle = crate::kenken::puzzle::asked(puzzle, "puzzle: ")?;
    let mut now = attempt(&puzzle, grid)?;
    let found = hints(py, now.clone(), steps, level, bounds(nodes, time_limit)?)?;
    let rows = found.iter().map(|step| {
        now.apply(step);
        table::hinted(step, &now)
    });
    Ok(Table::of_rows(&table::HINTS, rows))
}

/// The table `kenken.steps`: the deductions that solve puzzles, until no rule of `level` applies.
///
/// The other arguments are those of `kenken_solutions`.
///
/// >>> from everyply import tables
/// >>> steps = tables.kenken_steps(["4:_a_7a4_a3,a4a5s1s1d2d2m4m6", "2:_b_,a4a2"])
/// >>> steps.column_names
/// ['id', 'step', 'rule', 'cage', 'cells', 'placed', 'text']
#[pyfunction]
#[pyo3(signature = (puzzles, *, level="unreasonable", nodes=None, time_limit=Some(10.0)))]
#[pyo3(text_signature = "(puzzles, *, level='unreasonable', nodes=None, time_limit=10.0)")]
pub(super) fn kenken_steps(
    py: Python<'_>,
    puzzles: &Bound<'_, PyAny>,
    level: &str,
    nodes: Option<u64>,
    time_limit: Option<f64>,
) -> PyResult<Table> {
    let level = crate::kenken::level(level)?;
    let explained = each(py, puzzles, nodes, time_limit, |_, puzzle, limits| {
        Ok(::kenken::explain(puzzle, level, &limits()?).steps)
    })?;
    let rows =
        explained.iter().flat_map(|(item, steps)| table::steps(&item.id, &item.puzzle, steps));
    Ok(Table::of_rows(&table::STEPS, rows))
}

/// The table `kenken.puzzles`: generated puzzles, one row for each.
///
/// The arguments are those of `kenken.generate_batch`.
///
/// >>> from everyply import tables
/// >>> tables.kenken_puzzles(4, 2, "normal", seed=1)
/// kenken.puzzles: 2 rows, 6 columns
/// id                                size  cages  level   grid
/// 4:__c_6aa_a3__,a11a3a7s2d2a4a2a3     4      8  normal  2341/4132/3214/1423
/// 4:_4a__aca3ba,s2a1a12s3a4m48         4      6  normal  2134/4321/3412/1243
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "in Python they have names and defaults")]
#[pyo3(signature = (size=6, count=1, level=None, *, seed=0, start=0, operators=OPERATORS, cages=CAGES.to_vec(), zero=false, wide=false))]
#[pyo3(
    text_signature = "(size=6, count=1, level=None, *, seed=0, start=0, operators='++---**//////', cages=(2, 50, 30, 12, 4), zero=False, wide=False)"
)]
pub(super) fn kenken_puzzles(
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
) -> PyResult<Table> {
    let recipe = recipe(size, level, operators, cages, zero, wide)?;
    let made = batch(py, &recipe, seed, start, count)?;
    let rows =
        made.iter().zip(start + 1..).map(|(made, number)| table::made(number, made, made.graded()));
    Ok(Table::of_rows(&table::PUZZLES, rows))
}

fn counted(
    py: Python<'_>,
    puzzles: &Bound<'_, PyAny>,
    most: u64,
    nodes: Option<u64>,
    time_limit: Option<f64>,
) -> PyResult<Vec<(Item, Count)>> {
    each(py, puzzles, nodes, time_limit, |solver, puzzle, limits| {
        Ok(solver.count(puzzle, most, &limits()?))
    })
}

/// Calls `work` for each puzzle, on all cores. The results are in the order of the puzzles. The
/// time of a limit begins when the limits are requested.
fn each<R: Send>(
    py: Python<'_>,
    puzzles: &Bound<'_, PyAny>,
    nodes: Option<u64>,
    time_limit: Option<f64>,
    work: impl Fn(&mut Solver, &Puzzle, &dyn Fn() -> PyResult<Limits>) -> PyResult<R> + Sync,
) -> PyResult<Vec<(Item, R)>> {
    bounds(nodes, time_limit)?;
    let items = items(puzzles)?;
    threads::detach(py, || {
        let each = items.into_par_iter().map_init(Solver::new, |solver, item| {
            let done = work(solver, &item.puzzle, &|| bounds(nodes, time_limit))?;
            Ok((item, done))
        });
        each.collect()
    })
}
