//! A puzzle in the making: a filled grid, cut into cages whose clues always fit it.

use crate::grid::{Cell, Size};
use crate::puzzle::{Clue, Operator, Puzzle, Rules};
use crate::random::Random;

/// How often each operator is wanted, relative to the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperatorMix {
    /// Sums.
    pub add: u32,
    /// Differences.
    pub subtract: u32,
    /// Products.
    pub multiply: u32,
    /// Quotients.
    pub divide: u32,
    /// Cages whose operator is not told.
    pub unknown: u32,
}

impl OperatorMix {
    /// All four operators; quotients are rare among digits, so they are taken where they fit.
    pub const ALL: OperatorMix =
        OperatorMix { add: 2, subtract: 3, multiply: 2, divide: 6, unknown: 0 };

    /// Products only.
    pub const MULTIPLY: OperatorMix =
        OperatorMix { add: 0, subtract: 0, multiply: 1, divide: 0, unknown: 0 };
}

#[derive(Clone)]
pub(crate) struct Draft {
    pub(crate) size: Size,
    pub(crate) rules: Rules,
    /// The solution, as ranks.
    pub(crate) square: Vec<u8>,
    pub(crate) owner: Vec<u16>,
    pub(crate) cages: Vec<(Clue, Vec<Cell>)>,
}

impl Draft {
    /// Cuts a filled grid at random, with cage sizes drawn by weight (the first is for one cell).
    pub(crate) fn cut(
        random: &mut Random,
        size: Size,
        rules: Rules,
        square: Vec<u8>,
        sizes: &[u32],
    ) -> Draft {
        const FREE: u16 = u16::MAX;
        let mut draft =
            Draft { size, rules, square, owner: vec![FREE; size.cells()], cages: Vec::new() };
        let mut order: Vec<Cell> = (0..size.cells() as u16).map(Cell).collect();
        random.shuffle(&mut order);
        for cell in order {
            if draft.owner[cell.index()] != FREE {
                continue;
            }
            let number = draft.cages.len() as u16;
            let wanted = random.weighted(sizes).unwrap_or(1) + 1;
            let mut cells = vec![cell];
            draft.owner[cell.index()] = number;
            while cells.len() < wanted {
                let border: Vec<Cell> =
                    draft.border(&cells).filter(|next| draft.owner[next.index()] == FREE).collect();
                if border.is_empty() {
                    break;
                }
                let next = border[random.below(border.len())];
                draft.owner[next.index()] = number;
                cells.push(next);
            }
            cells.sort_unstable();
            draft.cages.push((Clue { operator: Operator::Add, target: 0 }, cells));
        }
        if sizes.first() == Some(&0) {
            draft.absorb_single_cells(random, sizes.len());
        }
        draft
    }

    /// Cells beside these cells, some more than once.
    fn border<'a>(&'a self, cells: &'a [Cell]) -> impl Iterator<Item = Cell> + 'a {
        cells.iter().flat_map(move |&cell| neighbours(self.size, cell))
    }

    /// Joins cages of one cell with a neighbour, where that does not get too large.
    fn absorb_single_cells(&mut self, random: &mut Random, most: usize) {
        let mut cage = 0;
        while cage < self.cages.len() {
            let joined = self.cages[cage].1.len() == 1 && {
                let beside = self.beside(cage, most);
                !beside.is_empty() && {
                    let other = beside[random.below(beside.len())];
                    self.merge(cage, other);
                    true
                }
            };
            // A merge moves another cage to this place.
            if !joined {
                cage += 1;
            }
        }
    }

    /// The cages beside a cage that it could be merged with.
    pub(crate) fn beside(&self, cage: usize, most: usize) -> Vec<usize> {
        let cells = &self.cages[cage].1;
        let mut beside: Vec<usize> = self
            .border(cells)
            .map(|cell| usize::from(self.owner[cell.index()]))
            .filter(|&other| other != cage && self.cages[other].1.len() + cells.len() <= most)
            .collect();
        beside.sort_unstable();
        beside.dedup();
        beside
    }

    /// Joins two cages; the clue of the union is up to the caller. The union's number.
    pub(crate) fn merge(&mut self, a: usize, b: usize) -> usize {
        let (low, high) = (a.min(b), a.max(b));
        let (_, moved) = self.cages.swap_remove(high);
        let cells = &mut self.cages[low].1;
        cells.extend(moved);
        cells.sort_unstable();
        self.relabel(low);
        if high < self.cages.len() {
            self.relabel(high);
        }
        low
    }

    /// Cuts a cage in two connected parts, if it can be cut into parts of at least `least`
    /// cells. The part's number.
    pub(crate) fn split(
        &mut self,
        random: &mut Random,
        cage: usize,
        least: usize,
    ) -> Option<usize> {
        let cells = self.cages[cage].1.clone();
        if cells.len() < 2 * least {
            return None;
        }
        for _ in 0..6 {
            let wanted = least + random.below(cells.len() - 2 * least + 1);
            let mut part = vec![cells[random.below(cells.len())]];
            while part.len() < wanted {
                let border: Vec<Cell> = self
                    .border(&part)
                    .filter(|cell| cells.contains(cell) && !part.contains(cell))
                    .collect();
                part.push(border[random.below(border.len())]);
            }
            let rest: Vec<Cell> =
                cells.iter().copied().filter(|cell| !part.contains(cell)).collect();
            if self.is_connected(&rest) {
                part.sort_unstable();
                let number = self.cages.len();
                self.cages[cage].1 = rest;
                self.cages.push((Clue { operator: Operator::Add, target: 0 }, part));
                self.relabel(number);
                return Some(number);
            }
        }
        None
    }

    fn is_connected(&self, cells: &[Cell]) -> bool {
        let mut reached = vec![cells[0]];
        let mut next = 0;
        while let Some(&cell) = reached.get(next) {
            next += 1;
            for other in neighbours(self.size, cell) {
                if cells.contains(&other) && !reached.contains(&other) {
                    reached.push(other);
                }
            }
        }
        reached.len() == cells.len()
    }

    fn relabel(&mut self, cage: usize) {
        for cell in &self.cages[cage].1 {
            self.owner[cell.index()] = cage as u16;
        }
    }

    /// Gives every cage a clue.
    pub(crate) fn clue_all(&mut self, random: &mut Random, mix: &OperatorMix) {
        for cage in 0..self.cages.len() {
            self.clue(random, cage, mix);
        }
    }

    /// Gives a cage a clue, drawn by weight from those its digits can make.
    pub(crate) fn clue(&mut self, random: &mut Random, cage: usize, mix: &OperatorMix) {
        let choices = self.clues(cage);
        // Where no wanted operator fits (a cage of three and only quotients), products do.
        let choice = draw(random, &choices, mix).unwrap_or(choices.len().min(2) - 1);
        self.cages[cage].0 = hide(random, choices[choice], mix);
    }

    /// Gives a cage another clue than it has; `false` if it can have no other.
    pub(crate) fn reclue(&mut self, random: &mut Random, cage: usize, mix: &OperatorMix) -> bool {
        let mut choices = self.clues(cage);
        choices.retain(|clue| *clue != self.cages[cage].0);
        let Some(choice) = draw(random, &choices, mix) else { return false };
        self.cages[cage].0 = hide(random, choices[choice], mix);
        true
    }

    /// The clues a cage's digits can make: a given alone, or a sum, a product and what else fits.
    pub(crate) fn clues(&self, cage: usize) -> Vec<Clue> {
        let lowest = self.rules.lowest_digit();
        let cells = &self.cages[cage].1;
        let mut digits: Vec<u64> =
            cells.iter().map(|cell| u64::from(self.square[cell.index()]) + lowest).collect();
        digits.sort_unstable();
        let (&largest, rest) = digits.split_last().expect("a cage has cells");
        if rest.is_empty() {
            return vec![Clue { operator: Operator::Given, target: largest }];
        }
        let sum: u64 = rest.iter().sum();
        let mut clues = vec![Clue { operator: Operator::Add, target: largest + sum }];
        let product = rest.iter().try_fold(1u64, |product, &digit| product.checked_mul(digit));
        if let Some(target) = product.and_then(|product| product.checked_mul(largest)) {
            clues.push(Clue { operator: Operator::Multiply, target });
        }
        if self.rules.allows(Operator::Subtract, digits.len()) {
            if largest >= sum {
                clues.push(Clue { operator: Operator::Subtract, target: largest - sum });
            }
            if let Some(divisor) = product.filter(|&divisor| divisor != 0)
                && largest % divisor == 0
            {
                clues.push(Clue { operator: Operator::Divide, target: largest / divisor });
            }
        }
        clues
    }

    /// The puzzle as it stands.
    pub(crate) fn puzzle(&self) -> Puzzle {
        Puzzle::from_owners(self.size, self.rules, &self.owner, |cage| self.cages[cage].0)
    }
}

/// A choice drawn by the weights of a mix; `None` if none is wanted.
fn draw(random: &mut Random, choices: &[Clue], mix: &OperatorMix) -> Option<usize> {
    let mut weights = [0; 4];
    for (weight, clue) in weights.iter_mut().zip(choices) {
        *weight = match clue.operator {
            Operator::Given => 1,
            Operator::Add => mix.add,
            Operator::Subtract => mix.subtract,
            Operator::Multiply => mix.multiply,
            Operator::Divide => mix.divide,
            Operator::Unknown => 0,
        };
    }
    random.weighted(&weights)
}

/// The same clue, perhaps without its operator.
fn hide(random: &mut Random, clue: Clue, mix: &OperatorMix) -> Clue {
    let told = mix.add + mix.subtract + mix.multiply + mix.divide;
    let hidden = clue.operator != Operator::Given
        && mix.unknown > 0
        && random.weighted(&[mix.unknown, told]) == Some(0);
    Clue { operator: if hidden { Operator::Unknown } else { clue.operator }, ..clue }
}

fn neighbours(size: Size, cell: Cell) -> impl Iterator<Item = Cell> {
    let (row, column, side) = (cell.row(size), cell.column(size), size.side());
    [
        (column > 0).then(|| Cell::at(row, column - 1, size)),
        (column + 1 < side).then(|| Cell::at(row, column + 1, size)),
        (row > 0).then(|| Cell::at(row - 1, column, size)),
        (row + 1 < side).then(|| Cell::at(row + 1, column, size)),
    ]
    .into_iter()
    .flatten()
}
