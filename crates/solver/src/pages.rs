//! Large blocks of memory for random access.

use std::ops::{Deref, DerefMut};

use memmap2::{Advice, MmapMut};

/// A number of zero bytes, on huge pages if the system has them. A random access then costs one
/// cache miss instead of several. `None` if the system cannot allocate as much.
pub(crate) fn zeroed(bytes: usize) -> Option<MmapMut> {
    let pages = MmapMut::map_anon(bytes.max(1)).ok()?;
    // Without huge pages, normal pages are used.
    #[cfg(target_os = "linux")]
    let _ = pages.advise(Advice::HugePage);
    Some(pages)
}

/// Begins to bring the byte at `at` into the cache, if there is one. Random accesses that are all
/// begun before the first is needed take little longer than one.
#[inline]
pub(crate) fn fetch(bytes: &[u8], at: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(byte) = bytes.get(at) {
        // SAFETY: every x86-64 processor has the instruction, which reads nothing.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(byte).cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (bytes, at);
}

/// Values of positions. Their memory returns to the system as soon as they are dropped. An
/// allocator might keep some of it and so exceed the memory limit.
pub(crate) struct Values {
    pages: MmapMut,
}

impl Values {
    /// A number of zeros, at least one.
    ///
    /// # Panics
    ///
    /// If the system cannot allocate as much memory.
    pub(crate) fn zeroed(count: usize) -> Values {
        Values { pages: zeroed(count).expect("memory for a sheet") }
    }

    /// A number of copies of a value, at least one.
    pub(crate) fn filled(count: usize, value: i8) -> Values {
        let mut values = Values::zeroed(count);
        values.fill(value);
        values
    }
}

impl Deref for Values {
    type Target = [i8];

    fn deref(&self) -> &[i8] {
        bytemuck::cast_slice(&self.pages)
    }
}

impl DerefMut for Values {
    fn deref_mut(&mut self) -> &mut [i8] {
        bytemuck::cast_slice_mut(&mut self.pages)
    }
}
