//! Whatever is handed in: a message that names place and cause, exit code 1, and every good
//! record still written.

mod everyply;

use std::{
    io::{Read, Write},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};

fn run(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_everyply"));
    command.args(arguments).stdin(Stdio::null()).output().expect("the binary runs")
}

/// A bad FEN, and the cause the message must name.
const FENS: [(&str, &str); 9] = [
    ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq", "en-passant square missing"),
    ("rnbqkbnr/pppppppp/8/8", "4 ranks, expected 8"),
    ("8/8/rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1", "10 ranks, expected 8"),
    (
        "rnbqkbnr/pppppppp/9/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "rank 6: '9' is neither a piece nor a count of empty squares",
    ),
    ("rnbqkbnr/pppppppp/8/8/8/4K3/PPPPPPPP/RNBQKBNR w - - 0 1", "white has 2 kings, expected 1"),
    (
        "4k3/8/8/8/8/8/8/4R1K1 w - - 0 1",
        "white is to move, but the black king on e8 is in check from e1",
    ),
    ("4k3/8/8/8/8/8/8/4K2R w KQ - 0 1", "castling right 'Q', but there is no rook for it"),
    ("", "board missing"),
    ("\u{0}\u{1}", "rank 8: '"),
];

#[test]
fn bad_fens_name_the_cause() {
    for (fen, cause) in FENS.into_iter().filter(|(fen, _)| !fen.contains('\0')) {
        for command in ["moves", "show", "play"] {
            let output = run(&["chess", command, fen]);
            let message = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(1), "{command} {fen}: {message}");
            assert!(message.contains(cause), "{command} {fen}: {message}");
        }
    }
}

#[test]
fn bad_lines_cost_one_line_each() {
    let directory = tempfile::tempdir().unwrap();
    let good = "8/8/8/8/8/4k3/8/4K3 w - - 0 1";
    let mut text = String::new();
    let bad = || FENS.into_iter().filter(|(fen, _)| !fen.is_empty());
    for (fen, _) in bad() {
        text += &format!("{good}\n{fen}\n");
    }
    text += good;
    let path = write(directory.path(), "positions.fen", text.as_bytes());
    let output = run(&["chess", "moves", "--from", &path, "--format", "csv"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(lines(&output.stdout), 1 + 2 * (bad().count() + 1), "all good lines are there");
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    for (index, (message, (_, cause))) in messages.lines().zip(bad()).enumerate() {
        let place = format!("everyply: {path}: line {}: ", 2 * index + 2);
        assert!(message.starts_with(&place) && message.contains(cause), "{message}");
    }
    assert_eq!(messages.lines().count(), bad().count());
}

fn game(name: &str, moves: &str) -> String {
    format!("[White \"{name}\"]\n[Result \"*\"]\n\n{moves}\n\n")
}

/// The moves of a bad game, and what the message must say after the file's name.
const GAMES: [(&str, &str); 7] = [
    ("1. e4 e5 2. Nf6 *", "game 2, line 9: Nf6 is not a legal move here (move 2 of white)"),
    (
        "1. Nf3 a6 2. d4 b6\n3. Nd2 *",
        "game 2, line 10: Nd2 is ambiguous: it may start from b1 or f3 (move 3 of white)",
    ),
    ("1. e4 {never closed e5 *", "game 2, line 11: comment without closing brace"),
    ("1. e4 (1. d4 d5 *", "game 2, line 9: variation without closing parenthesis"),
    ("1. e4 \u{1} e5 *", "game 2, line 9: unexpected '\\u{1}'"),
    ("1. e4 hello *", "game 2, line 9: 'hello' is not a move (move 1 of black)"),
    ("1. e4 e5", "game 2, line 11: the game ends without a result"),
];

#[test]
fn one_bad_game_costs_one_game() {
    let directory = tempfile::tempdir().unwrap();
    for (moves, message) in GAMES {
        let text = game("A", "1. e4 *") + &game("bad", moves) + &game("B", "1. d4 *");
        let path = write(directory.path(), "games.pgn", text.as_bytes());
        let output = run(&["chess", "games", &path, "--format", "csv"]);
        assert_eq!(output.status.code(), Some(1), "{moves}");
        let expected = format!("everyply: {path}: {message}\n");
        assert_eq!(String::from_utf8_lossy(&output.stderr), expected, "{moves}");
        let rows = String::from_utf8(output.stdout).unwrap();
        assert!(rows.contains(",A,") && rows.contains(",B,") && !rows.contains("bad"), "{rows}");
    }
}

#[test]
fn a_file_cut_anywhere_loses_only_its_last_game() {
    let directory = tempfile::tempdir().unwrap();
    let whole = game("A", "1. e4 *") + &game("B", "1. d4 {comment} (1. c4) d5 1/2-1/2");
    let second = whole.find("[White \"B\"]").unwrap();
    let result = whole.find("1/2-1/2").unwrap() + "1/2-1/2".len();
    for cut in second + 1..result {
        let path = write(directory.path(), "cut.pgn", &whole.as_bytes()[..cut]);
        let output = run(&["chess", "games", &path, "--format", "csv"]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "cut at {cut}: {message}");
        assert_eq!(lines(&output.stdout), 2, "cut at {cut}");
        assert!(message.contains(": game 2, line "), "cut at {cut}: {message}");
    }
}

#[test]
fn a6_one_bad_first_line_or_byte_does_not_cost_the_file() {
    let directory = tempfile::tempdir().unwrap();
    let fens = "4k3/8/8/8/8/8/8/4K2R w K - 0 1\n".repeat(5);
    let games = game("A", "1. e4 *") + &game("B", "1. d4 *");
    for (name, text, rows) in [
        ("nonsense.txt", format!("nonsense\n{fens}"), 5),
        ("byte.pgn", format!("\u{1a}{games}"), 4),
        ("tag.pgn", games.replacen("White", "Wh\u{1}ite", 1), 2),
    ] {
        let path = write(directory.path(), name, text.as_bytes());
        let output = run(&["chess", "facts", &path, "--facts", "pinned", "--format", "jsonl"]);
        let message = String::from_utf8_lossy(&output.stderr);
        assert_eq!(lines(&output.stdout), rows, "{name}: {message}");
        assert_eq!(output.status.code(), Some(1), "{name}: {message}");
        assert!(message.lines().count() >= 1, "{name}: {message}");
    }
}

#[test]
fn a6_a_long_first_line_does_not_cost_standard_input() {
    let fens = "4k3/8/8/8/8/8/8/4K2R w K - 0 1\n".repeat(5);
    let games = game("A", "1. e4 *") + &game("B", "1. d4 *");
    for length in [60_000, 70_000, 900_000] {
        for (text, rows) in [(&fens, 5), (&games, 4)] {
            let input = format!("{}\n{text}", "nonsense ".repeat(length / 9));
            let arguments = ["chess", "facts", "-", "--facts", "pinned", "--format", "jsonl"];
            let output = everyply::run(&arguments, &input);
            let message = String::from_utf8_lossy(&output.stderr);
            assert_eq!(lines(&output.stdout), rows, "{length}: {message}");
            assert_eq!(output.status.code(), Some(1), "{length}: {message}");
            assert!(message.lines().any(|line| line.contains("line 1")), "{length}: {message}");
        }
    }
}

#[test]
fn d6_what_is_handed_in_does_not_steer_the_terminal() {
    let directory = tempfile::tempdir().unwrap();
    let escape = "\u{1b}[31m\u{7}\u{202e}";
    let games = format!("[White \"A\"]\n[Result {escape}]\n\n1. e4 {escape} *\n");
    let games = write(directory.path(), "games.pgn", games.as_bytes());
    let named = write(directory.path(), &format!("{escape}.pgn"), b"1. e9 *\n");
    let missing = format!("{}/{escape}", directory.path().display());
    let drawing = write(directory.path(), "drawing", format!("A{escape}\n\nA 1\n").as_bytes());
    for arguments in [
        &["chess", "games", &games][..],
        &["chess", "games", &named],
        &["chess", "games", &missing],
        &["chess", "facts", &missing],
        &["chess", "moves", escape],
        &["chess", "facts", &games, "--where", escape, "=", "1"],
        &["chess", "perft", "--depth", escape],
        &[escape],
        &["kenken", "solve", &drawing],
        &["kenken", "solve", escape],
        &["kenken", "hint", "2:__b,a3a3", "--grid", escape],
        &["kalah", "value", escape],
        &["kalah", "solve", "--rules", escape],
        &["kalah", "value", "1,1/1,1", "--store", &missing],
        &["fourchess", "moves", escape],
        &["fourchess", "moves", "--rules", escape],
        &["sql", &format!("select {escape}")],
        &["sql", &format!("select * from '{missing}.csv'")],
        &["sql", &format!("select chess_move_count('{escape}')")],
    ] {
        let output = run(arguments);
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(!message.is_empty() && output.status.code() != Some(0), "{arguments:?}");
        let steers = |letter: char| letter.is_control() && letter != '\n' || letter == '\u{202e}';
        assert!(!message.contains(steers), "{arguments:?}: {message:?}");
    }
}

#[test]
fn files_that_are_not_games_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let sample = game("A", "1. e4 *").repeat(2_000);
    let packed = zstd::encode_all(sample.as_bytes(), 1).unwrap();
    let mut corrupt = packed.clone();
    corrupt[10] ^= 0xff;
    let good = write(directory.path(), "good.pgn", game("A", "1. e4 *").as_bytes());
    let cases: [(String, &str); 7] = [
        (write(directory.path(), "empty.pgn", b""), "empty"),
        (write(directory.path(), "binary.pgn", &[0, 159, 146, 150, 0, 1, 2, 3]), "binary"),
        (
            write(directory.path(), "positions.epd", b"8/8/8/8/8/4k3/8/4K3 w - -\n"),
            "positions, not games",
        ),
        (directory.path().to_str().unwrap().to_owned(), "directory"),
        (directory.path().join("missing.pgn").to_str().unwrap().to_owned(), "no such file"),
        (write(directory.path(), "cut.zst", &packed[..packed.len() / 2]), "zstd"),
        (write(directory.path(), "corrupt.zst", &corrupt), "zstd"),
    ];
    for (path, cause) in &cases {
        let output = run(&["chess", "games", path, &good, "--format", "csv"]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{path}: {message}");
        assert!(message.contains(path.as_str()) && message.contains(cause), "{path}: {message}");
        let rows = String::from_utf8(output.stdout).unwrap();
        assert!(rows.lines().last().unwrap().starts_with(&good), "{path}: the good file is read");
    }
}

#[test]
fn rules_that_cannot_be_read_are_bad_input() {
    let directory = tempfile::tempdir().unwrap();
    let missing = directory.path().join("missing.csv").to_str().unwrap().to_owned();
    let cases = [
        (missing, "cannot read"),
        (directory.path().to_str().unwrap().to_owned(), "cannot read"),
        (write(directory.path(), "empty.csv", b""), "line 1: expected the columns"),
    ];
    for (path, cause) in &cases {
        let output = run(&["chess", "rules", "--patterns", path]);
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{path}: {message}");
        assert!(message.contains(path.as_str()) && message.contains(cause), "{path}: {message}");
    }
}

/// A gigabyte without a newline, piped in, must not be held in memory.
#[test]
fn a_line_of_a_gigabyte_is_bad_input_in_constant_memory() {
    for (arguments, before, after, good_rows) in [
        (&["chess", "games", "-", "--format", "csv"][..], "[White \"A\"]\n\n1. e4 *\n\n{", "", 1),
        (
            &["chess", "games", "-", "--format", "csv"],
            "[White \"A\"]\n\n1. e4 *\n\n[White \"",
            "",
            1,
        ),
        (
            &["chess", "games", "-", "--format", "csv"],
            "[White \"A\"]\n\n1. e4 *\n\n",
            "\n\n[White \"B\"]\n\n1. e4 *\n",
            2,
        ),
        (
            &["chess", "moves", "--from", "-", "--format", "csv"],
            "8/8/8/8/8/4k3/8/4K3 w - -\n",
            "\n8/8/8/8/8/4k3/8/4K3 w - -\n",
            4,
        ),
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_everyply"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(before.as_bytes()).unwrap();
        let megabyte = vec![b'a'; 1 << 20];
        for _ in 0..1 << 10 {
            input.write_all(&megabyte).unwrap();
        }
        assert!(peak_memory(child.id()) < 64 << 20, "{arguments:?}");
        input.write_all(after.as_bytes()).unwrap();
        drop(input);
        let mut rows = String::new();
        child.stdout.take().unwrap().read_to_string(&mut rows).unwrap();
        let mut message = String::new();
        child.stderr.take().unwrap().read_to_string(&mut message).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(1), "{arguments:?}: {message}");
        assert!(message.contains("line "), "{message}");
        assert!(message.len() < 500, "one short message, not {}", message.len());
        assert_eq!(rows.lines().count(), 1 + good_rows, "{arguments:?} {before}");
    }
}

/// The largest resident size so far, in bytes; 0 where the system does not say.
fn peak_memory(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").parse::<u64>().map_or(0, |kilobytes| kilobytes << 10)
}

fn write(directory: &Path, name: &str, bytes: &[u8]) -> String {
    let path: PathBuf = directory.join(name);
    std::fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

fn lines(text: &[u8]) -> usize {
    text.iter().filter(|&&byte| byte == b'\n').count()
}
