//! Streams of other libraries.

use pyo3::{exceptions::PyTypeError, prelude::*, types::PyInt};

use crate::error::refuse;

/// The address of a stream: an object of PyTorch, CuPy or another library that says it, or the
/// address itself. 0 and 1 are the default stream.
pub(super) fn address(stream: &Bound<'_, PyAny>) -> PyResult<u64> {
    let number = if stream.is_instance_of::<PyInt>() {
        stream.clone()
    } else if stream.hasattr("__cuda_stream__")? {
        stream.call_method0("__cuda_stream__")?.get_item(1)?
    } else if stream.hasattr("cuda_stream")? {
        stream.getattr("cuda_stream")?
    } else if stream.hasattr("ptr")? {
        stream.getattr("ptr")?
    } else {
        let found = stream.get_type().name()?;
        let words = "expected a stream of PyTorch or CuPy, or its address";
        return Err(PyTypeError::new_err(format!("stream: {found}, {words}")));
    };
    number.extract().map_err(|_| refuse(format!("stream: {number} is no address")))
}

/// A stream as the protocols of arrays write it: there 0 is not allowed, because it would stand for
/// two things.
pub(super) fn number(address: u64) -> u64 {
    address.max(1)
}
