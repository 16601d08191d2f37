//! Search: guess a digit, propagate, and undo.

use std::time::Instant;

use crate::board::{Board, Deduced, Mark, Statistics};

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

/// What search needs of a board that is propagated. Two kinds have it: [`Board`], for every puzzle,
/// and the faster one for small grids.
pub(crate) trait Candidates {
    /// A point to return to.
    type Mark: Copy;
    fn statistics(&mut self) -> &mut Statistics;
    /// The cell for the next guess: one with the fewest candidates, in a cage with few fillings.
    fn choose(&self) -> Option<usize>;
    fn domain(&self, cell: usize) -> u32;
    /// The number of fillings of a cage that put a digit into a cell.
    fn support(&self, cell: usize, digit: usize) -> usize;
    fn mark(&mut self) -> Self::Mark;
    /// Undoes everything since a mark.
    fn undo(&mut self, mark: Self::Mark);
    /// Keeps these candidates of a cell, and propagates.
    fn narrow(&mut self, cell: usize, digits: u32) -> Deduced;
}

struct Guess<M> {
    cell: u16,
    digit: u32,
    mark: M,
}

/// Visits every solution of a propagated board, until the visitor stops.
pub(crate) fn search<C: Candidates>(
    board: &mut C,
    order: ValueOrder,
    limits: &Limits,
    visit: &mut dyn FnMut(&C) -> bool,
) -> End {
    let mut guesses: Vec<Guess<C::Mark>> = Vec::new();
    let most = limits.nodes.unwrap_or(u64::MAX);
    let start = board.statistics().nodes;
    loop {
        let mut dead = true;
        if let Some(cell) = board.choose() {
            let spent = board.statistics().nodes - start;
            if spent >= most || (spent % LOOK == LOOK - 1 && limits.passed()) {
                return End::Limit;
            }
            let digit = first_digit(board, cell, order);
            guesses.push(Guess { cell: cell as u16, digit, mark: board.mark() });
            board.statistics().nodes += 1;
            dead = board.narrow(cell, digit).is_err();
        } else if !visit(board) {
            return End::Stopped;
        }
        while dead {
            let Some(guess) = guesses.pop() else { return End::Exhausted };
            board.undo(guess.mark);
            board.statistics().nodes += 1;
            if board.statistics().nodes.is_multiple_of(LOOK) && limits.passed() {
                return End::Limit;
            }
            let cell = usize::from(guess.cell);
            dead = board.narrow(cell, board.domain(cell) & !guess.digit).is_err();
        }
    }
}

fn first_digit<C: Candidates>(board: &C, cell: usize, order: ValueOrder) -> u32 {
    let domain = board.domain(cell);
    match order {
        ValueOrder::Ascending => domain & domain.wrapping_neg(),
        ValueOrder::LeastConstraining => {
            let digits = (0..32).filter(|digit| domain >> digit & 1 == 1);
            let best = digits.max_by_key(|&digit| (board.support(cell, digit), 32 - digit));
            1 << best.expect("a cell to guess in has candidates")
        }
    }
}

impl Candidates for Board {
    type Mark = Mark;

    fn statistics(&mut self) -> &mut Statistics {
        &mut self.statistics
    }

    fn choose(&self) -> Option<usize> {
        let mut best = None;
        let mut best_score = u64::MAX;
        for (cell, &domain) in self.domains.iter().enumerate() {
            let rest = domain & (domain - 1);
            if rest == 0 {
                continue;
            }
            let count = if rest & (rest - 1) == 0 { 2 } else { u64::from(domain.count_ones()) };
            let alive = self.cages[usize::from(self.cage_of[cell])].alive;
            let score = count << 32 | u64::from(alive);
            if score < best_score {
                best_score = score;
                best = Some(cell);
            }
        }
        best
    }

    fn domain(&self, cell: usize) -> u32 {
        self.domains[cell]
    }

    fn support(&self, cell: usize, digit: usize) -> usize {
        self.fillings_with(cell, digit)
    }

    fn mark(&mut self) -> Mark {
        Board::mark(self)
    }

    fn undo(&mut self, mark: Mark) {
        Board::undo(self, mark);
    }

    fn narrow(&mut self, cell: usize, digits: u32) -> Deduced {
        self.set(cell, digits);
        self.propagate()
    }
}
