#![no_main]

#[path = "../propositions.rs"]
mod propositions;

libfuzzer_sys::fuzz_target!(|data: &[u8]| propositions::an_accepted_game_is_read_back_as_it_was(data));
