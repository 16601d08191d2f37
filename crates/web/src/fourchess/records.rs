//! Games of PGN4 files and texts.

use std::io::Read;

use ::fourchess::{
    Seat,
    pgn::{Ply, Record},
};
use games::fourchess::{Reader, RecordError};
use serde_json::{Map, Value, json};
use sources::Source;

use super::shown::{self, Moves};
use crate::refusal::Refusal;

/// Games of a file that are listed.
const MOST_LISTED: usize = 500;

/// The games of a text, and one of them as a whole.
///
/// The name stands in messages; a path from outside the page must not be in it.
pub(crate) fn read(
    name: &str,
    bytes: impl Read + Send + 'static,
    number: u64,
) -> Result<Value, Refusal> {
    let mut listed = Vec::new();
    let mut chosen: Option<Result<Record, Refusal>> = None;
    let mut found = 0;
    for read in Reader::of_source(Source::from_reader(name, bytes)) {
        found += 1;
        let row = match &read {
            Ok(played) => about(found, &played.record),
            Err(error) => json!({ "number": found, "error": error.to_string() }),
        };
        if found == number {
            chosen = Some(read.map(|played| played.record).map_err(Refusal::bad));
        } else if let Err(error @ (RecordError::Source(_) | RecordError::Binary { .. })) = read {
            return Err(Refusal::bad(error));
        }
        if listed.len() < MOST_LISTED {
            listed.push(row);
        } else if chosen.is_some() {
            break;
        }
    }
    let none = || match found {
        0 => Refusal::bad(format_args!("{name}: there is no game in it")),
        _ => Refusal::missing(format_args!("{name}: there is no game {number}: it has {found}")),
    };
    let mut game = shown::recorded(&chosen.ok_or_else(none)??, Moves::Omitted)?;
    game["number"] = number.into();
    game["games"] = listed.into();
    Ok(game)
}

/// What a list says about a game.
fn about(number: u64, record: &Record) -> Value {
    let tag = |name: &str| record.tags.get(name).filter(|value| !matches!(*value, "" | "?" | "-"));
    let moves = record.plies().filter(|ply| matches!(ply, Ply::Move(_))).count();
    let players = Seat::ALL.map(|seat| tag(&seat.to_string()));
    json!({
        "number": number,
        "rules": record.rules().words(),
        "players": players,
        "date": tag("Date"),
        "result": tag("Result"),
        "plies": moves,
    })
}

/// The answers of a page that shows one game without a server: by path, as the page asks for them.
///
/// # Errors
///
/// The first game of the text is wrong, or there is none.
pub(crate) fn answers(name: &str, text: &[u8], number: u64) -> Result<Map<String, Value>, Refusal> {
    let mut games =
        Reader::of_source(Source::from_reader(name, std::io::Cursor::new(text.to_vec())));
    let missing = || Refusal::missing(format_args!("{name}: there is no game {number}"));
    let at = usize::try_from(number).ok().and_then(|number| number.checked_sub(1));
    let record =
        games.nth(at.ok_or_else(missing)?).ok_or_else(missing)?.map_err(Refusal::bad)?.record;
    let game = shown::recorded(&record, Moves::Listed)?;
    let mut answers = Map::new();
    answers.insert("/api/fourchess/game".to_owned(), game);
    answers.insert("/api/fourchess/pgn4".to_owned(), json!({ "text": record.to_string() }));
    Ok(answers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::fourchess::{Game, pgn};

    const GAME: &[u8] =
        b"[Variant \"FFA\"]\n[Red \"</script><b>\"]\n\n1. h2-h4 { <!-- <script> } .. \
                          b7-c7 .. g13-g12 .. m8-l8\n2. Qg1-j4 .. c7-d7 .. Kg14-g13R .. l8-k8\n";

    #[test]
    fn a_page_without_a_server_has_the_moves_of_every_ply() {
        let answers = answers("game.pgn4", GAME, 1).unwrap();
        let shown = &answers["/api/fourchess/game"];
        let record = pgn::Reader::new(GAME).next().unwrap().unwrap();
        let mut game = Game::from_position(*record.start(), record.rules());
        assert_eq!(shown["start"]["moves"], shown::moves(&game));
        for (ply, shown) in record.plies().zip(shown["plies"].as_array().unwrap()) {
            assert!(game.apply(ply));
            assert_eq!(shown["moves"], shown::moves(&game));
        }
        assert_eq!(shown["plies"][0]["comment"], "<!-- <script>");
        assert_eq!(shown["tags"][1], json!(["Red", "</script><b>"]));
        let text = answers["/api/fourchess/pgn4"]["text"].as_str().unwrap();
        assert_eq!(pgn::Reader::new(text.as_bytes()).next().unwrap().unwrap(), record);
        let said = |number: u64| super::answers("game.pgn4", GAME, number).unwrap_err().message;
        assert_eq!((said(2), said(0)), (missing(2), missing(0)));
    }

    fn missing(number: u64) -> String {
        format!("game.pgn4: there is no game {number}")
    }
}
