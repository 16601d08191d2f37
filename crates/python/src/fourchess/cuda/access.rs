//! How the methods of a batch on a GPU get at its games and arrays.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use fourchess_cuda::{Entry, Number, Which};
use fourchess_env::{Config, Observation};
use pyo3::{
    exceptions::PyTypeError,
    prelude::*,
    types::{PyDict, PyString},
};

use super::{
    CudaBatch,
    array::{self, DeviceArray},
    raise,
    taken::{self, Given, Use},
};
use crate::{
    error::refuse,
    fourchess::{Batch, dlpack::Type, indexes, memory, raise as raise_batch},
};

impl CudaBatch {
    pub(super) fn new(batch: fourchess_cuda::CudaBatch, keeper: Option<Py<PyAny>>) -> CudaBatch {
        CudaBatch {
            config: batch.config().clone(),
            ordinal: batch.device().ordinal(),
            stream: AtomicU64::new(batch.stream()),
            inner: Mutex::new(batch),
            keeper: Mutex::new(keeper),
        }
    }

    /// Waits for a call in another thread, so the GIL must be released.
    pub(super) fn lock(&self) -> MutexGuard<'_, fourchess_cuda::CudaBatch> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn ordinal(&self) -> usize {
        self.ordinal
    }

    pub(super) fn address_of_stream(&self, _: Python<'_>) -> u64 {
        self.stream.load(Ordering::Acquire)
    }

    pub(super) fn all(&self) -> PyResult<Vec<usize>> {
        memory::collected(0..self.config.games)
    }

    /// The games of an argument; all without one.
    pub(super) fn games(&self, games: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<usize>> {
        games.map_or_else(|| self.all(), |games| indexes(games, "games"))
    }

    /// A batch on the processor with copies of these games.
    pub(super) fn copies<'py>(
        &self,
        py: Python<'py>,
        games: &[usize],
    ) -> PyResult<Bound<'py, PyAny>> {
        let config = Config { games: games.len(), threads: 1, ..self.config.clone() };
        let places = memory::collected(0..games.len())?;
        let states = py.detach(|| self.lock().save(games)).map_err(raise)?;
        let batch = Batch::on_processor(py, config)?;
        py.detach(|| batch.lock().load(&places, &states)).map_err(raise_batch)?;
        Ok(Bound::new(py, batch)?.into_any())
    }

    /// An array of the batch, if it is computed.
    pub(super) fn named(slf: &Bound<'_, Self>, name: &str) -> PyResult<DeviceArray> {
        let (array, per_game, dtype) = array::named(name)?;
        let batch = slf.get();
        let (address, bytes) = slf.py().detach(|| batch.lock().address(array));
        if bytes == 0 {
            return Err(Batch::not_computed(name));
        }
        let games = std::iter::once(batch.config.games);
        let shape = games.chain(per_game.iter().copied()).collect();
        Ok(DeviceArray::new(slf.clone().unbind(), address, shape, dtype))
    }

    /// The arrays of a dictionary that the arrays of the batch with these names are copied to.
    pub(super) fn outs<'py>(
        slf: &Bound<'py, Self>,
        out: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Vec<(fourchess_cuda::Array, Given<'py>)>> {
        let mut outs = Vec::new();
        for (name, goal) in out.into_iter().flat_map(PyDictMethods::iter) {
            let name: String = name.extract()?;
            let source = CudaBatch::named(slf, &name)?;
            let argument = format!("out['{name}']");
            let given = slf.get().out(&goal, &argument)?;
            let given = given.of_shape(&argument, source.entries())?;
            let given = given.of_types(&argument, alike(source.entry_type()))?;
            outs.push((array::named(&name)?.0, given));
        }
        Ok(outs)
    }

    /// An array that the batch may write.
    pub(super) fn out<'py>(
        &self,
        argument: &Bound<'py, PyAny>,
        name: &str,
    ) -> PyResult<Given<'py>> {
        let given = taken::given(self, argument, name, Use::Writes)?;
        given.ok_or_else(|| {
            let words = format!("{name}: expected an array on {}", self.device());
            PyTypeError::new_err(words)
        })
    }

    pub(super) fn expand<'py>(
        slf: &Bound<'py, Self>,
        which: Which,
        out: Option<&Bound<'py, PyAny>>,
        dtype: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, batch) = (slf.py(), slf.get());
        let shape = vec![batch.config.games, Observation::FLOAT_PLANES, 14, 14];
        let (address, number, array, _keeper) = match out {
            None => {
                let number = dtype.map_or(Ok(Number::F32), number)?;
                let array = DeviceArray::allocate(slf, shape, type_of(number))?;
                (array.address(), number, Bound::new(py, array)?.into_any(), None)
            }
            Some(_) if dtype.is_some() => {
                return Err(refuse("dtype: cannot be given together with out".to_owned()));
            }
            Some(out) => {
                let given = batch.out(out, "out")?.of_shape("out", &shape)?;
                let given = given.of_types("out", &Number::ALL.map(type_of))?;
                let fits = |number: &Number| type_of(*number) == given.dtype;
                let number = Number::ALL.into_iter().find(fits).expect("one of these types");
                if given.address % 16 != 0 {
                    let words = "out: the memory must begin at a multiple of 16 bytes";
                    return Err(refuse(words.to_owned()));
                }
                (given.address, number, out.clone(), Some(given))
            }
        };
        // SAFETY: the array was allocated or checked above: its place, shape and type. As with every
        // stream, who frees it waits for the work.
        let done = py.detach(|| unsafe { batch.lock().expand_on_device(which, number, address) });
        done.map_err(raise)?;
        Ok(array)
    }
}

fn type_of(number: Number) -> Type {
    match number {
        Number::F32 => Type::FLOAT32,
        Number::Bf16 => Type::BFLOAT16,
        Number::F16 => Type::FLOAT16,
        Number::U8 => Type::UINT8,
    }
}

/// The type that an argument names: text, or a type of NumPy or PyTorch.
fn number(dtype: &Bound<'_, PyAny>) -> PyResult<Number> {
    let text = match dtype.cast::<PyString>() {
        Ok(text) => text.clone().into_any(),
        Err(_) if dtype.hasattr("__name__")? => dtype.getattr("__name__")?,
        Err(_) => dtype.str()?.into_any(),
    };
    let text: String = text.extract()?;
    let name = text.strip_prefix("torch.").unwrap_or(&text);
    let found = Number::ALL.into_iter().find(|number| type_of(*number).to_string() == name);
    found.ok_or_else(|| {
        let words = "expected float32, float16, bfloat16 or uint8";
        PyTypeError::new_err(format!("dtype: {name}, {words}"))
    })
}

/// The types whose entries have the bits of another's.
pub(super) fn alike(dtype: Type) -> &'static [Type] {
    match dtype {
        Type::INT16 => &[Type::INT16, Type::UINT16],
        Type::INT32 => &[Type::INT32, Type::UINT32],
        Type::INT64 => &[Type::INT64, Type::UINT64],
        Type::FLOAT32 => &[Type::FLOAT32],
        _ => &[Type::UINT8, Type::BOOL],
    }
}

/// The width of the entries of an array of actions.
pub(super) fn entry(given: &Given<'_>) -> PyResult<Entry> {
    match (given.dtype.is_integer(), given.dtype.bytes()) {
        (true, 2) => Ok(Entry::Bits16),
        (true, 4) => Ok(Entry::Bits32),
        (true, 8) => Ok(Entry::Bits64),
        _ => {
            let words = "expected integers of 16, 32 or 64 bits";
            Err(PyTypeError::new_err(format!("actions: an array of {}, {words}", given.dtype)))
        }
    }
}
