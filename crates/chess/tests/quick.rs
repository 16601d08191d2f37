//! What the quick paths of the PGN reader find, compared with the plain scanner. The quick paths
//! need a window of text, so the end of the input is always read by the plain scanner.

use chess::{
    Random,
    pgn::{Mainline, PgnError, Reader},
};

/// Longer than the window of the quick paths.
const BLANKS: usize = 600;

const TAGS: [&str; 14] = [
    "[Event \"a\"]\n",
    "[White \"Müller\"]\n",
    "[Black \"a \\\"b\\\" \\\\\"]\n",
    "[Site  \"two blanks\"]\n",
    "[Round \"1\"] [Date \"?\"]\n",
    "[Annotator \"tab\there\"]\n",
    "[Elo \"open]\n",
    "[Elo_1 \"\"]\r\n",
    "\n",
    " [Opening \"long enough for several words of eight bytes\"]\n",
    "[Variant \"Standard\"]\n",
    "% no tag\n",
    "[ECO \"C20\"\n",
    "[Event \"again\"]\n",
];

const MOVES: [&str; 42] = [
    "1. e4 ",
    "1...e5 ",
    "2. Nf3 ",
    "2... Nc6 ",
    "e4 ",
    "e5\n",
    "d4 ",
    "d5 ",
    "exd5 ",
    "ed ",
    "Nf3! ",
    "Nc6?! ",
    "Bb5+ ",
    "Bc4\t",
    "O-O ",
    "0-0 ",
    "O-O-O ",
    "{ a } ",
    "{a\nb} ",
    "{ [%clk 0:01:02] } ",
    "; c\n",
    "$3 ",
    "( ",
    ") ",
    "12 ",
    "12 . ",
    "1.1. ",
    "... ",
    "1-0 ",
    "1/2 ",
    "* ",
    "e.p. ",
    "a6 ",
    "axb5 ",
    "Qxd5 ",
    "Ngf3 ",
    "N1c3 ",
    "e8=Q ",
    "Kx",
    "{ much longer than the thirty-two bytes that are looked at first } ",
    "\n\n",
    "a1b2c3d4 ",
];

#[test]
fn quick_paths_find_what_the_plain_scanner_finds() {
    let seed = 5;
    let mut random = Random::new(seed);
    let mut played = 0;
    for round in 0..20_000 {
        let mut text = String::new();
        for _ in 0..random.below(6) {
            text += TAGS[random.below(TAGS.len())];
        }
        text += if random.below(2) == 0 { "\n1. e4 e5 2. Nf3 Nc6 3. " } else { "\n" };
        while text.len() < 200 && random.below(20) > 0 {
            text += MOVES[random.below(MOVES.len())];
        }
        text.truncate(
            (0..=text.len().min(250)).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0),
        );
        let plain = outcomes(&text);
        let quick = outcomes(&format!("{text}{}", " ".repeat(BLANKS)));
        assert_eq!(quick, plain, "seed {seed}, round {round}: {text:?}");
        played += plain.iter().filter(|outcome| outcome.starts_with("Ok(true)")).count();
    }
    assert!(played > 1000, "{played} games were good");
}

fn outcomes(text: &str) -> Vec<String> {
    let mut reader = Reader::new(text.as_bytes());
    let mut game = Mainline::with_notes();
    let mut outcomes = Vec::new();
    loop {
        let read = game.read(&mut reader);
        let is_over = matches!(read, Ok(false) | Err(PgnError::Io(_)));
        let tags: Vec<_> = game.tags.iter().collect();
        let positions: Vec<String> = game.positions.iter().map(ToString::to_string).collect();
        let keys: Vec<u64> = game.positions.iter().map(chess::Position::zobrist).collect();
        outcomes.push(match read {
            Ok(_) => format!("{read:?} {tags:?} {positions:?} {keys:?} {:?}", game.notes),
            Err(error) => error.to_string(),
        });
        if is_over {
            return outcomes;
        }
    }
}
