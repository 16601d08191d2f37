//! What players, printers and scripts get wrong: every bad input gets one sentence that names the
//! place and the cause, and changes nothing.

mod everyply;
#[path = "../../stores/tests/servers/missing.rs"]
mod missing;

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    process::{Command, Stdio},
};

use everyply::{run, stderr, stdout};

const EASY: &str = "4:_a_7a4_a3,a4a5s1s1d2d2m4m6";

/// A game that is played word by word: how it begins, what is typed first, and what is wrong.
struct Game {
    arguments: &'static str,
    typed: &'static str,
    words: &'static [(&'static str, &'static str)],
}

const KALAH: Game = Game {
    arguments: "kalah play --pits 3 --seeds 3 --you both --hide --cache cache",
    typed: "1",
    words: &[
        ("0", "'0' is not a pit that can be sown"),
        ("4", "'4' is not a pit that can be sown"),
        ("1", "'1' is not a pit that can be sown"),
        ("-1", "'-1' is not a pit that can be sown"),
        ("1.5", "'1.5' is not a pit that can be sown"),
        ("2,3", "'2,3' is not a pit that can be sown"),
        ("99999999999999999999", "'99999999999999999999' is not a pit that can be sown"),
        ("pit", "'pit' is not a pit that can be sown; 'help' lists the words"),
        ("½", "'½' is not a pit that can be sown"),
        ("save", "save: expected a file name"),
        ("save missing/game", "cannot write missing/game: "),
    ],
};

const KENKEN: Game = Game {
    arguments: "kenken play 4:_a_7a4_a3,a4a5s1s1d2d2m4m6",
    typed: "r4c4=1",
    words: &[
        ("r1c1=5", "r1c1=5: expected a digit from 1 to 4"),
        ("r1c1=0", "r1c1=0: expected a digit from 1 to 4"),
        ("r1c1=x", "r1c1=x: expected a digit from 1 to 4"),
        ("r1c1=33", "r1c1=33: expected a digit from 1 to 4"),
        ("r1c1==3", "r1c1==3: expected a digit from 1 to 4"),
        ("r5c1=1", "r5c1=1: expected a cell from r1c1 to r4c4"),
        ("r0c1=1", "r0c1=1: expected a cell from r1c1 to r4c4"),
        ("c1r1=1", "c1r1=1: expected a cell from r1c1 to r4c4"),
        ("r99999999999999999999c1=1", "expected a cell from r1c1 to r4c4"),
        ("r1c1+5", "r1c1+5: expected a digit from 1 to 4"),
        ("r1c1+", "r1c1+: expected a digit from 1 to 4"),
        ("r1c1-é", "r1c1-é: expected a digit from 1 to 4"),
        ("r4c4+1", "r4c4+1: the cell has a digit"),
        ("jump", "jump: not a command; 'help' lists them"),
        ("follow", "ask for a hint first"),
        ("save", "save: expected a file name"),
        ("save missing/game", "cannot write missing/game: "),
    ],
};

const FOURCHESS: Game = Game {
    arguments: "fourchess play --seats red,blue,yellow,green",
    typed: "h2-h3",
    words: &[
        ("b7-b9", "b7-b9 is not a legal move here"),
        ("b7", "\"b7\" is not a move"),
        ("z9-z8", "is not a square"),
        ("Nb7-c7", "the piece on b7 is P, not N"),
        ("b7xc7", "there is nothing to capture on c7"),
        ("k2-k3", "Blue has no piece on k2"),
        ("side purple", "side: expected red, blue, yellow or green"),
        ("side", "side: expected red, blue, yellow or green"),
        ("castle", "\"castle\" is not a move"),
        ("save", "save: expected a file name"),
        ("save missing/game", "cannot write missing/game: "),
    ],
};

/// Types a word, saves the game, and so on for all words; returns what was said and how often the
/// game changed.
fn play(game: &Game, terminal: bool, directory: &Path) -> Option<String> {
    let mut typed = format!("{}\nsave before\n", game.typed);
    for (number, (word, _)) in game.words.iter().enumerate() {
        typed += &format!("{word}\nsave after-{number}\n");
    }
    typed += "quit\n";
    let program = env!("CARGO_BIN_EXE_everyply");
    let mut command = if terminal {
        let line = format!("stty cols 60; {program} {}", game.arguments);
        let mut command = Command::new("script");
        command.args(["--quiet", "--return", "--flush", "--command", &line, "/dev/null"]);
        command.env("TERM", "xterm-256color").env("NO_COLOR", "1");
        command
    } else {
        let mut command = Command::new(program);
        command.args(game.arguments.split(' '));
        command
    };
    let streams = command.current_dir(directory).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = streams.spawn().ok()?;
    std::io::Write::write_all(&mut child.stdin.take().expect("a pipe"), typed.as_bytes())
        .expect("somebody listens");
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    Some(stdout(&output))
}

#[test]
fn bad_words_get_a_sentence_and_the_game_goes_on_unchanged() {
    for game in [&KALAH, &KENKEN, &FOURCHESS] {
        for terminal in [false, cfg!(target_os = "linux")] {
            let directory = tempfile::tempdir().expect("a directory");
            let Some(said) = play(game, terminal, directory.path()) else {
                missing::not_run("there is no program script, which makes a pseudo-terminal");
                continue;
            };
            let mut rest = &said[..];
            for (word, sentence) in game.words {
                let at =
                    rest.find(sentence).unwrap_or_else(|| panic!("{word}: {sentence}: {said}"));
                rest = &rest[at + sentence.len()..];
            }
            let saved = |name: String| fs::read(directory.path().join(name)).expect("a game");
            let before = saved("before".to_owned());
            for (number, (word, _)) in game.words.iter().enumerate() {
                assert_eq!(saved(format!("after-{number}")), before, "{word}");
            }
        }
    }
}

/// Files that are not what they should be.
const FILES: &[(&str, &[u8])] = &[
    ("empty", b""),
    ("bytes", b"\xff\xfe\x00"),
    ("sown.kalah", b"start 3x3\nmoves 1 1\n"),
    ("word.kalah", b"start 3x3\nmoves one\n"),
    ("rules.kalah", b"rules chaos\nstart 3x3\n"),
    ("twice.kalah", b"start 3x3\nstart 4x4\n"),
    ("size.kalah", b"start 6x99\n"),
    ("good.kalah", b"rules empty_mover\nstart 3x3\n"),
    ("cut.json", b"{\"n\":1,\"cages\":["),
    ("bare.json", b"{\"n\":1,\"cages\":[{\"op\":\"=\",\"target\":1,\"cells\":[0]}]}"),
    (
        "digit.json",
        b"{\"n\":1,\"cages\":[{\"op\":\"=\",\"target\":1,\"cells\":[0]}],\"grids\":[\"2\"]}",
    ),
    ("move.pgn4", b"1. h2-h9\n"),
    ("variant.pgn4", b"[Variant \"Chaturaji\"]\n\n1. h2-h3\n"),
    ("start.pgn4", b"[StartFen4 \"R-0\"]\n\n1. h2-h3\n"),
    ("rules.pgn4", b"[Rules \"ffa max_plies=many\"]\n\n1. h2-h3\n"),
    ("comment.pgn4", b"1. h2-h3 { never closed\n"),
    ("note.json", b"{\"title\":\"Sunday\"}\n"),
];

/// Commands that cannot be done: the exit code, the arguments, and the sentence.
const COMMANDS: &[(i32, &str, &str)] = &[
    // Saved games.
    (1, "kalah play --resume empty", "empty: the record has no line 'start'"),
    (1, "kalah play --resume bytes", "bytes: it is not UTF-8 text"),
    (1, "kalah play --resume sown.kalah", "sown.kalah: move 2: pit 1 cannot be sown"),
    (1, "kalah play --resume word.kalah", "word.kalah: moves: 'one' is not the number of a pit"),
    (1, "kalah play --resume rules.kalah", "rules.kalah: unknown rules 'chaos', expected std_"),
    (1, "kalah review twice.kalah", "twice.kalah: line 2: start is given twice"),
    (1, "kalah review size.kalah", "size.kalah: start: 6 pits on a side with 99 seeds in each"),
    (1, "kalah review absent.kalah", "absent.kalah: no such file"),
    (1, "kalah play --resume .", ".: is a directory, expected a file"),
    (2, "kalah play --resume good.kalah --rules std_mover", "with the rules empty_mover"),
    (1, "kenken play --resume empty", "empty: not JSON: EOF"),
    (1, "kenken play --resume cut.json", "cut.json: not JSON: EOF"),
    (1, "kenken play --resume bare.json", "bare.json: grids: expected a list of grids"),
    (1, "kenken play --resume digit.json", "grids[0]: row 1: '2' is not a digit of this grid"),
    (1, "kenken play --resume absent.json", "absent.json: "),
    (1, "fourchess play --resume empty", "empty: it is empty"),
    (1, "fourchess play --resume move.pgn4", "line 1: h2-h9 is not a legal move here"),
    (1, "fourchess play --resume variant.pgn4", "variant \"Chaturaji\" is not supported"),
    (1, "fourchess play --resume start.pgn4", "tag StartFen4: the list of the dead is missing"),
    (1, "fourchess play --resume rules.pgn4", "tag Rules: max_plies cannot be \"many\""),
    (1, "fourchess play --resume comment.pgn4", "comment without closing brace"),
    (1, "fourchess play --resume note.json", "note.json: there is no game in it"),
    (1, "fourchess play --resume absent.pgn4", "absent.pgn4: no such file"),
    // Positions.
    (1, "kalah play --position 3,3/3", "position '3,3/3': the first side has 2 pits, the second 1"),
    (1, "kalah value 3,x,3/3,3,3", "'3,x,3/3,3,3': pit 2 of the first side is 'x', expected a"),
    (1, "kalah best 3,3,3/3,3,300", "pit 3 of the second side is '300', expected a number from 0"),
    (1, "kalah line 1,1,1,1,1,1,1,1,1/1", "the first side has 9 pits, expected at most 8"),
    (1, "kalah value 3,3,3/3,3,3/1", "the stores '1' are not two numbers such as 7-5"),
    (1, "kalah value 3,3,3", "'3,3,3' does not have two sides, expected a1,..,am/b1,..,bm"),
    (1, "kalah path 4,4,3/0,0,5/0-3", "19 seeds in all, which is no multiple of its 6 pits"),
    (1, "kalah path 4,4,3/0,0,5/1-1", "cannot be reached in kalah pits=3 seeds=3"),
    (2, "kalah path 3,3/3,3", "a position without its stores needs --seeds"),
    (1, "fourchess play --fen R-0", "FEN4 'R-0': the list of the dead is missing"),
    // Opponents, seeds and sizes.
    (2, "kalah play --against god", "'god' is not an opponent, expected perfect, good"),
    (2, "kalah play --against good=99", "'good=99' is not an opponent"),
    (2, "kalah play --against casual=101", "'casual=101' is not an opponent"),
    (2, "kalah play --seed many", "'many' for '--seed <SEED>': expected a whole number"),
    (2, "kalah play --seed 18446744073709551616", "'--seed <SEED>': the number is too large"),
    (2, "kalah play --pits 9", "9 pits on a side, expected 1 to 8"),
    (2, "kalah play --seeds 0", "6 pits on a side with 0 seeds in each, expected 1 to 21"),
    (2, "kalah play --side 3", "'3' for '--side <PLAYER>': 3 is not in 1..=2"),
    (2, "kalah play --time-limit soon", "'--time-limit <SECONDS>': expected a number of seconds"),
    (2, "kenken play --size 17", "'17' for '--size <N>': 17 is not in 2..=16"),
    (2, "kenken play --level brutal", "'--level <LEVEL>': expected easy, normal, hard, extreme"),
    (2, "kenken play --seed never", "'--seed <SEED>': expected a whole number below 2^64, or 'ran"),
    (2, "fourchess play --against clever", "expected random, greedy or learned"),
    (
        2,
        "fourchess play --side up",
        "'up' for '--side <SEAT>': expected red, blue, yellow or green",
    ),
    (2, "fourchess play --seats purple", "expected red, blue, yellow or green"),
    (2, "fourchess play --seed x", "'x' for '--seed <SEED>': expected a whole number"),
    (2, "fourchess play --rule max_plies=many", "max_plies cannot be \"many\": expected a whole"),
    // Puzzles, grids and notes.
    (1, "kenken solve 4:zz", "puzzle: byte 2: more than the grid's 24 borders"),
    (1, "kenken show EASY --grid 3", "--grid: row 1 has 1 cells, expected 4"),
    (1, "kenken show EASY --grid 3...", "--grid: 1 rows, expected 4"),
    (1, "kenken show EASY --grid 5.../..../..../....", "--grid: row 1: '5' is not a digit of this"),
    (1, "kenken show EASY --grid ..../[15].../..../....", "--grid: row 2: '[15]' is not a digit"),
    (1, "kenken hint EASY --grid [1.../..../..../....", "--grid: row 1 has 1 cells, expected 4"),
    (1, "kenken hint EASY --grid 1.../..../..../....", "--grid: wrong: 1 in r1c1"),
    (1, "kenken hint EASY --grid [2].../..../..../....", "--grid: wrong: "),
    (2, "kenken solve EASY --all --limit 0", "'0' for '--limit <N>': 0 is not in 1..="),
    // Paper.
    (2, "kenken book --out x.pdf --paper a5", "'a5' for '--paper <PAPER>'"),
    (2, "kenken book --out x.pdf --per-page 3", "'--per-page <N>': expected 1, 2, 4 or 6"),
    (2, "kenken book --out x.pdf --solutions back", "'back' for '--solutions <SOLUTIONS>'"),
    (2, "kenken book --out x.pdf --count 0", "'0' for '--count <N>': 0 is not in 1..=10000"),
    (2, "kenken book --out x.pdf --level easy,", "'--level <LEVELS>': expected easy, normal"),
    (2, "kenken book --out x.pdf --operators %", "'%' is not one of + - * / ?"),
    (2, "kenken book --out x.pdf --cages 0,0", "--cages, --operators: the settings allow no cage"),
    (2, "kenken book --out x.pdf --cages 1,a", "'a' for '--cages <W,W,...>': expected a whole"),
    (2, "kenken book --out x.doc", "--out: expected a name that ends in .pdf, .svg or .png"),
    (2, "kenken book --out x.png --dpi 5", "'5' for '--dpi <DPI>': 5 is not in 20..=600"),
    (3, "kenken book --out missing/x.pdf --count 1 --size 3", "cannot write missing/x.pdf: "),
];

/// Every file below a directory, with its bytes.
fn contents(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(directory).expect("a directory");
    let entries = entries.map(|entry| entry.expect("an entry").path());
    let read = |path: std::path::PathBuf| {
        (path.display().to_string(), fs::read(&path).expect("only files"))
    };
    entries.map(read).collect()
}

#[test]
fn bad_commands_get_one_sentence_and_write_nothing() {
    assert!(COMMANDS.len() >= 50);
    let directory = tempfile::tempdir().expect("a directory");
    for (name, bytes) in FILES {
        fs::write(directory.path().join(name), bytes).expect("a file");
    }
    let before = contents(directory.path());
    for (code, arguments, sentence) in COMMANDS {
        let words = arguments.split(' ').map(|word| if word == "EASY" { EASY } else { word });
        let mut command = Command::new(env!("CARGO_BIN_EXE_everyply"));
        command.args(words).current_dir(directory.path()).stdin(Stdio::null());
        let output = command.env("EVERYPLY_CACHE", "cache").output().expect("the binary runs");
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(*code), "{arguments}: {said}");
        let first = said.lines().next().unwrap_or_default();
        assert!(first.contains(sentence), "{arguments}: {said}");
        // What clap refuses may be followed by what is possible; all else is one line.
        let is_one = said.lines().count() == 1 && first.starts_with("everyply: ");
        assert!(is_one || first.starts_with("error: "), "{arguments}: {said}");
        assert!(stdout(&output).is_empty(), "{arguments}: {}", stdout(&output));
        assert_eq!(contents(directory.path()), before, "{arguments}");
    }
}

#[test]
fn one_bad_position_among_good_ones_is_named() {
    let cache = tempfile::tempdir().expect("a directory");
    let cache = cache.path().to_str().expect("a path");
    let ask = ["kalah", "value", "0,1/1,0", "0,x/1,0", "1,0/0,1", "--cache", cache];
    let output = run(&[&ask[..], &["--format", "csv"]].concat(), "");
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert_eq!(stdout(&output).lines().count(), 3);
    let cause = "everyply: position '0,x/1,0': pit 2 of the first side is 'x'";
    assert!(stderr(&output).contains(cause), "{}", stderr(&output));
}
