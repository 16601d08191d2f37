//! `everyply.chess.games` and `everyply.chess.positions`: tables of games in files, which are read
//! while the rows are taken.

use std::{
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use ::chess::pgn::PgnError;
use ::games::{Condition, RecordError as Cause};
use arrow::{array::ArrayRef, datatypes::SchemaRef, error::ArrowError};
use pyo3::{
    exceptions::{PyKeyboardInterrupt, PyRuntimeError, PyTypeError},
    prelude::*,
    types::{PyCapsule, PyDict},
};
use pyo3_arrow::{
    error::PyArrowResult,
    ffi::{to_schema_pycapsule, to_stream_pycapsule},
};
use sources::{Source, SourceError};

use super::{
    definitions,
    reading::{Bad, Chosen, Failure, OnBad, Plan, Reading, Rows},
    selection,
};
use crate::{
    error::{Raise, exceptions, plain, refuse},
    strings::Strings,
    table::{self, Table},
    threads,
};

exceptions! {
    chess.RecordError from ::games::RecordError,
        "A file that cannot be read, or a bad game or line in it. The message names the place.";
    chess.ConditionError from ::games::ConditionError, "A text that is not a condition on games or \
                                                      positions.";
}

/// The games of PGN files, one row each: the table `chess.games`.
///
/// `paths` is a path or an iterable of paths. Files are plain or compressed with gzip or zstd, and
/// `-` is standard input. Nothing is read until rows are taken from the reader that is returned.
///
/// `columns` is an iterable of the names of the columns that are wanted, in this order; only they
/// are computed. Without it there are all of the table.
///
/// `where` is a condition or an iterable of conditions, all of which must hold, such as
/// `white_elo >= 2000`: a key (`result`, `white_elo`, `black_elo`, `eco`), an operator (`=`, `!=`,
/// `<`, `<=`, `>`, `>=`, and `~` for "contains") and a value. A tag that is missing satisfies no
/// condition.
///
/// The reader skips bad games and lists them in `bad`; with `on_bad="raise"` it raises RecordError
/// at the first. `threads` is the number of threads, by default one for each core. The rows are
/// the same for any number.
///
/// Raises RecordError for a path that cannot be opened, ConditionError for a bad condition.
///
/// >>> from everyply import chess
/// >>> import pathlib, tempfile
/// >>> path = pathlib.Path(tempfile.mkdtemp(), "games.pgn")
/// >>> text = '[White "A"]\n\n1. e4 e5 *\n\n[White "B"]\n\n1. e5 *\n\n[White "C"]\n\n1. d4 *\n'
/// >>> _ = path.write_text(text)
/// >>> games = chess.games(path)
/// >>> import pyarrow
/// >>> pyarrow.table(games).select(["white", "plies"]).to_pylist()
/// [{'white': 'A', 'plies': 2}, {'white': 'C', 'plies': 1}]
/// >>> games.bad
/// [BadRecord(game 2, line 7: e5 is not a legal move here (move 1 of white))]
#[pyfunction]
#[pyo3(signature = (paths, *, columns=None, r#where=None, threads=None, on_bad="skip"))]
pub(super) fn games(
    paths: &Bound<'_, PyAny>,
    columns: Option<&Bound<'_, PyAny>>,
    r#where: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
    on_bad: &str,
) -> PyResult<Reader> {
    let conditions = conditions(r#where)?;
    if let Some(condition) = conditions.iter().find(|condition| condition.is_of_positions()) {
        return Err(refuse(format!("where: '{condition}' is a condition on positions, not games")));
    }
    Ok(Reader::new(Plan {
        paths: files(paths, bad_path)?,
        rows: Rows::Games(chosen(columns, Chosen::of_games)?.unwrap_or_else(Chosen::games)),
        conditions,
        every: NonZeroUsize::MIN,
        threads: threads::given(threads)?,
        on_bad: self::on_bad(on_bad)?,
    }))
}

/// The positions of games in files, one row each.
///
/// Without `facts` this is the table `chess.positions` of PGN files. With `facts` it is the table
/// `chess.facts` with these facts as columns, and files may also hold a FEN or EPD on each line.
/// `facts` and `definitions` are those of the function `facts`.
///
/// `columns` is an iterable of the names of the columns that are wanted, in this order; only they
/// are computed. It may name every column of the SQL function `chess_positions`: those of
/// `chess.positions`, the tags of the game, and every fact. Files may then also hold a FEN or EPD
/// on each line. It cannot be combined with `facts`.
///
/// `every` keeps every Nth position of a game, the first one included. `where` may also contain
/// conditions on `ply`. The other arguments are those of `games`.
///
/// Raises RecordError for a path that cannot be opened, ConditionError for a bad condition,
/// UnknownFact for a bad name.
///
/// >>> from everyply import chess
/// >>> import pathlib, tempfile
/// >>> path = pathlib.Path(tempfile.mkdtemp(), "games.pgn")
/// >>> _ = path.write_text("1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0")
/// >>> import pyarrow
/// >>> rows = pyarrow.table(chess.positions(path, where=["ply >= 5"]))
/// >>> rows.select(["ply", "san", "legal_moves", "check"]).to_pylist()[-1]
/// {'ply': 7, 'san': None, 'legal_moves': 0, 'check': True}
/// >>> rows = pyarrow.table(chess.positions(path, columns=["ply", "san", "mover_mating_moves"]))
/// >>> rows.to_pylist()[6]
/// {'ply': 6, 'san': 'Qxf7#', 'mover_mating_moves': 1}
/// >>> rows = pyarrow.table(chess.positions(path, facts="checkers", every=7))
/// >>> rows.select(["ply", "white_checkers", "black_checkers"]).to_pylist()
/// [{'ply': 0, 'white_checkers': 0, 'black_checkers': 0}, {'ply': 7, 'white_checkers': 0, 'black_checkers': 1}]
#[pyfunction]
#[pyo3(signature = (
    paths, *, columns=None, facts=None, definitions="std", r#where=None, every=1, threads=None,
    on_bad="skip"
))]
#[expect(clippy::too_many_arguments, reason = "in Python they have names and defaults")]
pub(super) fn positions(
    paths: &Bound<'_, PyAny>,
    columns: Option<&Bound<'_, PyAny>>,
    facts: Option<&Bound<'_, PyAny>>,
    definitions: &str,
    r#where: Option<&Bound<'_, PyAny>>,
    every: usize,
    threads: Option<usize>,
    on_bad: &str,
) -> PyResult<Reader> {
    let definitions = self::definitions(definitions)?;
    let rows = match (chosen(columns, Chosen::of_positions)?, facts) {
        (Some(_), Some(_)) => {
            return Err(refuse("columns and facts: columns can name facts too".to_owned()));
        }
        (Some(chosen), None) => Rows::Positions(chosen),
        (None, None) => Rows::Positions(Chosen::positions()),
        (None, facts) => Rows::Facts(selection(facts)?, definitions),
    };
    let every = NonZeroUsize::new(every);
    Ok(Reader::new(Plan {
        paths: files(paths, bad_path)?,
        rows,
        conditions: conditions(r#where)?,
        every: every.ok_or_else(|| refuse("every 0, expected at least 1".to_owned()))?,
        threads: threads::given(threads)?,
        on_bad: self::on_bad(on_bad)?,
    }))
}

/// The columns that are asked for, if any are.
fn chosen(
    names: Option<&Bound<'_, PyAny>>,
    of: fn(&[&str]) -> Result<Chosen, String>,
) -> PyResult<Option<Chosen>> {
    let Some(names) = names else { return Ok(None) };
    let names = Strings::new(names, "columns")?;
    let names: Vec<&str> = names.texts("columns")?;
    if names.is_empty() {
        return Err(refuse("columns: none is named".to_owned()));
    }
    of(&names).map(Some).map_err(|cause| refuse(format!("columns: {cause}")))
}

/// What is raised for a file that cannot be opened.
pub(super) fn bad_path(error: SourceError) -> PyErr {
    Cause::from(error).raise_at("")
}

/// The paths of an argument, each of which can be opened.
pub(crate) fn files(
    paths: &Bound<'_, PyAny>,
    raise: fn(SourceError) -> PyErr,
) -> PyResult<Vec<PathBuf>> {
    let files = match paths.extract::<PathBuf>() {
        Ok(path) => vec![path],
        Err(_) => {
            let files = paths.try_iter()?.enumerate().map(|(index, path)| {
                let path = path?;
                path.extract::<PathBuf>().map_err(|_| {
                    let found = path.get_type();
                    PyTypeError::new_err(format!("paths[{index}]: {found}, expected a path"))
                })
            });
            files.collect::<PyResult<_>>()?
        }
    };
    if files.is_empty() {
        return Err(refuse("paths: no file".to_owned()));
    }
    match files.iter().find_map(|path| cannot_be_opened(path)) {
        Some(error) => Err(raise(error)),
        None => Ok(files),
    }
}

/// Why a path cannot be opened. A pipe is not tried: that would take its first bytes.
fn cannot_be_opened(path: &Path) -> Option<SourceError> {
    let is_pipe = fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir());
    if is_stdin(path) || is_pipe { None } else { Source::open(path).err() }
}

fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

fn conditions(given: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<Condition>> {
    let Some(given) = given else { return Ok(Vec::new()) };
    let parse = |text: &str| text.parse::<Condition>().map_err(|error| error.raise_at("where: "));
    match given.extract::<&str>() {
        Ok(text) => Ok(vec![parse(text)?]),
        Err(_) => Strings::new(given, "where")?.texts("where")?.into_iter().map(parse).collect(),
    }
}

fn on_bad(word: &str) -> PyResult<OnBad> {
    match word {
        "skip" => Ok(OnBad::Skip),
        "raise" => Ok(OnBad::Raise),
        _ => Err(refuse(format!("on_bad '{word}', expected skip or raise"))),
    }
}

/// A table of games in files. It reads the files while its rows are taken, in constant memory.
///
/// pyarrow, polars, pandas, DuckDB and others accept it where they accept Arrow data. A loop over
/// it yields tables of some thousand rows each. Each of these reads the files again from the start,
/// and stops reading when it is not continued. `bad` and `bad_count` are those of the latest read.
#[pyclass(frozen, module = "everyply.chess")]
pub(crate) struct Reader {
    plan: Arc<Plan>,
    schema: SchemaRef,
    latest: Mutex<Arc<Bad>>,
    has_begun: AtomicBool,
}

impl Reader {
    fn new(plan: Plan) -> Reader {
        let schema = plan.rows.schema();
        let has_begun = AtomicBool::new(false);
        Reader { plan: Arc::new(plan), schema, latest: Mutex::default(), has_begun }
    }

    fn begin(&self) -> PyResult<Reading> {
        let has_begun = self.has_begun.swap(true, Ordering::Relaxed);
        if has_begun && self.plan.paths.iter().any(|path| is_stdin(path)) {
            return Err(refuse("standard input can be read only once".to_owned()));
        }
        let bad = Arc::<Bad>::default();
        let reading = Reading::begin(self.plan.clone(), bad.clone());
        *self.latest.lock().unwrap_or_else(PoisonError::into_inner) = bad;
        reading.map_err(|error| PyRuntimeError::new_err(format!("no thread to read: {error}")))
    }

    fn latest(&self) -> Arc<Bad> {
        self.latest.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[pymethods]
impl Reader {
    /// The names of the columns in order.
    #[getter]
    fn column_names(&self) -> Vec<&str> {
        table::column_names(&self.schema)
    }

    /// The name and the version of the table's schema, and further notes.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        table::metadata(&self.schema, py)
    }

    /// The bad records that the latest read has skipped so far, at most the first 10,000.
    #[getter]
    fn bad(&self) -> Vec<BadRecord> {
        let bad = self.latest();
        let bad = bad.so_far();
        bad.first.iter().map(|(source, error)| BadRecord::of(source, error)).collect()
    }

    /// How many bad records the latest read has skipped so far.
    #[getter]
    fn bad_count(&self) -> u64 {
        self.latest().so_far().count
    }

    /// Reads everything into a table in memory.
    pub(crate) fn read_all(&self, py: Python<'_>) -> PyResult<Table> {
        let mut reading = self.begin()?;
        let batches = std::iter::from_fn(|| py.detach(|| reading.next()));
        let batches = batches.map(|batch| batch.map_err(Failure::raise));
        Ok(Table::new(self.schema.clone(), batches.collect::<PyResult<_>>()?))
    }

    /// Begins to read; each step is a table of some thousand rows.
    fn __iter__(&self) -> PyResult<Batches> {
        Ok(Batches { schema: self.schema.clone(), reading: Mutex::new(self.begin()?) })
    }

    fn __repr__(&self) -> String {
        let name = tables::name_of(&self.schema).unwrap_or("table");
        let (files, columns) = (self.plan.paths.len(), self.schema.fields().len());
        format!("Reader({name}, {files} files, {columns} columns)")
    }

    /// The schema as a capsule of the Arrow C data interface.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyArrowResult<Bound<'py, PyCapsule>> {
        to_schema_pycapsule(py, self.schema.as_ref())
    }

    /// Begins to read, and hands the rows over as a capsule of the Arrow C stream interface.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyArrowResult<Bound<'py, PyCapsule>> {
        let arrays = Arrays(self.begin()?);
        to_stream_pycapsule(py, table::stream(&self.schema, arrays), requested_schema)
    }
}

/// The tables of a reader one after the other, each with some thousand rows.
#[pyclass(frozen, module = "everyply.chess")]
pub(crate) struct Batches {
    schema: SchemaRef,
    reading: Mutex<Reading>,
}

#[pymethods]
impl Batches {
    fn __iter__(batches: PyRef<'_, Self>) -> PyRef<'_, Self> {
        batches
    }

    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Table>> {
        // Whoever waits for the lock must not keep the interpreter from the one who has it.
        let next = py.detach(|| {
            self.reading.lock().unwrap_or_else(PoisonError::into_inner).next().transpose()
        });
        let batch = next.map_err(Failure::raise)?;
        Ok(batch.map(|batch| Table::new(self.schema.clone(), vec![batch])))
    }
}

/// A game or a line that was skipped, or a file of which nothing more could be read.
#[pyclass(frozen, module = "everyply.chess")]
pub(crate) struct BadRecord {
    /// The path of the file, or `stdin`.
    #[pyo3(get)]
    source: String,
    /// The number of the game in the file, from 1; None if it is not about a game.
    #[pyo3(get)]
    game: Option<u64>,
    /// The line in the file, from 1; None if it is about the whole file.
    #[pyo3(get)]
    line: Option<u64>,
    /// What is wrong.
    #[pyo3(get)]
    cause: String,
}

impl BadRecord {
    pub(crate) fn new(
        source: &str,
        game: Option<u64>,
        line: Option<u64>,
        cause: &str,
    ) -> BadRecord {
        BadRecord { source: source.to_owned(), game, line, cause: plain(cause) }
    }

    fn of(source: &str, error: &Cause) -> BadRecord {
        let (game, line, cause) = match error {
            Cause::Game { error: PgnError::Game { game, line, fault }, .. } => {
                (Some(*game), Some(*line), fault.to_string())
            }
            Cause::Position { line, error, .. } => (None, Some(*line), error.to_string()),
            Cause::Source(SourceError::LineTooLong { line, limit, .. }) => {
                (None, Some(*line), format!("longer than {limit} bytes"))
            }
            error => {
                let text = error.to_string();
                let cause = text.strip_prefix(source).and_then(|rest| rest.strip_prefix(": "));
                (None, None, cause.unwrap_or(&text).to_owned())
            }
        };
        BadRecord::new(source, game, line, &cause)
    }

    /// The place in its file, and the cause.
    fn words(&self) -> String {
        let game = self.game.map(|game| format!("game {game}"));
        let line = self.line.map(|line| format!("line {line}"));
        let place = game.into_iter().chain(line).collect::<Vec<_>>().join(", ");
        if place.is_empty() { self.cause.clone() } else { format!("{place}: {}", self.cause) }
    }
}

#[pymethods]
impl BadRecord {
    /// The file, the place in it, and the cause.
    fn __str__(&self) -> String {
        plain(&format!("{}: {}", self.source, self.words()))
    }

    fn __repr__(&self) -> String {
        format!("BadRecord({})", self.words())
    }
}

impl Failure {
    fn raise(self) -> PyErr {
        match self {
            Failure::Record(error) => error.raise_at(""),
            Failure::Signal(error) => error,
            Failure::Table(error) => PyRuntimeError::new_err(plain(&error.to_string())),
            Failure::Forked => refuse(FORKED.to_owned()),
            Failure::Died => PyRuntimeError::new_err(DIED),
        }
    }
}

const FORKED: &str = "this read began before the process was forked; begin another";
const DIED: &str = "a thread of the reader has ended early";

/// Batches for other libraries, which know errors of Arrow only.
struct Arrays(Reading);

impl Iterator for Arrays {
    type Item = Result<ArrayRef, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.0.next()?;
        Some(next.map(table::array).map_err(|failure| match failure {
            Failure::Record(error) => ArrowError::InvalidArgumentError(plain(&error.to_string())),
            Failure::Signal(error) => {
                raise_later(&error);
                let cause = std::io::ErrorKind::Interrupted.into();
                ArrowError::IoError("interrupted".to_owned(), cause)
            }
            Failure::Table(error) => ArrowError::ComputeError(plain(&error.to_string())),
            Failure::Forked => ArrowError::InvalidArgumentError(FORKED.to_owned()),
            Failure::Died => ArrowError::ComputeError(DIED.to_owned()),
        }))
    }
}

/// The library that reads raises an error of its own. So that Ctrl-C is heard all the same, Python
/// is told of it again.
pub(crate) fn raise_later(error: &PyErr) {
    Python::attach(|py| {
        if error.is_instance_of::<PyKeyboardInterrupt>(py) {
            let _ = py.import("_thread").and_then(|module| module.call_method0("interrupt_main"));
        }
    });
}
