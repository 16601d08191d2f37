//! Finds, counts and lists the solutions of a puzzle, and proves uniqueness.

use rayon::prelude::*;

use crate::{
    board::{Board, Statistics},
    clauses::Verdict,
    compact::Compact,
    encoding::Encoding,
    grid::{Cell, Digits},
    puzzle::Puzzle,
    rule::RuleSet,
    search::{End, Limits, ValueOrder, search},
    solution::{Fault, Solution},
    words,
};

/// A count of solutions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    /// The number of solutions found, at most the number asked for.
    pub solutions: u64,
    /// Whether the count is complete: either all solutions were found, or as many as were asked
    /// for, and no limit was reached.
    pub complete: bool,
    /// The first solution found.
    pub first: Option<Solution>,
    /// Counters of the work done.
    pub statistics: Statistics,
}

impl Count {
    /// Whether the puzzle has exactly one solution. `None` if a limit was reached first, or fewer
    /// than two solutions were asked for.
    pub fn unique(&self, asked: u64) -> Option<bool> {
        match self.solutions {
            2.. => Some(false),
            _ if !self.complete => None,
            1 if asked < 2 => None,
            solutions => Some(solutions == 1),
        }
    }
}

/// The solutions of a puzzle, up to a limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The solutions.
    pub solutions: Vec<Solution>,
    /// Whether there are no others.
    pub complete: bool,
}

/// A solver with reusable buffers, for one puzzle after the other.
pub struct Solver {
    board: Board,
    compact: Compact,
    rules: RuleSet,
    order: ValueOrder,
    engine: Engine,
}

/// The engine that finds solutions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Engine {
    /// Search, and then clause learning if search takes too long.
    #[default]
    Both,
    /// Search only.
    Search,
    /// Clause learning only.
    Clauses,
}

impl Default for Solver {
    fn default() -> Solver {
        Solver::new()
    }
}

impl Solver {
    /// A solver with the rules that save time.
    pub fn new() -> Solver {
        Solver {
            board: Board::new(),
            compact: Compact::new(),
            rules: RuleSet::SEARCH,
            order: ValueOrder::default(),
            engine: Engine::default(),
        }
    }

    /// A solver with other rules for propagation. All rules are sound, so the results are the same;
    /// only the times differ.
    pub fn with_rules(rules: RuleSet) -> Solver {
        Solver { rules, ..Solver::new() }
    }

    /// The same solver with another order of digits.
    pub fn trying(self, order: ValueOrder) -> Solver {
        Solver { order, ..self }
    }

    /// The same solver with another engine.
    pub fn with_engine(self, engine: Engine) -> Solver {
        Solver { engine, ..self }
    }

    /// Counts the solutions of a puzzle, up to `most`.
    pub fn count(&mut self, puzzle: &Puzzle, most: u64, limits: &Limits) -> Count {
        let mut solutions = 0;
        let mut first = None;
        let end = self.each(puzzle, &[], most, limits, &mut |digits| {
            solutions += 1;
            if solutions == 1 {
                first = Some(Solution::new(puzzle.size(), digits.to_vec()));
            }
            solutions < most
        });
        let complete = end != End::Limit;
        Count { solutions, complete, first, statistics: self.board.statistics }
    }

    /// Lists the solutions of a puzzle, up to `most`. Also returns whether no limit was reached.
    pub fn solutions(
        &mut self,
        puzzle: &Puzzle,
        most: usize,
        limits: &Limits,
    ) -> (Vec<Solution>, bool) {
        let mut solutions = Vec::new();
        let end = self.each(puzzle, &[], most as u64, limits, &mut |digits| {
            solutions.push(Solution::new(puzzle.size(), digits.to_vec()));
            solutions.len() < most
        });
        (solutions, end != End::Limit)
    }

    /// Lists the solutions of a puzzle, up to `most`, and finds out whether these are all.
    pub fn list(&mut self, puzzle: &Puzzle, most: usize, limits: &Limits) -> Listed {
        let (mut solutions, complete) = self.solutions(puzzle, most.saturating_add(1), limits);
        let complete = complete && solutions.len() <= most;
        solutions.truncate(most);
        Listed { solutions, complete }
    }

    /// Whether there is a solution within the candidates, one set for each cell. `None` if a limit
    /// was reached first.
    fn admits(&mut self, puzzle: &Puzzle, notes: &[Digits], limits: &Limits) -> Option<bool> {
        match self.each(puzzle, notes, 1, limits, &mut |_| false) {
            End::Stopped => Some(true),
            End::Exhausted => Some(false),
            End::Limit => None,
        }
    }

    /// Visits the digits of every solution within the notes, if there are any, until the visitor
    /// stops.
    fn each(
        &mut self,
        puzzle: &Puzzle,
        notes: &[Digits],
        most: u64,
        limits: &Limits,
        visit: &mut dyn FnMut(&[u8]) -> bool,
    ) -> End {
        let lowest = puzzle.rules().lowest_digit() as u8;
        let board = &mut self.board;
        if board.load(puzzle, self.rules).is_err()
            || notes.iter().enumerate().any(|(cell, note)| board.restrict(cell, note.0).is_err())
            || board.settle().is_err()
        {
            return End::Exhausted;
        }
        let root = board.mark();
        let learns = most <= MOST_BY_CLAUSES && Encoding::exists(board);
        let patience = match self.engine {
            Engine::Both if learns => PATIENCE,
            Engine::Both | Engine::Search => u64::MAX,
            Engine::Clauses => 0,
        };
        let allowed = limits.nodes.unwrap_or(u64::MAX);
        // Clause learning must not visit the solutions again that search has visited.
        let mut visited: Vec<Vec<u8>> = Vec::new();
        if patience > 0 {
            let capped = Limits { nodes: Some(allowed.min(patience)), ..*limits };
            let mut visit = |digits: Vec<u8>| {
                let more = visit(&digits);
                if learns {
                    visited.push(digits);
                }
                more
            };
            let end = if allowed > 0 && !board.is_placed() && self.compact.take(board) {
                let compact = &mut self.compact;
                let end = search(compact, self.order, &capped, &mut |compact| {
                    visit(compact.digits(lowest))
                });
                board.statistics += compact.statistics;
                end
            } else {
                search(board, self.order, &capped, &mut |board| visit(board.digits()))
            };
            if end != End::Limit || patience >= allowed || limits.passed() {
                return end;
            }
        }
        if !Encoding::exists(board) {
            return End::Limit;
        }
        board.undo(root);
        let conflicts = allowed.saturating_sub(board.statistics.nodes);
        let mut encoding = Encoding::of(board);
        for digits in visited {
            encoding.exclude(digits.iter().map(|digit| u32::from(digit - lowest)));
        }
        by_clauses(board, encoding, conflicts, limits, &mut |ranks| {
            let digits: Vec<u8> = ranks.iter().map(|&rank| rank as u8 + lowest).collect();
            visit(&digits)
        })
    }
}

/// Checks the candidates that a player has noted: one set of ranks for each cell. A digit that is
/// filled in is a set of one. `None` if a limit was reached first. If the puzzle has no solution,
/// no note is wrong.
///
/// If a puzzle has several solutions, notes can be wrong only together. Then the later ones in
/// row-major order are reported.
///
/// # Panics
///
/// Panics unless there is one set for each cell.
pub fn check_notes(
    puzzle: &Puzzle,
    notes: &[Digits],
    limits: &Limits,
) -> Option<Result<(), Fault>> {
    let wrong = wrong_notes(puzzle, notes, limits)?;
    let named: Vec<String> =
        wrong.iter().map(|&cell| words::note(puzzle, cell, notes[cell.index()])).collect();
    Some(if named.is_empty() { Ok(()) } else { Err(Fault::Notes { notes: named.join(", ") }) })
}

/// The cells whose notes no solution has; see [`check_notes`].
pub(crate) fn wrong_notes(puzzle: &Puzzle, notes: &[Digits], limits: &Limits) -> Option<Vec<Cell>> {
    let size = puzzle.size();
    assert_eq!(notes.len(), size.cells(), "one set of candidates for each cell");
    let mut solver = Solver::new();
    let count = solver.count(puzzle, 2, limits);
    let mut wrong = Vec::new();
    match (count.unique(2)?, &count.first) {
        (true, Some(solution)) => {
            let lowest = puzzle.rules().lowest_digit() as u8;
            let has = |(&note, &digit): (&Digits, &u8)| note.0 >> (digit - lowest) & 1 == 1;
            let cells = notes.iter().zip(solution.digits()).enumerate();
            wrong.extend(cells.filter(|&(_, both)| !has(both)).map(|(cell, _)| Cell(cell as u16)));
        }
        (_, None) => {}
        _ => {
            let all = size.digits();
            let mut kept = vec![all; size.cells()];
            for (cell, &note) in notes.iter().enumerate().filter(|(_, note)| **note != all) {
                kept[cell] = note;
                if !solver.admits(puzzle, &kept, limits)? {
                    kept[cell] = all;
                    wrong.push(Cell(cell as u16));
                }
            }
        }
    }
    Some(wrong)
}

/// The number of guesses after which clause learning takes over. If search finds a solution at all
/// in reasonable time, it needs far fewer.
const PATIENCE: u64 = 3_000;

/// The most solutions for which clause learning takes over. It excludes solutions one by one, so
/// for many solutions search is faster.
const MOST_BY_CLAUSES: u64 = 1_000;

/// Visits the ranks of every solution of a settled board by clause learning.
fn by_clauses(
    board: &mut Board,
    mut encoding: Encoding,
    conflicts: u64,
    limits: &Limits,
    visit: &mut dyn FnMut(&[u32]) -> bool,
) -> End {
    loop {
        let left = conflicts.saturating_sub(encoding.clauses.conflicts);
        let verdict = encoding.clauses.solve(left, limits);
        board.statistics.conflicts = encoding.clauses.conflicts;
        match verdict {
            Verdict::Limit => return End::Limit,
            Verdict::NoModel => return End::Exhausted,
            Verdict::Model => {
                let ranks = encoding.model(board);
                if !visit(&ranks) {
                    return End::Stopped;
                }
                encoding.exclude(ranks.into_iter());
            }
        }
    }
}

/// Counts the solutions of many puzzles in parallel. The results are in the order of the puzzles.
pub fn count_all(puzzles: &[Puzzle], most: u64, limits: &Limits) -> Vec<Count> {
    puzzles
        .par_iter()
        .map_init(Solver::new, |solver, puzzle| solver.count(puzzle, most, limits))
        .collect()
}
