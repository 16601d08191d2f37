#![no_main]

#[path = "../propositions.rs"]
mod propositions;

libfuzzer_sys::fuzz_target!(|data: &[u8]| propositions::an_accepted_fen_is_read_back_and_can_be_played(data));
