//! Where `unsafe` may stand.

use super::{Finding, files::File, rust};

/// Files, or directories with a final slash, in which a measured gain or a foreign
/// interface pays for it.
const ALLOWED: &[&str] = &[
    "crates/chess/src/attacks/",
    // Calls of functions compiled with the processor's bit instructions.
    "crates/chess/src/movegen.rs",
    "crates/chess/src/perft.rs",
    // Prefetching.
    "crates/chess/src/perft/table.rs",
    "crates/fourchess-env/src/prefetch.rs",
    "crates/solver/src/pages.rs",
    // Planes of observations by registers of 256 bits.
    "crates/fourchess-env/src/planes/avx2.rs",
    // The driver, the compiler of kernels, and work on arrays whose addresses callers give.
    "crates/fourchess-cuda/src/batch/raw.rs",
    "crates/fourchess-cuda/src/batch/share.rs",
    "crates/fourchess-cuda/src/device.rs",
    "crates/fourchess-cuda/src/nvrtc.rs",
    "crates/fourchess-cuda/src/values.rs",
    // Options of the allocator of an executor.
    "crates/sql/src/cluster/allocator.rs",
    // The kernels compiled by the system's C++ compiler.
    "crates/fourchess-cuda/tests/emulation/mod.rs",
    "crates/fourchess-cuda/tests/fixtures.rs",
    "crates/fourchess-cuda/tests/values.rs",
    // An allocator that counts.
    "crates/fourchess-env/tests/allocation.rs",
    // Arrays that Python sees where Rust has them, and the C structures of DLPack and XLA.
    "crates/python/src/fourchess/arrays.rs",
    "crates/python/src/fourchess/dlpack.rs",
    "crates/python/src/jax.rs",
    "crates/python/src/jax/xla.rs",
    // Arrays on a GPU that two libraries share.
    "crates/python/src/fourchess/cuda/",
    "crates/python/src/jax/cuda/",
];

/// Finds `unsafe` anywhere else.
pub(crate) fn check(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.is_rust() && !file.is_among(ALLOWED)) {
        for line in rust::lines_with(&rust::code(&file.text), "unsafe", "") {
            let what = "unsafe outside the files allowed by xtask/src/tidy/unsafety.rs";
            findings.push(Finding::at(&file.path, line, what));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsafe_code_elsewhere_is_found() {
        let text = "// unsafe is a word here\n#![warn(unsafe_op_in_unsafe_fn)]\nunsafe { a() }\n";
        let places = |path| check(&[File::new(path, text)]);
        let found = places("crates/chess/src/position.rs");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].place, "crates/chess/src/position.rs:3");
        assert!(places("crates/chess/src/attacks/mod.rs").is_empty());
        assert!(places("crates/chess/src/attacks/magic.rs").is_empty());
        assert_eq!(places("crates/chess/src/attacks_too.rs").len(), 1);
    }
}
