//! Text from Python, many at a time: any iterable of `str`, or an Arrow array of strings.

use arrow::{
    array::{Array, ArrayRef, AsArray},
    datatypes::DataType,
};
use pyo3::{exceptions::PyTypeError, prelude::*, pybacked::PyBackedStr};

use crate::{error::refuse, table::Arrow};

/// Strings that stay where Python or Arrow keeps them.
pub(crate) enum Strings {
    Python(Vec<PyBackedStr>),
    Arrow(Vec<ArrayRef>),
}

impl Strings {
    /// Takes hold of the strings of an argument.
    pub(crate) fn new(argument: &Bound<'_, PyAny>, name: &str) -> PyResult<Strings> {
        if argument.is_instance_of::<pyo3::types::PyString>() {
            // A string is an iterable of strings too, but hardly ever meant as one.
            return Err(PyTypeError::new_err(format!("{name}: one str, expected many")));
        }
        if let Some(arrow) = Arrow::new(argument)? {
            return Ok(Strings::Arrow(arrow.chunks));
        }
        let strings = argument.try_iter()?.enumerate().map(|(index, item)| {
            let item = item?;
            item.extract::<PyBackedStr>().map_err(|_| {
                let found = item.get_type();
                PyTypeError::new_err(format!("{name}[{index}]: {found}, expected str"))
            })
        });
        Ok(Strings::Python(strings.collect::<PyResult<_>>()?))
    }

    /// The strings in order.
    pub(crate) fn texts(&self, name: &str) -> PyResult<Vec<&str>> {
        match self {
            Strings::Python(strings) => Ok(strings.iter().map(AsRef::as_ref).collect()),
            Strings::Arrow(chunks) => {
                let mut texts = Vec::with_capacity(chunks.iter().map(Array::len).sum());
                for chunk in chunks {
                    push_texts(chunk, name, &mut texts)?;
                }
                Ok(texts)
            }
        }
    }
}

fn push_texts<'a>(chunk: &'a ArrayRef, name: &str, texts: &mut Vec<&'a str>) -> PyResult<()> {
    let mut push = |strings: &mut dyn Iterator<Item = Option<&'a str>>| {
        for string in strings {
            let missing = || refuse(format!("{name}[{}]: null, expected text", texts.len()));
            texts.push(string.ok_or_else(missing)?);
        }
        Ok(())
    };
    match chunk.data_type() {
        DataType::Utf8 => push(&mut chunk.as_string::<i32>().iter()),
        DataType::LargeUtf8 => push(&mut chunk.as_string::<i64>().iter()),
        DataType::Utf8View => push(&mut chunk.as_string_view().iter()),
        other => {
            Err(PyTypeError::new_err(format!("{name}: an Arrow array of {other}, expected text")))
        }
    }
}
