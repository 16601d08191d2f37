//! Parts of PGN text, cut where games begin, hold what the whole text holds.

use std::ops::ControlFlow;

use chess::Random;
use games::{BEHIND, Before, Reader, Record, Wanted, count, find_start};
use sources::Source;

/// Pieces of text that games are made of, and that break them.
const PIECES: &[&str] = &[
    "[Event \"x\"]\n",
    "[Event \"x\"]\n[Site \"y\"]\n",
    "[White \"A\"]\r\n",
    "[Broken\n",
    "[Result \"*\"] [Round \"1\"]\n",
    "\n",
    "\n\n",
    "\r\n\r\n",
    "1. e4 e5 ",
    "1. d4 *\n",
    "2. Nf3 Nc6 1-0\n\n",
    "1-0",
    " 0-1\n",
    "1/2-1/2\n\n",
    "e9 ",
    "{a comment}",
    "{a comment\n\n[Event \"in it\"]\n",
    "{open ",
    "}",
    "(1... c5 ",
    ")",
    "( 1-0 ",
    "exd6 e.p",
    "O-O 0-0 Qxd8+ 12. ",
    "{[%clk 0:01:00]} ",
    "; rest of the line [Event \"x\"]\n",
    "% escaped\n\n",
    "$300 ",
    "\n[ Event \"blank\"]\n",
    "\n\n[Event\t\"tab\"]\n",
    "\n\n[Event \"no end\n",
    "\n \n[Site \"z\"]\n",
    "\u{feff}",
    "*",
];

/// What every game and every error of a text is, in a line.
fn read(text: &[u8], before: Before) -> Vec<String> {
    let source = Source::from_reader("x", std::io::Cursor::new(text.to_vec()));
    let wanted = Wanted { kind: games::Kind::Games, ..Wanted::default() };
    let mut reader = Reader::of_source(source, wanted);
    let mut lines = Vec::new();
    while let Some(record) = reader.read() {
        lines.push(match record {
            Ok(Record::Game { number, game, .. }) => {
                let number = number + before.games;
                format!("{number}: {:?} {:?} {}", game.tags, game.moves, game.result)
            }
            Ok(Record::Position { .. }) => unreachable!("only games are wanted"),
            Err(error) => error.behind(before).to_string(),
        });
    }
    lines
}

fn first_start(text: &[u8], from: usize) -> usize {
    if from < BEHIND {
        return 0;
    }
    let found = find_start(&text[from - BEHIND..]).unwrap();
    found.map_or(text.len(), |at| from + at as usize)
}

fn counted(text: &[u8]) -> Before {
    count(text, || ControlFlow::Continue(())).unwrap().unwrap()
}

#[test]
fn parts_of_random_texts_hold_what_the_whole_holds() {
    let mut cuts = 0;
    for seed in 0..4_000 {
        let mut random = Random::new(seed);
        let mut text = String::from("[Event \"first\"]\n\n1. e4 *\n\n");
        for _ in 0..random.below(120) {
            text += PIECES[random.below(PIECES.len())];
        }
        let text = text.as_bytes();
        let whole = read(text, Before::default());
        let start = first_start(text, random.below(text.len()));
        let end = first_start(text, start.max(random.below(text.len())));
        let mut parts = Vec::new();
        let mut before = Before::default();
        for part in [&text[..start], &text[start..end], &text[end..]] {
            if !part.is_empty() {
                parts.extend(read(part, before));
                before = before + counted(part);
                cuts += 1;
            }
        }
        let shown = String::from_utf8_lossy(text);
        assert_eq!(parts, whole, "seed {seed}, cut at {start} and {end}: {shown:?}");
        assert_eq!(before, counted(text), "seed {seed}: {shown:?}");
    }
    assert!(cuts > 4_000, "{cuts}");
}

#[test]
fn a_start_is_found_across_the_blocks_that_are_read() {
    for length in (65_400..65_700).chain(130_900..131_200) {
        let mut text = vec![b'x'; length];
        text.extend_from_slice(b"\n\n[Event \"x\"]\n");
        let found = find_start(&text[..]).unwrap();
        assert_eq!(found, Some((length + 2 - BEHIND) as u64));
    }
    assert_eq!(find_start(&b"x\n\n[Event "[..]).unwrap(), None);
}
