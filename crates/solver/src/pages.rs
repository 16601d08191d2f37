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
