//! What `everyply.jax` needs: the functions that XLA calls, and the configuration of games.

mod config;
mod handlers;
mod xla;

use std::{ffi::c_void, ptr};

use fourchess_env::{Config, Stepper};
use numpy::PyArray1;
use pyo3::{ffi, prelude::*, types::PyDict};

use crate::{error::refuse, fourchess::options};
use xla::{Frame, Handler};

/// Handlers for XLA; `everyply.jax` is what people use.
#[pymodule(name = "jax", submodule)]
pub(crate) mod module {
    use pyo3::prelude::*;

    #[pymodule_export]
    use super::{configuration, start, targets};

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

/// The functions that XLA calls, in capsules, by name.
#[pyfunction]
pub(crate) fn targets(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let targets = PyDict::new(py);
    targets.set_item("everyply_fourchess_load", capsule::<handlers::Load>(py)?)?;
    targets.set_item("everyply_fourchess_step", capsule::<handlers::Step>(py)?)?;
    targets.set_item("everyply_fourchess_save", capsule::<handlers::Save>(py)?)?;
    targets.set_item("everyply_fourchess_observe", capsule::<handlers::Observe>(py)?)?;
    targets.set_item("everyply_fourchess_mask", capsule::<handlers::Mask>(py)?)?;
    targets.set_item("everyply_fourchess_expand", capsule::<handlers::Expand>(py)?)?;
    Ok(targets)
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

fn capsule<H: Handler>(py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
    let entry: unsafe extern "C" fn(*mut Frame) -> *mut c_void = xla::entry::<H>;
    // SAFETY: a function lives for ever, so nothing is to be freed, and JAX asks for no name.
    unsafe {
        let capsule = ffi::PyCapsule_New(entry as *mut c_void, ptr::null(), None);
        Bound::from_owned_ptr_or_err(py, capsule)
    }
}
