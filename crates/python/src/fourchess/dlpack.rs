//! DLPack: arrays that libraries use without copying.
//!
//! The structures are those of DLPack 1.0, and the capsules those of the array API standard: the
//! consumer of a capsule renames it, and later calls the deleter. A capsule that keeps its name
//! frees its array when it is dropped itself.

use std::{
    ffi::{CStr, c_void},
    fmt, ptr,
};

use pyo3::{ffi, prelude::*};

/// The type of entries: a code, the bits of an entry, and how many numbers an entry has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub(super) struct Type {
    pub(super) code: u8,
    pub(super) bits: u8,
    pub(super) lanes: u16,
}

impl Type {
    pub(super) const INT16: Type = Type::new(0, 16);
    pub(super) const UINT8: Type = Type::new(1, 8);
    pub(super) const UINT16: Type = Type::new(1, 16);
    pub(super) const UINT32: Type = Type::new(1, 32);
    pub(super) const UINT64: Type = Type::new(1, 64);
    pub(super) const FLOAT32: Type = Type::new(2, 32);
    pub(super) const BOOL: Type = Type::new(6, 8);

    pub(super) const fn new(code: u8, bits: u8) -> Type {
        Type { code, bits, lanes: 1 }
    }
}

/// As NumPy writes it.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Type { code, bits, lanes } = *self;
        match code {
            0 => write!(f, "int{bits}")?,
            1 => write!(f, "uint{bits}")?,
            2 => write!(f, "float{bits}")?,
            4 => write!(f, "bfloat{bits}")?,
            5 => write!(f, "complex{bits}")?,
            6 => f.write_str("bool")?,
            other => write!(f, "entries of the code {other}")?,
        }
        if lanes == 1 { Ok(()) } else { write!(f, " in groups of {lanes}") }
    }
}

/// An array in C order that is to be handed over: where, of which shape and type.
pub(super) struct Placed<'a> {
    pub(super) data: *mut c_void,
    /// The kind and the number of the device.
    pub(super) device: (i32, i32),
    pub(super) shape: &'a [usize],
    pub(super) dtype: Type,
}

/// What a consumer must know of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flags {
    None,
    ReadOnly,
}

/// An array in a capsule of the newest form that the consumer knows, `owner` holding the memory.
/// `None` if that form cannot express the flags.
pub(super) fn capsule<'py>(
    py: Python<'py>,
    placed: &Placed<'_>,
    flags: Flags,
    max_version: Option<(u32, u32)>,
    owner: Py<PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if max_version.is_some_and(|(major, _)| major >= VERSION.major) {
        return hand_over::<Versioned>(py, placed, flags, owner).map(Some);
    }
    match flags {
        Flags::None => hand_over::<Unversioned>(py, placed, flags, owner).map(Some),
        Flags::ReadOnly => Ok(None),
    }
}

pub(super) const VERSION: Version = Version { major: 1, minor: 0 };
pub(super) const READ_ONLY: u64 = 1;

#[repr(C)]
pub(super) struct Version {
    pub(super) major: u32,
    minor: u32,
}

/// `DLTensor`
#[repr(C)]
pub(super) struct Array {
    pub(super) data: *mut c_void,
    pub(super) device: [i32; 2],
    pub(super) axes: i32,
    pub(super) dtype: Type,
    pub(super) shape: *mut i64,
    pub(super) strides: *mut i64,
    pub(super) offset: u64,
}

/// `DLManagedTensor`
#[repr(C)]
pub(super) struct Unversioned {
    pub(super) array: Array,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Unversioned)>,
}

/// `DLManagedTensorVersioned`
#[repr(C)]
pub(super) struct Versioned {
    pub(super) version: Version,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Versioned)>,
    pub(super) flags: u64,
    pub(super) array: Array,
}

/// The two structures that can be handed over.
pub(super) trait Managed: Sized {
    const NAME: &'static CStr;
    fn new(array: Array, flags: Flags) -> Self;
}

impl Managed for Unversioned {
    const NAME: &'static CStr = c"dltensor";

    fn new(array: Array, _: Flags) -> Unversioned {
        Unversioned { array, context: ptr::null_mut(), deleter: Some(delete) }
    }
}

impl Managed for Versioned {
    const NAME: &'static CStr = c"dltensor_versioned";

    fn new(array: Array, flags: Flags) -> Versioned {
        let flags = if flags == Flags::ReadOnly { READ_ONLY } else { 0 };
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
    owner: Py<PyAny>,
}

fn hand_over<'py, M: Managed>(
    py: Python<'py>,
    placed: &Placed<'_>,
    flags: Flags,
    owner: Py<PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let axes = placed.shape.len();
    let stride = |axis: usize| placed.shape[axis + 1..].iter().product::<usize>();
    let lengths = placed.shape.iter().copied().chain((0..axes).map(stride));
    let mut lengths: Box<[i64]> = lengths.map(|length| length as i64).collect();
    let (shape, strides) = lengths.split_at_mut(axes);
    let array = Array {
        data: placed.data,
        device: [placed.device.0, placed.device.1],
        axes: axes as i32,
        dtype: placed.dtype,
        shape: shape.as_mut_ptr(),
        strides: strides.as_mut_ptr(),
        offset: 0,
    };
    let handed = Handed { managed: M::new(array, flags), lengths, owner };
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
    // A library may call this from any thread. When Python is gone, so is the owner.
    let _ = Python::try_attach(|_| {
        // SAFETY: it was made by Box::into_raw in `hand_over`, and is freed once.
        drop(unsafe { Box::from_raw(managed.cast::<Handed<M>>()) });
    });
}

/// Frees what is in a capsule that nobody has taken it from.
///
/// # Safety
///
/// `object` is a capsule that `hand_over` made.
unsafe extern "C" fn destroy<M: Managed>(object: *mut ffi::PyObject) {
    // SAFETY: Python calls this with the capsule. One whose content was taken has another name.
    unsafe {
        if ffi::PyCapsule_IsValid(object, M::NAME.as_ptr()) == 1 {
            delete(ffi::PyCapsule_GetPointer(object, M::NAME.as_ptr()).cast::<M>());
        }
    }
}
