//! Hints in three stages for a half-filled grid: where to look, which rule, what follows.

use crate::{
    attempt::{Attempt, Wrong},
    explain::{Explainer, Next, Step},
    grid::{Cell, Digits, Line},
    rule::{Level, Rule},
    search::Limits,
    words,
};

/// The next hint for an attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// Digits or marks that no solution has. They come before any deduction, which would be
    /// misleading.
    Wrong(Wrong),
    /// A deduction.
    Deduction(Deduction),
    /// There is none, because the puzzle is solved.
    Solved,
    /// No rule of this level applies. At the highest level, the puzzle has several solutions.
    Stuck,
    /// There is none, because the puzzle has no solution.
    NoSolution,
    /// Unknown, because a limit was reached.
    Unsettled,
}

/// A deduction in three stages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Deduction {
    /// Where to look.
    pub look: Look,
    /// Which rule helps. [`Rule::advice`] says it in words.
    pub rule: Rule,
    /// What follows: the marks that it removes, the digits that it places, and the words.
    pub follows: Step,
}

/// Where to look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// The cells to look at.
    pub cells: Vec<Cell>,
    /// The cage, if one is to be looked at.
    pub cage: Option<usize>,
    /// The row or column, if one is to be looked at.
    pub line: Option<Line>,
    /// The place in words.
    pub text: String,
}

impl Attempt<'_> {
    /// The next hint with the rules of a level, the simplest rule first. Wrong digits are named
    /// before anything else.
    pub fn hint(&self, level: Level, limits: &Limits) -> Hint {
        match self.wrong(limits) {
            None => Hint::Unsettled,
            Some(wrong) if !wrong.is_empty() => Hint::Wrong(wrong),
            Some(_) => self.deduce(level, limits),
        }
    }

    /// The hints up to the next digit, in order. All of them are deductions, and only the last one
    /// places a digit; if none can be placed, the last one says why.
    pub fn hints_to_digit(&self, level: Level, limits: &Limits) -> Vec<Hint> {
        let mut hints = Vec::new();
        let mut attempt = self.clone();
        let mut next = self.hint(level, limits);
        while let Hint::Deduction(deduction) = &next
            && deduction.follows.placed.is_empty()
        {
            attempt.follow(deduction);
            let following = attempt.deduce(level, limits);
            hints.push(std::mem::replace(&mut next, following));
        }
        hints.push(next);
        hints
    }

    /// Does what a hint says: removes the marks and fills in the digits. A cell without marks first
    /// gets those that its row and column leave.
    pub fn follow(&mut self, deduction: &Deduction) {
        self.apply(&deduction.follows);
    }

    /// Does what a step says, as [`follow`](Attempt::follow) does.
    pub fn apply(&mut self, step: &Step) {
        let candidates = self.candidates();
        for &(cell, gone) in &step.removed {
            self.mark(cell, Digits(candidates[cell.index()].0 & !gone.0));
        }
        for &(cell, digit) in &step.placed {
            self.place(cell, Some(digit));
            self.mark(cell, Digits::NONE);
        }
    }

    /// The next deduction of an attempt in which nothing is wrong.
    fn deduce(&self, level: Level, limits: &Limits) -> Hint {
        if self.is_solved() {
            return Hint::Solved;
        }
        let candidates = self.candidates();
        let mut empty = self.cells().filter(|cell| self.digit(*cell).is_none());
        if let Some(cell) = empty.find(|cell| candidates[cell.index()].is_single()) {
            let follows = self.last_candidate(cell, candidates[cell.index()]);
            return Hint::Deduction(self.stage(follows));
        }
        match Explainer::from_notes(self.puzzle(), &candidates).within(*limits).next(level) {
            Next::Step(step) => Hint::Deduction(self.stage(step)),
            Next::Solved => Hint::Solved,
            Next::Stuck => Hint::Stuck,
            Next::Contradiction => Hint::NoSolution,
            Next::Unsettled => Hint::Unsettled,
        }
    }

    /// The step that fills in the only candidate of a cell.
    fn last_candidate(&self, cell: Cell, last: Digits) -> Step {
        let gone = Digits(self.noted(cell).0 & !last.0);
        let size = self.puzzle().size();
        let rules_out = |other: &Cell| {
            let rank = self.digit(*other).and_then(|digit| self.rank(digit));
            other.sees(cell, size) && rank.is_some_and(|rank| gone.contains(rank))
        };
        let because: Vec<Cell> = self.cells().filter(rules_out).collect();
        let digit = self.digit_of(last.lowest().expect("it is a single candidate"));
        let mut step = Step {
            rule: Rule::NakedSingle,
            cage: None,
            line: None,
            because,
            removed: vec![(cell, gone)],
            placed: vec![(cell, digit)],
            text: String::new(),
        };
        step.text = words::last_candidate(self.puzzle(), &step, self.marks(cell));
        step
    }

    fn stage(&self, follows: Step) -> Deduction {
        let size = self.puzzle().size();
        let cells: Vec<Cell> = match (follows.rule, follows.cage, follows.line) {
            (_, Some(cage), _) => self.puzzle().cage(cage).cells.to_vec(),
            (Rule::NakedSingle, ..) => follows.placed.iter().map(|placed| placed.0).collect(),
            (_, None, Some(line)) => line.cells(size).collect(),
            (_, None, None) => follows.because.clone(),
        };
        let text = words::look(self.puzzle(), &follows);
        let look = Look { cells, cage: follows.cage, line: follows.line, text };
        Deduction { look, rule: follows.rule, follows }
    }
}
