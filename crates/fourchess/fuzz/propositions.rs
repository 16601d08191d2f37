//! What must hold of any bytes whatever. The fuzz target and the property tests call the same
//! function, which panics if it does not hold.

use fourchess::{Game, Position, Rules, Seat};

pub(crate) fn an_accepted_fen_is_read_back_and_can_be_played(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    for rules in Rules::PRESETS {
        let Ok(position) = Position::from_fen(text, rules) else { continue };
        let written = position.fen(rules).to_string();
        let read = Position::from_fen(&written, rules);
        assert_eq!(read.as_ref(), Ok(&position), "{written}");
        let mut game = Game::from_position(position, rules);
        // Bytes choose the moves, and who leaves when.
        for &byte in data.iter().rev().take(40) {
            if byte == b'-' {
                game.leave(Seat::ALL[data.len() % 4]);
            }
            let Some(&mv) = game.moves().get(usize::from(byte) % game.moves().len().max(1)) else {
                assert!(game.ending().is_some(), "{written}");
                break;
            };
            assert!(game.play(mv));
        }
    }
}
