//! Arrays of integers from Python.

use numpy::{PyArray1, PyArrayDescrMethods, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::{exceptions::PyTypeError, prelude::*};

use crate::{error::refuse, fourchess::memory};

/// The integers of an argument: a NumPy array of any integer type, or anything that NumPy converts
/// to one. Each must fit into `T`; nothing is rounded or wrapped. `expected` is the required
/// number, if it is known.
pub(crate) fn integers<T: TryFrom<u64> + TryFrom<i64> + numpy::Element + Copy>(
    argument: &Bound<'_, PyAny>,
    name: &str,
    expected: Option<usize>,
) -> PyResult<Vec<T>> {
    let numpy = argument.py().import("numpy")?;
    let array = match argument.cast::<PyUntypedArray>() {
        Ok(array) => array.clone(),
        Err(_) => numpy.call_method1("asarray", (argument,))?.cast_into::<PyUntypedArray>()?,
    };
    let shape = array.shape();
    if shape.len() != 1 || expected.is_some_and(|expected| shape[0] != expected) {
        let expected = expected.map_or("one axis".to_owned(), |expected| format!("({expected},)"));
        return Err(refuse(format!("{name}: shape {}, expected {expected}", shown(shape))));
    }
    if let Ok(exact) = array.cast::<PyArray1<T>>() {
        return memory::collected(exact.try_readonly()?.as_array().iter().copied());
    }
    match array.dtype().kind() {
        b'u' => fit(&array.call_method1("astype", ("uint64",))?, name, |entry: u64| {
            T::try_from(entry).ok()
        }),
        b'i' => fit(&array.call_method1("astype", ("int64",))?, name, |entry: i64| {
            T::try_from(entry).ok()
        }),
        // NumPy converts an empty list to an array of floats.
        _ if shape[0] == 0 => Ok(Vec::new()),
        _ => {
            let found = array.dtype();
            Err(PyTypeError::new_err(format!("{name}: an array of {found}, expected integers")))
        }
    }
}

fn fit<W: numpy::Element + Copy + std::fmt::Display, T>(
    array: &Bound<'_, PyAny>,
    name: &str,
    narrow: impl Fn(W) -> Option<T>,
) -> PyResult<Vec<T>> {
    let array = array.cast::<PyArray1<W>>()?.try_readonly()?;
    let entries = array.as_array();
    let entries = entries.iter().enumerate().map(|(at, &entry)| {
        let most = 8 * size_of::<T>();
        narrow(entry).ok_or_else(|| {
            refuse(format!("{name}[{at}]: {entry} is not a number from 0 to 2^{most} - 1"))
        })
    });
    memory::tried(entries)
}

/// A shape as Python writes it.
pub(crate) fn shown(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        _ => {
            let lengths: Vec<String> = shape.iter().map(ToString::to_string).collect();
            format!("({})", lengths.join(", "))
        }
    }
}
