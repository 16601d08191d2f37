//! Arrays on a GPU that other libraries have, taken without copying.

use pyo3::{
    exceptions::PyTypeError,
    intern,
    prelude::*,
    types::{IntoPyDict, PyDict},
};

use super::{CudaBatch, DeviceArray, array::CUDA, capsule, raise, stream};
use crate::{error::refuse, fourchess::dlpack::Type, input::shown};

/// Memory that both sides of the bus see, which DLPack calls so.
const CUDA_MANAGED: i32 = 13;

/// An array on the device of a batch, C-contiguous, that the batch may use next in its stream.
pub(super) struct Given<'py> {
    pub(super) address: u64,
    pub(super) shape: Vec<usize>,
    pub(super) dtype: Type,
    /// What holds the memory.
    _keeper: Bound<'py, PyAny>,
}

impl Given<'_> {
    /// An error unless the array has this shape.
    pub(super) fn of_shape(self, name: &str, expected: &[usize]) -> PyResult<Self> {
        if self.shape == expected {
            return Ok(self);
        }
        let (found, expected) = (shown(&self.shape), shown(expected));
        Err(refuse(format!("{name}: shape {found}, expected {expected}")))
    }

    /// An error unless the array has one of these types.
    pub(super) fn of_types(self, name: &str, expected: &[Type]) -> PyResult<Self> {
        if expected.contains(&self.dtype) {
            return Ok(self);
        }
        let names: Vec<String> = expected.iter().map(ToString::to_string).collect();
        let (found, expected) = (self.dtype, names.join(" or "));
        Err(PyTypeError::new_err(format!("{name}: an array of {found}, expected {expected}")))
    }
}

/// What a batch does with an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Use {
    Reads,
    Writes,
}

/// The array of an argument if it is on a GPU; `None` if it is not.
pub(super) fn given<'py>(
    batch: &CudaBatch,
    argument: &Bound<'py, PyAny>,
    name: &str,
    purpose: Use,
) -> PyResult<Option<Given<'py>>> {
    let py = argument.py();
    if let Ok(array) = argument.cast::<DeviceArray>() {
        return ours(batch, array, name).map(Some);
    }
    if argument.hasattr(intern!(py, "__dlpack_device__"))? {
        let device: (i32, i32) =
            argument.call_method0(intern!(py, "__dlpack_device__"))?.extract()?;
        if device.0 == CUDA || device.0 == CUDA_MANAGED {
            return by_dlpack(batch, argument, device, name, purpose).map(Some);
        }
        return Ok(None);
    }
    match argument.getattr_opt(intern!(py, "__cuda_array_interface__"))? {
        Some(interface) => {
            let interface = interface.cast_into::<PyDict>()?;
            by_interface(batch, argument, &interface, name, purpose).map(Some)
        }
        None => Ok(None),
    }
}

fn ours<'py>(
    batch: &CudaBatch,
    array: &Bound<'py, DeviceArray>,
    name: &str,
) -> PyResult<Given<'py>> {
    let (py, owner) = (array.py(), array.get().owner().get());
    check_device(batch, owner.ordinal(), name)?;
    let theirs = owner.address_of_stream(py);
    // SAFETY: both batches are on this device, and the other one holds its stream.
    py.detach(|| unsafe { batch.lock().wait_for_stream(theirs) }).map_err(raise)?;
    Ok(Given {
        address: array.get().address(),
        shape: array.get().entries().to_vec(),
        dtype: array.get().entry_type(),
        _keeper: array.clone().into_any(),
    })
}

fn by_dlpack<'py>(
    batch: &CudaBatch,
    argument: &Bound<'py, PyAny>,
    device: (i32, i32),
    name: &str,
    purpose: Use,
) -> PyResult<Given<'py>> {
    let py = argument.py();
    if device.0 == CUDA {
        check_device(batch, usize::try_from(device.1).unwrap_or(usize::MAX), name)?;
    }
    // The library lets our stream wait for its own.
    let stream = stream::number(batch.address_of_stream(py));
    let keywords = [("stream", stream)].into_py_dict(py)?;
    keywords.set_item("max_version", (1, 0))?;
    let method = argument.getattr(intern!(py, "__dlpack__"))?;
    let capsule = match method.call((), Some(&keywords)) {
        // Libraries before DLPack 1.0 do not know versions.
        Err(cause) if cause.is_instance_of::<PyTypeError>(py) => {
            keywords.del_item("max_version")?;
            method.call((), Some(&keywords))?
        }
        other => other?,
    };
    let taken = capsule::take(capsule)?;
    if taken.device != device {
        return Err(refuse(format!("{name}: its capsule is on another device than it says")));
    }
    check_layout(name, taken.is_contiguous, taken.is_read_only, purpose)?;
    Ok(Given {
        address: taken.address,
        shape: taken.shape,
        dtype: taken.dtype,
        _keeper: taken.capsule,
    })
}

fn by_interface<'py>(
    batch: &CudaBatch,
    argument: &Bound<'py, PyAny>,
    interface: &Bound<'py, PyDict>,
    name: &str,
    purpose: Use,
) -> PyResult<Given<'py>> {
    let py = argument.py();
    let part = |key: &str| {
        let missing = || refuse(format!("{name}: __cuda_array_interface__ without {key}"));
        interface.get_item(key)?.ok_or_else(missing)
    };
    let shape: Vec<usize> = part("shape")?.extract()?;
    let typestr: String = part("typestr")?.extract()?;
    let (address, is_read_only): (u64, bool) = part("data")?.extract()?;
    let dtype = Type::of_interface(&typestr)
        .ok_or_else(|| PyTypeError::new_err(format!("{name}: an array of {typestr}")))?;
    let strides: Option<Vec<i64>> = match interface.get_item("strides")? {
        Some(strides) => strides.extract()?,
        None => None,
    };
    let size = dtype.bytes() as i64;
    let is_contiguous = strides.is_none_or(|strides| {
        let entries: Vec<i64> = strides.iter().map(|bytes| bytes / size).collect();
        strides.iter().all(|bytes| bytes % size == 0) && capsule::is_contiguous(&shape, &entries)
    });
    check_layout(name, is_contiguous, is_read_only, purpose)?;
    let owner = py.detach(|| batch.lock().device().of_address(address)).map_err(raise)?;
    match owner {
        Some(ordinal) => check_device(batch, ordinal, name)?,
        None => {
            return Err(refuse(format!(
                "{name}: no memory of a device, expected {}",
                batch.device()
            )));
        }
    }
    let theirs: Option<u64> = match interface.get_item("stream")? {
        Some(stream) => stream.extract()?,
        None => None,
    };
    if let Some(theirs) = theirs {
        // SAFETY: the stream belongs to an array of this device, as its library says.
        py.detach(|| unsafe { batch.lock().wait_for_stream(theirs) }).map_err(raise)?;
    }
    Ok(Given { address, shape, dtype, _keeper: argument.clone() })
}

fn check_device(batch: &CudaBatch, ordinal: usize, name: &str) -> PyResult<()> {
    if ordinal == batch.ordinal() {
        return Ok(());
    }
    Err(refuse(format!("{name}: on cuda:{ordinal}, expected {}", batch.device())))
}

fn check_layout(name: &str, is_contiguous: bool, is_read_only: bool, purpose: Use) -> PyResult<()> {
    if !is_contiguous {
        return Err(refuse(format!("{name}: expected a C-contiguous array")));
    }
    if is_read_only && purpose == Use::Writes {
        return Err(refuse(format!("{name}: the array is read-only")));
    }
    Ok(())
}
