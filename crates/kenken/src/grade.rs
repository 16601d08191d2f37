//! Grading: the lowest level whose rules solve a puzzle.

use crate::{board::Board, puzzle::Puzzle, rule::Level, search::Limits, solver::Solver};

/// What grading found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// The puzzle has exactly one solution, and this is the lowest level that finds it.
    Level(Level),
    /// The puzzle has no solution.
    NoSolution,
    /// The puzzle has more than one solution, so no rule can find it.
    ManySolutions,
    /// A limit stopped the proof that the solution is the only one.
    Unknown,
}

impl Grade {
    /// The level's name, or in words why there is none.
    pub const fn name(self) -> &'static str {
        match self {
            Grade::Level(level) => level.name(),
            Grade::NoSolution => "no solution",
            Grade::ManySolutions => "many solutions",
            Grade::Unknown => "unknown",
        }
    }
}

/// Grades a puzzle: from the lowest level upward, the first whose rules alone place every
/// digit. What only trial solves is unreasonable, if the solution is the only one.
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
        // Rules are sound, so what they place is the only solution.
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
