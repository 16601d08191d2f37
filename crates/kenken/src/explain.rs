//! Hints and explanations: deductions one at a time, in words.

use crate::{
    board::{Board, Contradiction, Mark},
    grid::{Cell, Digits, Line},
    matching::Matching,
    puzzle::Puzzle,
    rule::{Level, Rule, RuleSet},
    search::{End, Limits, ValueOrder, search},
    words,
};

/// One deduction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its rule.
    pub rule: Rule,
    /// The cage it uses, if it uses one.
    pub cage: Option<usize>,
    /// The row or column it uses, if it uses one.
    pub line: Option<Line>,
    /// The cells it follows from.
    pub because: Vec<Cell>,
    /// The candidates it removes, as ranks.
    pub removed: Vec<(Cell, Digits)>,
    /// The cells it leaves with one candidate, and that candidate as a digit.
    pub placed: Vec<(Cell, u8)>,
    /// The deduction in words.
    pub text: String,
}

/// The result of looking for the next deduction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Next {
    /// A deduction.
    Step(Step),
    /// There is none, because every digit is placed.
    Solved,
    /// No rule of this level applies.
    Stuck,
    /// There is none, because some cell, line or cage has no possibility left.
    Contradiction,
    /// Unknown, because a limit was reached.
    Unsettled,
}

/// A puzzle being explained.
pub struct Explainer<'a> {
    pub(crate) puzzle: &'a Puzzle,
    pub(crate) board: Board,
    contradiction: bool,
    limits: Limits,
    /// Whether a limit was reached.
    is_spent: bool,
}

/// The rules in the order in which they are tried, each with the lowest level that has it.
const ORDER: [(Rule, Level); 9] = [
    (Rule::NakedSingle, Level::Easy),
    (Rule::HiddenSingle, Level::Easy),
    (Rule::CageDigits, Level::Easy),
    (Rule::CageCandidates, Level::Normal),
    (Rule::MustAppear, Level::Hard),
    (Rule::LineSet, Level::Hard),
    (Rule::Fish, Level::Extreme),
    (Rule::Chain, Level::Extreme),
    (Rule::Trial, Level::Unreasonable),
];

impl<'a> Explainer<'a> {
    /// Starts from the puzzle without notes.
    pub fn new(puzzle: &'a Puzzle) -> Explainer<'a> {
        Explainer::from_notes(puzzle, &vec![puzzle.size().digits(); puzzle.size().cells()])
    }

    /// Starts from the candidates that a player has noted: one set of ranks for each cell.
    ///
    /// # Panics
    ///
    /// Panics unless there is one set for each cell.
    pub fn from_notes(puzzle: &'a Puzzle, notes: &[Digits]) -> Explainer<'a> {
        assert_eq!(notes.len(), puzzle.size().cells(), "one set of candidates for each cell");
        let mut board = Board::new();
        board.lay_out(puzzle, Level::Extreme.rules());
        let mut contradiction = false;
        for (cell, &Digits(domain)) in notes.iter().enumerate() {
            contradiction |= board.restrict(cell, domain).is_err();
        }
        for cage in 0..board.cages.len() {
            board.list_fillings(cage);
        }
        Explainer { puzzle, board, contradiction, limits: Limits::NONE, is_spent: false }
    }

    /// Limits trial, the only rule that can take long. The limit of guesses applies to each trial,
    /// and the deadline to all of them together.
    pub fn within(self, limits: Limits) -> Explainer<'a> {
        Explainer { limits, ..self }
    }

    /// The candidates of every cell, as ranks.
    pub fn notes(&self) -> Vec<Digits> {
        self.board.domains.iter().copied().map(Digits).collect()
    }

    /// Makes the next deduction with the rules of a level, the simplest rule first.
    pub fn next(&mut self, level: Level) -> Next {
        if self.contradiction {
            return Next::Contradiction;
        }
        if self.board.is_placed() && self.check_placed() {
            return Next::Solved;
        }
        for (rule, _) in ORDER.into_iter().filter(|&(_, first)| first <= level) {
            match self.apply(rule) {
                Ok(Some(step)) => return Next::Step(step),
                Ok(None) if self.is_spent => return Next::Unsettled,
                Ok(None) => {}
                Err(Contradiction) => {
                    self.contradiction = true;
                    return Next::Contradiction;
                }
            }
        }
        Next::Stuck
    }

    fn check_placed(&self) -> bool {
        let grid = crate::solution::Solution::new(self.puzzle.size(), self.board.digits());
        crate::solution::check(self.puzzle, &grid).is_ok()
    }

    /// The first deduction with one rule.
    fn apply(&mut self, rule: Rule) -> Result<Option<Step>, Contradiction> {
        self.board.rules = RuleSet::NONE.with(rule);
        let size = self.puzzle.size();
        match rule {
            Rule::NakedSingle | Rule::HiddenSingle => {
                for line in Line::all(size) {
                    let step = self.at(rule, |board| board.singles(line))?;
                    if let Some(step) = step {
                        return Ok(Some(self.explain_single(step, line)));
                    }
                }
                Ok(None)
            }
            Rule::CageDigits | Rule::CageCandidates => self.apply_cages(rule),
            Rule::MustAppear => self.apply_must(),
            Rule::LineSet => self.apply_sets(),
            Rule::Fish => self.apply_fish(),
            Rule::Chain => self.apply_chain(),
            Rule::Trial => self.apply_trial(),
        }
    }

    /// Applies a rule and returns what it removed, if anything.
    fn at(
        &mut self,
        rule: Rule,
        work: impl FnOnce(&mut Board) -> Result<(), Contradiction>,
    ) -> Result<Option<Step>, Contradiction> {
        let mark = self.board.mark();
        work(&mut self.board)?;
        Ok(self.changes(rule, mark))
    }

    fn changes(&self, rule: Rule, mark: Mark) -> Option<Step> {
        let removed: Vec<(Cell, Digits)> = self.board.removed_since(mark);
        if removed.is_empty() {
            return None;
        }
        let lowest = self.puzzle.rules().lowest_digit() as u8;
        let placed = removed
            .iter()
            .map(|&(cell, _)| (cell, self.board.domains[cell.index()]))
            .filter(|(_, domain)| domain.is_power_of_two())
            .map(|(cell, domain)| (cell, domain.trailing_zeros() as u8 + lowest))
            .collect();
        Some(Step {
            rule,
            cage: None,
            line: None,
            because: Vec::new(),
            removed,
            placed,
            text: String::new(),
        })
    }

    fn explain_single(&self, mut step: Step, line: Line) -> Step {
        step.line = Some(line);
        let size = self.puzzle.size();
        match step.rule {
            Rule::NakedSingle => {
                let gone = step.removed.iter().fold(0, |gone, (_, digits)| gone | digits.0);
                step.because = line
                    .cells(size)
                    .filter(|cell| {
                        let domain = self.board.domains[cell.index()];
                        domain.is_power_of_two() && domain & gone != 0
                    })
                    .filter(|cell| !step.removed.iter().any(|(other, _)| other == cell))
                    .collect();
                step.text = words::naked_single(self.puzzle, &step, Digits(gone));
            }
            _ => {
                step.because = step.placed.iter().map(|&(cell, _)| cell).collect();
                step.text = words::hidden_single(self.puzzle, &step);
            }
        }
        step
    }

    fn apply_cages(&mut self, rule: Rule) -> Result<Option<Step>, Contradiction> {
        for cage in 0..self.board.cages.len() {
            if self.board.cages[cage].words == 0 && self.board.cells_of(cage).len() > 1 {
                // With fewer candidates it may now be small enough.
                self.board.list_fillings(cage);
            }
            let step = self.at(rule, |board| match board.cells_of(cage).len() {
                1 => board.place_given(cage),
                _ => board.revise_cage(cage),
            })?;
            if let Some(mut step) = step {
                step.cage = Some(cage);
                step.because = self.puzzle.cage(cage).cells.to_vec();
                step.text = words::cage(self.puzzle, &step, &self.board.domains);
                return Ok(Some(step));
            }
        }
        Ok(None)
    }

    fn apply_must(&mut self) -> Result<Option<Step>, Contradiction> {
        for cage in 0..self.board.cages.len() {
            let (from, to) = self.board.cages[cage].segments;
            for segment in from..to {
                let must = self.board.must_digits(cage, usize::from(segment));
                let line = self.board.segments[usize::from(segment)].line;
                let step =
                    self.at(Rule::MustAppear, |board| board.clear_line_outside(cage, line, must))?;
                if let Some(mut step) = step {
                    step.cage = Some(cage);
                    step.line = Some(line);
                    let cells = self.puzzle.cage(cage).cells.iter().copied();
                    let inside: Vec<Cell> = line.cells(self.puzzle.size()).collect();
                    step.because = cells.filter(|cell| inside.contains(cell)).collect();
                    step.text = words::must_appear(self.puzzle, &step);
                    return Ok(Some(step));
                }
            }
        }
        Ok(None)
    }

    fn apply_sets(&mut self) -> Result<Option<Step>, Contradiction> {
        let size = self.puzzle.size();
        for line in Line::all(size) {
            let cells: Vec<Cell> = line.cells(size).collect();
            let rows: Vec<u32> =
                cells.iter().map(|cell| self.board.domains[cell.index()]).collect();
            let Some((hall, digits)) = smallest_hall(&rows)? else { continue };
            let step = self.at(Rule::LineSet, |board| {
                for (place, cell) in cells.iter().enumerate() {
                    if hall >> place & 1 == 0 {
                        board.restrict(cell.index(), !digits)?;
                    }
                }
                Ok(())
            })?;
            if let Some(mut step) = step {
                step.line = Some(line);
                step.because = pick(&cells, hall);
                step.text = words::line_set(self.puzzle, &step, Digits(digits));
                return Ok(Some(step));
            }
        }
        Ok(None)
    }

    fn apply_fish(&mut self) -> Result<Option<Step>, Contradiction> {
        let size = self.puzzle.size();
        for digit in 0..size.side() {
            let rows = self.board.places_of(digit);
            let Some((hall, columns)) = smallest_hall(&rows[..size.side()])? else { continue };
            let step = self.at(Rule::Fish, |board| {
                for row in (0..size.side()).filter(|row| hall >> row & 1 == 0) {
                    for column in (0..size.side()).filter(|column| columns >> column & 1 == 1) {
                        board.restrict(Cell::at(row, column, size).index(), !(1 << digit))?;
                    }
                }
                Ok(())
            })?;
            if let Some(mut step) = step {
                let all: Vec<Cell> = (0..size.cells() as u16).map(Cell).collect();
                step.because = all
                    .into_iter()
                    .filter(|cell| hall >> cell.row(size) & 1 == 1)
                    .filter(|cell| self.board.domains[cell.index()] >> digit & 1 == 1)
                    .collect();
                step.text = words::fish(self.puzzle, &step, digit, hall, columns);
                return Ok(Some(step));
            }
        }
        Ok(None)
    }

    fn apply_chain(&mut self) -> Result<Option<Step>, Contradiction> {
        let Some(link) = self.board.first_chain() else { return Ok(None) };
        let step = self.at(Rule::Chain, |board| {
            for &cell in &link.targets {
                board.restrict(usize::from(cell), !link.digit)?;
            }
            Ok(())
        })?;
        Ok(step.map(|mut step| {
            step.because = link.path.iter().map(|&(cell, _)| Cell(cell)).collect();
            step.text = words::chain(self.puzzle, &link);
            step
        }))
    }

    /// Refutes a digit, with the other rules if possible, else by search.
    fn apply_trial(&mut self) -> Result<Option<Step>, Contradiction> {
        let mut open: Vec<usize> = (0..self.board.domains.len())
            .filter(|&cell| !self.board.domains[cell].is_power_of_two())
            .collect();
        open.sort_by_key(|&cell| self.board.domains[cell].count_ones());
        for deep in [false, true] {
            for &cell in &open {
                for digit in Digits(self.board.domains[cell]).ranks() {
                    let guesses = self.refute(cell, digit, deep);
                    if self.is_spent {
                        return Ok(None);
                    }
                    if let Some(guesses) = guesses {
                        self.board.rules = RuleSet::NONE;
                        let step =
                            self.at(Rule::Trial, |board| board.restrict(cell, !(1 << digit)))?;
                        return Ok(step.map(|mut step| {
                            step.because = vec![Cell(cell as u16)];
                            step.text = words::trial(self.puzzle, &step, digit, guesses);
                            step
                        }));
                    }
                }
            }
        }
        Ok(None)
    }

    /// The number of guesses needed to refute a digit, if it can be refuted.
    fn refute(&mut self, cell: usize, digit: usize, deep: bool) -> Option<u64> {
        let mark = self.board.mark();
        self.board.rules = if deep { RuleSet::SEARCH } else { Level::Extreme.rules() };
        self.board.set(cell, 1 << digit);
        let before = self.board.statistics.nodes;
        let mut dead = self.board.propagate().is_err();
        if deep && !dead {
            let limits = self.limits;
            let end = search(&mut self.board, ValueOrder::Ascending, &limits, &mut |_| false);
            dead = end == End::Exhausted;
            self.is_spent = end == End::Limit;
        }
        self.is_spent |= self.limits.passed();
        self.board.undo(mark);
        dead.then_some(self.board.statistics.nodes - before)
    }
}

/// A whole solution as deductions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The deductions in order.
    pub steps: Vec<Step>,
    /// The reason why they end; never [`Next::Step`].
    pub end: Next,
}

/// Explains a puzzle with the rules of a level, as far as rules and limits allow.
pub fn explain(puzzle: &Puzzle, level: Level, limits: &Limits) -> Explanation {
    let mut explainer = Explainer::new(puzzle).within(*limits);
    let mut steps = Vec::new();
    loop {
        match explainer.next(level) {
            Next::Step(step) => steps.push(step),
            end => return Explanation { steps, end },
        }
    }
}

/// The cells at the indices in a set.
fn pick(cells: &[Cell], places: u32) -> Vec<Cell> {
    cells
        .iter()
        .enumerate()
        .filter(|(place, _)| places >> place & 1 == 1)
        .map(|(_, c)| *c)
        .collect()
}

/// The smallest set of k rows that has k columns together and removes one of them from another row.
/// Returns the rows and the columns.
fn smallest_hall(rows: &[u32]) -> Result<Option<(u32, u32)>, Contradiction> {
    let matching = Matching::new(rows).ok_or(Contradiction)?;
    let mut best: Option<(u32, u32)> = None;
    for (row, &columns) in rows.iter().enumerate() {
        for column in Digits(matching.impossible(row, columns)).ranks() {
            let hall = matching.hall_rows(column);
            let smaller = best.is_none_or(|(best, _)| hall.count_ones() < best.count_ones());
            if smaller {
                let union = Digits(hall).ranks().fold(0, |union, row| union | rows[row]);
                best = Some((hall, union));
            }
        }
    }
    Ok(best)
}
