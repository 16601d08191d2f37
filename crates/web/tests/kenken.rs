//! Every route of KenKen gives what the library gives.

mod client;

use std::{
    io::{BufRead, BufReader, Write},
    time::{Duration, Instant},
};

use client::Page;
use kenken::{
    Attempt, Cell, Digits, Grade, Hint, Level, Limits, Puzzle, Recipe, Size, Solver,
    generate_batch, grade, keen,
};
use serde_json::{Value, json};

const FOUR: &str = "4:_a_7a4_a3,a4a5s1s1d2d2m4m6";

fn page() -> (tempfile::TempDir, Page) {
    let root = tempfile::tempdir().unwrap();
    let page = Page::of(root.path());
    (root, page)
}

/// The digits and marks of an attempt, as the page sends them.
fn held(id: &str, attempt: &Attempt<'_>) -> Value {
    let digits: Vec<Option<u8>> = attempt.cells().map(|cell| attempt.digit(cell)).collect();
    json!({ "id": id, "digits": digits, "marks": marks(attempt) })
}

fn marks(attempt: &Attempt<'_>) -> Vec<Vec<u8>> {
    let lowest = attempt.puzzle().rules().lowest_digit() as u8;
    let marks = |cell| attempt.marks(cell).ranks().map(|rank| rank as u8 + lowest).collect();
    attempt.cells().map(marks).collect()
}

fn cells(cells: &[Cell]) -> Value {
    cells.iter().map(|cell| cell.index()).collect()
}

/// Percent-encoded, as browsers send it.
fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02x}")).collect()
}

#[test]
fn a_puzzle_is_described_as_it_is() {
    let (_root, page) = page();
    for level in Level::ALL {
        let recipe = Recipe::new(Size::new(5).unwrap(), Some(level));
        for made in generate_batch(&recipe, 3, 0..3) {
            let puzzle = made.unwrap().puzzle;
            let id = keen::print(&puzzle).unwrap();
            let shown = page.json(&format!("/api/kenken/puzzle?id={}", encoded(&id)));
            assert_eq!(shown["id"], id);
            assert_eq!((&shown["size"], &shown["lowest"]), (&json!(5), &json!(1)));
            assert_eq!(shown["level"], level.name());
            assert_eq!(shown["cage_of"], json!(puzzle.cage_map()));
            for (cage, shown) in puzzle.cages().zip(shown["cages"].as_array().unwrap()) {
                assert_eq!(shown["cells"], cells(cage.cells));
                let clue = format!("{}{}", cage.clue.target, cage.clue.operator.print_sign());
                assert_eq!(shown["clue"], clue);
            }
        }
    }
    for (id, said) in [("2:__b,a3a3", "many solutions"), ("2:_b_,a3a3", "no solution")] {
        let shown = page.json(&format!("/api/kenken/puzzle?id={}", encoded(id)));
        assert_eq!((&shown["level"], shown["grade"].as_str()), (&Value::Null, Some(said)));
    }
}

#[test]
fn looks_checks_and_marks_are_those_of_the_library() {
    let (_root, page) = page();
    let puzzle = keen::parse(FOUR).unwrap();
    for grid in [
        "..../..../..../....",
        "3.../[13]1../[1234].../....",
        "11../..../..../....",
        "2.../3.../..../....",
        "4[24]../..../..../....",
        "3[24]../..../..../....",
        "3142/1423/2314/4231",
    ] {
        let attempt = Attempt::parse(&puzzle, grid).unwrap();
        let body = held(FOUR, &attempt);
        let look = page.post("/api/kenken/look", &body).good();
        let clashes: Vec<Value> = attempt
            .clashes()
            .iter()
            .map(|clash| json!({ "cells": cells(&clash.cells), "text": clash.fault.to_string() }))
            .collect();
        assert_eq!(look["clashes"], json!(clashes), "{grid}");
        assert_eq!(look["solved"], attempt.is_solved());
        let left = attempt.cells().filter(|cell| attempt.digit(*cell).is_none()).count();
        assert_eq!(look["left"], left);
        let wrong = attempt.wrong(&Limits::NONE).unwrap();
        let check = page.post("/api/kenken/check", &body).good();
        assert_eq!(check["right"], wrong.is_empty());
        assert_eq!(check["text"], wrong.text);
        assert_eq!(
            (&check["digits"], &check["marks"]),
            (&cells(&wrong.digits), &cells(&wrong.marks))
        );
        for how in ["fill", "tidy"] {
            let mut expected = attempt.clone();
            if how == "fill" {
                expected.fill_marks();
            } else {
                expected.tidy_marks();
                assert_eq!(look["tidy"], json!(marks(&expected)));
            }
            let mut body = body.clone();
            body["how"] = how.into();
            let answer = page.post("/api/kenken/marks", &body).good();
            assert_eq!(answer["marks"], json!(marks(&expected)), "{how} {grid}");
        }
    }
}

/// Follows the hints of the server to the end, and those of the library beside them.
fn solve_by_hints(page: &Page, puzzle: &Puzzle) {
    let id = keen::print(puzzle).unwrap();
    let mut attempt = Attempt::new(puzzle);
    loop {
        let answer = page.post("/api/kenken/hint", &held(&id, &attempt)).good();
        match attempt.hint(Level::Unreasonable, &Limits::NONE) {
            Hint::Deduction(deduction) => {
                assert_eq!(answer["kind"], "step");
                let texts: Vec<&str> =
                    (0..3).map(|stage| answer["stages"][stage]["text"].as_str().unwrap()).collect();
                let follows = &deduction.follows;
                assert_eq!(texts, [&*deduction.look.text, deduction.rule.advice(), &*follows.text]);
                assert_eq!(answer["look"], cells(&deduction.look.cells));
                assert_eq!(answer["because"], cells(&follows.because));
                let removed: Vec<(u64, u32)> = answer["removed"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|gone| {
                        let digits = gone["digits"].as_array().unwrap().iter();
                        let set =
                            digits.fold(0, |set, digit| set | 1 << (digit.as_u64().unwrap() - 1));
                        (gone["cell"].as_u64().unwrap(), set)
                    })
                    .collect();
                let expected: Vec<(u64, u32)> = follows
                    .removed
                    .iter()
                    .map(|(cell, Digits(gone))| (cell.index() as u64, *gone))
                    .collect();
                assert_eq!(removed, expected);
                attempt.follow(&deduction);
                let after = held(&id, &attempt);
                assert_eq!(answer["after"]["digits"], after["digits"]);
                assert_eq!(answer["after"]["marks"], after["marks"]);
            }
            Hint::Solved => {
                assert_eq!(answer["kind"], "solved");
                return;
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn hints_are_those_of_the_library_and_lead_to_the_solution() {
    let (_root, page) = page();
    for level in Level::ALL {
        let recipe = Recipe::new(Size::new(5).unwrap(), Some(level));
        for made in generate_batch(&recipe, 8, 0..2) {
            solve_by_hints(&page, &made.unwrap().puzzle);
        }
    }
    let puzzle = keen::parse(FOUR).unwrap();
    let wrong = Attempt::parse(&puzzle, "4.../..../..../....").unwrap();
    let answer = page.post("/api/kenken/hint", &held(FOUR, &wrong)).good();
    assert_eq!(answer, json!({ "kind": "wrong", "text": "4 in r1c1", "digits": [0], "marks": [] }));
    for (id, kind) in [("2:__b,a3a3", "stuck"), ("2:_b_,a3a3", "none")] {
        let puzzle = keen::parse(id).unwrap();
        let answer = page.post("/api/kenken/hint", &held(id, &Attempt::new(&puzzle))).good();
        assert_eq!(answer["kind"], kind);
    }
}

#[test]
fn puzzles_are_read_from_every_format() {
    let (_root, page) = page();
    let read = |text: &str| page.post("/api/kenken/read", &json!({ "text": text }));
    let puzzle = keen::parse(FOUR).unwrap();
    let drawing = kenken::drawing::print(&puzzle);
    let object = kenken::json::print(&puzzle, None, None);
    let several = format!("# two\n{FOUR}\n\n2:__b,a3a3\n");
    let drawings = format!("{drawing}\n---\n{drawing}");
    for (text, ids) in [
        (FOUR, vec![FOUR]),
        (&drawing, vec![FOUR]),
        (&object, vec![FOUR]),
        (&several, vec![FOUR, "2:__b,a3a3"]),
        (&drawings, vec![FOUR, FOUR]),
    ] {
        let answer = read(text).good();
        assert_eq!(answer["ids"], json!(ids), "{text}");
        assert_eq!(answer["puzzle"]["id"], FOUR);
    }
    // What a game ID cannot express comes back as JSON, which is an id as well.
    let hidden = "AA\nBB\n\nA 3?\nB 3+\n";
    let answer = read(hidden).good();
    let id = answer["puzzle"]["id"].as_str().unwrap();
    assert!(id.starts_with('{'), "{id}");
    assert_eq!(page.json(&format!("/api/kenken/puzzle?id={}", encoded(id))), answer["puzzle"]);
    for (text, said) in [
        ("", "there is no puzzle in this text"),
        ("# nothing\n", "there is no puzzle in this text"),
        ("4:xyz", "line 1: "),
        (&format!("{FOUR}\n4:xyz"), "line 2: "),
        ("AA\nBB\n\nA 3+\n", "cage B has no clue"),
        ("{\"v\":1}", "line 1: "),
    ] {
        let refused = read(text).refused(400);
        assert!(refused.starts_with(said), "{text}: {refused}");
    }
}

#[test]
fn new_puzzles_are_those_of_their_seed() {
    let (_root, page) = page();
    for (level, seed) in [(Some(Level::Easy), 1), (Some(Level::Hard), u64::MAX), (None, 7)] {
        let wanted = json!({
            "size": 5, "level": level.map(Level::name), "seed": seed.to_string(), "count": 3,
        });
        let mut lines = page.post("/api/kenken/new", &wanted).lines();
        assert_eq!(lines.pop(), Some(json!({ "done": true })));
        let made: Vec<&Value> = lines.iter().filter_map(|line| line.get("puzzle")).collect();
        let recipe = Recipe::new(Size::new(5).unwrap(), level);
        let expected = generate_batch(&recipe, seed, 0..3);
        assert_eq!(made.len(), expected.len());
        for (made, expected) in made.iter().zip(expected) {
            let puzzle = expected.unwrap().puzzle;
            assert_eq!(made["id"], keen::print(&puzzle).unwrap());
            assert_eq!(made["grade"], grade(&puzzle, &Limits::NONE).name());
        }
    }
    let wanted = json!({ "size": 4, "seed": "1", "operators": "multiply" });
    let lines = page.post("/api/kenken/new", &wanted).lines();
    let cages = lines.iter().find_map(|line| line.get("puzzle")).unwrap()["cages"].clone();
    let words = |cage: &Value| cage["words"].as_str().unwrap().to_owned();
    let is_product =
        |cage: &Value| words(cage).starts_with("product") || words(cage).starts_with("given");
    assert!(cages.as_array().unwrap().iter().all(is_product), "{cages}");
    // Nothing with this size and level exists, and the stream says so.
    let wanted = json!({ "size": 2, "level": "unreasonable", "seed": "1" });
    let lines = page.post("/api/kenken/new", &wanted).lines();
    assert!(lines.last().unwrap()["error"].as_str().unwrap().contains("no puzzle"), "{lines:?}");
}

#[test]
fn whoever_goes_away_stops_the_work() {
    let root = tempfile::tempdir().unwrap();
    // One stream at a time: the second one waits until the first has stopped.
    let page = Page::of(root.path());
    let wanted =
        json!({ "size": 16, "level": "unreasonable", "seed": "1", "count": 60 }).to_string();
    let begin = || {
        let mut stream = page.connect();
        write!(
            stream,
            "POST /api/kenken/new HTTP/1.1\r\nHost: {}\r\nX-Everyply-Key: {}\r\nContent-Type: \
             application/json\r\nContent-Length: {}\r\n\r\n{wanted}",
            page.address,
            page.key,
            wanted.len()
        )
        .unwrap();
        let mut reader = BufReader::new(stream);
        let mut line = String::new();
        // The head and a line of progress show that the work has begun.
        while !line.contains("drafts") {
            line.clear();
            assert!(reader.read_line(&mut line).unwrap() > 0, "the stream ended");
        }
        reader
    };
    // Far more streams than the server runs at a time: each has to end when its client goes.
    for _ in 0..24 {
        drop(begin());
    }
    let began = Instant::now();
    let answer = page.post("/api/kenken/new", &json!({ "size": 4, "level": "easy", "seed": "1" }));
    assert_eq!(answer.lines().last(), Some(&json!({ "done": true })));
    assert!(began.elapsed() < Duration::from_secs(60), "the work went on");
}

#[test]
fn a_sheet_is_a_pdf_of_its_puzzles() {
    let (_root, page) = page();
    let recipe = Recipe::new(Size::new(4).unwrap(), Some(Level::Easy));
    let ids: Vec<String> = generate_batch(&recipe, 2, 0..7)
        .into_iter()
        .map(|made| keen::print(&made.unwrap().puzzle).unwrap())
        .collect();
    for solutions in [false, true] {
        let body = json!({ "ids": ids, "title": "Sunday", "solutions": solutions, "columns": 2 });
        let answer = page.post("/api/kenken/sheet", &body);
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/pdf")));
        assert_eq!(answer.body, expected_pdf(&ids, solutions));
    }
    for (body, said) in [
        (json!({ "ids": [], "columns": 2 }), "a sheet has 1 to 60 puzzles"),
        (json!({ "ids": [FOUR], "columns": 9 }), "a page has 1 to 4 columns"),
        (json!({ "ids": ["x"], "columns": 1 }), "this is not a puzzle: "),
    ] {
        let refused = page.post("/api/kenken/sheet", &body).refused(400);
        assert!(refused.starts_with(said), "{refused}");
    }
}

/// The same document, made with the libraries.
fn expected_pdf(ids: &[String], with_solutions: bool) -> Vec<u8> {
    let puzzles: Vec<Puzzle> = ids.iter().map(|id| keen::parse(id).unwrap()).collect();
    let solve = |puzzle| Solver::new().count(puzzle, 2, &Limits::NONE).first.unwrap();
    let solutions: Vec<_> = puzzles.iter().map(solve).collect();
    let entries: Vec<kenken::sheet::Entry<'_>> = puzzles
        .iter()
        .zip(ids)
        .zip(&solutions)
        .map(|((puzzle, id), solution)| kenken::sheet::Entry {
            puzzle,
            solution: with_solutions.then_some(solution),
            caption: "4x4, easy",
            id,
        })
        .collect();
    let layout = kenken::sheet::Layout {
        title: "Sunday",
        paper: kenken::sheet::Paper::A4,
        columns: 2,
        rows: None,
        solutions: kenken::sheet::Solutions::End,
    };
    let pages = kenken::sheet::pages(&layout, &entries);
    pictures::pdf(&pages.iter().map(String::as_str).collect::<Vec<_>>()).unwrap()
}

#[test]
fn the_solution_is_the_solution() {
    let (_root, page) = page();
    let answer = page.json(&format!("/api/kenken/solution?id={}", encoded(FOUR)));
    assert_eq!(answer["digits"], json!([3, 1, 4, 2, 1, 4, 2, 3, 2, 3, 1, 4, 4, 2, 3, 1]));
    let none = page.get(&format!("/api/kenken/solution?id={}", encoded("2:_b_,a3a3")));
    assert_eq!(none.refused(404), "the puzzle has no solution");
    assert_eq!(grade(&keen::parse(FOUR).unwrap(), &Limits::NONE), Grade::Level(Level::Easy));
}

#[test]
fn what_is_not_right_gets_a_sentence() {
    let (_root, page) = page();
    let bad = [
        (
            "/api/kenken/look",
            json!({ "id": "x", "digits": [], "marks": [] }),
            "this is not a puzzle",
        ),
        (
            "/api/kenken/look",
            json!({ "id": FOUR, "digits": [], "marks": [] }),
            "0 cells, expected 16",
        ),
        (
            "/api/kenken/hint",
            json!({ "id": FOUR, "digits": [9, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], "marks": vec![json!([]); 16] }),
            "r1c1: 9 is not a digit of this grid",
        ),
        ("/api/kenken/check", json!({ "id": FOUR }), "the request is not right"),
        ("/api/kenken/new", json!({ "size": 40, "seed": "1" }), "a new puzzle has 2 to 16 rows"),
        ("/api/kenken/new", json!({ "size": 4, "seed": "x" }), "the seed 'x' is not"),
        (
            "/api/kenken/new",
            json!({ "size": 4, "seed": "1", "level": "mild" }),
            "'mild' is not a level",
        ),
        ("/api/kenken/new", json!({ "size": 4, "seed": "1", "count": 0 }), "1 to 60 puzzles"),
    ];
    for (path, body, said) in bad {
        let refused = page.post(path, &body).refused(400);
        assert!(refused.contains(said), "{path} {body}: {refused}");
    }
    let refused = page.get("/api/kenken/puzzle?id=5%3A").refused(400);
    assert!(refused.starts_with("this is not a puzzle: "), "{refused}");
}
