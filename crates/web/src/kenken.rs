//! KenKen on the page: puzzles, what clashes in a half-filled grid, hints in stages, new puzzles,
//! sheets for print.

mod making;
mod reading;
mod shape;

use std::time::{Duration, Instant};

use axum::{
    Json, Router,
    extract::State,
    routing::{get, post},
};
use kenken::{Attempt, Hint, Level, Limits, Puzzle, Solver};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::{
    app::App,
    asked::{Posted, Query},
    config::Config,
    refusal::Refusal,
};

/// What requests share: how long a puzzle is solved or graded for one of them.
pub(crate) struct Room {
    patience: Duration,
}

impl Room {
    pub(crate) fn new(_: &Config) -> Room {
        Room { patience: PATIENCE }
    }
}

/// The routes below `/api/kenken`.
pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/api/kenken/puzzle", get(puzzle))
        .route("/api/kenken/read", post(read))
        .route("/api/kenken/look", post(look))
        .route("/api/kenken/marks", post(marks))
        .route("/api/kenken/check", post(check))
        .route("/api/kenken/hint", post(hint))
        .route("/api/kenken/solution", get(solution))
        .merge(making::routes())
}

/// How long a puzzle is solved or graded.
const PATIENCE: Duration = Duration::from_secs(5);

fn limits(patience: Duration) -> Limits {
    Limits { nodes: None, deadline: Some(Instant::now() + patience) }
}

#[derive(Deserialize)]
struct Named {
    id: String,
}

#[derive(Deserialize)]
struct Written {
    text: String,
}

/// A half-filled grid: digits and marks in row-major order.
#[derive(Deserialize)]
struct Held {
    id: String,
    digits: Vec<Option<u8>>,
    marks: Vec<Vec<u8>>,
}

impl Held {
    fn attempt<'a>(&self, puzzle: &'a Puzzle) -> Result<Attempt<'a>, Refusal> {
        Attempt::from_parts(puzzle, &self.digits, &self.marks).map_err(Refusal::bad)
    }
}

/// One puzzle by its id, graded.
async fn puzzle(State(app): State<App>, Query(named): Query<Named>) -> Answer {
    let puzzle = reading::one(&named.id)?;
    let patience = app.kenken.patience;
    app.compute(move || Json(shape::graded(&puzzle, &limits(patience)))).await
}

/// The puzzles of a text or a file: game IDs, JSON or drawings.
async fn read(State(app): State<App>, Posted(written): Posted<Written>) -> Answer {
    let patience = app.kenken.patience;
    app.compute(move || {
        let puzzles = reading::all(&written.text)?;
        let first = shape::graded(&puzzles[0], &limits(patience));
        let ids: Vec<String> = puzzles.iter().map(shape::id).collect();
        Ok(Json(json!({ "ids": ids, "puzzle": first })))
    })
    .await?
}

/// What a player sees at a glance: which cells clash, and whether the puzzle is solved. Marks come
/// back tidied, for those who want that done by itself.
async fn look(Posted(held): Posted<Held>) -> Answer {
    let puzzle = reading::one(&held.id)?;
    let mut attempt = held.attempt(&puzzle)?;
    let clashes: Vec<Value> = attempt
        .clashes()
        .iter()
        .map(
            |clash| json!({ "cells": shape::cells(&clash.cells), "text": clash.fault.to_string() }),
        )
        .collect();
    let left = attempt.cells().filter(|&cell| attempt.digit(cell).is_none()).count();
    let is_solved = attempt.is_solved();
    attempt.tidy_marks();
    Ok(Json(json!({
        "clashes": clashes,
        "left": left,
        "solved": is_solved,
        "tidy": shape::marks(&attempt),
    })))
}

#[derive(Deserialize)]
struct Marking {
    #[serde(flatten)]
    held: Held,
    how: How,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum How {
    Fill,
    Tidy,
}

/// All marks filled in, or tidied up.
async fn marks(Posted(marking): Posted<Marking>) -> Answer {
    let puzzle = reading::one(&marking.held.id)?;
    let mut attempt = marking.held.attempt(&puzzle)?;
    match marking.how {
        How::Fill => attempt.fill_marks(),
        How::Tidy => attempt.tidy_marks(),
    }
    Ok(Json(json!({ "marks": shape::marks(&attempt) })))
}

/// Whether everything so far is right.
async fn check(State(app): State<App>, Posted(held): Posted<Held>) -> Answer {
    let patience = app.kenken.patience;
    app.compute(move || {
        let puzzle = reading::one(&held.id)?;
        let wrong = held.attempt(&puzzle)?.wrong(&limits(patience));
        let wrong = wrong.ok_or_else(|| Refusal::bad(UNSETTLED))?;
        Ok(Json(json!({
            "right": wrong.is_empty(),
            "digits": shape::cells(&wrong.digits),
            "marks": shape::cells(&wrong.marks),
            "text": wrong.text,
        })))
    })
    .await?
}

const UNSETTLED: &str = "the puzzle could not be solved in time, so this is unknown";

/// The next hint.
async fn hint(State(app): State<App>, Posted(held): Posted<Held>) -> Answer {
    let patience = app.kenken.patience;
    app.compute(move || {
        let puzzle = reading::one(&held.id)?;
        let attempt = held.attempt(&puzzle)?;
        let end = |kind: &str, text: &str| json!({ "kind": kind, "text": text });
        Ok(Json(match attempt.hint(Level::Unreasonable, &limits(patience)) {
            Hint::Wrong(wrong) => json!({
                "kind": "wrong",
                "text": wrong.text,
                "digits": shape::cells(&wrong.digits),
                "marks": shape::cells(&wrong.marks),
            }),
            Hint::Deduction(deduction) => shape::deduction(&attempt, &deduction),
            Hint::Solved => end("solved", "the puzzle is solved"),
            Hint::Stuck => end("stuck", "no rule leads on: the puzzle has several solutions"),
            Hint::NoSolution => end("none", "the puzzle has no solution"),
            Hint::Unsettled => end("unsettled", UNSETTLED),
        }))
    })
    .await?
}

/// The solution, for those who give up.
async fn solution(State(app): State<App>, Query(named): Query<Named>) -> Answer {
    let patience = app.kenken.patience;
    let puzzle = reading::one(&named.id)?;
    app.compute(move || {
        let count = Solver::new().count(&puzzle, 1, &limits(patience));
        match count.first {
            Some(solution) => Ok(Json(json!({ "digits": solution.digits() }))),
            None if count.complete => Err(Refusal::missing("the puzzle has no solution")),
            None => Err(Refusal::bad(UNSETTLED)),
        }
    })
    .await?
}

/// What a page without a server knows of one puzzle of a text, by its number from 1: the puzzle,
/// its solution, and the hints from the empty grid to the end.
pub(crate) fn answers(
    name: &str,
    text: &[u8],
    number: u64,
) -> Result<serde_json::Map<String, Value>, Refusal> {
    let text = String::from_utf8_lossy(text);
    let puzzles = reading::all(&text).map_err(|refusal| Refusal {
        message: format!("{name}: {}", refusal.message),
        ..refusal
    })?;
    let puzzle =
        usize::try_from(number).ok().and_then(|number| puzzles.get(number.checked_sub(1)?));
    let missing = || {
        Refusal::missing(format_args!(
            "{name} has {} puzzles, but no number {number}",
            puzzles.len()
        ))
    };
    let puzzle = puzzle.ok_or_else(missing)?;
    let unsolved = || Refusal::bad(format_args!("{name}: the puzzle has no solution"));
    let solution = Solver::new().count(puzzle, 1, &limits(PATIENCE)).first.ok_or_else(unsolved)?;
    let mut attempt = Attempt::new(puzzle);
    let mut steps = Vec::new();
    while let Hint::Deduction(deduction) = attempt.hint(Level::Unreasonable, &limits(PATIENCE)) {
        steps.push(shape::step(&attempt, &deduction));
        attempt.follow(&deduction);
    }
    Ok(serde_json::Map::from_iter([
        ("/api/kenken/puzzle".to_owned(), shape::graded(puzzle, &limits(PATIENCE))),
        ("/api/kenken/solution".to_owned(), json!({ "digits": solution.digits() })),
        ("/api/kenken/steps".to_owned(), json!({ "steps": steps })),
    ]))
}

/// What most routes give.
type Answer = Result<Json<Value>, Refusal>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_without_a_server_has_all_steps_to_the_solution() {
        let text = "# two\n2:__b,a3a3\n4:_a_7a4_a3,a4a5s1s1d2d2m4m6\n";
        let answers = answers("my.txt", text.as_bytes(), 2).unwrap();
        assert_eq!(answers["/api/kenken/puzzle"]["level"], "easy");
        let solution = answers["/api/kenken/solution"]["digits"].as_array().unwrap();
        let mut digits = vec![Value::Null; 16];
        for step in answers["/api/kenken/steps"]["steps"].as_array().unwrap() {
            for placed in step["placed"].as_array().unwrap() {
                let cell = placed["cell"].as_u64().unwrap() as usize;
                assert_eq!(digits[cell], Value::Null);
                digits[cell] = placed["digit"].clone();
            }
            for left in step["left"].as_array().unwrap() {
                let cell = left["cell"].as_u64().unwrap() as usize;
                let marks = left["digits"].as_array().unwrap();
                assert!(marks.contains(&solution[cell]) || digits[cell] == solution[cell]);
            }
        }
        assert_eq!(&digits, solution);
        let refused = super::answers("my.txt", text.as_bytes(), 3).unwrap_err();
        assert_eq!(refused.message, "my.txt has 2 puzzles, but no number 3");
        let refused = super::answers("my.txt", b"nothing: here", 1).unwrap_err();
        assert!(refused.message.starts_with("my.txt: line 1: "), "{}", refused.message);
    }
}
