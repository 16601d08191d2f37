//! Asks for memory before it is needed. The arrays of a batch are larger than the cache, and a step
//! of one game takes as long as fetching what the next ones need.

use std::ops::Range;

/// The bytes that the processor fetches at once.
const LINE: usize = 64;

/// Asks for these bytes of a value, counted from its beginning.
#[inline(always)]
pub(crate) fn prefetch<T>(value: &T, bytes: Range<usize>) {
    debug_assert!(bytes.end <= size_of::<T>());
    for offset in bytes.step_by(LINE) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: a prefetch reads nothing that the program could see, from whatever address.
        unsafe {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let place = std::ptr::from_ref(value).cast::<i8>().wrapping_add(offset);
            _mm_prefetch::<_MM_HINT_T0>(place);
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = (value, offset);
    }
}
