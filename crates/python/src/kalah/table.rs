//! Dense tables for Python.

use std::path::{Path, PathBuf};

use ::kalah::Sheets;
use pyo3::prelude::*;
use solver::table::{BuildLimits, Built, Directory, TableError, build};

use super::{heed, named};
use crate::{error::Raise, threads};

/// Builds a dense table in a directory, or continues it, and returns the number of its positions.
/// The table holds the value of every position with `pits` pits on both sides and at most
/// `max_seeds` seeds in play, reachable or not.
///
/// `memory_limit` is the memory limit in bytes. Ctrl-C keeps the finished files and stops. Raises
/// ParseRulesError, SheetsError, StoreError or TableError.
///
/// >>> import tempfile
/// >>> from everyply import kalah
/// >>> with tempfile.TemporaryDirectory() as directory:
/// ...     positions = kalah.build_table(3, 6, directory)
/// ...     positions, kalah.value("0,1,2/0,2,1", table=directory)
/// (924, 0)
#[pyfunction]
#[pyo3(signature = (pits, max_seeds, directory, rules="std_either", *, memory_limit=1_073_741_824))]
#[expect(clippy::needless_pass_by_value, reason = "PyO3 hands arguments over by value")]
pub(super) fn build_table(
    py: Python<'_>,
    pits: usize,
    max_seeds: u32,
    directory: PathBuf,
    rules: &str,
    memory_limit: usize,
) -> PyResult<u64> {
    built(py, pits, max_seeds, &directory, rules, memory_limit).map(|(_, built)| built.positions)
}

/// Builds the table, and returns the numbering of its positions and the result of the build.
pub(crate) fn built(
    py: Python<'_>,
    pits: usize,
    max_seeds: u32,
    directory: &Path,
    rules: &str,
    memory: usize,
) -> PyResult<(Sheets, Built)> {
    let sheets = Sheets::new(pits, max_seeds, named(rules)?).map_err(|error| error.raise_at(""))?;
    let (directory, limits) = (Directory::new(directory), BuildLimits { memory });
    let mut signal = None;
    let built =
        threads::detach(py, || build(&sheets, &directory, &limits, &mut |_| heed(&mut signal)));
    Ok((sheets, unless_stopped(signal, built)?))
}

/// The result of work on a table. If a signal stopped it, the exception that Python raised.
pub(crate) fn unless_stopped<T>(signal: Option<PyErr>, done: Result<T, TableError>) -> PyResult<T> {
    match (done, signal) {
        (Ok(done), _) => Ok(done),
        (Err(TableError::Stopped), Some(signal)) => Err(signal),
        (Err(TableError::Store(error)), _) => Err(error.raise_at("")),
        (Err(error), _) => Err(error.raise_at("")),
    }
}
