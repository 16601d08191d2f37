//! Grading: the lowest level whose rules solve a puzzle.

use crate::board::Board;
use crate::puzzle::Puzzle;
use crate::rule::Level;
use crate::search::Limits;
use crate::solver::Solver;

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

/// Grades a puzzle: from the lowest level upward, the first whose rules alone place every
/// digit. What only trial solves is unreasonable, if the solution is the only one.
pub fn grade(puzzle: &Puzzle, limits: &Limits) -> Grade {
    let mut board = Board::new();
    for level in &Level::ALL[..4] {
        match deduced(&mut board, puzzle, *level) {
            Deduction::Solved => return Grade::Level(*level),
            Deduction::Contradiction => return Grade::NoSolution,
            Deduction::Stuck => {}
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

/// How far the rules of a level go without a guess.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deduction {
    /// Every digit is placed, and rules are sound, so this is the only solution.
    Solved,
    /// No rule removes anything more.
    Stuck,
    /// Some cell has no digit left.
    Contradiction,
}

/// Applies the rules of a level below the last to a puzzle.
pub(crate) fn deduced(board: &mut Board, puzzle: &Puzzle, level: Level) -> Deduction {
    if board.load(puzzle, level.rules()).is_err() || board.settle().is_err() {
        Deduction::Contradiction
    } else if board.is_placed() {
        Deduction::Solved
    } else {
        Deduction::Stuck
    }
}
