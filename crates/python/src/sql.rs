//! `everyply.sql`

use std::{cell::RefCell, ffi::CString, path::PathBuf};

use ::sql::{
    Access, BadGames, Engine, Guard, Interrupt, Network, Rules, Settings, SqlError as Failure,
    quiet_panics,
};
use pyo3::{exceptions::PyUserWarning, prelude::*, types::PyMapping};

use crate::{
    error::{Raise, exceptions, plain, refuse},
    limits,
    relations::patterns,
    table::Table,
    threads,
};

exceptions! {
    sql.SqlError from ::sql::SqlError, "A statement that failed.";
}

/// SQL over files, directories, Arrow tables and positions, with functions for chess.
#[pymodule(name = "sql", submodule)]
pub(crate) mod module {
    #[pymodule_export]
    use super::{SqlError, query};
}

/// A table that a statement can use.
pub(crate) enum Given {
    /// A file, a directory, a pattern or a URL.
    Path(String),
    /// Rows of Python's.
    Rows(Table),
}

/// Runs SQL statements, separated by semicolons, and returns the result of the last one.
///
/// `tables` maps names to tables. A table is an Arrow table of any library (pyarrow, polars, pandas
/// or everyply), which is read without copying, or the path of a file or a directory. A statement
/// can also name a path itself, in single quotes. docs/sql.md describes tables and functions, and
/// `select * from everyply.functions` lists the functions. Table functions such as `chess_moves`
/// follow the rules of `variant`, or those of `patterns`, a table with the columns of
/// `relations.rules`.
///
/// Statements can write files only if `writable` is true. If `root` is given, they can use only
/// files below that directory. If `network` is false, they can use no bucket and no database
/// server. `memory_limit` is the number of bytes for sorts, joins, aggregates and tables in memory
/// (default: half of the machine's RAM). `spill_dir` is the directory for spill files, and
/// `spill_limit` their maximum size in bytes. `time_limit` is in seconds. `threads` is the number
/// of threads (default: all cores). Ctrl-C cancels a statement.
///
/// Bad games in PGN files are skipped, with a UserWarning that tells how many there are.
///
/// Raises SqlError.
///
/// >>> from everyply import chess, sql
/// >>> sql.query("select chess_play('start', 'e4 e5') as fen")
/// table: 1 rows, 1 columns
/// fen
/// rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2
/// >>> facts = chess.facts(
/// ...     ["rnb1kbnr/ppp2ppp/8/3qp3/8/2N5/PPPP1PPP/R1BQKBNR w KQkq - 0 4"], "hanging_gain"
/// ... )
/// >>> sql.query("select game, black_hanging_gain as gain from facts", tables={"facts": facts})
/// table: 1 rows, 2 columns
/// game  gain
///    1     9
/// >>> sql.query("copy (select 1) to 'one.parquet'")
/// Traceback (most recent call last):
///     ...
/// everyply.sql.SqlError: COPY is refused: this session is read-only; writable=True allows it
#[pyfunction]
#[pyo3(signature = (
    statement, *, tables=None, variant="chess960", patterns=None, memory_limit=None,
    spill_dir=None, spill_limit=None, threads=None, time_limit=None, writable=false, root=None,
    network=true
))]
#[expect(clippy::too_many_arguments, reason = "in Python they have names and defaults")]
fn query(
    py: Python<'_>,
    statement: &str,
    tables: Option<&Bound<'_, PyMapping>>,
    variant: &str,
    patterns: Option<&Bound<'_, PyAny>>,
    memory_limit: Option<usize>,
    spill_dir: Option<PathBuf>,
    spill_limit: Option<u64>,
    threads: Option<usize>,
    time_limit: Option<f64>,
    writable: bool,
    root: Option<PathBuf>,
    network: bool,
) -> PyResult<Table> {
    let usual = settings(patterns::chosen(variant, patterns)?, threads)?;
    let settings = Settings {
        memory_limit: memory_limit.unwrap_or(usual.memory_limit),
        spill_directory: spill_dir,
        spill_limit: spill_limit.unwrap_or(usual.spill_limit),
        time_limit: limits::time(time_limit)?,
        guard: Guard {
            access: if writable { Access::Writable } else { Access::ReadOnly },
            root,
            network: if network { Network::Allowed } else { Network::Refused },
            ..Guard::default()
        },
        ..usual
    };
    let tables = tables.map_or_else(|| Ok(Vec::new()), given)?;
    let answered = answer(py, settings, tables, statement).map_err(|error| match error {
        Failure::ReadOnly(_) => hinted(&error, "writable=True allows it"),
        Failure::Memory { .. } => hinted(&error, "memory_limit raises it"),
        Failure::Time(_) => hinted(&error, "time_limit raises it"),
        Failure::Disk(_) => hinted(&error, "spill_limit raises it"),
        error => raise(error),
    });
    let (table, bad) = answered?;
    warn(py, &bad)?;
    Ok(table)
}

/// Warns of bad games that were skipped.
fn warn(py: Python<'_>, bad: &BadGames) -> PyResult<()> {
    let Some(first) = bad.first.first() else { return Ok(()) };
    let text = plain(&format!(
        "bad records skipped: {}; the first: {first}; chess_bad_games lists them",
        bad.count
    ));
    let text = CString::new(text).unwrap_or_default();
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1)
}

fn hinted(error: &Failure, hint: &str) -> PyErr {
    SqlError::new_err(sources::redacted(&format!("{error}; {hint}")).into_owned())
}

fn given(tables: &Bound<'_, PyMapping>) -> PyResult<Vec<(String, Given)>> {
    let given = tables.items()?.into_iter().map(|item| {
        let (name, table): (String, Bound<'_, PyAny>) = item.extract()?;
        let table = match table.extract::<PathBuf>() {
            Ok(path) => {
                let path = path.into_os_string().into_string();
                Given::Path(
                    path.map_err(|_| refuse(format!("tables['{name}']: the path is not UTF-8")))?,
                )
            }
            Err(_) => Given::Rows(Table::of(&table, &format!("tables['{name}']"))?),
        };
        Ok((name, table))
    });
    given.collect()
}

/// What a session may use unless told otherwise.
pub(crate) fn settings(rules: Rules, threads: Option<usize>) -> PyResult<Settings> {
    let usual = Settings::default();
    let threads = threads::given(threads)?;
    Ok(Settings { rules, threads, interrupt: Interrupt::when(signalled), ..usual })
}

/// Runs statements in a session of their own, and keeps the rows of the last.
pub(crate) fn answer(
    py: Python<'_>,
    settings: Settings,
    tables: Vec<(String, Given)>,
    text: &str,
) -> Result<(Table, BadGames), Failure> {
    py.detach(|| {
        quiet_panics();
        let statements = settings.guard.read(text)?;
        let engine = Engine::new(settings)?;
        for (name, table) in tables {
            match table {
                Given::Path(path) => engine.add_table(&name, &path)?,
                Given::Rows(Table { schema, batches }) => {
                    engine.add_batches(&name, schema, batches)?;
                }
            }
        }
        let mut last = Err(Failure::Count(0));
        for statement in statements {
            let answer = engine.execute(statement)?;
            let schema = answer.schema().clone();
            last = Ok(Table::new(schema, answer.collect::<Result<_, _>>()?));
        }
        last.map(|table| (table, engine.bad_games()))
    })
}

/// The exception for a statement without an answer; where that was stopped, the one that Python
/// raised when it was asked for signals.
pub(crate) fn raise(error: Failure) -> PyErr {
    match error {
        Failure::Interrupted => SIGNAL.take().unwrap_or_else(|| error.raise_at("")),
        error => error.raise_at(""),
    }
}

thread_local! {
    static SIGNAL: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Whether Python has heard a signal, such as that of Ctrl-C. It hears them on the thread that
/// called, and there an engine asks.
#[expect(clippy::redundant_closure_for_method_calls, reason = "the method has too few lifetimes")]
fn signalled() -> bool {
    match Python::attach(|py| py.check_signals()) {
        Ok(()) => false,
        Err(error) => {
            SIGNAL.set(Some(error));
            true
        }
    }
}
