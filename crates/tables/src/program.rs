//! The tables of the program itself: what it finds on a machine, and what its demo keeps.

use kenken::{Level, Puzzle};

use crate::{Cell, Table, count, kenken::id, text};

/// What is available on a machine.
pub static DOCTOR: Table =
    Table::new("doctor", &[text("name"), text("state"), text("detail"), text("advice")]);

/// The puzzles of the demo.
pub static DEMO_PUZZLES: Table = Table::new(
    "demo.puzzles",
    &[count("puzzle"), text("id"), count("size"), count("cages"), text("level"), count("steps")],
);

/// The deductions that solve them.
pub static DEMO_PUZZLE_STEPS: Table = Table::new(
    "demo.puzzle_steps",
    &[
        count("puzzle"),
        count("step"),
        text("rule"),
        count("open_cells"),
        count("candidates"),
        text("text"),
    ],
);

pub(crate) static TABLES: [&Table; 3] = [&DOCTOR, &DEMO_PUZZLES, &DEMO_PUZZLE_STEPS];

/// A row of [`DOCTOR`].
pub fn finding<'a>(
    name: &'a str,
    state: &'a str,
    detail: &'a str,
    advice: Option<&'a str>,
) -> [Cell<'a>; 4] {
    [name.into(), state.into(), detail.into(), advice.into()]
}

/// A row of [`DEMO_PUZZLES`]; the number counts from 1.
pub fn demo_puzzle(number: u64, puzzle: &Puzzle, level: Level, steps: u64) -> [Cell<'static>; 6] {
    [
        number.into(),
        id(puzzle, number).into(),
        (puzzle.size().side() as u64).into(),
        (puzzle.len() as u64).into(),
        level.name().into(),
        steps.into(),
    ]
}

/// A row of [`DEMO_PUZZLE_STEPS`]: a deduction by a rule, with the cells that were open before it
/// and the digits that were still possible there.
pub fn demo_puzzle_step<'a>(
    puzzle: u64,
    step: u64,
    rule: &'a str,
    open_cells: u64,
    candidates: u64,
    text: &'a str,
) -> [Cell<'a>; 6] {
    [puzzle.into(), step.into(), rule.into(), open_cells.into(), candidates.into(), text.into()]
}
