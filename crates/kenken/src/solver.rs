//! Solutions of a puzzle: found, counted, listed, proved to be the only one.

use rayon::prelude::*;

use crate::board::{Board, Statistics};
use crate::puzzle::Puzzle;
use crate::rule::RuleSet;
use crate::search::{End, Limits, ValueOrder, search};
use crate::solution::Solution;

/// A count of solutions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// Solutions found, at most as many as were asked for.
    pub solutions: u64,
    /// Whether no limit stopped the count: either all solutions were found, or as many as
    /// were asked for.
    pub complete: bool,
    /// The first solution found.
    pub first: Option<Solution>,
    /// What the work came to.
    pub statistics: Statistics,
}

impl Count {
    /// Whether the puzzle has exactly one solution; `None` if a limit left that open, or the
    /// count was asked for fewer than two.
    pub fn unique(&self, asked: u64) -> Option<bool> {
        match self.solutions {
            2.. => Some(false),
            _ if !self.complete => None,
            1 if asked < 2 => None,
            solutions => Some(solutions == 1),
        }
    }
}

/// A solver with its memory, to be used for one puzzle after the other.
pub struct Solver {
    board: Board,
    rules: RuleSet,
    order: ValueOrder,
}

impl Default for Solver {
    fn default() -> Solver {
        Solver::new()
    }
}

impl Solver {
    /// A solver with the rules that pay for themselves.
    pub fn new() -> Solver {
        Solver { board: Board::new(), rules: RuleSet::SEARCH, order: ValueOrder::default() }
    }

    /// A solver that propagates by other rules. All rules are sound, so its answers are the
    /// same; its times are not.
    pub fn with_rules(rules: RuleSet) -> Solver {
        Solver { rules, ..Solver::new() }
    }

    /// The same solver trying digits in another order.
    pub fn trying(self, order: ValueOrder) -> Solver {
        Solver { order, ..self }
    }

    /// Counts the solutions of a puzzle, up to `most`.
    pub fn count(&mut self, puzzle: &Puzzle, most: u64, limits: &Limits) -> Count {
        let mut solutions = 0;
        let mut first = None;
        let end = self.each(puzzle, limits, &mut |board| {
            solutions += 1;
            if solutions == 1 {
                first = Some(Solution::new(puzzle.size(), board.digits()));
            }
            solutions < most
        });
        let complete = end != End::Limit;
        Count { solutions, complete, first, statistics: self.board.statistics }
    }

    /// Lists the solutions of a puzzle, up to `most`, and says whether no limit stopped it.
    pub fn solutions(
        &mut self,
        puzzle: &Puzzle,
        most: usize,
        limits: &Limits,
    ) -> (Vec<Solution>, bool) {
        let mut solutions = Vec::new();
        let end = self.each(puzzle, limits, &mut |board| {
            solutions.push(Solution::new(puzzle.size(), board.digits()));
            solutions.len() < most
        });
        (solutions, end != End::Limit)
    }

    fn each(
        &mut self,
        puzzle: &Puzzle,
        limits: &Limits,
        visit: &mut dyn FnMut(&Board) -> bool,
    ) -> End {
        let board = &mut self.board;
        if board.load(puzzle, self.rules).is_err() || board.settle().is_err() {
            return End::Exhausted;
        }
        search(board, self.order, limits, visit)
    }
}

/// Counts the solutions of many puzzles in parallel; the answers stand in the puzzles' order.
pub fn count_all(puzzles: &[Puzzle], most: u64, limits: &Limits) -> Vec<Count> {
    puzzles
        .par_iter()
        .map_init(Solver::new, |solver, puzzle| solver.count(puzzle, most, limits))
        .collect()
}
