//! What JAX calls on a GPU, in a build without batches on one: nothing.

use pyo3::prelude::*;

use super::xla::Target;

pub(super) const ALL: [(&str, Target); 0] = [];

#[expect(clippy::unnecessary_wraps, reason = "in the other build it can fail")]
pub(super) fn prepare(_: Python<'_>) -> PyResult<()> {
    Ok(())
}
