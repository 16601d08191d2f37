//! Puzzles, marks and hints as the page gets them.

use kenken::{
    Attempt, Cell, Clue, Deduction, Grade, Limits, Operator, Puzzle, grade, json as text, keen,
};
use serde_json::{Value, json};

/// The id of a puzzle: its game ID, or JSON for what a game ID cannot express.
pub(super) fn id(puzzle: &Puzzle) -> String {
    keen::print(puzzle).unwrap_or_else(|_| text::print(puzzle, None, None))
}

/// A puzzle with its level.
pub(super) fn graded(puzzle: &Puzzle, limits: &Limits) -> Value {
    described(puzzle, grade(puzzle, limits))
}

/// A puzzle whose level is known.
pub(super) fn described(puzzle: &Puzzle, grade: Grade) -> Value {
    let size = puzzle.size();
    let cages: Vec<Value> = puzzle
        .cages()
        .map(|cage| {
            let clue = format!("{}{}", cage.clue.target, cage.clue.operator.print_sign());
            json!({ "clue": clue, "words": words(cage.clue), "cells": cells(cage.cells) })
        })
        .collect();
    let level = match grade {
        Grade::Level(level) => Some(level.name()),
        _ => None,
    };
    json!({
        "id": id(puzzle),
        "size": size.side(),
        "lowest": puzzle.rules().lowest_digit(),
        "level": level,
        "grade": grade.name(),
        "cages": cages,
        "cage_of": puzzle.cage_map(),
    })
}

/// A clue as it is said.
fn words(clue: Clue) -> String {
    let Clue { operator, target } = clue;
    match operator {
        Operator::Given => format!("given {target}"),
        Operator::Add => format!("sum {target}"),
        Operator::Subtract => format!("difference {target}"),
        Operator::Multiply => format!("product {target}"),
        Operator::Divide => format!("quotient {target}"),
        Operator::Unknown => format!("{target} by a hidden operation"),
    }
}

/// Cells as their indices.
pub(super) fn cells(cells: &[Cell]) -> Vec<usize> {
    cells.iter().map(|cell| cell.index()).collect()
}

/// The digits of an attempt.
pub(super) fn digits(attempt: &Attempt<'_>) -> Vec<Option<u8>> {
    attempt.cells().map(|cell| attempt.digit(cell)).collect()
}

/// The marks of an attempt, as digits.
pub(super) fn marks(attempt: &Attempt<'_>) -> Vec<Vec<u8>> {
    let lowest = attempt.puzzle().rules().lowest_digit() as u8;
    let marks = |cell| attempt.marks(cell).ranks().map(|rank| rank as u8 + lowest).collect();
    attempt.cells().map(marks).collect()
}

/// A hint in three stages, and the grid after it was followed.
pub(super) fn deduction(attempt: &Attempt<'_>, deduction: &Deduction) -> Value {
    let mut after = attempt.clone();
    after.follow(deduction);
    let mut shown = stages(attempt, deduction);
    shown["after"] = json!({ "digits": digits(&after), "marks": marks(&after) });
    shown
}

/// A hint as a step that a page without a server can follow: with the marks that it leaves.
pub(super) fn step(attempt: &Attempt<'_>, deduction: &Deduction) -> Value {
    let mut after = attempt.clone();
    after.follow(deduction);
    let marks = marks(&after);
    let left = deduction.follows.removed.iter().map(|(cell, _)| cell.index());
    let left: Vec<Value> =
        left.map(|cell| json!({ "cell": cell, "digits": marks[cell] })).collect();
    let mut shown = stages(attempt, deduction);
    shown["left"] = left.into();
    shown
}

fn stages(attempt: &Attempt<'_>, deduction: &Deduction) -> Value {
    let Deduction { look, rule, follows } = deduction;
    let lowest = attempt.puzzle().rules().lowest_digit() as usize;
    let removed: Vec<Value> = follows
        .removed
        .iter()
        .map(|(cell, gone)| {
            let digits: Vec<usize> = gone.ranks().map(|rank| rank + lowest).collect();
            json!({ "cell": cell.index(), "digits": digits })
        })
        .collect();
    let placed: Vec<Value> = follows
        .placed
        .iter()
        .map(|(cell, digit)| json!({ "cell": cell.index(), "digit": digit }))
        .collect();
    json!({
        "kind": "step",
        "stages": [
            { "title": "Where to look", "text": look.text },
            { "title": format!("Which rule: {}", rule.name()), "text": rule.advice() },
            { "title": "What follows", "text": follows.text },
        ],
        "rule": rule.name(),
        "look": cells(&look.cells),
        "cage": look.cage,
        "line": look.line.map(|line| line.name(attempt.puzzle().size())),
        "because": cells(&follows.because),
        "removed": removed,
        "placed": placed,
    })
}
