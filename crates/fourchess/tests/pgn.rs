//! PGN4: played games, what is refused and why, random games there and back, and the crate `pgn4`
//! as a witness.

use std::collections::BTreeMap;

use fourchess::pgn::{Exit, Line, Outcome, Ply, Reader, Record, RecordError};
use fourchess::{Departure, EnPassant, Game, Move, Position, Promotion, Rules, Seat, Setup, Status};
use pgn4::PGN4;
use proptest::prelude::*;
use proptest::sample::{Index, select};

#[path = "../fuzz/propositions.rs"]
mod propositions;

use propositions::an_accepted_game_is_read_back_as_it_was as check_bytes;

/// Two games that were played on the site the format comes from, with its marks.
const PLAYED: &str = include_str!("played.pgn4");

fn read(text: &str) -> Record {
    let mut games = Reader::new(text.as_bytes());
    let record = games.next().expect("a game").unwrap_or_else(|error| panic!("{text}: {error}"));
    assert!(games.next().is_none(), "{text}");
    record
}

fn error(text: &str) -> String {
    match Reader::new(text.as_bytes()).next() {
        Some(Err(error)) => error.to_string(),
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn played_games_are_written_as_they_were() {
    let records: Vec<Record> = Reader::new(PLAYED.as_bytes()).map(Result::unwrap).collect();
    let written: Vec<String> = records.iter().map(ToString::to_string).collect();
    assert_eq!(written.join("\n"), PLAYED);
    assert_eq!(records.iter().map(|record| record.plies().count()).collect::<Vec<_>>(), [124, 107]);
    assert_eq!(records[0].play().ending(), None);
    assert_eq!(records[1].play().position().points(), [5, 36, 17, 63]);
}

#[test]
fn comments_and_variations_stay_where_they_are() {
    let text = "[Variant \"FFA\"]\n[Nobody \"knows this tag\"]\n\n{ before all }\n\
        1. h2-h3 { one }\n(1.. Nj1-i3 .. Na5-c6 .. Ne14-f12 .. m8-l8\n\
        2. h2-h3 { deep } ( .. b7-c7 )\n(2.. d2-d3 ) ) .. b7-c7 ( .. b8-c8 ) ( .. R ) .. g13-g12\n\
        2. Nj1-i3";
    let record = read(text);
    let line = record.line();
    assert_eq!((line.comment.as_str(), line.nodes.len()), ("before all", 4));
    assert_eq!(line.nodes[0].comment, "one");
    let lengths = |lines: &[Line]| lines.iter().map(|line| line.nodes.len()).collect::<Vec<_>>();
    assert_eq!(lengths(&line.nodes[0].variations), [5]);
    assert_eq!(lengths(&line.nodes[1].variations), [1, 1]);
    assert_eq!(record.tag("Nobody"), Some("knows this tag"));
    assert_eq!(read(&record.to_string()), record);
}
