//! DLPack: arrays that other libraries use without copying.
//!
//! The structures are those of DLPack 1.0, and the capsules those of the array API standard: the
//! consumer of a capsule renames it, and later calls the deleter.

use std::{
    ffi::{CStr, c_void},
    ptr,
};

use pyo3::{
    exceptions::PyBufferError,
    ffi,
    prelude::*,
    types::{IntoPyDict, PyDict},
};

use super::{
    Batch,
    arrays::{Access, Kind, View},
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
    fn dtype(&self) -> &'static str {
        match self.view.kind {
            Kind::Bool => "bool",
            Kind::U8 => "uint8",
            Kind::U16 => "uint16",
            Kind::U32 => "uint32",
            Kind::U64 => "uint64",
            Kind::I16 => "int16",
            Kind::F32 => "float32",
        }
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
        let owner = self.owner.clone_ref(py);
        if max_version.is_some_and(|(major, _)| major >= VERSION.major) {
            return capsule::<Versioned>(py, &self.view, owner);
        }
        if self.readonly() {
            let name = self.view.name;
            let words = format!("{name} is read-only, which DLPack before 1.0 cannot express");
            return Err(PyBufferError::new_err(words));
        }
        capsule::<Unversioned>(py, &self.view, owner)
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
const VERSION: Version = Version { major: 1, minor: 0 };
const READ_ONLY: u64 = 1;

#[repr(C)]
struct Version {
    major: u32,
    minor: u32,
}

#[repr(C)]
struct DType {
    code: u8,
    bits: u8,
    lanes: u16,
}

impl DType {
    fn of(kind: Kind) -> DType {
        let (code, bits) = match kind {
            Kind::I16 => (0, 16),
            Kind::U8 => (1, 8),
            Kind::U16 => (1, 16),
            Kind::U32 => (1, 32),
            Kind::U64 => (1, 64),
            Kind::F32 => (2, 32),
            Kind::Bool => (6, 8),
        };
        DType { code, bits, lanes: 1 }
    }
}

/// `DLTensor`
#[repr(C)]
struct Array {
    data: *mut c_void,
    device: [i32; 2],
    axes: i32,
    dtype: DType,
    shape: *mut i64,
    strides: *mut i64,
    offset: u64,
}

/// `DLManagedTensor`
#[repr(C)]
struct Unversioned {
    array: Array,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Unversioned)>,
}

/// `DLManagedTensorVersioned`
#[repr(C)]
struct Versioned {
    version: Version,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Versioned)>,
    flags: u64,
    array: Array,
}

/// The two structures that can be handed over.
trait Managed: Sized {
    const NAME: &'static CStr;
    fn new(array: Array, access: Access) -> Self;
}

impl Managed for Unversioned {
    const NAME: &'static CStr = c"dltensor";

    fn new(array: Array, _: Access) -> Unversioned {
        Unversioned { array, context: ptr::null_mut(), deleter: Some(delete) }
    }
}

impl Managed for Versioned {
    const NAME: &'static CStr = c"dltensor_versioned";

    fn new(array: Array, access: Access) -> Versioned {
        let flags = if access == Access::Read { READ_ONLY } else { 0 };
        Versioned {
            version: VERSION,
            context: ptr::null_mut(),
            deleter: Some(delete),
            flags,
            array,
        }
    }
}

/// What is handed over, with all it points to. The structure stands first, so that its address is
/// the address of all.
#[repr(C)]
struct Handed<M> {
    managed: M,
    /// The shape, then the strides.
    lengths: Box<[i64]>,
    owner: Py<Batch>,
}

fn capsule<'py, M: Managed>(
    py: Python<'py>,
    view: &View,
    owner: Py<Batch>,
) -> PyResult<Bound<'py, PyAny>> {
    let axes = view.shape.len();
    let stride = |axis: usize| view.shape[axis + 1..].iter().product::<usize>();
    let lengths = view.shape.iter().copied().chain((0..axes).map(stride));
    let mut lengths: Box<[i64]> = lengths.map(|length| length as i64).collect();
    let (shape, strides) = lengths.split_at_mut(axes);
    let array = Array {
        data: view.data,
        device: [CPU, 0],
        axes: axes as i32,
        dtype: DType::of(view.kind),
        shape: shape.as_mut_ptr(),
        strides: strides.as_mut_ptr(),
        offset: 0,
    };
    let handed = Handed { managed: M::new(array, view.access), lengths, owner };
    let handed = Box::into_raw(Box::new(handed)).cast::<c_void>();
    // SAFETY: the pointer is not null, the name lives for ever, and the destructor frees what the
    // pointer points to unless someone has taken it. If no capsule can be made, it is freed here.
    unsafe {
        let capsule = ffi::PyCapsule_New(handed, M::NAME.as_ptr(), Some(destroy::<M>));
        Bound::from_owned_ptr_or_err(py, capsule).inspect_err(|_| delete(handed.cast::<M>()))
    }
}

/// Frees what was handed over.
///
/// # Safety
///
/// `managed` is the address of a [`Handed`] that nobody uses any more.
unsafe extern "C" fn delete<M>(managed: *mut M) {
    // A library may call this from any thread. When Python is gone, so is the batch.
    let _ = Python::try_attach(|_| {
        // SAFETY: it was made by Box::into_raw in `capsule`, and is freed once.
        drop(unsafe { Box::from_raw(managed.cast::<Handed<M>>()) });
    });
}

/// Frees what is in a capsule that nobody has taken it from.
///
/// # Safety
///
/// `object` is a capsule that `capsule` made.
unsafe extern "C" fn destroy<M: Managed>(object: *mut ffi::PyObject) {
    // SAFETY: Python calls this with the capsule. One whose content was taken has another name.
    unsafe {
        if ffi::PyCapsule_IsValid(object, M::NAME.as_ptr()) == 1 {
            delete(ffi::PyCapsule_GetPointer(object, M::NAME.as_ptr()).cast::<M>());
        }
    }
}
