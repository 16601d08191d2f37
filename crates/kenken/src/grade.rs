//! Grading: the lowest level whose rules solve a puzzle.

use crate::{board::Board, puzzle::Puzzle, rule::Level, search::Limits, solver::Solver};

/// The result of grading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// The puzzle has exactly one solution, and this is the lowest level whose rules find it.
    Level(Level),
    /// The puzzle has no solution.
    NoSolution,
    /// The puzzle has several solutions, so no rule can find one.
    ManySolutions,
    /// A limit stopped the proof that there is only one solution.
    Unknown,
}

impl Grade {
    /// The name of the level, or in words why there is none.
    pub const fn name(self) -> &'static str {
        match self {
            Grade::Level(level) => level.name(),
            Grade::NoSolution => "no solution",
            Grade::ManySolutions => "many solutions",
            Grade::Unknown => "unknown",
        }
    }
}

/// Grades a puzzle: the result is the lowest level whose rules place every digit. A puzzle that
/// only trial solves is unreasonable, if its solution is unique.
pub fn grade(puzzle: &Puzzle, limits: &Limits) -> Grade {
    let mut board = Board::new();
    if board.load(puzzle, Level::Easy.rules()).is_err() {
        return Grade::NoSolution;
    }
    for level in Level::ALL.into_iter().filter(|&level| level < Level::Unreasonable) {
        board.promote(level.rules());
        if board.settle().is_err() {
            return Grade::NoSolution;
        }
        // Rules are sound, so the digits that they place are the only solution.
        if board.is_placed() {
            return Grade::Level(level);
        }
    }
    let count = Solver::new().count(puzzle, 2, limits);
    match count.solutions {
        2.. => Grade::ManySolutions,
        _ if !count.complete => Grade::Unknown,
        1 => Grade::Level(Level::Unreasonable),
        _ => Grade::NoSolution,
    }
}
