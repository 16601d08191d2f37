//! Search: guess a digit, propagate, and undo.

use std::time::Instant;

use crate::board::{Board, Mark};

/// Limits for the work on one puzzle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// The most guesses of the search and conflicts of the clause-learning solver together.
    pub nodes: Option<u64>,
    /// The time at which to give up. Results with a deadline depend on the speed of the machine.
    pub deadline: Option<Instant>,
}

impl Limits {
    /// No limit at all.
    pub const NONE: Limits = Limits { nodes: None, deadline: None };

    pub(crate) fn passed(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// Which digit of a cell is tried first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ValueOrder {
    /// The smallest.
    #[default]
    Ascending,
    /// The digit in the most fillings of the cage.
    LeastConstraining,
}

/// How a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The whole tree was searched.
    Exhausted,
    /// The visitor stopped the search.
    Stopped,
    /// A limit was reached.
    Limit,
}

/// Guesses between two checks of the deadline. A guess on a large grid can take milliseconds.
const LOOK: u64 = 16;

struct Guess {
    cell: u16,
    digit: u32,
    mark: Mark,
}

/// Visits every solution of a propagated board, until the visitor stops.
pub(crate) fn search(
    board: &mut Board,
    order: ValueOrder,
    limits: &Limits,
    visit: &mut dyn FnMut(&Board) -> bool,
) -> End {
    let mut guesses: Vec<Guess> = Vec::new();
    let most = limits.nodes.unwrap_or(u64::MAX);
    let start = board.statistics.nodes;
    loop {
        let mut dead = true;
        if let Some(cell) = choose(board) {
            let spent = board.statistics.nodes - start;
            if spent >= most || (spent % LOOK == LOOK - 1 && limits.passed()) {
                return End::Limit;
            }
            let digit = first_digit(board, cell, order);
            guesses.push(Guess { cell: cell as u16, digit, mark: board.mark() });
            board.statistics.nodes += 1;
            board.set(cell, digit);
            dead = board.propagate().is_err();
        } else if !visit(board) {
            return End::Stopped;
        }
        while dead {
            let Some(guess) = guesses.pop() else { return End::Exhausted };
            board.undo(guess.mark);
            board.statistics.nodes += 1;
            if board.statistics.nodes.is_multiple_of(LOOK) && limits.passed() {
                return End::Limit;
            }
            let cell = usize::from(guess.cell);
            board.set(cell, board.domains[cell] & !guess.digit);
            dead = board.propagate().is_err();
        }
    }
}

/// The cell for the next guess: one with the fewest candidates, in a cage with few fillings.
fn choose(board: &Board) -> Option<usize> {
    let mut best = None;
    let mut best_score = u64::MAX;
    for (cell, &domain) in board.domains.iter().enumerate() {
        let rest = domain & (domain - 1);
        if rest == 0 {
            continue;
        }
        let count = if rest & (rest - 1) == 0 { 2 } else { u64::from(domain.count_ones()) };
        let alive = board.cages[usize::from(board.cage_of[cell])].alive;
        let score = count << 32 | u64::from(alive);
        if score < best_score {
            best_score = score;
            best = Some(cell);
        }
    }
    best
}

fn first_digit(board: &Board, cell: usize, order: ValueOrder) -> u32 {
    let domain = board.domains[cell];
    match order {
        ValueOrder::Ascending => domain & domain.wrapping_neg(),
        ValueOrder::LeastConstraining => {
            let digits = (0..32).filter(|digit| domain >> digit & 1 == 1);
            let best = digits.max_by_key(|&digit| (board.support(cell, digit), 32 - digit));
            1 << best.expect("a cell to guess in has candidates")
        }
    }
}
