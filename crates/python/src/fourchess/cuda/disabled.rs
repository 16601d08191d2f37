//! Batches on a GPU in a build without them.

use fourchess_env::Config;
use pyo3::prelude::*;

use crate::fourchess::DeviceError;

const WITHOUT: &str = "this everyply was built without the feature cuda";

/// A batch on a GPU, which this build cannot make.
#[pyclass(frozen, module = "everyply.fourchess")]
pub(crate) struct CudaBatch;

/// An array on a GPU, which this build cannot make.
#[pyclass(frozen, module = "everyply.fourchess")]
pub(crate) struct DeviceArray;

/// Whether a batch can run on the first GPU.
#[expect(clippy::unnecessary_wraps, reason = "in the other build it can fail")]
pub(in crate::fourchess) fn is_usable(_: Python<'_>) -> PyResult<bool> {
    Ok(false)
}

pub(in crate::fourchess) fn batch<'py>(
    _: Python<'py>,
    _: Config,
    _: usize,
    _: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    Err(DeviceError::new_err(WITHOUT))
}

pub(in crate::fourchess) fn digests(_: &fourchess_env::Batch) -> PyResult<Vec<u64>> {
    Err(DeviceError::new_err(WITHOUT))
}
