//! Allocators other than that of glibc, which are left as they are.

pub(super) fn return_freed_memory() {}
