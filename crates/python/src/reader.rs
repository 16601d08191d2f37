//! Tables of games in files, which are read while their rows are taken.

use std::{
    fs,
    path::{Path, PathBuf},
    process,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, ThreadId},
};

use arrow::{array::ArrayRef, datatypes::SchemaRef, error::ArrowError, record_batch::RecordBatch};
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
use tables::TableError;

use crate::{
    error::{Raise, plain, refuse},
    table::{self, Table},
};

/// Files whose games become the rows of a table.
pub(crate) trait Files: Send + Sync {
    fn paths(&self) -> &[PathBuf];
    fn schema(&self) -> SchemaRef;
    /// Begins to read, from the first file on. Bad records are added while rows are taken.
    fn begin(&self, bad: Arc<Bad>) -> PyResult<Reading>;
}

/// Rows that are being read. They do not need the interpreter.
pub(crate) type Reading = Box<dyn Iterator<Item = Result<RecordBatch, Failure>> + Send>;

/// Why rows do not come.
pub(crate) enum Failure {
    /// A bad record, in words and as what Python raises for it.
    Record(String, PyErr),
    Table(TableError),
    /// What Python raised when it was asked for signals.
    Signal(PyErr),
    Forked,
    Died,
}

const FORKED: &str = "this read began before the process was forked; begin another";
const DIED: &str = "a thread of the reader has ended early";

impl Failure {
    pub(crate) fn record(error: impl Raise + ToString) -> Failure {
        Failure::Record(plain(&error.to_string()), error.raise_at(""))
    }

    fn raise(self) -> PyErr {
        match self {
            Failure::Record(_, error) | Failure::Signal(error) => error,
            Failure::Table(error) => PyRuntimeError::new_err(plain(&error.to_string())),
            Failure::Forked => refuse(FORKED.to_owned()),
            Failure::Died => PyRuntimeError::new_err(DIED),
        }
    }

    /// For a library that knows errors of Arrow only.
    fn arrow(self) -> ArrowError {
        match self {
            Failure::Record(words, _) => ArrowError::InvalidArgumentError(words),
            Failure::Signal(error) => {
                raise_later(&error);
                let cause = std::io::ErrorKind::Interrupted.into();
                ArrowError::IoError("interrupted".to_owned(), cause)
            }
            Failure::Table(error) => ArrowError::ComputeError(plain(&error.to_string())),
            Failure::Forked => ArrowError::InvalidArgumentError(FORKED.to_owned()),
            Failure::Died => ArrowError::ComputeError(DIED.to_owned()),
        }
    }
}

/// The library that reads raises an error of its own. So that Ctrl-C is heard all the same, Python
/// is told of it again.
fn raise_later(error: &PyErr) {
    Python::attach(|py| {
        if error.is_instance_of::<PyKeyboardInterrupt>(py) {
            let _ = py.import("_thread").and_then(|module| module.call_method0("interrupt_main"));
        }
    });
}

/// The process and the thread of Python that began to read.
pub(crate) struct Home {
    process: u32,
    thread: ThreadId,
}

impl Home {
    pub(crate) fn here() -> Home {
        Home { process: process::id(), thread: thread::current().id() }
    }

    pub(crate) fn is_other_process(&self) -> bool {
        self.process != process::id()
    }

    /// Asks Python for signals, but only at home: on another thread that would have to wait for
    /// the interpreter, perhaps forever.
    #[expect(
        clippy::redundant_closure_for_method_calls,
        reason = "the method has too few lifetimes"
    )]
    pub(crate) fn signals(&self) -> Result<(), Failure> {
        let is_home = !self.is_other_process() && self.thread == thread::current().id();
        match is_home {
            true => Python::attach(|py| py.check_signals()).map_err(Failure::Signal),
            false => Ok(()),
        }
    }
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

/// What becomes of a bad record.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnBad {
    Skip,
    Raise,
}

impl OnBad {
    pub(crate) fn from_word(word: &str) -> PyResult<OnBad> {
        match word {
            "skip" => Ok(OnBad::Skip),
            "raise" => Ok(OnBad::Raise),
            _ => Err(refuse(format!("on_bad '{word}', expected skip or raise"))),
        }
    }
}

/// The bad records of a read.
#[derive(Default)]
pub(crate) struct Bad(Mutex<BadSoFar>);

#[derive(Default)]
struct BadSoFar {
    count: u64,
    first: Vec<BadRecord>,
}

/// Bad records that are kept: a file that holds nothing else must not fill the memory.
const BAD_KEPT: usize = 10_000;

impl Bad {
    fn so_far(&self) -> MutexGuard<'_, BadSoFar> {
        lock(&self.0)
    }

    pub(crate) fn add(&self, records: impl ExactSizeIterator<Item = BadRecord>) {
        let mut bad = self.so_far();
        bad.count += records.len() as u64;
        let room = BAD_KEPT.saturating_sub(bad.first.len());
        bad.first.extend(records.take(room));
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A table of games in files. It reads the files while its rows are taken, in constant memory.
///
/// pyarrow, polars, pandas, DuckDB and others accept it where they accept Arrow data. A loop over
/// it yields tables of some thousand rows each. Each of these reads the files again from the start,
/// and stops reading when it is not continued. `bad` and `bad_count` are those of the latest read.
#[pyclass(frozen, module = "everyply.chess")]
pub(crate) struct Reader {
    files: Box<dyn Files>,
    schema: SchemaRef,
    latest: Mutex<Arc<Bad>>,
    has_begun: AtomicBool,
}

impl Reader {
    pub(crate) fn new(files: impl Files + 'static) -> Reader {
        let (schema, has_begun) = (files.schema(), AtomicBool::new(false));
        Reader { files: Box::new(files), schema, latest: Mutex::default(), has_begun }
    }

    fn begin(&self) -> PyResult<Reading> {
        let has_begun = self.has_begun.swap(true, Ordering::Relaxed);
        if has_begun && self.files.paths().iter().any(|path| is_stdin(path)) {
            return Err(refuse("standard input can be read only once".to_owned()));
        }
        let bad = Arc::<Bad>::default();
        *lock(&self.latest) = bad.clone();
        self.files.begin(bad)
    }

    fn latest(&self) -> Arc<Bad> {
        lock(&self.latest).clone()
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
        self.latest().so_far().first.clone()
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
        let (files, columns) = (self.files.paths().len(), self.schema.fields().len());
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
        let next = py.detach(|| lock(&self.reading).next().transpose());
        let batch = next.map_err(Failure::raise)?;
        Ok(batch.map(|batch| Table::new(self.schema.clone(), vec![batch])))
    }
}

/// Batches for other libraries.
struct Arrays(Reading);

impl Iterator for Arrays {
    type Item = Result<ArrayRef, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.0.next()?.map(table::array).map_err(Failure::arrow))
    }
}

/// A game or a line that was skipped, or a file of which nothing more could be read.
#[derive(Clone)]
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

    /// An error about a whole file. It may begin with the name of the file.
    pub(crate) fn of_file(source: &str, error: &impl ToString) -> BadRecord {
        let text = error.to_string();
        let cause = text.strip_prefix(source).and_then(|rest| rest.strip_prefix(": "));
        BadRecord::new(source, None, None, cause.unwrap_or(&text))
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
