//! Solutions of a puzzle: found, counted, listed, proved to be the only one.

use rayon::prelude::*;

use crate::{
    board::{Board, Statistics},
    clauses::Verdict,
    encoding::Encoding,
    grid::{Cell, Digits},
    puzzle::Puzzle,
    rule::RuleSet,
    search::{End, Limits, ValueOrder, search},
    solution::{Fault, Solution},
};

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
    engine: Engine,
}

/// How solutions are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Engine {
    /// By search, and where that takes too long by clause learning.
    #[default]
    Both,
    /// By search alone.
    Search,
    /// By clause learning alone.
    Clauses,
}

impl Default for Solver {
    fn default() -> Solver {
        Solver::new()
    }
}

impl Solver {
    /// A solver with the rules that pay for themselves.
    pub fn new() -> Solver {
        Solver {
            board: Board::new(),
            rules: RuleSet::SEARCH,
            order: ValueOrder::default(),
            engine: Engine::default(),
        }
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

    /// Lists the solutions of a puzzle, up to `most`, and says whether no limit stopped it.
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

    /// Whether some solution lies within candidates, one set for each cell; `None` if a limit left
    /// that open.
    fn admits(&mut self, puzzle: &Puzzle, notes: &[Digits], limits: &Limits) -> Option<bool> {
        match self.each(puzzle, notes, 1, limits, &mut |_| false) {
            End::Stopped => Some(true),
            End::Exhausted => Some(false),
            End::Limit => None,
        }
    }

    /// Visits the digits of every solution within the notes, if there are any, until the visitor
    /// says stop.
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
        // What search has visited, learning must not visit again.
        let mut visited: Vec<Vec<u8>> = Vec::new();
        if patience > 0 {
            let capped = Limits { nodes: Some(allowed.min(patience)), ..*limits };
            let end = search(board, self.order, &capped, &mut |board| {
                let digits = board.digits();
                let more = visit(&digits);
                if learns {
                    visited.push(digits);
                }
                more
            });
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

/// Checks candidates that a player has noted, one set for each cell as ranks: a digit filled in is
/// a set of one. `None` if a limit was met first. A puzzle without a solution has no wrong notes.
///
/// Of notes that are wrong only together, as happens where a puzzle has several solutions, the
/// later ones in reading order are named.
///
/// # Panics
///
/// Panics unless there is one set for each cell.
pub fn check_notes(
    puzzle: &Puzzle,
    notes: &[Digits],
    limits: &Limits,
) -> Option<Result<(), Fault>> {
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
            wrong.extend(cells.filter(|&(_, both)| !has(both)).map(|(cell, _)| cell));
        }
        (_, None) => {}
        _ => {
            let all = size.digits();
            let mut kept = vec![all; size.cells()];
            for (cell, &note) in notes.iter().enumerate().filter(|(_, note)| **note != all) {
                kept[cell] = note;
                if !solver.admits(puzzle, &kept, limits)? {
                    kept[cell] = all;
                    wrong.push(cell);
                }
            }
        }
    }
    let named: Vec<String> =
        wrong.iter().map(|&cell| name_note(puzzle, cell, notes[cell])).collect();
    Some(if named.is_empty() { Ok(()) } else { Err(Fault::Notes { notes: named.join(", ") }) })
}

fn name_note(puzzle: &Puzzle, cell: usize, note: Digits) -> String {
    let lowest = puzzle.rules().lowest_digit();
    let digits: Vec<String> = note.ranks().map(|rank| (rank as u64 + lowest).to_string()).collect();
    format!("{} in {}", digits.join(" or "), Cell(cell as u16).name(puzzle.size()))
}

/// Guesses after which learning takes over: what search finds, it finds well within that.
const PATIENCE: u64 = 3_000;

/// Solutions asked for up to which learning takes over. It excludes them one by one, so for
/// many of them search is the better way.
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

/// Counts the solutions of many puzzles in parallel; the answers stand in the puzzles' order.
pub fn count_all(puzzles: &[Puzzle], most: u64, limits: &Limits) -> Vec<Count> {
    puzzles
        .par_iter()
        .map_init(Solver::new, |solver, puzzle| solver.count(puzzle, most, limits))
        .collect()
}
