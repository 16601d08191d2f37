//! libFuzzer on one of the targets, which `EVERYPLY_FUZZ_TARGET` names.

#![no_main]

use fuzz::libfuzzer;
use fuzz_tables::TARGETS;

// Panics of readers that the engine turns into errors are no find, so its hook comes last.
libfuzzer_sys::fuzz_target!(
    init: {
        sql::quiet_panics();
        libfuzzer::unpack();
    },
    |data: &[u8]| (libfuzzer::target(TARGETS).run)(data)
);
