//! Bounds that several functions have in common.

use std::time::Duration;

use pyo3::PyResult;

use crate::error::refuse;

/// The argument `time_limit`: a number of seconds that a clock can count; None or 0 is no bound.
pub(crate) fn time(seconds: Option<f64>) -> PyResult<Option<Duration>> {
    match seconds {
        None | Some(0.0) => Ok(None),
        Some(seconds) if (0.0..=1e9).contains(&seconds) => {
            Ok(Some(Duration::from_secs_f64(seconds)))
        }
        Some(seconds) => {
            Err(refuse(format!("time_limit {seconds}, expected 0 to 1000000000 or None")))
        }
    }
}
