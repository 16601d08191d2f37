//! Forcing chains along cells with two candidates each.
//!
//! Suppose that a cell does not hold one of its two candidates. Then it holds the other one, so a
//! neighbour with that candidate must hold its own other candidate, and so on. If the last cell of
//! such a chain then holds the digit that the first cell does not hold, one of the two cells holds
//! the digit in any case. So no cell in line with both can hold it.

use crate::board::{Board, Deduced};

/// A chain: cells in order, each with the digit it holds if the first one does not hold `digit`.
pub(crate) struct Link {
    pub(crate) digit: u32,
    pub(crate) path: Vec<(u16, u32)>,
    /// Cells that lose the digit.
    pub(crate) targets: Vec<u16>,
}

/// The steps of one search for chains: which (cell, digit) led to which.
pub(crate) struct Steps {
    cell: Vec<u16>,
    digit: Vec<u32>,
    parent: Vec<u32>,
}

impl Board {
    /// Applies all chains.
    pub(crate) fn chains(&mut self) -> Deduced {
        self.statistics.propagations += 1;
        let mut removals = Vec::new();
        self.walker().walk_all(|removal, _| {
            removals.push((removal.cell, removal.digit));
            true
        });
        for (cell, digit) in removals {
            self.restrict(usize::from(cell), !digit)?;
        }
        Ok(())
    }

    /// The first chain that removes something.
    pub(crate) fn first_chain(&self) -> Option<Link> {
        let mut found: Option<Link> = None;
        self.walker().walk_all(|end, steps| {
            let path = || {
                let mut path = Vec::new();
                let mut at = end.step;
                loop {
                    path.push((steps.cell[at], steps.digit[at]));
                    if at == 0 {
                        break;
                    }
                    at = steps.parent[at] as usize;
                }
                path.reverse();
                path
            };
            match &mut found {
                None => {
                    let targets = vec![end.cell];
                    found = Some(Link { digit: end.digit, path: path(), targets });
                    true
                }
                // All cells of one chain belong to one deduction.
                Some(link) if link.digit == end.digit && link.path == path() => {
                    link.targets.push(end.cell);
                    true
                }
                Some(_) => false,
            }
        });
        found
    }

    fn walker(&self) -> Walker<'_> {
        Walker { domains: &self.domains, side: self.side }
    }
}

/// All removals by chains, found along the lines in which a digit has its places.
#[derive(Default)]
pub(crate) struct Links {
    /// Cells, and the rank of the digit that each loses.
    pub(crate) removals: Vec<(u16, u8)>,
    /// The candidates of each cell that has two, else 0.
    pairs: Vec<u16>,
    /// The cells with two candidates in each line: rows first, then columns.
    open: Vec<u16>,
    /// The digits with which each cell has been reached.
    reached: Vec<u16>,
    steps: Vec<(u16, u8)>,
}

impl Links {
    /// Finds the removals. `lines` has the places of each digit in each line.
    pub(crate) fn find(&mut self, side: usize, lines: &[u16], domain: impl Fn(usize) -> u32) {
        self.removals.clear();
        self.pairs.clear();
        self.open.clear();
        self.open.resize(2 * side, 0);
        for cell in 0..side * side {
            let candidates = domain(cell);
            let pair = if candidates.count_ones() == 2 { candidates as u16 } else { 0 };
            self.pairs.push(pair);
            self.open[cell / side] |= u16::from(pair != 0) << (cell % side);
            self.open[side + cell % side] |= u16::from(pair != 0) << (cell / side);
        }
        for start in 0..side * side {
            let mut digits = self.pairs[start];
            while digits != 0 {
                let digit = digits.trailing_zeros() as usize;
                digits &= digits - 1;
                self.follow(side, lines, start, digit);
            }
        }
    }

    /// Follows chains from a cell that does not hold a digit.
    fn follow(&mut self, side: usize, lines: &[u16], start: usize, digit: usize) {
        self.reached.clear();
        self.reached.resize(side * side, 0);
        self.steps.clear();
        let other = self.pairs[start] ^ 1 << digit;
        self.reached[start] = other;
        self.steps.push((start as u16, other.trailing_zeros() as u8));
        let mut at = 0;
        while let Some(&(cell, takes)) = self.steps.get(at) {
            let (cell, takes) = (usize::from(cell), usize::from(takes));
            let (row, column) = (cell / side, cell % side);
            if takes == digit {
                self.remove(side, lines, (start, cell), digit);
            }
            let beside = lines[row * side + takes] & self.open[row] & !(1 << column);
            let below = lines[(side + column) * side + takes] & self.open[side + column];
            for (mut places, first, step) in
                [(beside, row * side, 1), (below & !(1 << row), column, side)]
            {
                while places != 0 {
                    let next = first + places.trailing_zeros() as usize * step;
                    places &= places - 1;
                    let other = self.pairs[next] ^ 1 << takes;
                    if self.reached[next] & other == 0 {
                        self.reached[next] |= other;
                        self.steps.push((next as u16, other.trailing_zeros() as u8));
                    }
                }
            }
            at += 1;
        }
    }

    /// Removes a digit from the cells in line with both ends of a chain.
    fn remove(&mut self, side: usize, lines: &[u16], ends: (usize, usize), digit: usize) {
        let [(a, b), (c, d)] = [ends.0, ends.1].map(|cell| (cell / side, cell % side));
        let mut remove = |mut places: u16, first: usize, step: usize| {
            while places != 0 {
                let cell = first + places.trailing_zeros() as usize * step;
                places &= places - 1;
                self.removals.push((cell as u16, digit as u8));
            }
        };
        if a != c && b != d {
            remove(lines[a * side + digit] & 1 << d, a * side, 1);
            remove(lines[c * side + digit] & 1 << b, c * side, 1);
        }
        // Both lines, if the chain ends where it began.
        if a == c {
            remove(lines[a * side + digit] & !(1 << b | 1 << d), a * side, 1);
        }
        if b == d {
            remove(lines[(side + b) * side + digit] & !(1 << a | 1 << c), b, side);
        }
    }
}

/// What chains depend on.
pub(crate) struct Walker<'a> {
    /// The candidates of every cell.
    pub(crate) domains: &'a [u32],
    pub(crate) side: usize,
}

impl Walker<'_> {
    /// Follows chains from every cell with two candidates, for both of them, and reports each
    /// removal until `report` returns false.
    pub(crate) fn walk_all(&self, mut report: impl FnMut(Removal, &Steps) -> bool) {
        let size = self.domains.len();
        let mut steps = Steps { cell: Vec::new(), digit: Vec::new(), parent: Vec::new() };
        // The digits with which each cell has been reached in the current search.
        let mut reached = vec![0u32; size];
        for start in 0..size {
            let pair = self.domains[start];
            if pair.count_ones() != 2 {
                continue;
            }
            let low = pair & pair.wrapping_neg();
            for digit in [low, pair ^ low] {
                for &cell in &steps.cell {
                    reached[usize::from(cell)] = 0;
                }
                steps.cell.clear();
                steps.digit.clear();
                steps.parent.clear();
                steps.push(start, pair ^ digit, 0);
                reached[start] = pair ^ digit;
                if !self.walk(start, digit, &mut steps, &mut reached, &mut report) {
                    return;
                }
            }
        }
    }

    fn walk(
        &self,
        start: usize,
        digit: u32,
        steps: &mut Steps,
        reached: &mut [u32],
        report: &mut impl FnMut(Removal, &Steps) -> bool,
    ) -> bool {
        let mut at = 0;
        while at < steps.cell.len() {
            let (cell, takes) = (usize::from(steps.cell[at]), steps.digit[at]);
            if takes == digit {
                for target in self.neighbours(cell) {
                    let sees_both = target != start && self.see_each_other(target, start);
                    if sees_both && self.domains[target] & digit != 0 {
                        let removal = Removal { cell: target as u16, digit, step: at };
                        if !report(removal, steps) {
                            return false;
                        }
                    }
                }
            }
            for next in self.neighbours(cell) {
                let pair = self.domains[next];
                let switches = pair & takes != 0 && pair.count_ones() == 2;
                if switches && reached[next] & (pair ^ takes) == 0 {
                    reached[next] |= pair ^ takes;
                    steps.push(next, pair ^ takes, at);
                }
            }
            at += 1;
        }
        true
    }

    /// The other cells of a cell's row and column.
    fn neighbours(&self, cell: usize) -> impl Iterator<Item = usize> + use<> {
        let side = self.side;
        let row = cell / side * side;
        let column = cell % side;
        (row..row + side)
            .chain((0..side).map(move |row| row * side + column))
            .filter(move |&other| other != cell)
    }

    fn see_each_other(&self, a: usize, b: usize) -> bool {
        a / self.side == b / self.side || a % self.side == b % self.side
    }
}

/// A digit that a cell loses because of a chain.
pub(crate) struct Removal {
    pub(crate) cell: u16,
    pub(crate) digit: u32,
    step: usize,
}

impl Steps {
    fn push(&mut self, cell: usize, digit: u32, parent: usize) {
        self.cell.push(cell as u16);
        self.digit.push(digit);
        self.parent.push(parent as u32);
    }
}
