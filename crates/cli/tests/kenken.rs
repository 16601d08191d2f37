//! Runs `everyply kenken` the way people and scripts do.

mod everyply;

use std::process::Output;

use everyply::{run, stderr, stdout};
use serde_json::{Value, json};

const EASY: &str = "4:_a_7a4_a3,a4a5s1s1d2d2m4m6";

fn kenken(arguments: &[&str], input: &str) -> Output {
    run(&[&["kenken"], arguments].concat(), input)
}

fn fine(arguments: &[&str], input: &str) -> String {
    let output = kenken(arguments, input);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    stdout(&output)
}

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn fixture(name: &str) -> String {
    format!("{}/../../fixtures/kenken/{name}", env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn count_answers_every_line_of_a_mixed_stream_in_order() {
    let input = format!(
        "# a comment\n{EASY}\n\n{}\n{}\n2:_b_,a3a3\n",
        r#"{"n":2,"cages":[{"op":"+","target":6,"cells":[0,1,[1,0],[1,1]]}],"unknown":0}"#,
        r#"{"id":"mine","n":2,"cages":[{"op":"?","target":2,"cells":[0,1]},{"op":"?","target":3,"cells":[2,3]}]}"#
    );
    let rows = objects(&fine(&["count", "--limit", "2", "--format", "jsonl", "-"], &input));
    let row = |row: &Value| {
        (
            row["id"].as_str().unwrap().to_owned(),
            row["solutions"].as_u64().unwrap(),
            row["complete"].as_bool().unwrap(),
        )
    };
    assert_eq!(
        rows.iter().map(row).collect::<Vec<_>>(),
        [
            (EASY.to_owned(), 1, true),
            ("2:d,a6".to_owned(), 2, true),
            ("mine".to_owned(), 2, true),
            ("2:_b_,a3a3".to_owned(), 0, true),
        ]
    );
}

#[test]
fn a_batch_with_bad_lines_counts_the_good_ones_and_says_where_the_bad_ones_are() {
    let long = "a".repeat(10_000_000);
    let input = format!("{EASY}\n3:_13,aaaaaaaaa\n{{\"n\":3}}\n9:{long}\nnonsense\n2:__b,a3a3\n");
    let output = kenken(&["count", "--format", "jsonl", "-"], &input);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(objects(&stdout(&output)).len(), 2);
    let errors = stderr(&output);
    for place in ["line 2: byte 7", "line 3: cages", "line 4 ", "line 5: "] {
        assert!(errors.contains(place), "{place} in {errors}");
    }
}

#[test]
fn every_malformed_row_is_judged() {
    let table = std::fs::read_to_string(fixture("malformed.tsv")).unwrap();
    for row in table.lines() {
        let (id, verdict) = row.split_once('\t').unwrap();
        let output = kenken(&["count", "--format", "jsonl", "-"], id);
        let lenient = id.contains("aaaaa") || id.contains("m0");
        let expected = match verdict {
            "1" => Some(1),
            "10" if !lenient => Some(0),
            _ => None,
        };
        let counted = objects(&stdout(&output));
        assert_eq!(counted.first().and_then(|row| row["solutions"].as_u64()), expected, "{id}");
        assert_eq!(output.status.code(), Some(i32::from(expected.is_none())), "{id}");
    }
}

#[test]
fn a_limit_leaves_an_honest_unknown() {
    let rows = fixture("big_random.jsonl");
    let output = kenken(&["count", "--nodes", "1", "--format", "jsonl", &rows], "");
    assert_eq!(output.status.code(), Some(0));
    let rows = objects(&stdout(&output));
    assert_eq!(rows.len(), 120);
    assert!(rows.iter().any(|row| row["complete"] == false));
    assert!(rows.iter().all(|row| row["complete"] == true || row["solutions"].as_u64() < Some(2)));
    // Any filled grid will do, and there are more of them than anybody counts.
    let row = |row: usize| {
        let cells: Vec<usize> = (9 * row..9 * row + 9).collect();
        json!({"op": "+", "target": 45, "cells": cells})
    };
    let puzzle = json!({"n": 9, "cages": (0..9).map(row).collect::<Vec<_>>()}).to_string();
    let most = ["count", "--limit", "1000000000000", "--time-limit", "0.05", "--format", "jsonl"];
    let counted = objects(&fine(&[&most[..], &["-"]].concat(), &puzzle));
    assert_eq!(counted[0]["complete"], false);
    let hard = "8:a3b__abb__a__b__a_ca_a3bb_bcf_ba_ba_f_ab_3e_ce,\
                m282240a9a35m32256a6a31a6a40m2160a8m16a41";
    let given_up = kenken(&["solve", hard, "--nodes", "1", "--format", "jsonl"], "");
    let row = &objects(&stdout(&given_up))[0];
    assert_eq!((&row["solutions"], &row["complete"]), (&Value::Null, &json!(false)), "A18");
    for command in ["solve", "explain"] {
        let given_up = kenken(&[command, hard, "--nodes", "1"], "");
        assert!(stderr(&given_up).starts_with(&format!("everyply: {hard}: no")), "{command}");
    }
    let unbounded = objects(&fine(&["count", EASY, "--time-limit", "0", "--format", "jsonl"], ""));
    assert_eq!(unbounded[0]["complete"], true);
}

#[test]
fn solve_gives_level_and_grid_and_timings_on_request() {
    let rows = objects(&fine(&["solve", EASY, "--format", "jsonl"], ""));
    assert_eq!(rows[0]["grid"], "3142/1423/2314/4231");
    assert_eq!((rows[0]["level"].as_str(), rows[0]["size"].as_u64()), (Some("easy"), Some(4)));
    let file = fixture("keen_6x.txt");
    let rows = objects(&fine(&["solve", &file, "--timings", "--format", "jsonl"], ""));
    let share: f64 = rows.iter().map(|row| row["share"].as_f64().unwrap()).sum();
    assert!((share - 1.0).abs() < 0.01, "{share}");
    assert!(rows.iter().all(|row| row["level"] == "extreme"));
}

#[test]
fn check_finds_wrong_solutions_and_puzzles_with_several() {
    let right = r#"{"n":2,"cages":[{"op":"+","target":4,"cells":[0,2,3]},{"op":"=","target":2,"cells":[1]}],"solution":[1,2,2,1]}"#;
    assert!(fine(&["check", "-"], right).contains("right"));
    let wrong = right.replace("[1,2,2,1]", "[2,1,1,2]");
    let output = kenken(&["check", "-"], &wrong);
    assert_eq!(output.status.code(), Some(1));
    assert!(stdout(&output).contains("wrong: cage 0 at r1c1: the digits do not make 4+"));
    assert_eq!(kenken(&["check", "2:__b,a3a3"], "").status.code(), Some(1));
}

#[test]
fn grade_hint_and_explain_speak_the_same_language() {
    let file = fixture("keen_5h.txt");
    let grades = objects(&fine(&["grade", &file, "--format", "jsonl"], ""));
    assert!(grades.iter().all(|row| row["level"] == "hard"));
    let id = grades[0]["id"].as_str().unwrap();
    let hint = objects(&fine(&["hint", id, "--format", "jsonl"], ""));
    let steps = objects(&fine(&["explain", id, "--level", "hard", "--format", "jsonl"], ""));
    assert_eq!(hint[0]["text"], steps[0]["text"]);
    let stuck = kenken(&["explain", id, "--level", "easy"], "");
    assert_eq!(stuck.status.code(), Some(1));
    assert!(stderr(&stuck).contains("no rule up to level easy applies"));
    let hint = fine(&["hint", EASY, "--grid", "31[24]2/1.../..../...."], "");
    assert!(hint.contains("so of the marks in r1c3 only 4 is left"), "{hint}");
    let hint = fine(&["hint", EASY, "--grid", "314./1.../..../...."], "");
    assert!(hint.contains("so r1c4 is 2"), "{hint}");
    // Without a number of steps, the last one places a digit and no other does.
    let rows = objects(&fine(&["hint", id, "--format", "jsonl"], ""));
    let (last, before) = rows.split_last().unwrap();
    assert!(last["placed"] != "" && before.iter().all(|row| row["placed"] == ""));
    let steps = objects(&fine(&["hint", id, "--steps", "2", "--format", "jsonl"], ""));
    assert_eq!(steps[..], rows[..2]);
    let bad = kenken(&["hint", EASY, "--grid", "3/1/2/4"], "");
    assert!(stderr(&bad).contains("--grid: row 1 has 1 cells, expected 4"));
}

#[test]
fn generated_puzzles_come_back_through_every_format() {
    let arguments = ["generate", "--size", "5", "--level", "normal", "--count", "3", "--seed", "9"];
    let text = |format: &str| fine(&[&arguments[..], &["--as", format]].concat(), "");
    let keen = text("keen");
    assert_eq!(keen.lines().count(), 3);
    assert_eq!(fine(&["convert", "--to", "keen", "-"], &text("json")), keen);
    assert_eq!(fine(&["convert", "--to", "drawing", "-"], &keen), text("drawing"));
    let first = fine(&["convert", "--to", "drawing", keen.lines().next().unwrap()], "");
    assert_eq!(
        fine(&["convert", "--to", "keen", "-"], &first),
        keen.lines().next().unwrap().to_owned() + "\n"
    );
    assert!(fine(&["check", "-"], &text("json")).matches("right").count() == 3);
    let one = fine(
        &["generate", "--size", "9", "--level", "hard", "--operators", "*", "--as", "keen"],
        "",
    );
    assert!(fine(&["grade", "-"], &one).contains("hard"));
    let layout = fine(&["generate", "--layout", EASY, "--seed", "4", "--as", "keen"], "");
    assert_eq!(layout.split(',').next(), EASY.split(',').next());
    let drawings = ["generate", "--size", "4", "--count", "3", "--as"];
    let ids = fine(&[&drawings[..], &["keen"]].concat(), "");
    let drawn = fine(&[&drawings[..], &["drawing"]].concat(), "");
    assert_eq!(fine(&["convert", "-", "--to", "keen"], &drawn), ids);
    assert_eq!(fine(&["convert", "-", "--to", "drawing"], &ids), drawn);
    let refused = kenken(&["generate", "--minimise", "clues", "--level", "easy"], "");
    assert_eq!(refused.status.code(), Some(2));
    let refused = kenken(&["generate", "--size", "1", "--level", "hard"], "");
    assert_eq!(refused.status.code(), Some(2));
}

#[test]
fn show_draws_in_the_terminal_and_as_pictures() {
    let boxes = fine(&["show", "2:_b_,a4a2", "--solution"], "");
    assert!(boxes.starts_with("┌───┬───┐\n│4+ │2  │\n│ 1 │ 2 │\n"), "{boxes}");
    let svg = fine(&["show", EASY, "--svg", "-"], "");
    assert!(svg.starts_with("<svg "));
    let png = kenken(&["show", EASY, "--png", "-"], "");
    assert!(png.stdout.starts_with(b"\x89PNG"));
    let file = fixture("keen_4h.txt");
    let pdf = kenken(&["show", &file, "--solution", "--pdf", "-"], "");
    assert!(pdf.stdout.starts_with(b"%PDF"));
}

#[test]
fn what_keen_cannot_say_is_refused() {
    let unknown = r#"{"n":1,"rules":{"zero":true},"cages":[{"op":"=","target":0,"cells":[0]}]}"#;
    let output = kenken(&["convert", "--to", "keen", "-"], unknown);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("digits start at 0"));
    assert_eq!(kenken(&["solve", "no-such-file"], "").status.code(), Some(1));
    assert_eq!(kenken(&["solve"], "").status.code(), Some(2));
}

#[test]
fn a18_hint_names_wrong_digits_instead_of_building_on_them() {
    let output = kenken(&["hint", EASY, "--grid", "4.../..../..../...2"], "");
    assert_eq!((output.status.code(), stdout(&output).as_str()), (Some(1), ""));
    assert_eq!(stderr(&output), "everyply: --grid: wrong: 4 in r1c1, 2 in r4c4\n");
    let output = kenken(&["hint", EASY, "--grid", "3[24]../..../..../...."], "");
    assert_eq!(stderr(&output), "everyply: --grid: wrong: 2 or 4 in r1c2\n");
}

#[test]
fn a18_generate_keeps_to_the_operators_and_cages_asked_for() {
    let made = ["generate", "--size", "4", "--count", "20", "--as", "json"];
    let puzzles = objects(&fine(&[&made[..], &["--operators", "-"]].concat(), ""));
    let cages = |puzzle: &Value| puzzle["cages"].as_array().unwrap().clone();
    for cage in puzzles.iter().flat_map(cages) {
        let cells = cage["cells"].as_array().unwrap().len();
        assert!(cage["op"] == "-" || cells == 1, "{cage}");
    }
    for cage in
        objects(&fine(&[&made[..], &["--cages", "0,1"]].concat(), "")).iter().flat_map(cages)
    {
        assert_eq!(cage["cells"].as_array().unwrap().len(), 2, "{cage}");
    }
    let output = kenken(&["generate", "--size", "5", "--cages", "0,1"], "");
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("cannot cover a 5x5 grid"), "{}", stderr(&output));
}

#[test]
fn solve_lists_all_solutions_and_where_they_differ() {
    // The first has two solutions, the second none, the third one.
    let puzzles = ["2:__b,a3a3", "2:_b_,a3a3", EASY];
    let all = [&["solve", "--all", "--format", "jsonl"], &puzzles[..]].concat();
    let rows = objects(&fine(&all, ""));
    let seen: Vec<(&str, &Value, &Value, &Value, &Value)> = rows
        .iter()
        .map(|row| {
            let id = row["id"].as_str().unwrap();
            (id, &row["number"], &row["solutions"], &row["grid"], &row["differs"])
        })
        .collect();
    let differs = json!("r1c1 r1c2 r2c1 r2c2");
    assert_eq!(
        seen,
        [
            (puzzles[0], &json!(1), &json!(2), &json!("12/21"), &differs),
            (puzzles[0], &json!(2), &json!(2), &json!("21/12"), &differs),
            (puzzles[1], &Value::Null, &json!(0), &Value::Null, &Value::Null),
            (EASY, &json!(1), &json!(1), &json!("3142/1423/2314/4231"), &Value::Null),
        ]
    );
    // How many there are is unknown if there may be more.
    let one = ["solve", "--all", "--limit", "1", "--format", "jsonl", puzzles[0]];
    let row = &objects(&fine(&one, ""))[0];
    assert_eq!((&row["number"], &row["solutions"]), (&json!(1), &Value::Null));
    let hard = "8:a3b__abb__a__b__a_ca_a3bb_bcf_ba_ba_f_ab_3e_ce,\
                m282240a9a35m32256a6a31a6a40m2160a8m16a41";
    let output = kenken(&["solve", "--all", "--nodes", "1", "--format", "jsonl", hard], "");
    let row = &objects(&stdout(&output))[0];
    assert_eq!((&row["number"], &row["solutions"]), (&Value::Null, &Value::Null));
    assert!(stderr(&output).contains("not all solutions were found within the limits"));
}

#[test]
fn a_random_seed_is_printed_and_makes_the_same_puzzles_again() {
    let generate = |seed: &str| {
        let output = kenken(
            &["generate", "--size", "5", "--count", "3", "--as", "keen", "--seed", seed],
            "",
        );
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        output
    };
    let [one, other] = [generate("random"), generate("random")];
    assert_ne!(one.stdout, other.stdout);
    let said = stderr(&one);
    let seed = said.strip_prefix("everyply: --seed ").unwrap().trim_end();
    assert_eq!(generate(seed).stdout, one.stdout);
}

#[test]
fn a_batch_has_no_puzzle_twice_and_says_when_there_are_no_more() {
    let output = kenken(&["generate", "--size", "3", "--count", "300", "--as", "keen"], "");
    let ids: std::collections::HashSet<String> =
        stdout(&output).lines().map(str::to_owned).collect();
    assert_eq!((ids.len(), stderr(&output).as_str()), (300, ""));
    let output = kenken(&["generate", "--size", "1", "--count", "5", "--as", "keen"], "");
    assert_eq!(stdout(&output), "1:_,a1\n".repeat(5));
    assert!(stderr(&output).contains("4 puzzles are repeated"), "{}", stderr(&output));
}
