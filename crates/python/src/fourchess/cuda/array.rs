//! Arrays on a GPU that other libraries use without copying.

use std::ffi::c_void;

use fourchess_cuda::{Array, Scratch};
use fourchess_env::{Action, Batch, Observation};
use pyo3::{
    exceptions::{PyAttributeError, PyBufferError, PyTypeError},
    prelude::*,
    types::{PyBytes, PyDict, PyTuple},
};

use super::{CudaBatch, raise, stream};
use crate::{
    error::refuse,
    fourchess::dlpack::{self, Flags, Placed, Type},
};

/// The kind of device that DLPack calls CUDA.
pub(super) const CUDA: i32 = 2;

/// An array on a GPU, for libraries that use it without copying.
///
/// `torch.from_dlpack`, `cupy.from_dlpack`, `jax.dlpack.from_dlpack` and libraries that know
/// `__cuda_array_interface__` take it. An array of a batch keeps its address for the lifetime of
/// the batch, and every step overwrites it. Numbers of 16, 32 and 64 bits are signed, because
/// PyTorch can do little with others: `NO_ACTION` is -1. Never write to `current_player`, `legal`,
/// `legal_counts` and `legal_bytes`, which the batch reads.
#[pyclass(frozen, module = "everyply.fourchess")]
pub(crate) struct DeviceArray {
    owner: Py<CudaBatch>,
    /// Memory of its own; without it the array is one of the batch.
    _memory: Option<Scratch>,
    address: u64,
    shape: Vec<usize>,
    dtype: Type,
}

impl DeviceArray {
    /// An array of the batch, or memory of it.
    pub(super) fn new(
        owner: Py<CudaBatch>,
        address: u64,
        shape: Vec<usize>,
        dtype: Type,
    ) -> DeviceArray {
        DeviceArray { owner, _memory: None, address, shape, dtype }
    }

    /// New memory on the device of the batch.
    pub(super) fn allocate(
        owner: &Bound<'_, CudaBatch>,
        shape: Vec<usize>,
        dtype: Type,
    ) -> PyResult<DeviceArray> {
        let bytes = shape.iter().product::<usize>() * dtype.bytes();
        let batch = owner.get();
        let memory = owner.py().detach(|| batch.lock().scratch(bytes)).map_err(raise)?;
        let (owner, address) = (owner.clone().unbind(), memory.address());
        Ok(DeviceArray { owner, _memory: Some(memory), address, shape, dtype })
    }

    pub(super) fn address(&self) -> u64 {
        self.address
    }

    pub(super) fn entries(&self) -> &[usize] {
        &self.shape
    }

    pub(super) fn entry_type(&self) -> Type {
        self.dtype
    }

    pub(super) fn owner(&self) -> &Py<CudaBatch> {
        &self.owner
    }

    fn bytes(&self) -> usize {
        self.shape.iter().product::<usize>() * self.dtype.bytes()
    }

    /// Lets the consumer's stream wait for the batch, as DLPack asks: -1 says that nobody shall.
    fn join(&self, py: Python<'_>, stream: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let stream: i64 = stream.map_or(Ok(1), |stream| {
            stream.extract().map_err(|_| PyBufferError::new_err("stream: expected an integer"))
        })?;
        match stream {
            -1 => Ok(()),
            1.. => {
                let batch = self.owner.get();
                // SAFETY: the consumer works in this stream, so it is one of this device.
                py.detach(|| unsafe { batch.lock().let_stream_wait(stream as u64) }).map_err(raise)
            }
            _ => Err(PyBufferError::new_err(format!("stream: {stream} is not allowed on CUDA"))),
        }
    }
}

#[pymethods]
impl DeviceArray {
    /// The number of entries along each axis.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape)
    }

    /// The name of the entry type.
    #[getter]
    fn dtype(&self) -> String {
        self.dtype.to_string()
    }

    /// The name of the device.
    #[getter]
    fn device(&self) -> String {
        self.owner.get().device()
    }

    /// The number of bytes.
    #[getter]
    fn nbytes(&self) -> usize {
        self.bytes()
    }

    /// A copy as an array of NumPy, once the work of the batch is done.
    fn numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let batch = self.owner.get();
        let (address, bytes) = (self.address, self.bytes());
        // SAFETY: the array has so many bytes, and the batch or the array holds them.
        let bytes = py.detach(|| unsafe { batch.lock().read_at(address, bytes) }).map_err(raise)?;
        let dtype = match self.dtype {
            Type::BFLOAT16 => py.import("ml_dtypes")?.getattr("bfloat16")?,
            other => other.to_string().into_pyobject(py)?.into_any(),
        };
        let flat =
            py.import("numpy")?.call_method1("frombuffer", (PyBytes::new(py, &bytes), dtype))?;
        flat.call_method1("reshape", (self.shape(py)?,))?.call_method0("copy")
    }

    /// The kind and the number of the device: CUDA.
    fn __dlpack_device__(&self) -> (i32, i32) {
        (CUDA, self.owner.get().ordinal() as i32)
    }

    /// The array in a capsule, for a consumer that works in `stream`.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    fn __dlpack__<'py>(
        slf: &Bound<'py, Self>,
        stream: Option<&Bound<'py, PyAny>>,
        max_version: Option<(u32, u32)>,
        dl_device: Option<(i32, i32)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, array) = (slf.py(), slf.get());
        let device = array.__dlpack_device__();
        if dl_device.is_some_and(|asked| asked != device) {
            return Err(PyBufferError::new_err(format!("this array is on {}", array.device())));
        }
        let owner =
            if copy == Some(true) { Bound::new(py, array.copied(py)?)? } else { slf.clone() };
        array.join(py, stream)?;
        let handed = owner.get();
        let placed = Placed {
            data: handed.address as usize as *mut c_void,
            device,
            shape: &handed.shape,
            dtype: handed.dtype,
        };
        let owner = owner.clone().into_any().unbind();
        let capsule = dlpack::capsule(py, &placed, Flags::None, max_version, owner)?;
        Ok(capsule.expect("every version knows an array that may be written"))
    }

    /// The array as Numba, CuPy and others take it.
    #[getter]
    fn __cuda_array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let typestr = self.dtype.interface().ok_or_else(|| {
            let words = format!("{} is unknown to __cuda_array_interface__", self.dtype);
            PyAttributeError::new_err(words)
        })?;
        let interface = PyDict::new(py);
        interface.set_item("shape", self.shape(py)?)?;
        interface.set_item("typestr", typestr)?;
        interface.set_item("data", (self.address, false))?;
        interface.set_item("strides", py.None())?;
        interface.set_item("version", 3)?;
        interface.set_item("stream", stream::number(self.owner.get().address_of_stream(py)))?;
        Ok(interface)
    }

    /// Nothing is copied from a device unnoticed.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let _ = (dtype, copy);
        let device = self.device();
        Err(PyTypeError::new_err(format!("this array is on {device}; numpy() copies it")))
    }

    fn __len__(&self) -> usize {
        self.shape[0]
    }

    fn __repr__(&self) -> String {
        format!("DeviceArray({} {:?} on {})", self.dtype, self.shape, self.device())
    }
}

impl DeviceArray {
    fn copied(&self, py: Python<'_>) -> PyResult<DeviceArray> {
        let copy = DeviceArray::allocate(self.owner.bind(py), self.shape.clone(), self.dtype)?;
        let (to, from, bytes) = (copy.address, self.address, self.bytes());
        let batch = self.owner.get();
        // SAFETY: both arrays have so many bytes. Memory is freed once the device is done with it.
        py.detach(|| unsafe { batch.lock().copy_at(to, from, bytes) }).map_err(raise)?;
        Ok(copy)
    }
}

/// An array of a batch by its name in Python: which, the shape for a game, and the type.
pub(super) fn named(name: &str) -> PyResult<(Array, &'static [usize], Type)> {
    const PLANES: &[usize] = &[Observation::PLANES, Observation::WORDS];
    const SCALARS: &[usize] = &[Observation::SCALARS];
    Ok(match name {
        "current_player" => (Array::CurrentPlayer, &[], Type::UINT8),
        "legal" => (Array::Legal, &[Batch::LEGAL_ROOM], Type::INT16),
        "legal_counts" => (Array::LegalCounts, &[], Type::INT16),
        "legal_bits" => (Array::LegalBits, &[Batch::LEGAL_WORDS], Type::INT64),
        "legal_bytes" => (Array::LegalBytes, &[Action::COUNT], Type::UINT8),
        "rewards" => (Array::Rewards, &[4], Type::FLOAT32),
        "terminated" => (Array::Terminated, &[], Type::BOOL),
        "truncated" => (Array::Truncated, &[], Type::BOOL),
        "move_valid" => (Array::MoveValid, &[], Type::BOOL),
        "planes" => (Array::Planes, PLANES, Type::INT32),
        "scalars" => (Array::Scalars, SCALARS, Type::INT16),
        "final_planes" => (Array::FinalPlanes, PLANES, Type::INT32),
        "final_scalars" => (Array::FinalScalars, SCALARS, Type::INT16),
        "final_points" => (Array::FinalPoints, &[4], Type::INT16),
        "endings" => (Array::Endings, &[], Type::UINT8),
        _ => return Err(refuse(format!("a batch has no array {name}"))),
    })
}
