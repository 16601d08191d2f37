//! What rules alone leave of a puzzle, without any guess.

use crate::{
    board::{Board, Deduced, Statistics},
    grid::{Digits, Line},
    puzzle::Puzzle,
    rule::{Rule, RuleSet},
};

/// In which order rules are applied; both reach the same fixpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Only to what changed since a rule last looked.
    Queues,
    /// To everything, again and again until nothing changes: the slow, obvious twin.
    Rescan,
}

/// The candidates of every cell once no rule removes any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixpoint {
    /// The candidates in reading order; `None` if the rules found a contradiction.
    pub candidates: Option<Vec<Digits>>,
    /// What the work came to.
    pub statistics: Statistics,
}

impl Fixpoint {
    /// Applies these rules to a puzzle as far as they go. [`Rule::Trial`] is left out.
    pub fn of(puzzle: &Puzzle, rules: RuleSet, schedule: Schedule) -> Fixpoint {
        let mut board = Board::new();
        let deduced = board.load(puzzle, rules).and_then(|()| match schedule {
            Schedule::Queues => board.propagate(),
            Schedule::Rescan => board.rescan(),
        });
        let candidates = deduced.map(|()| board.domains.iter().copied().map(Digits).collect());
        Fixpoint { candidates: candidates.ok(), statistics: board.statistics }
    }

    /// Whether every cell is down to one digit.
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
            for pen in 0..self.pens.len() {
                self.revise_cage(pen)?;
            }
            if self.rules.has(Rule::MustAppear) {
                for pen in 0..self.pens.len() {
                    self.must_appear(pen)?;
                }
            }
            if self.rules.has(Rule::LineSet) {
                for line in Line::all(self.size) {
                    self.line_sets(line)?;
                }
            }
            if self.rules.has(Rule::Fish) {
                for digit in 0..self.side {
                    self.fish(digit)?;
                }
            }
            if self.rules.has(Rule::Chain) {
                self.chains()?;
            }
            self.statistics.passes += 1;
            if self.domains == before {
                return Ok(());
            }
        }
    }
}
