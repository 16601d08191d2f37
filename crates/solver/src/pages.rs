//! Large memory that is read here and there.

use memmap2::{Advice, MmapMut};

/// So many zero bytes, on large pages where the system has them: a look at a random place then
/// costs one cache miss instead of several.
///
/// # Panics
///
/// If the system does not have that much memory to give.
pub(crate) fn zeroed(bytes: usize) -> MmapMut {
    let pages = MmapMut::map_anon(bytes.max(1)).expect("memory within the limit");
    // Where there are no large pages, small ones do.
    #[cfg(target_os = "linux")]
    let _ = pages.advise(Advice::HugePage);
    pages
}
