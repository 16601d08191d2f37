//! What the programs that libFuzzer drives are told by `cargo xtask fuzz`.

use std::{env, path::Path, sync::OnceLock};

use crate::{Target, corpus, find};

/// The target that `EVERYPLY_FUZZ_TARGET` names.
///
/// # Panics
///
/// If there is none.
pub fn target(targets: &'static [Target]) -> &'static Target {
    static CHOSEN: OnceLock<&Target> = OnceLock::new();
    CHOSEN.get_or_init(|| {
        let name = env::var("EVERYPLY_FUZZ_TARGET").expect("EVERYPLY_FUZZ_TARGET names a target");
        find(targets, &name).unwrap_or_else(|| panic!("there is no target {name}"))
    })
}

/// Unpacks the corpus that `EVERYPLY_FUZZ_CORPUS` names into `EVERYPLY_FUZZ_INPUTS`, where
/// libFuzzer is told to look.
///
/// # Panics
///
/// If that cannot be done.
pub fn unpack() {
    let [Some(from), Some(to)] = ["EVERYPLY_FUZZ_CORPUS", "EVERYPLY_FUZZ_INPUTS"].map(env::var_os)
    else {
        return;
    };
    corpus::unpack(Path::new(&from), Path::new(&to)).expect("the corpus can be unpacked");
}
