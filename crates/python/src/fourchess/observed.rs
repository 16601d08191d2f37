//! Observations as arrays of numbers.

use fourchess_env::{Bf16, F16, Number, Observation};
use numpy::{
    Element, PyArray4, PyArrayDescr, PyArrayDescrMethods, PyArrayMethods, PyUntypedArray,
    PyUntypedArrayMethods,
};
use pyo3::{exceptions::PyTypeError, prelude::*, types::PyString};

use super::{
    Batch,
    arrays::{Bits, same_bits},
    raise,
};
use crate::{error::refuse, input::shown};

/// Which observations: those of now, or the final ones of games that were reset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Moment {
    Now,
    Last,
}

const TYPES: &str = "float32, float16, bfloat16 or uint8";

/// Writes the observations of all games into `out`, or into a new array of a type.
pub(super) fn expand<'py>(
    py: Python<'py>,
    batch: &Batch,
    moment: Moment,
    out: Option<&Bound<'py, PyAny>>,
    dtype: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let shape = [batch.config.games, Observation::FLOAT_PLANES, 14, 14];
    let array = match out {
        Some(out) => given(out, &shape, dtype)?,
        None => {
            let float = || Ok(PyString::new(py, "float32").into_any());
            let dtype = dtype.map_or_else(float, known)?;
            let empty = py.import("numpy")?.call_method1("empty", (shape, dtype))?;
            empty.cast_into::<PyUntypedArray>()?
        }
    };
    match name(&array.dtype())?.as_str() {
        "float32" => write::<f32, f32>(py, batch, moment, array.as_any())?,
        "uint8" => write::<u8, u8>(py, batch, moment, array.as_any())?,
        "float16" => write::<u16, F16>(py, batch, moment, &words(&array)?)?,
        "bfloat16" => write::<u16, Bf16>(py, batch, moment, &words(&array)?)?,
        found => {
            let which = if out.is_some() { "out" } else { "dtype" };
            return Err(PyTypeError::new_err(format!("{which}: {found}, expected {TYPES}")));
        }
    }
    Ok(array.into_any())
}

/// The type that an argument names. NumPy does not know a bfloat16 of its own.
fn known<'py>(dtype: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = dtype.py();
    if dtype.cast::<PyString>().is_ok_and(|name| name == "bfloat16") {
        return py.import("ml_dtypes")?.getattr("bfloat16");
    }
    Ok(dtype.clone())
}

/// An array to write into, if it fits.
fn given<'py>(
    out: &Bound<'py, PyAny>,
    shape: &[usize],
    dtype: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyUntypedArray>> {
    if dtype.is_some() {
        return Err(refuse("dtype: cannot be given together with out".to_owned()));
    }
    let array = out
        .cast::<PyUntypedArray>()
        .map_err(|_| PyTypeError::new_err(format!("out: expected an array of {TYPES}")))?;
    if array.shape() != shape {
        let (found, expected) = (shown(array.shape()), shown(shape));
        return Err(refuse(format!("out: shape {found}, expected {expected}")));
    }
    if !array.is_c_contiguous() {
        return Err(refuse("out: expected a C-contiguous array".to_owned()));
    }
    Ok(array.clone())
}

fn name(dtype: &Bound<'_, PyArrayDescr>) -> PyResult<String> {
    // A type with the bytes of its entries reversed has the same name.
    let is_native = dtype.is_native_byteorder() != Some(false);
    let name: String = dtype.getattr("name")?.extract()?;
    Ok(if is_native { name } else { format!("{name} in foreign byte order") })
}

/// The same memory as integers of 16 bits.
fn words<'py>(array: &Bound<'py, PyUntypedArray>) -> PyResult<Bound<'py, PyAny>> {
    array.call_method1("view", ("uint16",))
}

fn write<E: Element + Copy, N: Number + Bits<E>>(
    py: Python<'_>,
    batch: &Batch,
    moment: Moment,
    array: &Bound<'_, PyAny>,
) -> PyResult<()> {
    let mut entries = array.cast::<PyArray4<E>>()?.try_readwrite()?;
    let slice = entries.as_slice_mut().map_err(|cause| refuse(format!("out: {cause}")))?;
    let numbers = same_bits::<E, N>(slice);
    let written = py.detach(|| {
        let mut batch = batch.lock();
        match moment {
            Moment::Now => batch.expand_observations(numbers),
            Moment::Last => batch.expand_final_observations(numbers),
        }
    });
    written.map_err(raise)
}
