//! What `everyply.jax` needs: the functions that XLA calls, and the configuration of games.

mod config;
#[cfg(not(feature = "cuda"))]
#[path = "jax/cuda/disabled.rs"]
mod cuda;
#[cfg(feature = "cuda")]
#[path = "jax/cuda/enabled.rs"]
mod cuda;
mod handlers;
mod xla;

use std::{ffi::c_void, ptr};

use fourchess_env::{Config, Stepper};
use numpy::{PyArray1, PyReadonlyArray2};
use pyo3::{ffi, prelude::*, types::PyDict};

use crate::{error::refuse, fourchess::options};
use xla::Target;

/// Handlers for XLA; `everyply.jax` is what people use.
#[pymodule(name = "jax", submodule)]
pub(crate) mod module {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::{check, configuration, cuda_targets, start, targets};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        super::add_constants(module)
    }
}

fn add_constants(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("VALUE_BYTES", Stepper::BYTES)?;
    module.add("LEGAL", Stepper::LEGAL.start)?;
    module.add("LEGAL_COUNT", Stepper::LEGAL_COUNT.start)
}

/// The functions that XLA calls on the processor, in capsules, by name.
#[pyfunction]
pub(crate) fn targets(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    capsules(py, &handlers::ALL)
}

/// The same for a GPU; none in a build without the feature `cuda`. The driver is looked for when one
/// is called.
#[pyfunction]
pub(crate) fn cuda_targets(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    cuda::prepare(py)?;
    capsules(py, &cuda::ALL)
}

/// Raises if one of these saved games is none of this configuration.
#[pyfunction]
pub(crate) fn check(config: &str, saved: &Bound<'_, PyAny>) -> PyResult<()> {
    let saved: PyReadonlyArray2<'_, u8> = saved.extract()?;
    let stepper = config::of(config).map_err(refuse)?;
    stepper.check(saved.as_slice()?).map_err(|error| refuse(error.to_string()))
}

/// The text of a configuration, given by keywords of a batch.
#[pyfunction]
#[pyo3(signature = (rules, autoreset, illegal, reward, ended_mask))]
pub(crate) fn configuration(
    rules: &Bound<'_, PyAny>,
    autoreset: &str,
    illegal: &str,
    reward: Option<&str>,
    ended_mask: &str,
) -> PyResult<String> {
    let config = Config::new(&options::rules(rules)?, 1);
    let config = Config {
        autoreset: options::autoreset(autoreset)?,
        illegal: options::illegal(illegal)?,
        reward: reward.map_or(Ok(config.reward), options::reward)?,
        ended_mask: options::ended_mask(ended_mask)?,
        ..config
    };
    let text = config::text(&config);
    config::of(&text).map_err(refuse)?;
    Ok(text)
}

/// The start of a game of this configuration, in the documented form.
#[pyfunction]
pub(crate) fn start<'py>(py: Python<'py>, config: &str) -> PyResult<Bound<'py, PyArray1<u8>>> {
    let stepper = config::of(config).map_err(refuse)?;
    Ok(PyArray1::from_slice(py, &stepper.start(0)))
}

fn capsules<'py>(py: Python<'py>, all: &[(&str, Target)]) -> PyResult<Bound<'py, PyDict>> {
    let targets = PyDict::new(py);
    for (name, entry) in all {
        targets.set_item(format!("everyply_fourchess_{name}"), capsule(py, *entry)?)?;
    }
    Ok(targets)
}

fn capsule(py: Python<'_>, entry: Target) -> PyResult<Bound<'_, PyAny>> {
    // SAFETY: a function lives for ever, so nothing is to be freed, and JAX asks for no name.
    unsafe {
        let capsule = ffi::PyCapsule_New(entry as *mut c_void, ptr::null(), None);
        Bound::from_owned_ptr_or_err(py, capsule)
    }
}
