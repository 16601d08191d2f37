//! The candidates that remain when rules are applied without guesses.

use crate::{
    board::{Board, Deduced, Statistics},
    grid::{Digits, Line},
    puzzle::Puzzle,
    rule::{Rule, RuleSet},
};

/// The order in which rules are applied. Both orders reach the same fixpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Only to what has changed since the rule was last applied.
    Queues,
    /// To everything, repeatedly until nothing changes. This is the slow and obvious version.
    Rescan,
}

/// The candidates of every cell when no rule removes any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixpoint {
    /// The candidates in row-major order; `None` if the rules found a contradiction.
    pub candidates: Option<Vec<Digits>>,
    /// Counters of the work done.
    pub statistics: Statistics,
}

impl Fixpoint {
    /// Applies rules to a puzzle until none of them removes anything. [`Rule::Trial`] is not
    /// applied.
    pub fn of(puzzle: &Puzzle, rules: RuleSet, schedule: Schedule) -> Fixpoint {
        let mut board = Board::new();
        let deduced = board.load(puzzle, rules).and_then(|()| match schedule {
            Schedule::Queues => board.propagate(),
            Schedule::Rescan => board.rescan(),
        });
        let candidates = deduced.map(|()| board.domains.iter().copied().map(Digits).collect());
        Fixpoint { candidates: candidates.ok(), statistics: board.statistics }
    }

    /// Whether every cell has one candidate.
    pub fn is_solved(&self) -> bool {
        self.candidates.as_ref().is_some_and(|cells| cells.iter().all(|cell| cell.is_single()))
    }
}

impl Board {
    /// Applies every rule to everything until a whole round changes nothing.
    fn rescan(&mut self) -> Deduced {
        loop {
            let before = self.domains.clone();
            for line in Line::all(self.size) {
                self.singles(line)?;
            }
            for cage in 0..self.cages.len() {
                self.revise_cage(cage)?;
            }
            if self.rules.contains(Rule::MustAppear) {
                for cage in 0..self.cages.len() {
                    self.must_appear(cage)?;
                }
            }
            if self.rules.contains(Rule::LineSet) {
                for line in Line::all(self.size) {
                    self.line_sets(line)?;
                }
            }
            if self.rules.contains(Rule::Fish) {
                for digit in 0..self.side {
                    self.fish(digit)?;
                }
            }
            if self.rules.contains(Rule::Chain) {
                self.chains()?;
            }
            self.statistics.passes += 1;
            if self.domains == before {
                return Ok(());
            }
        }
    }
}
