//! `everyply kenken play` as people play it: word by word, and in a terminal.

mod everyply;
#[cfg(target_os = "linux")]
#[path = "../../stores/tests/servers/missing.rs"]
mod missing;

use std::{fs, path::Path};

use everyply::{run, stderr, stdout};
use serde_json::Value;

const EASY: &str = "4:_a_7a4_a3,a4a5s1s1d2d2m4m6";

fn play(arguments: &[&str], typed: &str) -> String {
    let output = run(&[&["kenken", "play"], arguments].concat(), typed);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    stdout(&output)
}

fn grids(path: &Path) -> Vec<String> {
    let saved: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let grids = saved["grids"].as_array().unwrap();
    grids.iter().map(|grid| grid.as_str().unwrap().to_owned()).collect()
}

#[test]
fn digits_marks_undo_and_saving() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("game.json");
    let name = path.to_str().unwrap();
    let typed = format!("r1c1=3 r1c2+14 r1c2-4 undo undo undo undo r1c1=3 r1c2+1,4 save {name}");
    let said = play(&[EASY], &typed);
    assert_eq!(said.matches("there is nothing to undo").count(), 1, "{said}");
    assert!(said.contains(&format!("saved in {name}")), "{said}");
    let empty = "..../..../..../....";
    assert_eq!(grids(&path), [empty, "3.../..../..../....", "3[14]../..../..../...."]);
    // What was saved is a puzzle for all commands.
    let output = run(&["kenken", "solve", name, "--format", "jsonl"], "");
    assert!(stdout(&output).contains("3142/1423/2314/4231"), "{}", stderr(&output));
    // A game goes on where it was left, and what was done before can be undone.
    let said = play(&["--resume", name], &format!("undo undo undo marks tidy save {name} quit"));
    assert_eq!(said.matches("there is nothing to undo").count(), 1, "{said}");
    let marked = ["[1234]"; 4].concat();
    assert_eq!(grids(&path), [empty.to_owned(), [marked.as_str(); 4].join("/")]);
}

#[test]
fn check_and_hints_in_stages() {
    let said = play(&[EASY], "check r1c1=4 check r1c2=4 check hint follow hint");
    for part in [
        "everything so far is right; 16 cells are empty",
        "wrong: 4 in r1c1\n",
        "row 1: 4 appears twice",
        "wrong: 4 in r1c1, 4 in r1c2\n",
        "look at cage 4+",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let said = play(&[EASY], "hint hint hint hint follow follow");
    let told: Vec<&str> = said.lines().filter(|line| line.contains("cage")).collect();
    assert!(told[0].starts_with("look at cage 4+ "), "{said}");
    assert!(told[1].starts_with("cage digits: "), "{said}");
    assert!(told[2].contains("can only be made from 1 and 3") && told[2] == told[3], "{said}");
    assert!(said.contains("13·") || said.contains("1·3") || said.contains("1·"), "{said}");
    assert_eq!(said.matches("ask for a hint first").count(), 1, "{said}");
}

#[test]
fn hints_alone_solve_a_new_puzzle_of_every_level() {
    for level in ["easy", "normal", "hard", "extreme", "unreasonable"] {
        let typed = "hint follow ".repeat(400);
        let said = play(&["--size", "5", "--level", level, "--seed", "3"], &typed);
        assert_eq!(said.matches("Solved.").count(), 1, "{level}");
        assert!(said.contains("the puzzle is solved"), "{level}");
    }
}

#[test]
fn the_command_hint_alone_solves_with_its_grid_carried_over() {
    let hard = "6:aaba_4a3__a_aa_cca_3a_5aa_a_aa,a14m12s3d5m48a4m240a13a11a3s5m15m30d2";
    let mut grid = ["......"; 6].join("/");
    for _ in 0..200 {
        let output = run(&["kenken", "hint", hard, "--grid", &grid, "--format", "jsonl"], "");
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let rows = stdout(&output);
        let Some(last) = rows.lines().last() else { break };
        let last: Value = serde_json::from_str(last).unwrap();
        assert_ne!(last["placed"], "", "the last step places a digit");
        grid = last["grid"].as_str().unwrap().to_owned();
    }
    assert_eq!(grid, "536241/325164/153426/214635/461352/642513");
}

#[test]
fn bad_words_get_a_sentence_and_change_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("game.json");
    let name = path.to_str().unwrap();
    for (typed, words) in [
        ("r1c1=5", "r1c1=5: expected a digit from 1 to 4"),
        ("r1c1=0", "expected a digit from 1 to 4"),
        ("r1c1=x", "expected a digit from 1 to 4"),
        ("r1c1=33", "expected a digit from 1 to 4"),
        ("r5c1=1", "r5c1=1: expected a cell from r1c1 to r4c4"),
        ("r0c1=1", "expected a cell from r1c1 to r4c4"),
        ("rc=1", "expected a cell from r1c1 to r4c4"),
        ("r+1c1=1", "expected a cell from r1c1 to r4c4"),
        ("r1c1+5", "expected a digit from 1 to 4"),
        ("r1c1+", "expected a digit from 1 to 4"),
        ("r1c1-é", "expected a digit from 1 to 4"),
        ("r4c4+1", "the cell has a digit"),
        ("jump", "jump: not a command; 'help' lists them"),
        ("\u{1b}[31m", "\\u{1b}[31m: not a command"),
        ("follow", "ask for a hint first"),
        ("save", "save: expected a file name"),
        ("save missing/game.json", "missing/game.json"),
    ] {
        let said = play(&[EASY], &format!("r4c4=1\n{typed}\nsave {name}\n"));
        assert!(said.contains(words), "{typed}: {said}");
        assert!(!said.contains('\u{1b}'));
        assert_eq!(grids(&path), ["..../..../..../....", "..../..../..../...1"], "{typed}");
    }
}

#[test]
fn bad_games_and_grids_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = directory.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let cages = r#""n":1,"cages":[{"op":"=","target":1,"cells":[0]}]"#;
    for (name, text, words) in [
        ("empty", String::new(), "EOF"),
        ("text", "hello".to_owned(), "expected value"),
        ("bare", format!("{{{cages}}}"), "grids: expected a list of grids"),
        ("none", format!("{{{cages},\"grids\":[]}}"), "grids: expected a list of grids"),
        ("number", format!("{{{cages},\"grids\":[7]}}"), "grids: expected a list of grids"),
        ("digit", format!("{{{cages},\"grids\":[\"2\"]}}"), "grids[0]: row 1: '2' is not a digit"),
        ("rows", format!("{{{cages},\"grids\":[\"1\",\"1/1\"]}}"), "grids[1]: 2 rows, expected 1"),
        ("cage", r#"{"n":1,"cages":[],"grids":["1"]}"#.to_owned(), "belongs to no cage"),
    ] {
        let path = file(name, &text);
        let output = run(&["kenken", "play", "--resume", &path], "");
        assert_eq!(output.status.code(), Some(1), "{name}: {}", stderr(&output));
        assert!(stderr(&output).contains(words), "{name}: {}", stderr(&output));
        assert!(stdout(&output).is_empty());
    }
    let missing: [(&[&str], i32, &str); 7] = [
        (&["play", "--resume", "missing.json"], 1, "cannot read missing.json"),
        (&["play", "--resume", "a", "--size", "4"], 2, "cannot be used with"),
        (&["play", EASY, "--size", "4"], 2, "cannot be used with"),
        (&["play", "-"], 2, "standard input is where you type"),
        (&["play", "--size", "1"], 2, "1 is not in 2..=16"),
        (&["play", "--seed", "-1"], 2, "'-1'"),
        (&["play", "4:a,a1"], 1, "expected one puzzle, found 0"),
    ];
    let grids: [(&[&str], i32, &str); 9] = [
        (&["show", EASY, "--grid", "3"], 1, "--grid: row 1 has 1 cells, expected 4"),
        (&["show", EASY, "--grid", "3..."], 1, "--grid: 1 rows, expected 4"),
        (&["show", EASY, "--grid", "5.../..../..../...."], 1, "'5' is not a digit of this grid"),
        (&["show", EASY, "--grid", "[15].../..../..../...."], 1, "'[15]' is not a digit"),
        (&["show", EASY, "--grid", "[1.../..../..../...."], 1, "--grid: row 1 has 1 cells"),
        (&["show", EASY, EASY, "--grid", "."], 1, "--grid: expected one puzzle, found 2"),
        (&["show", EASY, "--grid", ".", "--solution"], 2, "cannot be used with"),
        (&["hint", EASY, "--grid", "1.../1.../..../...."], 1, "wrong: 1 in r1c1"),
        (&["solve", EASY, "--limit", "3"], 2, "--all"),
    ];
    for (arguments, code, words) in missing.into_iter().chain(grids) {
        let output = run(&[&["kenken"], arguments].concat(), "");
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", stderr(&output));
        assert!(stderr(&output).contains(words), "{arguments:?}: {}", stderr(&output));
        assert!(stdout(&output).is_empty(), "{arguments:?}");
    }
}

/// The program in a pseudo-terminal, which `script` of util-linux makes.
#[cfg(target_os = "linux")]
#[test]
fn in_a_terminal_it_asks_draws_and_obeys() {
    use std::{
        io::Write,
        process::{Command, Stdio},
    };
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("game.json");
    let play = |columns: u16, words: &str, environment: &[(&str, &str)], typed: &str| {
        let line = format!(
            "stty rows 24 cols {columns}; {} kenken play {words}",
            env!("CARGO_BIN_EXE_everyply")
        );
        let mut command = Command::new("script");
        command.args(["--quiet", "--return", "--flush", "--command", &line, "/dev/null"]);
        command
            .env("TERM", "xterm-256color")
            .env_remove("NO_COLOR")
            .envs(environment.iter().copied());
        let spawned = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = spawned.ok()?;
        child.stdin.take().unwrap().write_all(typed.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
        Some(stdout(&output))
    };
    let typed = format!("r1c1=3\nr1c2=3\nhint\nundo\nr1c2+14\nsave {}\nquit\n", path.display());
    let Some(text) = play(80, EASY, &[], &typed) else {
        missing::not_run("there is no program script, which makes a pseudo-terminal");
        return;
    };
    for part in ["kenken> ", "┌───┬", "\u{1b}[1;31m", "wrong: 3 in r1c2", "\u{1b}[2m", "saved in"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(grids(&path).last().unwrap(), "3[14]../..../..../....");
    let resume = format!("--resume {}", path.display());
    let rest = "r1c2=1\nr1c3=4\nr1c4=2\nr2c1=1\nr2c2=4\nr2c3=2\nr2c4=3\nr3c1=2\nr3c2=3\nr3c3=1\nr3c4=4\n\
                r4c1=4\nr4c2=2\nr4c3=3\nr4c4=1\nundo\nr4c4=1\nquit\n";
    let text = play(80, &resume, &[("NO_COLOR", "1")], rest).unwrap();
    assert!(!text.contains("\u{1b}[1m") && !text.contains("\u{1b}[2m"), "{text}");
    assert_eq!(text.matches("Solved.").count(), 2, "{text}");
    assert!(text.contains("solved> "), "{text}");
    // A window that is too narrow for the drawing gets a list.
    let text = play(12, EASY, &[], "r1c1=3\nquit\n").unwrap();
    assert!(!text.contains('┌') && text.contains("ABBC") && text.contains("A 4+"), "{text}");
    assert!(text.contains("3..."), "{text}");
}
