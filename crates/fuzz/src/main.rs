//! libFuzzer on one of the targets, which `EVERYPLY_FUZZ_TARGET` names.

#![no_main]

use fuzz::{TARGETS, libfuzzer};

libfuzzer_sys::fuzz_target!(init: libfuzzer::unpack(), |data: &[u8]| {
    (libfuzzer::target(TARGETS).run)(data);
});
