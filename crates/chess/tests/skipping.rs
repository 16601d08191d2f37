//! Games that are not wanted are skipped quickly, and end where they end when they are read
//! token by token.

use std::io::{self, Read};

use chess::{Random, pgn::Reader};

const SAMPLE: &[u8] = include_bytes!("../../../fixtures/chess/pgn/lichess_438_games.pgn");
const ANNOTATED: &[u8] = include_bytes!("annotated.pgn");

/// One byte at a time, so that a reader has no more than it must look ahead, and recognises nothing
/// quickly.
struct Trickle<'a>(&'a [u8]);

impl Read for Trickle<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = buffer.len().min(1);
        self.0.read(&mut buffer[..length])
    }
}

/// What is skipped, game by game: its number and tags, and the line behind it.
fn skipped(text: impl Read) -> Vec<String> {
    let mut reader = Reader::new(text);
    let mut told = Vec::new();
    loop {
        match reader.next_event() {
            Ok(Some(event)) => {
                let event = format!("{event:?}");
                reader.skip_game();
                told.push(format!("{} {} {event}", reader.game(), reader.line()));
            }
            Ok(None) => break,
            Err(error) => told.push(error.to_string()),
        }
    }
    told.push(format!("{} {}", reader.game(), reader.line()));
    told
}

#[test]
fn games_are_skipped_alike_quickly_and_token_by_token() {
    const PIECES: [&str; 40] = [
        "1-0",
        "0-1",
        "1/2-1/2",
        "*",
        " ",
        " ",
        " ",
        " ",
        "\n",
        "\n",
        "\r\n",
        "\n\n",
        "{",
        "}",
        "{ a }",
        "{ 1-0 }",
        "{ * ( }",
        "(",
        ")",
        "; 1-0",
        "$1",
        "$1-0",
        "!",
        "?!",
        "e4",
        "Nf3+",
        "O-O",
        "0-0",
        "0-0-0",
        "12.",
        "3...",
        "e.p.",
        "[White \"A\"]",
        "\n[White \"B\"]\n",
        "%",
        "[%clk 0:01]",
        "2024-01-02",
        "\u{feff}",
        "/",
        "é",
    ];
    let seed = 15;
    let mut random = Random::new(seed);
    for round in 0..3_000 {
        let mut text = String::from("[White \"A\"]\n\n1. e4 ");
        for _ in 0..random.below(120) {
            text.push_str(PIECES[random.below(PIECES.len())]);
            text.push_str(["", " "][random.below(2)]);
        }
        // Behind it the quick way still has its lookahead.
        text.push_str("\n\n[White \"Z\"]\n\n1. d4 ");
        text.push_str(&"d5 ".repeat(100));
        let (quick, plain) = (skipped(text.as_bytes()), skipped(Trickle(text.as_bytes())));
        assert_eq!(quick, plain, "seed {seed}, round {round}: {text}");
    }
    assert_eq!(skipped(SAMPLE), skipped(Trickle(SAMPLE)));
    assert_eq!(skipped(ANNOTATED), skipped(Trickle(ANNOTATED)));
}
