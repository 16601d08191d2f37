//! The tables of Kalah.

use std::path::PathBuf;

use ::kalah::{Kalah, Standing, pie};
use game::Game;
use kalah_answers::{AnswerError, Answers, check_pits, check_rules, open_table};
use pyo3::prelude::*;
use solver::{
    Limits, Next, Row, Sample, SolveError, at_level, every_row,
    search::{SearchLimits, search},
    statistics,
    table::TableError,
};
use tables::{
    Batches, Cell,
    kalah::{self as table, By},
};

use crate::{
    error::Raise,
    kalah::{
        Solution, heed,
        known::{Place, Worth, effort, raise},
        named,
        playing::{read_record, way},
        standing, standings,
        table::{built, unless_stopped},
    },
    table::Table,
    threads,
};

/// The table `kalah.solution`: the result of solving a game.
///
/// With `pie` it also has the value under the pie rule: after the first turn the second player may
/// swap sides.
///
/// >>> from everyply import kalah, tables
/// >>> tables.kalah_solution(kalah.solve(3, 3))
/// kalah.solution: 1 rows, 9 columns
/// pits  seeds  rules       value  best  positions  store
///    3      3  std_either      2     2       7779  memory:
#[pyfunction]
#[pyo3(signature = (solution, *, pie=false))]
pub(super) fn kalah_solution(
    py: Python<'_>,
    solution: &Bound<'_, Solution>,
    pie: bool,
) -> PyResult<Table> {
    let opening = match pie {
        false => None,
        true => Some(Place::new(Some(solution), None, None)?.ask(py, opening)?),
    };
    let Solution { kalah, solved, url, .. } = solution.get();
    let store = stores::shown(url);
    let row = table::solution(kalah, solved, opening.as_ref(), &store);
    Ok(Table::of_rows(&table::SOLUTION, [row]))
}

fn opening(answers: &mut Answers) -> Result<pie::Opening, AnswerError> {
    let kalah = answers.kalah();
    let mut failed = None;
    let openings = pie::openings(&kalah, |position| match answers.verdict(position) {
        Ok(verdict) => Some(verdict.score),
        Err(error) => {
            failed = Some(error);
            None
        }
    });
    match (openings, failed) {
        (_, Some(error)) => Err(error),
        (openings, None) => {
            let openings = openings.expect("every first move has its value");
            Ok(pie::best(&openings).expect("a start has moves").clone())
        }
    }
}

/// The table `kalah.table`: builds a dense table in a directory, or continues it, and describes it.
/// The arguments are those of `kalah.build_table`.
///
/// >>> import tempfile
/// >>> from everyply import tables
/// >>> with tempfile.TemporaryDirectory() as directory:
/// ...     tables.kalah_table(3, 6, directory).column_names[:5]
/// ['pits', 'max_seeds', 'rules', 'positions', 'found']
#[pyfunction]
#[pyo3(signature = (pits, max_seeds, directory, rules="std_either", *, memory_limit=1_073_741_824))]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 hands arguments over by value")]
pub(super) fn kalah_table(
    py: Python<'_>,
    pits: usize,
    max_seeds: u32,
    directory: PathBuf,
    rules: &str,
    memory_limit: usize,
) -> PyResult<Table> {
    let (sheets, built) = built(py, pits, max_seeds, &directory, rules, memory_limit)?;
    let place = directory.display().to_string();
    let row = table::table(&sheets, &built, &place);
    Ok(Table::of_rows(&table::TABLE, [row]))
}

/// The table `kalah.search`: solves one position by search down to a dense table.
///
/// `memory_limit` is the memory in bytes for values of the table and for the transposition table,
/// half for each. If `rules` are given, they must be those of the table. Ctrl-C stops the search.
///
/// >>> import tempfile, pyarrow
/// >>> from everyply import kalah, tables
/// >>> with tempfile.TemporaryDirectory() as directory:
/// ...     positions = kalah.build_table(3, 8, directory)
/// ...     found = pyarrow.table(tables.kalah_search("3,3,3/3,3,3", directory, memory_limit=1 << 24))
/// ...     found["value"].to_pylist()
/// [2]
#[pyfunction]
#[pyo3(signature = (position, table, *, rules=None, memory_limit=2_147_483_648))]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 hands arguments over by value")]
pub(super) fn kalah_search(
    py: Python<'_>,
    position: &str,
    table: PathBuf,
    rules: Option<&str>,
    memory_limit: usize,
) -> PyResult<Table> {
    let start = standing(position, "position: ")?.position;
    let rules = rules.map(named).transpose()?;
    let half = memory_limit / 2;
    let mut dense = threads::detach(py, || open_table(&table, half)).map_err(raise)?;
    let held = dense.numbered().rules();
    check_rules(&table.display().to_string(), held, rules).map_err(raise)?;
    check_pits(game::Numbered::game(dense.numbered()), &start).map_err(raise)?;
    let mut signal = None;
    let found = threads::detach(py, || {
        let limits = SearchLimits { memory: half };
        search(&mut dense, &start, &limits, &mut |_| heed(&mut signal))
    });
    let found = unless_stopped(signal, found)?;
    Ok(Table::of_rows(&table::SEARCH, [table::search(dense.numbered(), &start, &found)]))
}

/// The table `kalah.values`: the values of positions, one row for each.
///
/// The contents of the stores may follow a position, as `/own-other`. The column `result` then
/// includes them. The other arguments are those of `kalah.best`.
///
/// >>> from everyply import kalah, tables
/// >>> tables.kalah_values(["3,3,3/3,3,3", "0,4,4/3,3,3/1-0"], kalah.solve(3, 3))
/// kalah.values: 2 rows, 6 columns
/// position     rules       seeds_in_play  value  best  result
/// 3,3,3/3,3,3  std_either             18      2     2
/// 0,4,4/3,3,3  std_either             17      1     2       2
#[pyfunction]
#[pyo3(signature = (positions, store=None, *, table=None, rules=None, time_limit=None, cache=None))]
pub(super) fn kalah_values(
    py: Python<'_>,
    positions: &Bound<'_, PyAny>,
    store: Option<&Bound<'_, PyAny>>,
    table: Option<PathBuf>,
    rules: Option<&str>,
    time_limit: Option<f64>,
    cache: Option<PathBuf>,
) -> PyResult<Table> {
    let standings = standings(positions)?;
    let place = Place::new(store, table, rules)?;
    let rows = place.consult(py, effort(time_limit, cache)?, |replies| {
        let row = |standing: &Standing| {
            let (score, best) = replies.answer(&standing.position)?;
            Ok(table::position_value(replies.rules(), standing, score, best))
        };
        standings.iter().map(row).collect::<Result<Vec<_>, AnswerError>>()
    })?;
    Ok(Table::of_rows(&table::VALUES, rows))
}

/// The table `kalah.moves`: the moves of a position, best first.
///
/// The arguments are those of `kalah.best`.
///
/// >>> from everyply import kalah, tables
/// >>> tables.kalah_moves("3,3,3/3,3,3", kalah.solve(3, 3))
/// kalah.moves: 3 rows, 9 columns
/// pit  value  best   remoteness  gain  captured  again  position     why
///   2      2  true           18     1         0  false  4,3,3/3,0,4  stores 1
///   1      2  false          19     1         0  true   0,4,4/3,3,3  stores 1, moves again
///   3     -4  false          14     1         0  false  4,4,3/3,3,0  stores 1
#[pyfunction]
#[pyo3(signature = (position, store=None, *, table=None, rules=None, time_limit=None, cache=None))]
pub(super) fn kalah_moves(
    py: Python<'_>,
    position: &str,
    store: Option<&Bound<'_, PyAny>>,
    table: Option<PathBuf>,
    rules: Option<&str>,
    time_limit: Option<f64>,
    cache: Option<PathBuf>,
) -> PyResult<Table> {
    let position = standing(position, "position: ")?.position;
    let place = Place::new(store, table, rules)?;
    let rows = place.consult(py, effort(time_limit, cache)?, |replies| {
        let best = replies.answer(&position)?.1;
        let kalah = Kalah::from_start(position, replies.rules());
        let moves = replies.moves(&position)?.into_iter();
        let row = |(edge, value, remoteness): Worth| {
            table::legal_move(&kalah, &position, &edge, value, remoteness, best == Some(edge.mv))
        };
        Ok(moves.map(row).collect::<Vec<_>>())
    })?;
    Ok(Table::of_rows(&table::MOVES, rows))
}

/// The table `kalah.line`: best play from a position to the end.
///
/// The arguments are those of `kalah.line`.
///
/// >>> from everyply import kalah, tables
/// >>> tables.kalah_line("1,1/1,1", kalah.solve(2, 1)).num_rows
/// 2
#[pyfunction]
#[pyo3(signature = (position, store=None, *, table=None, rules=None, time_limit=None, cache=None))]
pub(super) fn kalah_line(
    py: Python<'_>,
    position: &str,
    store: Option<&Bound<'_, PyAny>>,
    table: Option<PathBuf>,
    rules: Option<&str>,
    time_limit: Option<f64>,
    cache: Option<PathBuf>,
) -> PyResult<Table> {
    let Standing { position, stores } = standing(position, "position: ")?;
    let place = Place::new(store, table, rules)?;
    let rows = place.consult(py, effort(time_limit, cache)?, |replies| {
        let steps = replies.line(&position)?;
        Ok(table::line(&Kalah::from_start(position, replies.rules()), stores, &steps))
    })?;
    Ok(Table::of_rows(&table::LINE, rows))
}

/// The table `kalah.faults`: recomputes values and lists those that are wrong or missing. If there
/// are no rows, everything is correct.
///
/// All positions are checked, or a random sample of `sample` positions, chosen with `seed`.
/// `memory_limit` is the memory limit in bytes. The other arguments are those of `kalah.best`.
/// Ctrl-C stops the verification.
///
/// >>> from everyply import kalah, tables
/// >>> tables.kalah_faults(kalah.solve(3, 2)).num_rows
/// 0
#[pyfunction]
#[pyo3(signature = (store=None, *, table=None, rules=None, sample=None, seed=0, memory_limit=1_073_741_824))]
pub(super) fn kalah_faults(
    py: Python<'_>,
    store: Option<&Bound<'_, PyAny>>,
    table: Option<PathBuf>,
    rules: Option<&str>,
    sample: Option<u64>,
    seed: u64,
    memory_limit: usize,
) -> PyResult<Table> {
    let sample = sample.map_or(Sample::All, |rows| Sample::Some { rows, seed });
    let mut signal = None;
    let rows = Place::new(store, table, rules)?.ask(py, |answers| {
        let watch = &mut |_, _| heed(&mut signal);
        verified(answers, sample, memory_limit, watch)
    });
    let rows = match signal {
        Some(signal) => return Err(signal),
        None => rows??,
    };
    Ok(Table::of_rows(&table::FAULTS, rows))
}

/// The rows of faults, or the exception of a verification that failed.
type Faults = PyResult<Vec<[Cell<'static>; 9]>>;

fn verified(
    answers: &mut Answers,
    sample: Sample,
    memory: usize,
    watch: &mut dyn FnMut(u64, u64) -> Next,
) -> Result<Faults, AnswerError> {
    match answers {
        Answers::Solved(solved) => {
            solved.check_finished()?;
            let limits = Limits { memory, ..Limits::default() };
            let report = solver::verify(&solved.kalah, &mut *solved.store, sample, &limits, watch);
            Ok(report
                .map(|report| {
                    report.faults.iter().map(|fault| table::fault(&solved.kalah, fault)).collect()
                })
                .map_err(|error: SolveError| error.raise_at("")))
        }
        Answers::Table(dense) => {
            let report =
                solver::table::verify(dense.numbered(), dense.place(), sample, memory, watch);
            Ok(report
                .map(|report| report.faults.iter().map(table::table_fault).collect())
                .map_err(|error: TableError| error.raise_at("")))
        }
    }
}

macro_rules! stats {
    ($name:ident, $by:expr, $doc:literal) => {
        #[doc = $doc]
        #[pyfunction]
        pub(super) fn $name(py: Python<'_>, store: &Bound<'_, PyAny>) -> PyResult<Table> {
            counted(py, store, $by)
        }
    };
}

stats!(
    kalah_stats_by_seeds,
    By::Seeds,
    "The table `kalah.stats_by_seeds`: the positions of a solved game, counted by seeds in play.

`store` is a Solution or the URL of a store.

>>> from everyply import kalah, tables
>>> tables.kalah_stats_by_seeds(kalah.solve(2, 1)).column_names
['seeds_in_play', 'positions', 'ahead', 'even', 'behind', 'mean_value']
"
);
stats!(
    kalah_stats_by_depth,
    By::Depth,
    "The table `kalah.stats_by_depth`: the same by the fewest moves from the start.

>>> from everyply import kalah, tables
>>> tables.kalah_stats_by_depth(kalah.solve(2, 1)).column_names[0]
'depth'
"
);
stats!(
    kalah_stats_by_value,
    By::Value,
    "The table `kalah.stats_by_value`: the same by value.

>>> from everyply import kalah, tables
>>> tables.kalah_stats_by_value(kalah.solve(2, 1)).column_names[0]
'value'
"
);
stats!(
    kalah_stats_by_moves,
    By::Moves,
    "The table `kalah.stats_by_moves`: the same by the number of moves, which is 0 at the end.

>>> from everyply import kalah, tables
>>> tables.kalah_stats_by_moves(kalah.solve(2, 1)).column_names[0]
'moves'
"
);
stats!(
    kalah_stats_by_rank,
    By::Rank,
    "The table `kalah.stats_by_rank`: the same by seeds in play and their steps to the stores.

>>> from everyply import kalah, tables
>>> tables.kalah_stats_by_rank(kalah.solve(2, 1)).column_names[:2]
['seeds_in_play', 'steps']
"
);

/// The table `kalah.store`: the game of a store, how far it is solved, and how large it is.
///
/// `store` is a Solution or the URL of a store.
///
/// >>> from everyply import kalah, tables
/// >>> tables.kalah_store(kalah.solve(3, 3))
/// kalah.store: 1 rows, 8 columns
/// pits  start        rules       stage   positions  settled  least_depth  most_depth
///    3  3,3,3/3,3,3  std_either  solved       7779     7779            0          17
#[pyfunction]
pub(super) fn kalah_store(py: Python<'_>, store: &Bound<'_, PyAny>) -> PyResult<Table> {
    let row = Place::new(Some(store), None, None)?.ask(py, |answers| match answers {
        Answers::Solved(solved) => {
            let statistics = statistics(&solved.kalah, &mut *solved.store)?;
            Ok(table::store(&solved.kalah, solved.store.state().stage, &statistics))
        }
        Answers::Table(_) => unreachable!("a store was asked for"),
    })?;
    Ok(Table::of_rows(&table::STORE, [row]))
}

/// The table `kalah.path`: one way from the start of a game to a position, as short as possible.
///
/// There are `seeds` seeds in each pit at the start; if they are not given, the stores after the
/// position say how many. At most `limit` positions are looked at. Raises UnknownPosition if there
/// is no way, or none was found.
///
/// >>> from everyply import tables
/// >>> tables.kalah_path("4,4,3/0,0,5/0-2").num_rows
/// 2
#[pyfunction]
#[pyo3(signature = (position, seeds=None, rules="std_either", *, limit=3_000_000))]
pub(super) fn kalah_path(
    py: Python<'_>,
    position: &str,
    seeds: Option<u32>,
    rules: &str,
    limit: usize,
) -> PyResult<Table> {
    let record = way(py, position, seeds, rules, limit)?;
    Ok(Table::of_rows(&table::PATH, table::path(&record)))
}

/// The table `kalah.review`: what each move of a game gave away.
///
/// `record` is a Game or its text, with lines `rules`, `start` and `moves`. The other arguments are
/// those of `kalah.best`.
///
/// >>> from everyply import kalah, tables
/// >>> tables.kalah_review("start 3x3\nmoves 3", kalah.solve(3, 3))
/// kalah.review: 1 rows, 10 columns
/// ply  player  position     pit  value  best  gave  store_1  store_2  why
///   1       1  3,3,3/3,3,3    3      2     2     6        1        0  stores 1
#[pyfunction]
#[pyo3(signature = (record, store=None, *, table=None, time_limit=None, cache=None))]
pub(super) fn kalah_review(
    py: Python<'_>,
    record: &Bound<'_, PyAny>,
    store: Option<&Bound<'_, PyAny>>,
    table: Option<PathBuf>,
    time_limit: Option<f64>,
    cache: Option<PathBuf>,
) -> PyResult<Table> {
    let record = read_record(record)?;
    let place = Place::new(store, table, Some(record.kalah().rules().name()))?;
    let answers = place.consult(py, effort(time_limit, cache)?, |replies| {
        record
            .plies()
            .iter()
            .map(|ply| replies.answer(&ply.position))
            .collect::<Result<Vec<_>, _>>()
    })?;
    let gave = |at: usize| {
        let lead = |at: usize| Some(record.plies()[at].lead(answers[at].0?));
        let sign = if record.plies()[at].mover == 0 { 1 } else { -1 };
        Some(sign * (lead(at)? - lead(at + 1)?))
    };
    let judged: Vec<_> =
        (0..record.pits().len()).map(|at| (answers[at].0, answers[at].1, gave(at))).collect();
    Ok(Table::of_rows(&table::REVIEW, table::review(&record, &judged)))
}

fn counted(py: Python<'_>, store: &Bound<'_, PyAny>, by: By) -> PyResult<Table> {
    let statistics = Place::new(Some(store), None, None)?.ask(py, |answers| match answers {
        Answers::Solved(solved) => Ok(statistics(&solved.kalah, &mut *solved.store)?),
        Answers::Table(_) => unreachable!("a store was asked for"),
    })?;
    let counts = by.counts(&statistics);
    Ok(Table::of_rows(
        by.table(),
        counts.iter().map(|(kind, count)| table::counted(by, kind, count)),
    ))
}

/// The table `kalah.positions`: every position of a solved game, one row for each.
///
/// `store` is a Solution or the URL of a store. With `seeds`, only positions with so many seeds in
/// play are read; with `depth`, only those that are so many moves away from the start are returned.
///
/// >>> from everyply import kalah, tables
/// >>> solution = kalah.solve(3, 2)
/// >>> tables.kalah_positions(solution).num_rows
/// 1456
/// >>> tables.kalah_positions(solution, seeds=12, depth=1).num_rows
/// 1
/// >>> tables.kalah_positions(solution, depth=1).num_rows
/// 3
#[pyfunction]
#[pyo3(signature = (store, *, seeds=None, depth=None))]
pub(super) fn kalah_positions(
    py: Python<'_>,
    store: &Bound<'_, PyAny>,
    seeds: Option<u16>,
    depth: Option<u16>,
) -> PyResult<Table> {
    let batches = Place::new(Some(store), None, None)?.ask(py, |answers| {
        let Answers::Solved(solved) = answers else { unreachable!("a store was asked for") };
        let kalah = solved.kalah;
        let mut batches = Batches::new(&table::POSITIONS);
        let (mut full, mut foreign) = (Vec::new(), None);
        let mut take = |row: &Row| match kalah.unpack(row.key) {
            Some(at) if depth.is_none_or(|depth| depth == row.depth) => {
                full.extend(batches.row(&table::position(&kalah, &at, row)));
            }
            Some(_) => {}
            None => foreign = Some(row.key.0),
        };
        match seeds {
            Some(seeds) => at_level(&mut *solved.store, seeds, &mut take)?,
            None => every_row(&mut *solved.store, &mut take)?,
        }
        if let Some(key) = foreign {
            return Err(AnswerError::Key(key));
        }
        full.extend(batches.rest());
        Ok(full)
    })?;
    Ok(Table::new(table::POSITIONS.schema(), batches))
}
