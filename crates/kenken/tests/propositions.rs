//! The propositions of the fuzz targets, on stable: on damaged fixtures and on random text.

#[path = "../fuzz/propositions.rs"]
mod propositions;
mod shared;

use propositions::{
    an_accepted_drawing_is_read_back_and_counted, an_accepted_game_id_is_read_back_and_counted,
    an_accepted_json_is_read_back_and_counted,
};
use proptest::prelude::*;
use shared::random::{Random, puzzle};

/// Changes, removes, doubles or inserts a few bytes.
fn damage(text: &str, random: &mut Random, alphabet: &[u8]) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..random.below(4) {
        let at = random.below(bytes.len() + 1);
        let byte = alphabet[random.below(alphabet.len())];
        match random.below(4) {
            0 => bytes.insert(at, byte),
            1 if at < bytes.len() => bytes[at] = byte,
            2 if at < bytes.len() => drop(bytes.remove(at)),
            _ => {
                let end = (at + random.below(6)).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
        }
    }
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn damaged_puzzles_are_read_or_refused(seed: u64) {
        let random = &mut Random(seed);
        let puzzle = puzzle(random, 6);
        let drawing = kenken::drawing::print(&puzzle);
        an_accepted_drawing_is_read_back_and_counted(&damage(&drawing, random, b"AB 12+-*/?x#\n"));
        let json = kenken::json::print(&puzzle, Some("id"), None);
        let signs = br#"0123456789{}[],:"+-*/?=ntrue"#;
        an_accepted_json_is_read_back_and_counted(&damage(&json, random, signs));
        if let Ok(id) = kenken::keen::print(&puzzle) {
            let id = damage(&id, random, b"_abcyz0123456789amsd,:");
            an_accepted_game_id_is_read_back_and_counted(&id);
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes: Vec<u8>, text in "[1-9]d?[enhxu]?m?:[_a-z0-9]{0,40},[amsd0-9]{0,40}") {
        for bytes in [bytes.as_slice(), text.as_bytes()] {
            an_accepted_game_id_is_read_back_and_counted(bytes);
            an_accepted_json_is_read_back_and_counted(bytes);
            an_accepted_drawing_is_read_back_and_counted(bytes);
        }
    }
}
