//! PGN: what is read is written and read again, and what is broken costs one game and says why.

use std::{
    io::{self, Read},
    time::Duration,
};

use chess::{
    Color, San,
    pgn::{Evaluation, Game, Mainline, PgnError, Reader, Variation, remark, shapes},
};

const SAMPLE: &[u8] = include_bytes!("../../../fixtures/chess/pgn/lichess_438_games.pgn");
const ANNOTATED: &[u8] = include_bytes!("annotated.pgn");

#[test]
fn the_sample_is_the_same_after_writing_and_reading_again() {
    assert_eq!(round_trip(SAMPLE), 438);
}

#[test]
fn annotated_games_are_the_same_after_writing_and_reading_again() {
    assert_eq!(round_trip(ANNOTATED), 6);
}

/// Reads, writes and reads again; counts the games.
fn round_trip(text: &[u8]) -> usize {
    let games = good_games(text);
    let written: String = games.iter().map(Game::to_string).collect();
    let again = good_games(written.as_bytes());
    assert_eq!(games.len(), again.len());
    for (game, again) in games.iter().zip(&again) {
        assert_eq!(game, again);
    }
    assert_eq!(again.iter().map(Game::to_string).collect::<String>(), written);
    for line in written.lines().filter(|line| !line.contains(['{', '}', ';', '['])) {
        assert!(line.len() < 80, "{line}");
    }
    games.len()
}

#[test]
fn annotated_games_are_read_as_they_are_meant() {
    let games = good_games(ANNOTATED);
    let first = &games[0];
    assert_eq!(first.tags.get("Event"), Some("a \"quoted\" \\ name"));
    assert_eq!(first.tags.get("White"), Some("M\u{fc}ller"), "Latin-1");
    assert_eq!(first.tags.get("Black"), Some("Ružička"), "UTF-8");
    assert_eq!(first.mainline.comments, ["before the first move"]);
    let e4 = &first.mainline.moves[0];
    assert_eq!(e4.nags, [1, 146]);
    assert_eq!(e4.comments, ["best by test", "a brace } and { another"]);
    assert_eq!(e4.variations.len(), 2);
    assert_eq!(sans(&e4.variations[0], first), "d4 d5");
    assert_eq!(e4.variations[0].comments, ["or"]);
    let inner = &e4.variations[0].moves[1].variations[0];
    assert_eq!(inner.moves[0].variations.len(), 1, "nested three deep");
    assert_eq!(e4.variations[1].moves[0].nags, [6]);
    let e5 = &first.mainline.moves[1];
    assert_eq!(e5.comments, ["it says\n  % here and Caf\u{e9}"]);
    assert_eq!(sans(&first.mainline, first), "e4 e5 Nf3 Nc6 Bb5");
    assert_eq!(first.result.to_string(), "1/2-1/2");

    assert_eq!(games[1].start.turn(), Color::Black);
    assert_eq!(sans(&games[1].mainline, &games[1]), "Kd7 e4");
    assert_eq!(sans(&games[2].mainline, &games[2]), "O-O O-O-O", "Chess960");
    assert!(games[3].mainline.moves.is_empty());
    assert_eq!(sans(&games[4].mainline, &games[4]), "O-O c8=Q Kg7");
    assert_eq!(games[5].tags.len(), 0, "bare moves");
    assert_eq!(sans(&games[5].mainline, &games[5]), "e4 c5 Nf3");
}

#[test]
fn a_game_is_written_in_export_format() {
    let text = "[White \"A\"]\n\n1.e4!{good}e5(1...c5 2.Nf3(2.Nc3)2...d6 $10)2.Nf3 ;a } b\n Nc6 *";
    let written = "[White \"A\"]\n\n1. e4 $1 {good} 1... e5 (1... c5 2. Nf3 (2. Nc3) 2... d6 $10) 2. \
                   Nf3 ;a } b\n2... Nc6 *\n";
    let game = &good_games(text.as_bytes())[0];
    assert_eq!(game.to_string().replace("2.\nNf3", "2. Nf3"), written);
}

#[test]
fn clocks_and_evaluations_are_noted() {
    let text =
        b"1. e4 { [%eval 0.25] [%clk 0:03:00] } e5 {[%clk 1:00:00.5]} 2. Nf3 {[%eval #-12]} \
        Nc6 {nothing} 3. Bb5 {[%eval 1.5,20]} {[%clk 0:00:07]} a6 {[%clk soon] [%eval high]} *";
    let mut game = Mainline::with_notes();
    assert!(game.read(&mut Reader::new(&text[..])).unwrap());
    let notes: Vec<_> = game.notes.iter().map(|note| (note.clock, note.evaluation)).collect();
    let clock = |millis| Some(Duration::from_millis(millis));
    assert_eq!(
        notes,
        [
            (clock(180_000), Some(Evaluation::Pawns(0.25))),
            (clock(3_600_500), None),
            (None, Some(Evaluation::Mate(-12))),
            (None, None),
            (clock(7_000), Some(Evaluation::Pawns(1.5))),
            (None, None),
        ]
    );
}

#[test]
fn drawings_are_read_from_comments() {
    let drawn = |comment: &str| -> String {
        let shapes = shapes(comment);
        let words = shapes.iter().map(|shape| {
            let to = shape.to.map_or(String::new(), |to| to.to_string());
            format!("{}{}{to}", shape.brush.letter(), shape.from)
        });
        words.collect::<Vec<_>>().join(" ")
    };
    for (comment, expected, text) in [
        ("[%csl Gd4,Re5]", "Gd4 Re5", ""),
        ("a [%cal Ge2e4 , Rh1h8][%csl Ba1] b", "Ge2e4 Rh1h8 Ba1", "a b"),
        ("[%cal Oa1b1,Cc1d1,Ya1a2]", "Oa1b1 Cc1d1 Ya1a2", ""),
        // What is no drawing is skipped, and what is no command is text.
        ("[%cal Ge2e2,Ze2e4,Ge2,G,,Ge9e4,Ge2e4x,\u{e9}e2e4]", "", ""),
        ("[%csl Ge2e4]", "", ""),
        ("[%clk 0:01:00] fine", "", "fine"),
        ("[%cal Ge2e4", "", "[%cal Ge2e4"),
        ("[%] [a] %", "", "[a] %"),
        ("", "", ""),
    ] {
        assert_eq!(drawn(comment), expected, "{comment}");
        assert_eq!(remark(comment), text, "{comment}");
    }
}

#[test]
fn games_that_are_not_wanted_are_passed_over() {
    let text =
        b"[White \"A\"]\n1. e4 *\n[White \"B\"]\n1. e9 (\n[White \"C\"]\n*\n[White \"D\"]\n1. d4 *";
    let mut reader = Reader::new(&text[..]);
    let mut game = Mainline::default();
    let wanted = |number: u64, tags: &chess::pgn::Tags| {
        // The number is that of the game whose tags these are.
        assert_eq!(tags.get("White"), Some(["A", "B", "C", "D"][number as usize - 1]));
        tags.get("White") == Some("D")
    };
    assert!(game.read_if(&mut reader, wanted).unwrap());
    assert_eq!((game.tags.get("White"), game.moves.len(), reader.game()), (Some("D"), 1, 4));
    assert!(!game.read_if(&mut reader, wanted).unwrap());
}

/// Each text with what comes out of it, game by game: the name of White and the moves, or the
/// error in full.
const BROKEN: &[(&str, &[u8], &[&str])] = &[
    ("nothing", b"", &[]),
    ("white space", b" \r\n\t\n", &[]),
    (
        "an illegal move",
        b"[White \"A\"]\n1. e4 *\n\n[White \"B\"]\n1. e4\ne4 2. d4 *\n\n[White \"C\"]\n1. d4 *\n",
        &["A e4", "game 2, line 6: e4 is not a legal move here (move 1 of black)", "C d4"],
    ),
    (
        "an ambiguous move",
        b"[White \"A\"]\n1. Nf3 a6 2. Nc3 a5 3. Nd4 a4\n4. Nb5 *\n[White \"B\"]\n1. d4 *\n",
        &["game 1, line 3: Nb5 is ambiguous: it may start from c3 or d4 (move 4 of white)", "B d4"],
    ),
    (
        "a word that is no move",
        b"[White \"A\"]\n\n1. e4 hello *\n[White \"B\"]\n1. d4 *\n",
        &["game 1, line 3: 'hello' is not a move (move 1 of black)", "B d4"],
    ),
    (
        "a word that is far too long",
        b"1. e4 eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee *\n1. d4 *",
        &[
            "game 1, line 1: 'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee...' is too long to be a move",
            "- d4",
        ],
    ),
    (
        "a promotion without its piece",
        b"[White \"A\"]\n[FEN \"8/P3k3/8/8/8/8/8/4K3 w - - 0 9\"]\n\n9. a8 *\n",
        &["game 1, line 4: a8 does not name the piece that the pawn promotes to (move 9 of white)"],
    ),
    (
        "a comment that is never closed, before a game",
        b"[White \"A\"]\n\n1. e4 { oh\n\n[White \"B\"]\n1. d4 *\n",
        &["game 1, line 5: comment without closing brace", "B d4"],
    ),
    (
        "a comment that is never closed, at the end",
        b"[White \"A\"]\n\n1. e4 *\n[White \"B\"]\n\n1. e4 { oh\n",
        &["A e4", "game 2, line 7: comment without closing brace"],
    ),
    (
        "a variation that is never closed",
        b"[White \"A\"]\n\n1. e4 (1. d4 d5 1-0\n\n[White \"B\"]\n1. d4 *\n",
        &["game 1, line 5: variation without closing parenthesis", "B d4"],
    ),
    (
        "a variation that is never closed, without tags",
        b"1. e4 (1. d4 d5 *\n1. d4 *\n",
        &["game 1, line 1: variation without closing parenthesis", "- d4"],
    ),
    (
        "a result inside a variation of a broken game",
        b"1. e4 e4 2. d4 (2. c4 1-0) 2... d5 0-1\n1. d4 *\n",
        &["game 1, line 1: e4 is not a legal move here (move 1 of black)", "- d4"],
    ),
    (
        "a variation that was never opened",
        b"[White \"A\"]\n\n1. e4 ) e5 *\n\n[White \"B\"]\n1. d4 *\n",
        &["game 1, line 3: closing parenthesis without a variation", "B d4"],
    ),
    (
        "a variation of nothing",
        b"[White \"A\"]\n\n(1. e4) 1. d4 *\n\n[White \"B\"]\n1. d4 *\n",
        &["game 1, line 3: variation before the first move", "B d4"],
    ),
    (
        "a game cut in the middle",
        b"[White \"A\"]\n\n1. e4 *\n\n[White \"B\"]\n\n1. d4 d5 2. c",
        &["A e4", "game 2, line 7: 'c' is not a move (move 2 of white)"],
    ),
    (
        "a game cut in a tag",
        b"[White \"A\"]\n\n1. e4 *\n\n[White \"B\"]\n[Black \"C",
        &["A e4", "game 2, line 6: malformed tag '[Black \\\"C'"],
    ),
    (
        "a game cut between its tags",
        b"[Event \"?\"]\n[White \"A\"]\n\n[Event \"?\"]\n[White \"B\"]\n\n1. d4 *\n",
        &["game 1, line 4: the game ends without a result", "B d4"],
    ),
    (
        "a7: tags without an event and without moves",
        b"[Site \"a\"]\n[White \"A\"]\n\n[Event \"m\"]\n[White \"B\"]\n\n1. d4 *\n",
        &["game 1, line 4: the game ends without a result", "B d4"],
    ),
    (
        "a7: tags without moves, and other tags after a line that only looks empty",
        b"[White \"A\"]\r\n% no\r\n \t\r\n% no\r\n[Black \"B\"]\r\n\r\n1. d4 *\r\n",
        &["game 1, line 5: the game ends without a result", "- d4"],
    ),
    (
        "a7: tags without moves right before other tags",
        b"[White \"A\"]\n[WhiteElo \"1\"]\n[White \"B\"]\n\n1. d4 *\n",
        &["game 1, line 3: the game ends without a result", "B d4"],
    ),
    (
        "a7: broken tags without moves",
        b"[White \"A\"]\n[Site \"a]\n\n[White \"B\"]\n\n1. d4 *\n",
        &["game 1, line 2: malformed tag '[Site \\\"a]'", "B d4"],
    ),
    (
        "a7: tags without moves at the end",
        b"[White \"A\"]\n\n1. e4 *\n\n[White \"B\"]\n\n\n",
        &["A e4", "game 2, line 8: the game ends without a result"],
    ),
    (
        "escaped lines and several tags on a line are no blank lines",
        b"[White \"A\"] [Black \"C\"]\n% no\n[Event \"e\"]\n\n% no\n\n1. e4 *\n",
        &["A e4"],
    ),
    (
        "the event in another place",
        b"[White \"A\"]\n[Event \"?\"]\n\n1. e4 *\n\n[White \"B\"]\n[ Event \"?\"]\n\n1. d4 *\n",
        &["A e4", "B d4"],
    ),
    (
        "a game cut in a tag, and another",
        b"[Event \"?\"]\n[White \"A\n[Event \"?\"]\n[White \"B\"]\n\n1. d4 *\n",
        &["game 1, line 2: malformed tag '[White \\\"A'", "B d4"],
    ),
    (
        "a game without its result",
        b"[White \"A\"]\n\n1. e4 e5\n\n[White \"B\"]\n\n1. d4 *\n\n[White \"C\"]\n\n1. c4\n",
        &[
            "game 1, line 5: the game ends without a result",
            "B d4",
            "game 3, line 12: the game ends without a result",
        ],
    ),
    (
        "something else before the first tag",
        b"dear reader,\n\n[White \"A\"]\n\n1. e4 *\n",
        &["game 1, line 1: 'dear' is not a move (move 1 of white)", "A e4"],
    ),
    (
        "bytes of another kind of file",
        b"\x7fELF\x02\x01\x00\xff\xfe\n[White \"A\"]\n\n1. e4 *\n",
        &["game 1, line 1: unexpected '\\u{7f}'", "A e4"],
    ),
    (
        "a tag without quotation marks",
        b"[White A]\n[Black \"B\"]\n\n1. e4 *\n\n[White \"C\"]\n\n1. d4 *\n",
        &["game 1, line 1: malformed tag '[White A]'", "C d4"],
    ),
    (
        "a start that is no position",
        b"[FEN \"8/8/8/8/8/8/8/8 w - - 0 1\"]\n\n1. e4 *\n\n[White \"B\"]\n1. d4 *\n",
        &["game 1, line 3: tag FEN: white has no king", "B d4"],
    ),
    (
        "a start that is no position, and no moves",
        b"[FEN \"8\"]\n\n*\n\n[White \"B\"]\n1. d4 *\n",
        &["game 1, line 3: tag FEN: 1 ranks, expected 8", "B d4"],
    ),
    (
        "another variant",
        b"[Variant \"Atomic\"]\n\n1. e4 *\n\n[White \"B\"]\n1. d4 *\n",
        &["game 1, line 3: variant 'Atomic' is not supported", "B d4"],
    ),
    (
        "a glyph that is no number",
        b"1. e4 $x 1-0\n1. d4 $256 1-0\n1. c4 $ 1-0\n1. b4 $0 1-0",
        &[
            "game 1, line 1: annotation glyph '$' is not a number up to 255",
            "game 2, line 2: annotation glyph '$256' is not a number up to 255",
            "game 3, line 3: annotation glyph '$' is not a number up to 255",
            "- b4",
        ],
    ),
    (
        "remarks between the games",
        b"{one\nand} ; another\n[White \"A\"]\n\n1. e4 * {two} ; three } {\n\n[White \"B\"]\n\n1. d4 *\n;four",
        &["A e4", "B d4"],
    ),
    (
        "a remark between the games that is never closed",
        b"{ zero\n[White \"A\"]\n\n1. e4 *\n\n{ oh\n[White \"B\"]\n\n1. d4 *\n{ oh",
        &[
            "game 1, line 2: comment without closing brace",
            "A e4",
            "game 3, line 7: comment without closing brace",
            "B d4",
            "game 5, line 10: comment without closing brace",
        ],
    ),
    (
        "files with byte order marks, joined",
        b"\xef\xbb\xbf[White \"A\"]\n\n1. e4 *\n\xef\xbb\xbf[White \"B\"]\n\n1. d4 *\n",
        &["A e4", "B d4"],
    ),
    (
        "a result inside a variation is a remark",
        b"[White \"A\"]\n\n1. e4 (1. d4 1-0) 1... e5 0-1\n",
        &["A e4 e5"],
    ),
    (
        "notes that a capture was en passant, zeros for castling, a byte order mark",
        b"\xef\xbb\xbf1. e4 c5 2. e5 d5 3. exd6 e.p. a6 4. Nf3 a5 5. Be2 a4 6. 0-0 *",
        &["- e4 c5 e5 d5 exd6 a6 Nf3 a5 Be2 a4 O-O"],
    ),
];

#[test]
fn one_bad_game_costs_one_game() {
    for (what, text, expected) in BROKEN {
        assert_eq!(outcomes(*text), *expected, "{what}: {}", String::from_utf8_lossy(text));
    }
}

#[test]
fn a_comment_larger_than_the_buffer_costs_its_game() {
    let text = [&b"[White \"A\"]\n\n1. e4 {"[..], &[b'x'; 300_000], b"} e5 *\n", GOOD].concat();
    let too_long = "game 1, line 3: comment longer than 262144 bytes";
    assert_eq!(outcomes(&text[..]), [too_long, "Z d4"]);
}

#[test]
fn a_line_of_fifty_megabytes_costs_one_game_and_no_memory() {
    let tag = b"[White \"A\"]\n\n1. e4 ";
    for (byte, expected) in [
        (b'{', "game 1, line 3: comment longer than 262144 bytes"),
        (b';', "game 1, line 3: comment longer than 262144 bytes"),
        (
            b'a',
            "game 1, line 3: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...' is too long to be a move",
        ),
        (b' ', "game 1, line 3: the game is longer than 16777216 bytes"),
        (b'7', "game 1, line 3: the game is longer than 16777216 bytes"),
        (b'\0', "game 1, line 3: unexpected '\\0'"),
        (b'(', "game 1, line 3: variation before the first move"),
    ] {
        let line = io::repeat(byte).take(50_000_000);
        let text = tag.chain(line).chain(&b"} *\n"[..]).chain(GOOD);
        assert_eq!(outcomes(text), [expected, "Z d4"], "{}", char::from(byte));
    }
}

const GOOD: &[u8] = b"[White \"Z\"]\n\n1. d4 *\n";

#[test]
fn a_tag_larger_than_the_buffer_costs_its_game() {
    let start = "x".repeat(32);
    let malformed = format!("game 1, line 1: malformed tag '[White \\\"{start}...'");
    for size in [300_000, 50_000_000] {
        let text = (&b"[White \""[..]).chain(io::repeat(b'x').take(size));
        let text = text.chain(&b"\"]\n\n1. e4 *\n"[..]).chain(GOOD);
        assert_eq!(outcomes(text), [malformed.as_str(), "Z d4"]);
    }
}

#[test]
fn variations_are_nested_only_so_deep() {
    let nested = |depth| format!("1. e4 {}{} *", "(1. d4 ".repeat(depth), ")".repeat(depth));
    assert_eq!(outcomes(nested(64).as_bytes()), ["- e4"]);
    let too_deep = "game 1, line 1: variations nested more than 64 deep";
    assert_eq!(outcomes(nested(65).as_bytes()), [too_deep]);
}

#[test]
fn a_game_of_more_plies_than_the_rules_allow_is_refused() {
    let text = "Nf3 Nf6 Ng1 Ng8 ".repeat(5_001) + "*\n1. d4 *";
    let mut reader = Reader::new(text.as_bytes());
    let error = Mainline::default().read(&mut reader).unwrap_err();
    assert_eq!(error.to_string(), "game 1, line 1: the game is longer than 20000 plies");
    assert!(Mainline::default().read(&mut reader).unwrap());
    assert_eq!(outcomes(text.as_bytes()), [error.to_string().as_str(), "- d4"]);
}

#[test]
fn an_input_that_cannot_be_read_is_an_error_once() {
    let mut reader = Reader::new(Failing);
    let error = Game::read(&mut reader).unwrap_err();
    assert!(matches!(error, PgnError::Io(_)));
    assert_eq!(error.to_string(), "the disk is gone");
    assert!(Game::read(&mut reader).unwrap().is_none());
}

struct Failing;

impl Read for Failing {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::Error::other("the disk is gone"))
    }
}

fn good_games(text: &[u8]) -> Vec<Game> {
    let mut reader = Reader::new(text);
    let mut games = Vec::new();
    while let Some(game) = Game::read(&mut reader).unwrap_or_else(|error| panic!("{error}")) {
        games.push(game);
    }
    games
}

fn outcomes(text: impl Read) -> Vec<String> {
    let mut reader = Reader::new(text);
    let mut outcomes = Vec::new();
    loop {
        match Game::read(&mut reader) {
            Ok(None) => return outcomes,
            Ok(Some(game)) => {
                let white = game.tags.get("White").unwrap_or("-");
                outcomes.push(format!("{white} {}", sans(&game.mainline, &game)));
            }
            Err(error) => outcomes.push(error.to_string()),
        }
    }
}

/// The moves of a line that begins where the game does.
fn sans(line: &Variation, game: &Game) -> String {
    let mut position = game.start;
    let mut sans = Vec::new();
    for node in &line.moves {
        sans.push(San::of(&position, node.mv).to_string());
        position = position.play(node.mv);
    }
    sans.join(" ")
}

#[test]
fn a_comment_to_the_end_of_the_input_may_lie_across_the_buffer() {
    for padding in (262_144 - 600..262_144).step_by(7) {
        let text = ["1. e4 ", &" ".repeat(padding), "e5 ;", &"x".repeat(400)].concat();
        let games = good_games(text.as_bytes());
        assert_eq!(games[0].mainline.moves[1].comments, ["x".repeat(400)], "{padding}");
    }
}

#[test]
fn games_before_a_failure_of_the_input_come_through() {
    for (text, expected) in [
        ("1. e4 *\n", &["- e4"][..]),
        ("[White \"A\"]\n1. e4 *\n[White \"B\"]\n1. d4 d", &["A e4"]),
        ("[White \"A\"]\n1. e4 *\n[White \"B\"]\n1. d4 { it", &["A e4"]),
        ("[White \"A\"]\n1. e4 *\n[White \"B\"]\n1. d4 ; it", &["A e4"]),
        ("[White \"A\"]\n1. e4 *\n[White \"B\"]\n1. d4 (1. e4", &["A e4"]),
        ("[White \"A\"]\n1. e4 *\n[White \"", &["A e4"]),
        ("1. e4 *\n{ it", &["- e4"]),
        ("1. e5 *\n", &["game 1, line 1: e5 is not a legal move here (move 1 of white)"]),
    ] {
        let mut expected = expected.to_vec();
        expected.push("the disk is gone");
        assert_eq!(outcomes(text.as_bytes().chain(Failing)), expected, "{text}");
    }
}

#[test]
fn a_remark_between_the_games_may_have_any_length() {
    for open in ["{", ";"] {
        let text = open.as_bytes().chain(io::repeat(b'x').take(5_000_000)).chain(&b"}\n"[..]);
        assert_eq!(outcomes(text.chain(GOOD)), ["Z d4"]);
    }
}

#[test]
fn lines_are_counted_through_a_comment_larger_than_the_buffer() {
    let text = ["1. e4 {", &"\n".repeat(600_000), "} e5 *\n1. d5 *"].concat();
    let errors = outcomes(text.as_bytes());
    assert_eq!(errors[1], "game 2, line 600002: d5 is not a legal move here (move 1 of white)");
}

#[test]
fn the_text_of_a_game_is_kept_as_it_is_written() {
    let text = b"; before\n[White \"J\xf6rg\"]\r\n\n1. e4 {caf\xc3\xa9\n[%clk 0:01:00]} e5 (1... c5 ; x *\n) $1 1-0\n\
        {between} 1. d4 d5 ; *\n\n[White \"B\"]\n\n1. e5 *\n\n[White \"C\"] 0-1";
    let mut reader = Reader::new(&text[..]);
    let mut game = Mainline::default().with_text();
    let mut texts = Vec::new();
    loop {
        match game.read(&mut reader) {
            Ok(true) => texts.push(game.text.clone()),
            Ok(false) => break,
            Err(_) => {}
        }
    }
    assert_eq!(
        texts,
        [
            "[White \"J\u{f6}rg\"]\r\n\n1. e4 {caf\u{e9}\n[%clk 0:01:00]} e5 (1... c5 ; x *\n) $1 1-0",
            "1. d4 d5 ; *\n*",
            "[White \"C\"] 0-1",
        ]
    );
}

#[test]
fn games_are_read_from_their_kept_texts_as_from_the_file() {
    let text = include_bytes!("annotated.pgn");
    let long: Vec<u8> = text.repeat(1 + (1 << 18) / text.len());
    let read = |text: &[u8], buffer: usize| {
        let mut reader = Reader::with_buffer(text, buffer);
        let mut game = Mainline::with_notes().with_text();
        let mut games = Vec::new();
        while game.read(&mut reader).unwrap_or(true) {
            if !game.text.is_empty() {
                games.push(game.clone());
            }
        }
        games
    };
    let games = read(&long, 1 << 13);
    assert!(games.len() > 100);
    let joined: Vec<String> = games.iter().map(|game| format!("{}\n\n", game.text)).collect();
    let again = read(joined.concat().as_bytes(), 1 << 18);
    assert_eq!(games.len(), again.len());
    for (game, again) in games.iter().zip(&again) {
        assert_eq!(
            (&game.tags, &game.moves, &game.notes),
            (&again.tags, &again.moves, &again.notes)
        );
        assert_eq!((&game.positions, game.result), (&again.positions, again.result));
        assert_eq!(game.text, again.text);
    }
}
