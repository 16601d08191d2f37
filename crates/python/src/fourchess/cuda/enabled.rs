//! Batches on a GPU.

#[path = "access.rs"]
mod access;
#[path = "array.rs"]
mod array;
#[path = "batch.rs"]
mod batch;
#[path = "capsule.rs"]
mod capsule;
#[path = "stream.rs"]
mod stream;
#[path = "taken.rs"]
mod taken;

use std::path::PathBuf;

use fourchess_cuda::{Error, Nvrtc, Options, devices, digest, digest_of};
use fourchess_env::Config;
use pyo3::{exceptions::PyMemoryError, prelude::*};

use crate::fourchess::{DeviceError, memory, raise as raise_batch};
pub(crate) use array::DeviceArray;
pub(crate) use batch::CudaBatch;

/// Whether a batch can run on the first GPU: there are a driver, a device and a compiler. An error
/// is one that leaves this open.
pub(in crate::fourchess) fn is_usable(py: Python<'_>) -> PyResult<bool> {
    let directories = compiler_directories(py)?;
    let found = py.detach(|| match devices() {
        Ok(0) => Ok(false),
        Ok(_) => fourchess_cuda::Device::open(0).and(Nvrtc::load(&directories)).map(|_| true),
        Err(cause) => Err(cause),
    });
    match found {
        Err(Error::NoDriver | Error::TooOld { .. } | Error::NoNvrtc { .. }) => Ok(false),
        other => other.map_err(raise),
    }
}

/// A batch on the GPU with this number, in a stream of the caller's or of its own.
pub(in crate::fourchess) fn batch<'py>(
    py: Python<'py>,
    config: Config,
    ordinal: usize,
    stream: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let options = Options {
        device: ordinal,
        stream: stream.map(stream::address).transpose()?,
        nvrtc: compiler_directories(py)?,
        ..Options::default()
    };
    let keeper = stream.map(|stream| stream.clone().unbind());
    let batch = py.detach(|| fourchess_cuda::CudaBatch::new(config, &options)).map_err(raise)?;
    Ok(Bound::new(py, CudaBatch::new(batch, keeper))?.into_any())
}

pub(in crate::fourchess) fn digests(batch: &fourchess_env::Batch) -> PyResult<Vec<u64>> {
    memory::collected((0..batch.len()).map(|game| digest_of(batch, game, digest::ALL)))
}

/// Where Python packages have the compiler of kernels: it comes with PyTorch, not with the driver.
pub(crate) fn compiler_directories(py: Python<'_>) -> PyResult<Vec<PathBuf>> {
    let path: Vec<Bound<'_, PyAny>> = py.import("sys")?.getattr("path")?.extract()?;
    let places = path.iter().filter_map(|place| place.extract::<PathBuf>().ok());
    let packages = ["nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib", "torch/lib"];
    let within = |place: PathBuf| packages.map(|package| place.join(package));
    Ok(places.flat_map(within).filter(|directory| directory.is_dir()).collect())
}

fn raise(error: Error) -> PyErr {
    match error {
        Error::Batch(cause) => raise_batch(cause),
        Error::TooLarge { .. } | Error::Memory { .. } | Error::HostMemory { .. } => {
            PyMemoryError::new_err(error.to_string())
        }
        _ => DeviceError::new_err(crate::error::plain(&error.to_string())),
    }
}
