//! Arrays of a batch that other libraries use without copying.

use pyo3::{
    exceptions::PyBufferError,
    prelude::*,
    types::{IntoPyDict, PyDict},
};

use super::{
    Batch,
    arrays::{Access, Kind, View},
    dlpack::{self, Flags, Placed, Type},
};

/// An array of a batch that supports DLPack.
///
/// `numpy.from_dlpack` and similar functions of other libraries use it without copying, and see
/// what the next step writes. Arrays that the batch itself reads are marked as read-only, which
/// needs DLPack 1.0. Libraries without it get a BufferError.
///
/// >>> import numpy
/// >>> from everyply import fourchess
/// >>> batch = fourchess.Batch(2)
/// >>> tensor = batch.tensor("rewards")
/// >>> tensor.shape, tensor.dtype
/// ((2, 4), 'float32')
/// >>> numpy.from_dlpack(tensor)[1, 3] = 5
/// >>> float(batch.rewards[1, 3])
/// 5.0
#[pyclass(frozen, module = "everyply.fourchess")]
pub(crate) struct Tensor {
    owner: Py<Batch>,
    view: View,
}

impl Tensor {
    pub(super) fn new(owner: Py<Batch>, view: View) -> Tensor {
        Tensor { owner, view }
    }
}

#[pymethods]
impl Tensor {
    /// The number of entries along each axis.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, pyo3::types::PyTuple>> {
        pyo3::types::PyTuple::new(py, &self.view.shape)
    }

    /// The name of the entry type in NumPy.
    #[getter]
    fn dtype(&self) -> String {
        dtype(self.view.kind).to_string()
    }

    /// Whether it is read-only.
    #[getter]
    fn readonly(&self) -> bool {
        self.view.access == Access::Read
    }

    /// The kind and the number of the device: the CPU.
    fn __dlpack_device__(&self) -> (i32, i32) {
        (CPU, 0)
    }

    /// The array in a capsule.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        &self,
        py: Python<'py>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if stream.is_some() {
            return Err(PyBufferError::new_err("the CPU has no streams"));
        }
        if dl_device.is_some_and(|device| device != (CPU, 0)) {
            return Err(PyBufferError::new_err("this array is on the CPU"));
        }
        if copy == Some(true) {
            let copied = self.numpy(py)?.call_method0("copy")?;
            let version = [("max_version", max_version)].into_py_dict(py)?;
            return copied.call_method("__dlpack__", (), Some(&version));
        }
        let flags = if self.readonly() { Flags::ReadOnly } else { Flags::None };
        let placed = Placed {
            data: self.view.data,
            device: (CPU, 0),
            shape: &self.view.shape,
            dtype: dtype(self.view.kind),
        };
        let owner = self.owner.clone_ref(py).into_any();
        let capsule = dlpack::capsule(py, &placed, flags, max_version, owner)?;
        capsule.ok_or_else(|| {
            let name = self.view.name;
            let words = format!("{name} is read-only, which DLPack before 1.0 cannot express");
            PyBufferError::new_err(words)
        })
    }

    /// The same array as one of NumPy.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let array = self.numpy(py)?;
        let options = PyDict::new(py);
        options.set_item("copy", copy)?;
        options.set_item("dtype", dtype)?;
        py.import("numpy")?.getattr("array")?.call((array,), Some(&options))
    }

    fn __repr__(&self) -> String {
        format!("Tensor({}: {} {:?})", self.view.name, self.dtype(), self.view.shape)
    }
}

impl Tensor {
    fn numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.view.numpy(self.owner.bind(py).clone().into_any())
    }
}

const CPU: i32 = 1;

fn dtype(kind: Kind) -> Type {
    match kind {
        Kind::Bool => Type::BOOL,
        Kind::U8 => Type::UINT8,
        Kind::U16 => Type::UINT16,
        Kind::U32 => Type::UINT32,
        Kind::U64 => Type::UINT64,
        Kind::I16 => Type::INT16,
        Kind::F32 => Type::FLOAT32,
    }
}
