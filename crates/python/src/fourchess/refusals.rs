//! The exceptions of four-player chess, and which error becomes which.

use pyo3::{exceptions::PyMemoryError, prelude::*};

use super::memory;
use crate::{
    error::{Error, Raise, exceptions, refuse},
    input::integers,
};

exceptions! {
    fourchess.FenError from ::fourchess::FenError, "A text that is not a FEN4.";
    fourchess.WeightsError from fourchess_learned::Error, "A file that is not the weights of a network.";
}

pyo3::create_exception!(
    everyply.fourchess,
    BatchError,
    Error,
    "An argument that a batch refuses; the batch is unchanged."
);

pyo3::create_exception!(
    everyply.fourchess,
    IllegalAction,
    BatchError,
    "An action that is not legal in its game."
);

pyo3::create_exception!(
    everyply.fourchess,
    DeviceError,
    Error,
    "A GPU that cannot be used, or that failed."
);

/// The exception of an error of a batch.
pub(super) fn raise(error: fourchess_env::Error) -> PyErr {
    match error {
        fourchess_env::Error::Fen { game, cause } => {
            cause.raise_at(&format!("position of game {game}: "))
        }
        fourchess_env::Error::IllegalAction { .. } => IllegalAction::new_err(error.to_string()),
        fourchess_env::Error::TooLarge { .. } => PyMemoryError::new_err(error.to_string()),
        _ => BatchError::new_err(error.to_string()),
    }
}

/// Games by their numbers.
pub(super) fn indexes(argument: &Bound<'_, PyAny>, name: &str) -> PyResult<Vec<usize>> {
    let games: Vec<u64> = integers(argument, name, None)?;
    memory::collected(games.into_iter().map(|game| game as usize))
}

/// The most games of a batch. The number alone must not exhaust the memory of any machine.
const MOST_GAMES: usize = 1 << 24;
const MOST_THREADS: usize = 1 << 10;

/// Refuses a batch that is too large for any machine.
pub(super) fn check_size(games: usize, threads: usize) -> PyResult<()> {
    at_most("games", games, MOST_GAMES)?;
    at_most("threads", threads, MOST_THREADS)
}

fn at_most(argument: &str, number: usize, most: usize) -> PyResult<()> {
    if number <= most {
        return Ok(());
    }
    Err(refuse(format!("{argument}: {number}, expected at most {most}")))
}
