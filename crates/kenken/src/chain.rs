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
struct Steps {
    cell: Vec<u16>,
    digit: Vec<u32>,
    parent: Vec<u32>,
}

impl Board {
    /// Applies all chains.
    pub(crate) fn chains(&mut self) -> Deduced {
        self.statistics.propagations += 1;
        let mut removals = Vec::new();
        self.walk_chains(|link, _| {
            removals.push((link.cell, link.digit));
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
        self.walk_chains(|end, steps| {
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

    /// Follows chains from every cell with two candidates, for both of them, and reports each
    /// removal until `report` returns false.
    fn walk_chains(&self, mut report: impl FnMut(Removal, &Steps) -> bool) {
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
        self.lines_of[a] & self.lines_of[b] != 0
    }
}

/// A digit that a cell loses because of a chain.
struct Removal {
    cell: u16,
    digit: u32,
    step: usize,
}

impl Steps {
    fn push(&mut self, cell: usize, digit: u32, parent: usize) {
        self.cell.push(cell as u16);
        self.digit.push(digit);
        self.parent.push(parent as u32);
    }
}
