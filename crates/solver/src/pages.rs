//! Large memory that is read here and there.

use std::ops::{Deref, DerefMut};

use memmap2::{Advice, MmapMut};

/// So many zero bytes, on large pages where the system has them: a look at a random place then
/// costs one cache miss instead of several. Nothing if the system does not have that much memory to
/// give.
pub(crate) fn zeroed(bytes: usize) -> Option<MmapMut> {
    let pages = MmapMut::map_anon(bytes.max(1)).ok()?;
    // Where there are no large pages, small ones do.
    #[cfg(target_os = "linux")]
    let _ = pages.advise(Advice::HugePage);
    Some(pages)
}

/// Values of positions. They go back to the system as soon as they are dropped: an allocator that
/// kept some of them would hold more than the limit allows.
pub(crate) struct Values {
    pages: MmapMut,
}

impl Values {
    /// So many zeros, at least one.
    ///
    /// # Panics
    ///
    /// If the system does not have that much memory to give.
    pub(crate) fn zeroed(count: usize) -> Values {
        Values { pages: zeroed(count).expect("memory for a sheet") }
    }

    /// The same value so many times, at least once.
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
