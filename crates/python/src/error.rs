//! The exceptions: each has the name and the words of the Rust error it stands for.

use pyo3::{PyErr, create_exception, exceptions::PyValueError};

create_exception!(
    everyply,
    Error,
    PyValueError,
    "The base of all exceptions of everyply, and a ValueError."
);

/// An error that Python knows under a name of its own.
pub(crate) trait Raise {
    /// The exception, with the place in front of its words if there is one to name.
    fn raise_at(self, place: &str) -> PyErr;
}

/// Declares the exceptions of a module and which Rust error becomes which.
macro_rules! exceptions {
    ($($module:ident . $name:ident from $error:path, $doc:literal;)*) => {$(
        pyo3::create_exception!(everyply.$module, $name, $crate::error::Error, $doc);

        impl $crate::error::Raise for $error {
            fn raise_at(self, place: &str) -> pyo3::PyErr {
                $name::new_err($crate::error::plain(&format!("{place}{self}")))
            }
        }
    )*};
}
pub(crate) use exceptions;

/// An exception for a bad argument that no Rust error stands for.
#[expect(clippy::needless_pass_by_value, reason = "every caller has just made the text")]
pub(crate) fn refuse(words: String) -> PyErr {
    Error::new_err(plain(&words))
}

/// Words of an exception, in which what was handed in cannot steer a terminal, and no password
/// is shown.
pub(crate) fn plain(words: &str) -> String {
    sources::printable(&sources::redacted(words)).into_owned()
}
