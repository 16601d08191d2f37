//! `everyply.fourchess.games` and `everyply.fourchess.positions`: tables of PGN4 files, which are
//! read while the rows are taken.

use std::{
    path::{Path, PathBuf},
    process,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, ThreadId},
};

use ::fourchess::pgn::PgnError;
use ::games::fourchess::{Played, Reader as Games, RecordError as Cause};
use ::tables::{
    Batches as Collected,
    fourchess::{PGN4_GAMES, PGN4_POSITIONS, pgn4_game, pgn4_positions},
};
use arrow::{
    array::ArrayRef, compute::concat_batches, datatypes::SchemaRef, error::ArrowError,
    record_batch::RecordBatch,
};
use pyo3::{
    prelude::*,
    types::{PyCapsule, PyDict},
};
use pyo3_arrow::{
    error::PyArrowResult,
    ffi::{to_schema_pycapsule, to_stream_pycapsule},
};

use crate::{
    chess::{BadRecord, files, raise_later},
    error::{Raise, exceptions, plain, refuse},
    table::{self, Table},
};

exceptions! {
    fourchess.RecordError from ::games::fourchess::RecordError,
        "A file that cannot be read, or a bad game in it. The message names the place.";
}

/// The games of PGN4 files, one row each: the table `fourchess.pgn4_games`.
///
/// `paths` is a path or an iterable of paths. Files are plain or compressed with gzip or zstd, and
/// `-` is standard input. Nothing is read until rows are taken from the reader that is returned.
///
/// The reader skips bad games and lists them in `bad`; with `on_bad="raise"` it raises RecordError
/// at the first.
///
/// >>> from everyply import fourchess
/// >>> import pathlib, tempfile
/// >>> path = pathlib.Path(tempfile.mkdtemp(), "games.pgn4")
/// >>> _ = path.write_text('[Red "A"]\n\n1. h2-h3 .. b7-c7\n\n[Red "B"]\n\n1. h2-h9\n')
/// >>> games = fourchess.games(path)
/// >>> import pyarrow
/// >>> pyarrow.table(games).select(["red", "rules", "plies"]).to_pylist()
/// [{'red': 'A', 'rules': 'ffa', 'plies': 2}]
/// >>> games.bad
/// [BadRecord(game 2, line 7: h2-h9 is not a legal move here (move 1 of Red))]
#[pyfunction]
#[pyo3(signature = (paths, *, on_bad="skip"))]
pub(crate) fn games(paths: &Bound<'_, PyAny>, on_bad: &str) -> PyResult<Reader> {
    Reader::new(paths, Rows::Games, on_bad)
}

/// The positions of PGN4 files, one row each with the move that was made in it and its action: the
/// table `fourchess.pgn4_positions`. The last row of a game has no move.
///
/// The arguments are those of `games`.
///
/// >>> from everyply import fourchess
/// >>> import pathlib, tempfile
/// >>> path = pathlib.Path(tempfile.mkdtemp(), "games.pgn4")
/// >>> _ = path.write_text("1. h2-h3 .. b7-c7 .. R")
/// >>> import pyarrow
/// >>> rows = pyarrow.table(fourchess.positions(path))
/// >>> rows.select(["ply", "seat", "san", "action"]).to_pylist()[:2]
/// [{'ply': 0, 'seat': 'red', 'san': 'h2-h3', 'action': 441}, {'ply': 1, 'seat': 'blue', 'san': 'b7-c7', 'action': 441}]
#[pyfunction]
#[pyo3(signature = (paths, *, on_bad="skip"))]
pub(crate) fn positions(paths: &Bound<'_, PyAny>, on_bad: &str) -> PyResult<Reader> {
    Reader::new(paths, Rows::Positions, on_bad)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Rows {
    Games,
    Positions,
}

impl Rows {
    fn table(self) -> &'static tables::Table {
        match self {
            Rows::Games => &PGN4_GAMES,
            Rows::Positions => &PGN4_POSITIONS,
        }
    }

    fn of(self, played: &Played) -> Vec<RecordBatch> {
        let (source, number, record) = (&*played.source, played.number, &played.record);
        match self {
            Rows::Games => Collected::collect(&PGN4_GAMES, [pgn4_game(source, number, record)]),
            Rows::Positions => {
                Collected::collect(&PGN4_POSITIONS, pgn4_positions(source, number, record))
            }
        }
    }
}

/// A table of games in PGN4 files. It reads the files while its rows are taken, a game at a time.
///
/// pyarrow, polars, pandas, DuckDB and others accept it where they accept Arrow data. A loop over
/// it yields tables of some thousand rows each. Each of these reads the files again from the start.
/// `bad` and `bad_count` are those of the latest read.
#[pyclass(frozen, module = "everyply.fourchess")]
pub(crate) struct Reader {
    paths: Vec<PathBuf>,
    rows: Rows,
    raises: bool,
    schema: SchemaRef,
    latest: Mutex<Arc<Mutex<Bad>>>,
    has_begun: AtomicBool,
}

/// The bad games of a read.
#[derive(Default)]
struct Bad {
    count: u64,
    first: Vec<(Arc<str>, Cause)>,
}

/// Bad games that are kept: a file that holds nothing else must not fill the memory.
const BAD_KEPT: usize = 10_000;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Reader {
    fn new(paths: &Bound<'_, PyAny>, rows: Rows, on_bad: &str) -> PyResult<Reader> {
        let raises = match on_bad {
            "skip" => false,
            "raise" => true,
            _ => return Err(refuse(format!("on_bad '{on_bad}', expected skip or raise"))),
        };
        let paths = files(paths, |error| Cause::from(error).raise_at(""))?;
        let (schema, has_begun) = (rows.table().schema(), AtomicBool::new(false));
        Ok(Reader { paths, rows, raises, schema, latest: Mutex::default(), has_begun })
    }

    fn begin(&self) -> PyResult<Reading> {
        let has_begun = self.has_begun.swap(true, Ordering::Relaxed);
        if has_begun && self.paths.iter().any(|path| path == Path::new("-")) {
            return Err(refuse("standard input can be read only once".to_owned()));
        }
        let bad = Arc::<Mutex<Bad>>::default();
        *lock(&self.latest) = bad.clone();
        Ok(Reading {
            games: Some(Games::new(self.paths.clone())),
            rows: self.rows,
            raises: self.raises,
            schema: self.schema.clone(),
            bad,
            home: (process::id(), thread::current().id()),
        })
    }
}

#[pymethods]
impl Reader {
    /// The names of the columns in order.
    #[getter]
    fn column_names(&self) -> Vec<&str> {
        table::column_names(&self.schema)
    }

    /// The name and the version of the table's schema.
    #[getter]
    fn metadata<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        table::metadata(&self.schema, py)
    }

    /// The bad games that the latest read has skipped so far, at most the first 10,000.
    #[getter]
    fn bad(&self) -> Vec<BadRecord> {
        let bad = lock(&self.latest).clone();
        let bad = lock(&bad);
        bad.first.iter().map(|(source, error)| record(source, error)).collect()
    }

    /// How many bad games the latest read has skipped so far.
    #[getter]
    fn bad_count(&self) -> u64 {
        let bad = lock(&self.latest).clone();
        lock(&bad).count
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
        let (name, files) = (self.rows.table().name, self.paths.len());
        format!("Reader({name}, {files} files, {} columns)", self.schema.fields().len())
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

/// A bad game as Python sees it.
fn record(source: &str, error: &Cause) -> BadRecord {
    match error {
        Cause::Game { error: PgnError::Game { game, line, fault }, .. } => {
            BadRecord::new(source, Some(*game), Some(*line), &fault.to_string())
        }
        error => {
            let text = error.to_string();
            let cause = text.strip_prefix(source).and_then(|rest| rest.strip_prefix(": "));
            BadRecord::new(source, None, None, cause.unwrap_or(&text))
        }
    }
}

/// The tables of a reader one after the other, each with some thousand rows.
#[pyclass(frozen, module = "everyply.fourchess")]
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
        let next = py.detach(|| lock(&self.reading).next().transpose());
        let batch = next.map_err(Failure::raise)?;
        Ok(batch.map(|batch| Table::new(self.schema.clone(), vec![batch])))
    }
}

/// Files that are being read.
struct Reading {
    /// None when no more rows are wanted.
    games: Option<Games>,
    rows: Rows,
    raises: bool,
    schema: SchemaRef,
    bad: Arc<Mutex<Bad>>,
    /// The process and the thread of Python that began it.
    home: (u32, ThreadId),
}

/// Why rows do not come.
enum Failure {
    Record(Cause),
    /// What Python raised when it was asked for signals.
    Signal(PyErr),
    Table(ArrowError),
}

impl Failure {
    fn raise(self) -> PyErr {
        match self {
            Failure::Record(error) => error.raise_at(""),
            Failure::Signal(error) => error,
            Failure::Table(error) => refuse(error.to_string()),
        }
    }
}

/// Rows of a batch, unless they are the last.
const BATCH: usize = 1 << 13;

impl Reading {
    /// The next rows. Does not need the interpreter, and asks it for signals only on the thread
    /// that began: on another one it would have to wait for it, perhaps forever.
    fn next(&mut self) -> Option<Result<RecordBatch, Failure>> {
        let mut games = self.games.take()?;
        let (mut held, mut count) = (Vec::new(), 0);
        while count < BATCH {
            if let Err(error) = self.signals() {
                return Some(Err(Failure::Signal(error)));
            }
            match games.next() {
                Some(Ok(played)) => {
                    let batches = self.rows.of(&played);
                    count += batches.iter().map(RecordBatch::num_rows).sum::<usize>();
                    held.extend(batches);
                }
                Some(Err(error)) if self.raises => return Some(Err(Failure::Record(error))),
                Some(Err(error)) => self.add_bad(games.source().clone(), error),
                None if count == 0 => return None,
                None => return Some(self.joined(&held)),
            }
        }
        self.games = Some(games);
        Some(self.joined(&held))
    }

    fn joined(&self, held: &[RecordBatch]) -> Result<RecordBatch, Failure> {
        concat_batches(&self.schema, held).map_err(Failure::Table)
    }

    fn add_bad(&self, source: Arc<str>, error: Cause) {
        let mut bad = lock(&self.bad);
        bad.count += 1;
        if bad.first.len() < BAD_KEPT {
            bad.first.push((source, error));
        }
    }

    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method has too few lifetimes"
    )]
    fn signals(&self) -> PyResult<()> {
        match (process::id(), thread::current().id()) == self.home {
            true => Python::attach(|py| py.check_signals()),
            false => Ok(()),
        }
    }
}

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
            Failure::Table(error) => error,
        }))
    }
}
