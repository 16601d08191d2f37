#![no_main]

#[path = "../propositions.rs"]
#[allow(dead_code, reason = "a target asks one question")]
mod propositions;

libfuzzer_sys::fuzz_target!(|data: &[u8]| propositions::an_accepted_game_id_is_read_back_and_counted(data));
