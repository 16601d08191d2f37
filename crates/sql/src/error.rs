//! What can go wrong, in words for whoever wrote the statement.

use std::{
    error::Error,
    io,
    path::{Path, PathBuf},
    time::Duration,
};

use arrow::error::ArrowError;
use datafusion::{
    common::human_readable_size, error::DataFusionError, sql::sqlparser::parser::ParserError,
};
use sinks::SinkError;
use sources::redacted;

use crate::{checked::Damaged, functions::relations, guard::Refusal, panics, pgn};

/// Why a statement failed.
#[derive(Debug, thiserror::Error)]
pub enum SqlError {
    /// The text is not valid SQL.
    #[error("{}", redacted(.0))]
    Syntax(String),
    /// One statement was expected, and there are more or none.
    #[error("expected one statement, found {0}")]
    Count(usize),
    /// A table, column or function does not exist, or a value is bad.
    #[error("{}", redacted(.0))]
    Statement(String),
    /// The guard does not allow the statement.
    #[error("{0}")]
    Refused(String),
    /// The statement would write, and the session is read-only.
    #[error("{0} is refused: this session is read-only")]
    ReadOnly(String),
    /// The statement needs more memory than its limit.
    #[error("the statement needs more than the memory limit of {limit} ({part})")]
    Memory {
        /// The memory limit, in words.
        limit: String,
        /// The operator that could not get memory.
        part: String,
    },
    /// The statement needs more disk space than the spill limit.
    #[error("the statement needs more than the spill limit of {0}")]
    Disk(String),
    /// The disk is full: spill files or a file that a statement writes do not fit.
    #[error("the disk is full: {cause}{}", place(spill_directory.as_deref()))]
    Full {
        /// What the system says.
        cause: String,
        /// The directory of spill files, if the engine knows it.
        spill_directory: Option<PathBuf>,
    },
    /// The statement exceeded its time limit.
    #[error("the statement took longer than the time limit of {} s", .0.as_secs_f64())]
    Time(Duration),
    /// The statement was interrupted.
    #[error("interrupted")]
    Interrupted,
    /// A file cannot be written, a directory cannot be used, or a server does not answer.
    #[error("{}", redacted(.0))]
    Io(String),
    /// A feature that was left out when the program was built.
    #[error("this program was built without the feature '{0}'; build it with --features {0}")]
    NotBuiltIn(&'static str),
    /// An internal error of the query engine.
    #[error("the query engine failed: {}", redacted(.0))]
    Engine(String),
}

/// Says that something would need more memory than there may be, through layers that pass on
/// errors of others.
#[derive(Debug, thiserror::Error)]
#[error("{part} needs more than {limit} bytes")]
pub(crate) struct OverMemory {
    pub(crate) limit: usize,
    pub(crate) part: String,
}

impl OverMemory {
    pub(crate) fn told(&self) -> SqlError {
        SqlError::Memory { limit: human_readable_size(self.limit), part: self.part.clone() }
    }
}

impl From<OverMemory> for DataFusionError {
    fn from(error: OverMemory) -> DataFusionError {
        DataFusionError::External(Box::new(error))
    }
}

/// Says that a server did not answer, through layers that pass on errors of others.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Unanswered(pub(crate) String);

impl Unanswered {
    /// Whether an error was caused by a server that did not answer, whatever was tried.
    pub(crate) fn is_cause_of(error: &(dyn Error + 'static)) -> bool {
        causes(error).any(|cause| {
            let is_generic = cause.downcast_ref::<object_store::Error>().is_some_and(|error| {
                // What is wrong with a file of this machine has a kind of its own.
                matches!(error, object_store::Error::Generic { store: "S3", .. })
            });
            is_generic || cause.is::<Unanswered>()
        })
    }

    /// An error of reading that had this cause.
    pub(crate) fn or_failed(cause: &(dyn Error + 'static), text: String) -> DataFusionError {
        match Unanswered::is_cause_of(cause) {
            true => DataFusionError::External(Box::new(Unanswered(text))),
            false => DataFusionError::Execution(text),
        }
    }
}

impl From<DataFusionError> for SqlError {
    /// DataFusion wraps an error in one for each layer that it came through. The innermost says
    /// what happened; of the others none helps whoever wrote the statement.
    fn from(error: DataFusionError) -> SqlError {
        SqlError::from_ref(&error)
    }
}

impl SqlError {
    /// As from the error itself, which may still be needed.
    pub(crate) fn from_ref(error: &DataFusionError) -> SqlError {
        use DataFusionError as E;
        if let Some(refusal) = unwritten(error) {
            return SqlError::Io(refusal.to_string());
        }
        let innermost = innermost(error);
        if let Some(limit) = over_a_limit(&innermost.message()) {
            return limit;
        }
        if let Some(damaged) = causes(innermost).find_map(|cause| cause.downcast_ref::<Damaged>()) {
            return SqlError::Statement(damaged.to_string());
        }
        for error in causes(innermost).filter_map(|cause| cause.downcast_ref::<io::Error>()) {
            if is_full(error) {
                return SqlError::Full { cause: error.to_string(), spill_directory: None };
            }
            if is_ours(error) {
                return SqlError::Io(error.to_string());
            }
        }
        if Unanswered::is_cause_of(innermost) {
            return SqlError::Io(one_line(&innermost.message()));
        }
        match innermost {
            E::SQL(error, _) => SqlError::Syntax(match &**error {
                ParserError::TokenizerError(text) | ParserError::ParserError(text) => text.clone(),
                ParserError::RecursionLimitExceeded => "the statement is nested too deeply".into(),
            }),
            E::Internal(text) if text.contains("offset overflow") => panics::told(text.clone()),
            E::Internal(text) if text.starts_with("Failed to coerce types") => {
                SqlError::Statement(one_line(text))
            }
            E::Internal(text) | E::Substrait(text) | E::Ffi(text) => {
                SqlError::Engine(one_line(text))
            }
            E::ExecutionJoin(error) => panics::told(one_line(&error.to_string())),
            E::NotImplemented(text) => {
                SqlError::Statement(format!("not supported: {}", one_line(text)))
            }
            E::ArrowError(error, _) => SqlError::Statement(one_line(&arrow_text(error))),
            E::ParquetError(error) => SqlError::Statement(one_line(&error.to_string())),
            E::External(error) if error.is::<OverMemory>() => {
                error.downcast_ref().map_or(SqlError::Interrupted, OverMemory::told)
            }
            E::External(error) if error.is::<Refusal>() => SqlError::Refused(error.to_string()),
            E::External(error) => SqlError::Statement(one_line(&external_text(&**error))),
            E::SchemaError(error, _) => SqlError::Statement(one_line(&error.to_string())),
            other => {
                let text = other.message();
                let told = misfit(&text).or_else(|| misplaced(&text));
                SqlError::Statement(told.unwrap_or_else(|| one_line(&text)))
            }
        }
    }
}

/// Why a file was not written, somewhere among the causes.
fn unwritten(error: &DataFusionError) -> Option<&SinkError> {
    causes(error).find_map(|cause| cause.downcast_ref())
}

/// The limit that a text says was reached. These come as texts only, some wrapped as errors of
/// writing a file.
fn over_a_limit(text: &str) -> Option<SqlError> {
    if let Some((_, rest)) = text.split_once("has exceeded the allowable limit of ") {
        let limit = rest.split(". ").next().unwrap_or(rest);
        return Some(SqlError::Disk(limit.to_owned()));
    }
    let (_, rest) = text.split_once("Failed to allocate additional ")?;
    let (_, rest) = rest.split_once(" for ")?;
    let (part, rest) = rest.split_once(" with ")?;
    let (_, limit) = rest.rsplit_once("pool_size: ")?;
    // Which of several equal parts it was is chance.
    let part = part.split('[').next().unwrap_or(part).to_owned();
    Some(SqlError::Memory { limit: limit.trim_end_matches(')').to_owned(), part })
}

/// What is wrong with a call, told by the function itself if it is one of ours, and otherwise with
/// the calls that would fit.
fn misfit(text: &str) -> Option<String> {
    let (before, rest) =
        text.split_once("No function matches the given name and argument types '")?;
    if let Some((_, own)) = before.split_once("user-defined coercion failed with: ") {
        let own = own.trim().trim_end_matches('.');
        return Some(own.strip_prefix("Error during planning: ").unwrap_or(own).to_owned());
    }
    let (call, rest) = rest.split_once('\'')?;
    let (_, candidates) = rest.split_once("Candidate functions:")?;
    let candidates: Vec<&str> = candidates.split_whitespace().collect();
    Some(format!("no function matches {call}, expected {}", candidates.join(", ")))
}

/// What is wrong where a table of moves stands in the place of a value: DataFusion only says that
/// it knows no such function.
fn misplaced(text: &str) -> Option<String> {
    let (name, _) = text.strip_prefix("Invalid function '")?.split_once('\'')?;
    let gives_table = relations::FUNCTIONS.iter().any(|function| function.name == name)
        || pgn::functions::FUNCTIONS.iter().any(|function| function.name == name);
    gives_table.then(|| format!("{name} returns a table; use it in FROM"))
}

/// The error that the others only pass on.
fn innermost(error: &DataFusionError) -> &DataFusionError {
    use DataFusionError as E;
    match error {
        E::Context(_, inner) | E::Diagnostic(_, inner) => innermost(inner),
        E::Shared(inner) => innermost(inner),
        E::Collection(errors) => errors.first().map_or(error, innermost),
        E::External(inner) => match inner.downcast_ref::<DataFusionError>() {
            Some(inner) => innermost(inner),
            None => error,
        },
        E::ArrowError(inner, _) => match &**inner {
            ArrowError::ExternalError(inner) => match inner.downcast_ref::<DataFusionError>() {
                Some(inner) => innermost(inner),
                None => error,
            },
            _ => error,
        },
        _ => error,
    }
}

/// An error and those below it. An error of the system that wraps another hides it from `source`.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| {
        let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        wrapped.map(|error| error as &(dyn Error + 'static)).or_else(|| error.source())
    })
}

fn is_full(error: &io::Error) -> bool {
    use io::ErrorKind as K;
    matches!(error.kind(), K::StorageFull | K::QuotaExceeded | K::FileTooLarge)
}

fn is_ours(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionReset
            | io::ErrorKind::TimedOut
            | io::ErrorKind::ReadOnlyFilesystem
            | io::ErrorKind::PermissionDenied
    )
}

fn place(spill_directory: Option<&Path>) -> String {
    let told = |directory: &Path| format!("; spill files are in {}", directory.display());
    spill_directory.map_or_else(String::new, told)
}

fn arrow_text(error: &ArrowError) -> String {
    match error {
        ArrowError::ExternalError(error) => external_text(&**error),
        ArrowError::CastError(text)
        | ArrowError::ParseError(text)
        | ArrowError::SchemaError(text)
        | ArrowError::ComputeError(text)
        | ArrowError::CsvError(text)
        | ArrowError::JsonError(text)
        | ArrowError::IpcError(text)
        | ArrowError::ParquetError(text)
        | ArrowError::InvalidArgumentError(text) => text.clone(),
        ArrowError::ArithmeticOverflow(text) => format!("arithmetic overflow: {text}"),
        other => other.to_string(),
    }
}

fn external_text(error: &(dyn Error + 'static)) -> String {
    match error.downcast_ref::<ArrowError>() {
        Some(error) => arrow_text(error),
        None => error.to_string(),
    }
}

/// Errors of ours are one line; behind that of others stand notes for those who write query
/// engines.
fn one_line(text: &str) -> String {
    let text = text.split("\nThis issue was likely caused by a bug").next().unwrap_or(text);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join(" ")
}
