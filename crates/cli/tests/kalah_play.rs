//! Plays Kalah, and asks about any position, the way people and scripts do.

mod everyply;
#[cfg(target_os = "linux")]
#[path = "../../stores/tests/servers/missing.rs"]
mod missing;

use std::{path::Path, process::Output};

use everyply::{in_a_terminal, run, stderr, stdout};
use kalah::Record;
use serde_json::Value;
use tempfile::TempDir;

/// A directory for a cache and for files of games.
struct Place(TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().expect("a directory"))
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().expect("a path").to_owned()
    }

    fn run(&self, arguments: &[&str], input: &str) -> Output {
        let cache = self.path("cache");
        run(&[&["kalah"], arguments, &["--cache", &cache]].concat(), input)
    }

    fn fine(&self, arguments: &[&str], input: &str) -> String {
        let output = self.run(arguments, input);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
        stdout(&output)
    }

    /// Plays a small game.
    fn play(&self, more: &[&str], input: &str) -> String {
        self.fine(&[&["play", "--pits", "3", "--seeds", "3"], more].concat(), input)
    }
}

fn object(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

#[test]
fn any_position_is_answered_without_a_store() {
    let place = Place::new();
    let ask = ["value", "3,3,3/3,3,3", "9,9,9/9,9,9", "0,0,0/0,0,1/4-5", "--format", "jsonl"];
    let output = place.run(&ask, "");
    let rows: Vec<Value> = stdout(&output).lines().map(object).collect();
    let values: Vec<_> = rows.iter().map(|row| (&row["value"], &row["best"])).collect();
    assert_eq!(values[0], (&2.into(), &1.into()));
    assert_eq!((values[2], &rows[2]["result"]), ((&(-1).into(), &Value::Null), &(-2).into()));
    // What it costs is said before a table is built, and is built once.
    let said = stderr(&output);
    assert!(said.contains("the search needs a table of 3 pits with up to 18 seeds"), "{said}");
    assert!(Path::new(&place.path("cache/kalah-3-std_either/manifest")).exists());
    assert_eq!(stderr(&place.run(&ask, "")), "");
    let best = object(&place.fine(&["best", "3,3,3/3,3,3", "--format", "json"], ""));
    let pits: Vec<_> = best.as_array().expect("rows").iter().map(|row| &row["value"]).collect();
    assert_eq!(pits, [&Value::from(2), &2.into(), &(-4).into()]);
    let line = object(&place.fine(&["line", "3,3,3/3,3,3", "--format", "json"], ""));
    assert_eq!(line[0]["value"], 2);
    let rules = ["value", "3,3,3/3,3,3", "--rules", "empty_mover", "--format", "json"];
    assert_eq!(object(&place.fine(&rules, ""))["rules"], "empty_mover");
}

#[test]
fn a_search_out_of_time_gives_bounds() {
    let place = Place::new();
    let table = place.path("table");
    let build = run(&["kalah", "table", "--pits", "6", "--max-seeds", "4", "--out", &table], "");
    assert_eq!(build.status.code(), Some(0), "{}", stderr(&build));
    let start = "4,4,4,4,4,4/4,4,4,4,4,4";
    let ask = ["value", start, "--table", &table, "--time-limit", "0.01", "--format", "json"];
    let output = place.run(&ask, "");
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(object(&stdout(&output))["value"], Value::Null);
    assert!(stderr(&output).contains("not found in time; the value is between"));
    let line = ["line", start, "--table", &table, "--time-limit", "0.01"];
    assert!(stderr(&place.run(&line, "")).contains("was not found in time; it is between"));
}

#[test]
fn a_game_is_played_to_its_end_with_totals() {
    let place = Place::new();
    let text = place.play(&["--you", "neither"], "");
    assert!(text.trim_end().ends_with("play is over: player 1 wins by 2"), "{text}");
    assert!(text.contains("player 1 has 10 seeds, player 2 has 8"), "{text}");
    let text = place.play(&[], "9 hint 1 undo undo help quit");
    for line in [
        "'9' is not a pit that can be sown; 'help' lists the words",
        "best is pit 1: it stores 1, moves again",
        "there is nothing to undo",
        "with best play player 1 wins by 2",
        "save FILE, help, quit",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let hidden = place.play(&["--hide"], "");
    assert!(!hidden.contains('+') && !hidden.contains("with best play"), "{hidden}");
    assert!(place.play(&["--hide"], "values").contains("with best play"));
}

#[test]
fn the_board_stays_on_one_side() {
    let place = Place::new();
    // The player who moves second sees their own row below.
    let text = place.play(&["--you", "second", "--seed", "3"], "quit");
    let rows: Vec<&str> = text.lines().filter(|line| line.contains('│')).collect();
    assert_eq!(rows.len(), 2, "{text}");
    let below = place.play(&["--you", "both", "--hide"], "3 1 quit");
    let rows: Vec<&str> = below.lines().filter(|line| line.contains('│')).collect();
    // Pit 3 of player 1 is below on the right, before and after the turn passes.
    assert_eq!(rows[1], "    │  3 │  3 │  3 │ 0", "{below}");
    assert_eq!(rows[3], "    │  3 │  3 │  0 │ 1", "{below}");
    assert_eq!(rows[4], "  1 │  4 │  5 │  0 │", "{below}");
}

#[test]
fn opponents_are_seeded_and_differ() {
    let place = Place::new();
    let game = |more: &[&str]| place.play(&[more, &["--you", "neither", "--hide"]].concat(), "");
    let random = |seed| game(&["--against", "random", "--seed", seed]);
    assert_eq!(random("1"), random("1"));
    assert_ne!(random("1"), random("2"));
    for opponent in ["good", "good=2", "casual", "casual=50", "perfect"] {
        let text = game(&["--against", opponent]);
        assert!(text.contains("play is over"), "{opponent}: {text}");
    }
}

#[test]
fn a_game_is_saved_resumed_recorded_and_reviewed() {
    let place = Place::new();
    let file = place.path("game.kalah");
    let text = place.play(&["--seed", "5"], &format!("3 record review save {file} quit"));
    assert!(text.contains("player 1 sows pit 3: gave 6 away; best was pit 1"), "{text}");
    assert!(text.contains("\nstart 3,3,3/3,3,3\n") && text.contains("saved in"), "{text}");
    let saved = std::fs::read_to_string(&file).expect("a file");
    let record: Record = saved.parse().expect("a record");
    let resumed = place.fine(&["play", "--resume", &file], "record quit");
    assert!(resumed.contains(&saved), "{resumed}");
    // Moves from before can be taken back.
    let undone = place.fine(&["play", "--resume", &file], "undo undo record quit");
    assert!(undone.contains("\nmoves\n"), "{undone}");
    let rows = object(&place.fine(&["review", &file, "--format", "json"], ""));
    let rows = rows.as_array().expect("rows");
    assert_eq!(rows.len(), record.pits().len());
    assert_eq!((&rows[0]["gave"], &rows[0]["best"]), (&6.into(), &1.into()));
    let mine = rows.iter().filter(|row| row["player"] == 2);
    assert!(mine.clone().count() > 0 && mine.into_iter().all(|row| row["gave"] == 0), "perfect");
}

#[test]
fn bad_words_and_saved_games_get_a_sentence_and_change_nothing() {
    let place = Place::new();
    for (word, sentence) in [
        ("0", "'0' is not a pit"),
        ("4", "'4' is not a pit"),
        ("-1", "'-1' is not a pit"),
        ("1.5", "'1.5' is not a pit"),
        ("99999999999999999999", "is not a pit"),
        ("pit", "'pit' is not a pit"),
        ("\u{1b}[2J", "'\\u{1b}[2J' is not a pit"),
        ("save", "save: expected a file name"),
        ("save /nowhere/at/all/game", "/nowhere/at/all"),
        ("undo", "there is nothing to undo"),
        ("review", "nothing was played yet"),
    ] {
        let text = place.play(&["--hide"], &format!("{word}\nrecord\nquit"));
        assert!(text.contains(sentence), "{word}: {text}");
        assert!(text.contains("\nmoves\n"), "{word}: {text}");
    }
    let file = place.path("bad.kalah");
    for (text, sentence) in [
        (&b""[..], "the record has no line 'start'"),
        (b"start 3x3\nmoves 1 1", "move 2: pit 1 cannot be sown"),
        (b"start 3x3\nmoves one", "moves: 'one' is not the number of a pit"),
        (b"start 3,3/3\n", "start: the first side has 2 pits, the second 1"),
        (b"rules chaos\nstart 3x3", "unknown rules 'chaos'"),
        (b"play 3x3", "line 1: expected rules, start or moves, found 'play'"),
        (b"\xff\xfe", "it is not UTF-8 text"),
    ] {
        std::fs::write(&file, text).expect("a file");
        for command in [&["play", "--resume", &file][..], &["review", &file]] {
            let output = place.run(command, "quit");
            assert_eq!(output.status.code(), Some(1), "{sentence}: {}", stdout(&output));
            let said = stderr(&output);
            assert!(said.contains(sentence) && said.contains("bad.kalah"), "{said}");
        }
        assert_eq!(std::fs::read(&file).expect("a file"), text);
    }
    let missing = place.path("absent.kalah");
    assert!(stderr(&place.run(&["review", &missing], "")).contains("absent.kalah"));
    std::fs::write(&file, "rules empty_mover\nstart 3x3").expect("a file");
    for (arguments, sentence) in [
        (vec!["play", "--resume", &file, "--rules", "std_mover"], "with the rules empty_mover"),
        (vec!["play", "--pits", "9"], "9 pits on a side"),
        (vec!["play", "--resume", &file, "--pits", "3"], "cannot be used with"),
        (vec!["play", "--against", "god"], "is not an opponent"),
        (vec!["play", "--side", "3"], "--side"),
        (vec!["value", "3,3/3,3", "--time-limit", "soon"], "expected a number of seconds"),
        (vec!["path", "3,3/3,3"], "needs --seeds"),
    ] {
        let words = [&["kalah"], &arguments[..]].concat();
        let output = run(&words, "quit");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}", stdout(&output));
        assert!(stderr(&output).contains(sentence), "{arguments:?}: {}", stderr(&output));
    }
}

#[test]
fn a_way_leads_from_the_start_to_a_position() {
    let path = |arguments: &[&str]| {
        run(&[&["kalah", "path"], arguments, &["--format", "json"]].concat(), "")
    };
    let output = path(&["4,4,3/0,0,5/0-2"]);
    let rows = object(&stdout(&output));
    let pits: Vec<_> = rows.as_array().expect("rows").iter().map(|row| &row["pit"]).collect();
    assert_eq!(pits, [&Value::from(1), &2.into()]);
    assert_eq!(rows[1]["store_1"], 2);
    assert_eq!(object(&stdout(&path(&["3,3,3/3,3,3", "--seeds", "3"]))), Value::Array(vec![]));
    for (arguments, sentence) in [
        (&["0,0,18/0,0,0", "--seeds", "3"][..], "cannot be reached in kalah pits=3 seeds=3"),
        (&["4,4,3/0,0,5/1-1"], "cannot be reached"),
        (&["4,4,3/0,0,5/0-3"], "19 seeds in all, which is no multiple of its 6 pits"),
        (
            &["0,0,0,0,0,1/0,0,0,0,0,1", "--seeds", "4", "--limit", "99"],
            "among 99 positions; look at more with --limit",
        ),
    ] {
        let output = path(arguments);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        assert!(stderr(&output).contains(sentence), "{}", stderr(&output));
    }
}

/// The program in a pseudo-terminal.
#[cfg(target_os = "linux")]
#[test]
fn in_a_terminal_it_asks_obeys_and_fits_a_narrow_window() {
    let place = Place::new();
    let (cache, file) = (place.path("cache"), place.path("game.kalah"));
    let play = |arguments: &str, environment: &[(&str, &str)], typed: &str| {
        in_a_terminal(&format!("kalah play --cache {cache} {arguments}"), environment, typed)
    };
    let small = "--pits 3 --seeds 3";
    let Some(text) = play(small, &[], &format!("3\nhint\nundo\n1\nsave {file}\nquit\n")) else {
        missing::not_run("there is no program script, which makes a pseudo-terminal");
        return;
    };
    for part in ["pit> ", "player 1 sows pit 3", "player 2 sows", "best is pit", "saved in"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Resumed without colours, and left by the end of the input.
    let resume = format!("--resume {file}");
    let text = play(&resume, &[("NO_COLOR", "1")], "record\nundo\nundo\n\u{4}").unwrap();
    assert!(!text.contains("\u{1b}[3") && !text.contains("\u{1b}[4"), "{text}");
    assert!(text.contains("there is nothing to undo"), "{text}");
    // To the end of the game, and one move back.
    let over = "--position 0,0,1/0,1,0/5-4 --against random";
    let text = play(over, &[], "3\nreview\nundo\nquit\n").unwrap();
    for part in ["play is over: player 1 wins by", "over> ", "a best move", "player 1 has"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let text = play("--hide --against random", &[], "3\n6\nquit\n").unwrap();
    let board = text.lines().filter(|line| line.contains('│') || line.contains('┌'));
    assert!(board.clone().count() > 5, "{text}");
    for line in board {
        assert!(line.trim_end().chars().count() <= 40, "{line}");
    }
}
