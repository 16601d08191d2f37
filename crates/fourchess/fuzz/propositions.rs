//! What must hold of any bytes whatever. The fuzz targets and the property tests call the
//! same functions, which panic if it does not hold.

use fourchess::{Game, Position, Rules, Seat, pgn::Reader};

#[allow(dead_code, reason = "each target asks for a part of it")]
pub(crate) fn an_accepted_fen_is_read_back_and_can_be_played(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    for rules in Rules::PRESETS {
        let position = match Position::from_fen(text, rules) {
            Ok(position) => position,
            Err(error) => {
                check_message(&error.to_string());
                continue;
            }
        };
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
            game.play(mv).unwrap();
        }
    }
}

#[allow(dead_code, reason = "each target asks for a part of it")]
pub(crate) fn an_accepted_game_is_read_back_as_it_was(data: &[u8]) {
    for record in Reader::new(data) {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                check_message(&error.to_string());
                continue;
            }
        };
        let text = record.to_string();
        let again: Vec<_> = Reader::new(text.as_bytes()).collect();
        // A result alone is a game without tags and plies, which leaves no text.
        if text.trim().is_empty() {
            assert!(again.is_empty());
            continue;
        }
        let [Ok(again)] = again.as_slice() else { panic!("{text}: {again:?}") };
        assert_eq!(*again, record, "{text}");
        assert_eq!(again.to_string(), text);
        assert_eq!(again.play().position(), record.play().position(), "{text}");
    }
}

/// A message about foreign text does not repeat what could steer a terminal.
#[allow(dead_code, reason = "each target asks for a part of it")]
fn check_message(message: &str) {
    assert!(!message.is_empty() && !message.contains(char::is_control), "{message:?}");
}
