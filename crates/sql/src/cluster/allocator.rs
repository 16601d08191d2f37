//! Memory that tasks have freed goes back to the system.

/// Makes the allocator of glibc return freed memory at once, for the whole process.
///
/// A task has few allocations, but large ones, and the next task may run on another thread. Left
/// alone, glibc keeps what was freed in a heap for each thread: an executor of Kalah(5,3) took 690
/// MiB with a limit of 512 MiB, and 413 MiB with these settings (docs/measurements.md). Whoever sets
/// `MALLOC_ARENA_MAX` or `MALLOC_MMAP_THRESHOLD_` in the environment decides instead.
pub(super) fn return_freed_memory() {
    let unless_set = |variable: &str, option, value| {
        if std::env::var_os(variable).is_none() {
            // SAFETY: it takes two numbers, locks what it changes, and keeps no memory of ours. If
            // glibc refuses, memory is kept longer, and nothing else changes.
            unsafe { libc::mallopt(option, value) };
        }
    };
    unless_set("MALLOC_ARENA_MAX", libc::M_ARENA_MAX, 2);
    // Larger ones are taken from the system one by one, and given back when they are freed.
    unless_set("MALLOC_MMAP_THRESHOLD_", libc::M_MMAP_THRESHOLD, 1 << 18);
}
