//! Arrays of a batch that Python sees without a copy.
//!
//! A batch never moves or resizes an array once it is created, and an array that Python sees keeps
//! the batch alive, so its memory stays valid. Python can write only to arrays that the batch
//! writes and never reads, so nothing written there affects the batch. All others are read-only. A
//! step changes arrays while another Python thread may read them. That thread may then see some
//! games before the step and some after it, as with any array that two threads share.

use std::{ffi::c_void, slice};

use fourchess_env::{Action, Batch, Bf16, F16, Observation};
use numpy::{
    Element, PyArrayDyn,
    ndarray::{ArrayViewD, IxDyn},
};
use pyo3::{prelude::*, types::IntoPyDict};

/// What an entry is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Bool,
    U8,
    U16,
    U32,
    U64,
    I16,
    F32,
}

/// Whether Python may write.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Access {
    Read,
    Write,
}

/// An array of a batch, C-contiguous.
#[derive(Clone, Debug)]
pub(super) struct View {
    pub(super) name: &'static str,
    pub(super) data: *mut c_void,
    pub(super) shape: Vec<usize>,
    pub(super) kind: Kind,
    pub(super) access: Access,
}

// SAFETY: the pointer is followed only by those who hold the batch it points into, as the head of
// this file says.
unsafe impl Send for View {}
// SAFETY: as above.
unsafe impl Sync for View {}

/// A type of entries.
trait Entry: Element {
    const KIND: Kind;
}

macro_rules! entries {
    ($($type:ty: $kind:ident,)*) => {$(
        impl Entry for $type {
            const KIND: Kind = Kind::$kind;
        }
    )*};
}
entries! { bool: Bool, u8: U8, u16: U16, u32: U32, u64: U64, i16: I16, f32: F32, }

impl View {
    fn new<T: Entry>(name: &'static str, entries: &[T], per_game: &[usize], games: usize) -> View {
        // An output that is off has no entries.
        let games = if entries.is_empty() { 0 } else { games };
        let shape: Vec<usize> = std::iter::once(games).chain(per_game.iter().copied()).collect();
        assert_eq!(shape.iter().product::<usize>(), entries.len(), "{name}");
        let data = entries.as_ptr().cast_mut().cast();
        View { name, data, shape, kind: T::KIND, access: Access::Write }
    }

    fn read_only(mut self) -> View {
        self.access = Access::Read;
        self
    }

    /// Whether the batch was created without this output.
    pub(super) fn is_empty(&self) -> bool {
        self.shape[0] == 0
    }

    /// The array for NumPy; `owner` holds the memory.
    pub(super) fn numpy<'py>(&self, owner: Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = owner.py();
        let array = match self.kind {
            Kind::Bool => self.numpy_of::<bool>(owner),
            Kind::U8 => self.numpy_of::<u8>(owner),
            Kind::U16 => self.numpy_of::<u16>(owner),
            Kind::U32 => self.numpy_of::<u32>(owner),
            Kind::U64 => self.numpy_of::<u64>(owner),
            Kind::I16 => self.numpy_of::<i16>(owner),
            Kind::F32 => self.numpy_of::<f32>(owner),
        };
        if self.access == Access::Read {
            array.call_method("setflags", (), Some(&[("write", false)].into_py_dict(py)?))?;
        }
        Ok(array)
    }

    fn numpy_of<'py, T: Entry>(&self, owner: Bound<'py, PyAny>) -> Bound<'py, PyAny> {
        debug_assert_eq!(T::KIND, self.kind);
        // SAFETY: the pointer and the shape are those of a slice of T, and the slice lives as long
        // as the owner, which the array keeps alive.
        unsafe {
            let view = ArrayViewD::from_shape_ptr(IxDyn(&self.shape), self.data.cast::<T>());
            PyArrayDyn::borrow_from_array(&view, owner).into_any()
        }
    }
}

/// Numbers that have the bits of an entry `E` and no other.
///
/// # Safety
///
/// The type has the size and the alignment of `E`, and every bit pattern is a value of both.
pub(super) unsafe trait Bits<E> {}

// SAFETY: a type is itself.
unsafe impl Bits<f32> for f32 {}
// SAFETY: as above.
unsafe impl Bits<u8> for u8 {}
// SAFETY: it is transparent.
unsafe impl Bits<u16> for F16 {}
// SAFETY: as above.
unsafe impl Bits<u16> for Bf16 {}

/// Entries as numbers with the same bits.
pub(super) fn same_bits<E, N: Bits<E>>(entries: &mut [E]) -> &mut [N] {
    // SAFETY: the trait says that both have the same size, alignment and values.
    unsafe { slice::from_raw_parts_mut(entries.as_mut_ptr().cast(), entries.len()) }
}

/// All arrays of a batch, by the names they have in Python.
pub(super) fn views(batch: &Batch) -> Vec<View> {
    let games = batch.len();
    let planes = [Observation::PLANES, Observation::WORDS];
    let scalars = [Observation::SCALARS];
    vec![
        // The batch reads these three arrays: who moves, and what is legal.
        View::new("current_player", batch.current_player(), &[], games).read_only(),
        View::new("legal", batch.legal(), &[Batch::LEGAL_ROOM], games).read_only(),
        View::new("legal_counts", batch.legal_counts(), &[], games).read_only(),
        View::new("legal_bits", batch.legal_bits(), &[Batch::LEGAL_WORDS], games),
        // A step clears only what was legal before it.
        View::new("legal_bytes", batch.legal_bytes(), &[Action::COUNT], games).read_only(),
        View::new("rewards", batch.rewards(), &[4], games),
        View::new("terminated", batch.terminated(), &[], games),
        View::new("truncated", batch.truncated(), &[], games),
        View::new("move_valid", batch.move_valid(), &[], games),
        View::new("planes", batch.planes(), &planes, games),
        View::new("scalars", batch.scalars(), &scalars, games),
        View::new("final_planes", batch.final_planes(), &planes, games),
        View::new("final_scalars", batch.final_scalars(), &scalars, games),
        View::new("final_points", batch.final_points(), &[4], games),
        View::new("endings", batch.endings(), &[], games),
    ]
}
