//! The fillings of a cage: all assignments of candidates to its cells that satisfy the clue and
//! repeat no digit in a line.
//!
//! A filling is packed into 64-bit words with one bit for each (cell, digit): `side` bits per cell,
//! and as many cells per word as fit. One `and` per word then shows whether a filling is still
//! possible, and the candidates of a whole cage are the `or` of its fillings.

use crate::puzzle::{Clue, Operator, Rules};

/// The most words in a filling. Cages with longer fillings are not enumerated.
pub(crate) const MOST_WORDS: usize = 4;

/// The number of cells in one word of a filling.
#[inline]
pub(crate) const fn lanes(side: usize) -> usize {
    64 / side
}

/// A cell of a cage to be filled.
#[derive(Clone, Copy, Default)]
pub(crate) struct Slot {
    /// Candidates, as ranks.
    pub(crate) domain: u32,
    /// Earlier cells of the cage in the same row or column, as a set of indices.
    pub(crate) clashes: u32,
}

/// A limit for the enumeration: the number of fillings, and of steps.
#[derive(Clone, Copy)]
pub(crate) struct Budget {
    pub(crate) fillings: usize,
    pub(crate) steps: usize,
}

/// Appends all fillings to `out`, with `words` words each. If the budget is exceeded, returns
/// `false` and leaves `out` unchanged.
pub(crate) fn list(
    side: usize,
    rules: &Rules,
    clue: Clue,
    slots: &[Slot],
    budget: Budget,
    out: &mut Vec<u64>,
) -> bool {
    let start = out.len();
    let complete = list_all(side, rules, clue, slots, budget, out);
    if !complete {
        out.truncate(start);
    }
    complete
}

fn list_all(
    side: usize,
    rules: &Rules,
    clue: Clue,
    slots: &[Slot],
    budget: Budget,
    out: &mut Vec<u64>,
) -> bool {
    let lowest = rules.lowest_digit();
    let mut walk = Walk { side, lanes: lanes(side), lowest, slots, budget, out };
    match clue.operator {
        Operator::Given | Operator::Add => walk.run(&Sum::new(clue.target, lowest, slots)),
        Operator::Multiply => walk.multiply(clue.target),
        Operator::Subtract => {
            walk.run(&Difference { target: clue.target, highest: walk.highest() })
        }
        Operator::Divide => walk.run(&Quotient { target: clue.target, highest: walk.highest() }),
        // A filling that gives the target in two ways is listed twice. That does not change the
        // candidates, because only the existence of fillings matters.
        Operator::Unknown => {
            let sub_div = rules.allows(Operator::Subtract, slots.len());
            walk.run(&Sum::new(clue.target, lowest, slots))
                && (slots.len() == 1 || walk.multiply(clue.target))
                && (!sub_div
                    || (walk.run(&Difference { target: clue.target, highest: walk.highest() })
                        && walk.run(&Quotient { target: clue.target, highest: walk.highest() })))
        }
    }
}

/// The condition on the digits of a filling, checked one cell at a time.
trait Goal {
    /// The state after some cells.
    type Tally: Copy;
    fn start(&self) -> Self::Tally;
    /// The state after a digit in the cell at this index, or `None` if no filling continues it.
    fn step(&self, tally: Self::Tally, place: usize, digit: u64) -> Option<Self::Tally>;
    /// Whether the last digit completes the filling.
    fn completes(&self, tally: Self::Tally, digit: u64) -> bool;
    /// The only digit that can complete the filling, if there is only one.
    #[inline]
    fn last(&self, _tally: Self::Tally) -> Option<u64> {
        None
    }
}

struct Walk<'a> {
    side: usize,
    lanes: usize,
    lowest: u64,
    slots: &'a [Slot],
    budget: Budget,
    out: &'a mut Vec<u64>,
}

/// The most cells in an enumerated cage, so that the enumeration needs no allocation.
pub(crate) const MOST_CELLS: usize = 16;

impl Walk<'_> {
    fn highest(&self) -> u64 {
        self.lowest + self.side as u64 - 1
    }

    fn multiply(&mut self, target: u64) -> bool {
        if target == 0 {
            self.run(&ZeroProduct)
        } else {
            self.run(&Product::new(target, self.lowest, self.slots))
        }
    }

    fn run<G: Goal>(&mut self, goal: &G) -> bool {
        let mut chosen = [0u32; MOST_CELLS];
        self.place(goal, 0, goal.start(), [0; MOST_WORDS], &mut chosen)
    }

    fn place<G: Goal>(
        &mut self,
        goal: &G,
        place: usize,
        tally: G::Tally,
        packed: [u64; MOST_WORDS],
        chosen: &mut [u32; MOST_CELLS],
    ) -> bool {
        let Slot { domain, mut clashes } = self.slots[place];
        let mut open = domain;
        while clashes != 0 {
            open &= !chosen[clashes.trailing_zeros() as usize];
            clashes &= clashes - 1;
        }
        let (word, shift) = (place / self.lanes, place % self.lanes * self.side);
        let last = place + 1 == self.slots.len();
        if last && let Some(digit) = goal.last(tally) {
            let rank = digit.wrapping_sub(self.lowest);
            if rank < self.side as u64 && open >> rank & 1 == 1 {
                return self.emit(packed, word, 1 << (shift + rank as usize));
            }
            return true;
        }
        while open != 0 {
            let rank = open.trailing_zeros() as usize;
            open &= open - 1;
            let digit = rank as u64 + self.lowest;
            let bit = 1u64 << (shift + rank);
            if last {
                if goal.completes(tally, digit) && !self.emit(packed, word, bit) {
                    return false;
                }
            } else if let Some(next) = goal.step(tally, place, digit) {
                if self.budget.steps == 0 {
                    return false;
                }
                self.budget.steps -= 1;
                chosen[place] = 1 << rank;
                let mut longer = packed;
                longer[word] |= bit;
                if !self.place(goal, place + 1, next, longer, chosen) {
                    return false;
                }
            }
        }
        true
    }

    #[inline]
    fn emit(&mut self, mut packed: [u64; MOST_WORDS], word: usize, bit: u64) -> bool {
        if self.budget.fillings == 0 {
            return false;
        }
        self.budget.fillings -= 1;
        packed[word] |= bit;
        if word == 0 {
            self.out.push(packed[0]);
        } else {
            self.out.extend_from_slice(&packed[..=word]);
        }
        true
    }
}

/// Bounds of the sum or product of the cells after an index.
struct Rest {
    least: [u64; MOST_CELLS],
    most: [u64; MOST_CELLS],
}

impl Rest {
    fn new(slots: &[Slot], lowest: u64, fold: impl Fn(u64, u64) -> u64, unit: u64) -> Rest {
        let mut rest = Rest { least: [unit; MOST_CELLS], most: [unit; MOST_CELLS] };
        for place in (1..slots.len()).rev() {
            let domain = slots[place].domain;
            let low = u64::from(domain.trailing_zeros()) + lowest;
            let high = u64::from(31 - (domain | 1).leading_zeros()) + lowest;
            rest.least[place - 1] = fold(rest.least[place], low);
            rest.most[place - 1] = fold(rest.most[place], high);
        }
        rest
    }
}

struct Sum {
    target: u64,
    rest: Rest,
}

impl Sum {
    fn new(target: u64, lowest: u64, slots: &[Slot]) -> Sum {
        Sum { target, rest: Rest::new(slots, lowest, |sum, digit| sum + digit, 0) }
    }
}

impl Goal for Sum {
    type Tally = u64;

    fn start(&self) -> u64 {
        self.target
    }

    #[inline]
    fn step(&self, left: u64, place: usize, digit: u64) -> Option<u64> {
        let left = left.checked_sub(digit)?;
        (left >= self.rest.least[place] && left <= self.rest.most[place]).then_some(left)
    }

    #[inline]
    fn completes(&self, left: u64, digit: u64) -> bool {
        left == digit
    }

    #[inline]
    fn last(&self, left: u64) -> Option<u64> {
        Some(left)
    }
}

/// A product that is not 0, so no digit is 0.
struct Product {
    target: u64,
    rest: Rest,
}

impl Product {
    fn new(target: u64, lowest: u64, slots: &[Slot]) -> Product {
        let fold = |product: u64, digit: u64| product.saturating_mul(digit);
        Product { target, rest: Rest::new(slots, lowest, fold, 1) }
    }
}

impl Goal for Product {
    type Tally = u64;

    fn start(&self) -> u64 {
        self.target
    }

    #[inline]
    fn step(&self, left: u64, place: usize, digit: u64) -> Option<u64> {
        if digit == 0 {
            return None;
        }
        // Division of 32-bit numbers is several times faster, and most targets fit.
        let (quotient, remainder) = match u32::try_from(left) {
            Ok(left) => (u64::from(left / digit as u32), u64::from(left % digit as u32)),
            Err(_) => (left / digit, left % digit),
        };
        let fits = remainder == 0 && quotient <= self.rest.most[place];
        (fits && quotient >= self.rest.least[place]).then_some(quotient)
    }

    #[inline]
    fn completes(&self, left: u64, digit: u64) -> bool {
        left == digit
    }

    #[inline]
    fn last(&self, left: u64) -> Option<u64> {
        Some(left)
    }
}

/// A product of 0: some digit is 0.
struct ZeroProduct;

impl Goal for ZeroProduct {
    type Tally = bool;

    fn start(&self) -> bool {
        false
    }

    #[inline]
    fn step(&self, seen: bool, _place: usize, digit: u64) -> Option<bool> {
        Some(seen || digit == 0)
    }

    #[inline]
    fn completes(&self, seen: bool, digit: u64) -> bool {
        seen || digit == 0
    }
}

/// The largest digit minus the sum of the others.
struct Difference {
    target: u64,
    highest: u64,
}

impl Goal for Difference {
    /// The largest digit and the sum of the others so far.
    type Tally = Option<(u64, u64)>;

    fn start(&self) -> Self::Tally {
        None
    }

    #[inline]
    fn step(&self, tally: Self::Tally, _place: usize, digit: u64) -> Option<Self::Tally> {
        let (largest, others) = match tally {
            None => (digit, 0),
            Some((largest, others)) => (largest.max(digit), others + largest.min(digit)),
        };
        (others.saturating_add(self.target) <= self.highest).then_some(Some((largest, others)))
    }

    #[inline]
    fn completes(&self, tally: Self::Tally, digit: u64) -> bool {
        let (largest, others) = tally.unwrap_or((0, 0));
        largest.max(digit) == (others + largest.min(digit)).saturating_add(self.target)
    }
}

/// The largest digit divided by the product of the others.
struct Quotient {
    target: u64,
    highest: u64,
}

impl Goal for Quotient {
    /// The largest digit and the product of the others so far.
    type Tally = Option<(u64, u64)>;

    fn start(&self) -> Self::Tally {
        None
    }

    #[inline]
    fn step(&self, tally: Self::Tally, _place: usize, digit: u64) -> Option<Self::Tally> {
        let (largest, others) = match tally {
            None => (digit, 1),
            Some((largest, others)) => (largest.max(digit), others * largest.min(digit)),
        };
        // Division by 0 is never allowed, and a 0 would be one of the divisors.
        let fits = digit != 0 && others.saturating_mul(self.target) <= self.highest;
        fits.then_some(Some((largest, others)))
    }

    #[inline]
    fn completes(&self, tally: Self::Tally, digit: u64) -> bool {
        let (largest, others) = tally.unwrap_or((0, 1));
        let divisor = others * largest.min(digit);
        divisor != 0 && Some(largest.max(digit)) == divisor.checked_mul(self.target)
    }
}
