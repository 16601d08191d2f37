//! What is in a capsule of DLPack, and the types of arrays on a GPU.

use std::{ptr, slice};

use pyo3::{exceptions::PyBufferError, ffi, prelude::*};

use crate::fourchess::dlpack::{Managed, READ_ONLY, Type, Unversioned, VERSION, Versioned};

impl Type {
    pub(super) const INT32: Type = Type::new(0, 32);
    pub(super) const INT64: Type = Type::new(0, 64);
    pub(super) const FLOAT16: Type = Type::new(2, 16);
    pub(super) const BFLOAT16: Type = Type::new(4, 16);

    /// The type that `__cuda_array_interface__` names so, such as `<i8`.
    pub(super) fn of_interface(text: &str) -> Option<Type> {
        let (order, rest) = (text.get(..1)?, text.get(1..)?);
        let code = match rest.get(..1)? {
            "i" => 0,
            "u" => 1,
            "f" => 2,
            "c" => 5,
            "b" => 6,
            _ => return None,
        };
        let bytes: u8 = rest.get(1..)?.parse().ok().filter(|bytes| (1..=16).contains(bytes))?;
        (order != ">" || bytes == 1).then_some(Type::new(code, 8 * bytes))
    }

    /// The same in the words of `__cuda_array_interface__`, which has none for some types.
    pub(super) fn interface(self) -> Option<String> {
        let letter = match self.code {
            0 => 'i',
            1 => 'u',
            2 => 'f',
            6 => 'b',
            _ => return None,
        };
        let order = if self.bits == 8 { '|' } else { '<' };
        Some(format!("{order}{letter}{}", self.bits / 8))
    }

    pub(super) fn bytes(self) -> usize {
        usize::from(self.bits).div_ceil(8) * usize::from(self.lanes)
    }

    pub(super) fn is_integer(self) -> bool {
        self.code < 2 && self.lanes == 1
    }
}

/// An array of another library, for as long as its capsule lives.
pub(super) struct Taken<'py> {
    pub(super) address: u64,
    pub(super) device: (i32, i32),
    pub(super) shape: Vec<usize>,
    pub(super) dtype: Type,
    pub(super) is_contiguous: bool,
    pub(super) is_read_only: bool,
    pub(super) capsule: Bound<'py, PyAny>,
}

/// What is in a capsule, which keeps its name and so frees the array when it is dropped.
pub(super) fn take(capsule: Bound<'_, PyAny>) -> PyResult<Taken<'_>> {
    let versioned = pointer::<Versioned>(&capsule);
    let (array, flags) = if versioned.is_null() {
        let plain = pointer::<Unversioned>(&capsule);
        if plain.is_null() {
            return Err(PyBufferError::new_err("__dlpack__ returned no capsule of DLPack"));
        }
        // SAFETY: a capsule of this name holds such a structure, and lives while it is read.
        (unsafe { &(*plain).array }, 0)
    } else {
        // SAFETY: as above. The version stands first in every version of the structure.
        let found = unsafe { (*versioned).version.major };
        if found != VERSION.major {
            let words = format!("an array of DLPack {found}, expected {}", VERSION.major);
            return Err(PyBufferError::new_err(words));
        }
        // SAFETY: as above, and structures of one major version are the same.
        unsafe { (&(*versioned).array, (*versioned).flags) }
    };
    let axes = usize::try_from(array.axes).unwrap_or(0);
    let shape: Vec<usize> = lengths(array.shape, axes).iter().map(|&n| n as usize).collect();
    let strides = if array.strides.is_null() { &[] } else { lengths(array.strides, axes) };
    Ok(Taken {
        address: (array.data as usize as u64).wrapping_add(array.offset),
        device: (array.device[0], array.device[1]),
        is_contiguous: strides.is_empty() || is_contiguous(&shape, strides),
        shape,
        dtype: array.dtype,
        is_read_only: flags & READ_ONLY != 0,
        capsule,
    })
}

/// Whether entries of these strides follow each other in C order.
pub(super) fn is_contiguous(shape: &[usize], strides: &[i64]) -> bool {
    let mut expected = 1i64;
    for (&length, &stride) in shape.iter().zip(strides).rev() {
        if length != 1 && stride != expected {
            return false;
        }
        expected = expected.saturating_mul(length as i64);
    }
    true
}

/// The structure in a capsule; null if it has another name.
fn pointer<M: Managed>(capsule: &Bound<'_, PyAny>) -> *const M {
    // SAFETY: both calls take any object; the second one is made if the first says that it may.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule.as_ptr(), M::NAME.as_ptr()) != 1 {
            return ptr::null();
        }
        ffi::PyCapsule_GetPointer(capsule.as_ptr(), M::NAME.as_ptr()).cast()
    }
}

fn lengths<'a>(first: *const i64, count: usize) -> &'a [i64] {
    if first.is_null() || count == 0 {
        return &[];
    }
    // SAFETY: a structure of DLPack has a length and a stride for each axis.
    unsafe { slice::from_raw_parts(first, count) }
}
