//! A puzzle during generation: a filled grid, divided into cages whose clues fit it.

use crate::{
    grid::{Cell, Size},
    puzzle::{Clue, Operator, Puzzle, Rules},
    random::Random,
};

/// The relative frequency of each operator.
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
    /// Cages whose operator is hidden.
    pub unknown: u32,
}

impl OperatorMix {
    /// All four operators. Division is rarely possible, so it has the largest weight.
    pub const ALL: OperatorMix =
        OperatorMix { add: 2, subtract: 3, multiply: 2, divide: 6, unknown: 0 };

    /// Products only.
    pub const MULTIPLY: OperatorMix =
        OperatorMix { add: 0, subtract: 0, multiply: 1, divide: 0, unknown: 0 };

    /// The weight of a clue with this operator. A given digit needs no operator. If all operators
    /// are hidden, each of them may be used.
    pub(crate) fn weight(&self, operator: Operator) -> u32 {
        let OperatorMix { add, subtract, multiply, divide, unknown: _ } = *self;
        match operator {
            Operator::Given => 1,
            Operator::Add => add,
            Operator::Subtract => subtract,
            Operator::Multiply => multiply,
            Operator::Divide => divide,
            Operator::Unknown => 0,
        }
    }

    /// The total weight of visible operators.
    fn told(&self) -> u32 {
        self.add + self.subtract + self.multiply + self.divide
    }

    /// Whether a clue may have this operator.
    pub(crate) fn allows(&self, operator: Operator) -> bool {
        self.told() == 0 || self.weight(operator) > 0
    }

    /// Whether some operator of the mix can be used on cages of this many cells.
    pub(crate) fn allows_cells(&self, cells: usize, rules: &Rules) -> bool {
        let any = [Operator::Add, Operator::Multiply, Operator::Subtract, Operator::Divide];
        cells == 1 || any.into_iter().any(|any| self.allows(any) && rules.allows(any, cells))
    }
}

/// What the cages of a draft may be: the weights of their sizes, beginning with one cell, and their
/// operators.
pub(crate) struct Wanted<'a> {
    pub(crate) sizes: &'a [u32],
    pub(crate) operators: &'a OperatorMix,
}

impl Wanted<'_> {
    pub(crate) fn allows_cells(&self, cells: usize) -> bool {
        self.sizes.get(cells - 1).is_some_and(|&weight| weight > 0)
    }

    /// For each number of cells up to `most`, whether cages of the wanted sizes can cover it.
    pub(crate) fn coverable(&self, most: usize) -> Vec<bool> {
        let mut coverable = vec![true];
        for cells in 1..=most {
            let mut sizes = (1..=cells).filter(|&size| self.allows_cells(size));
            coverable.push(sizes.any(|size| coverable[cells - size]));
        }
        coverable
    }
}

/// A cell that is in no cage yet.
const FREE: u16 = u16::MAX;
/// How often the same filled grid is divided before another one is generated.
const MOST_CUTS: usize = 20;
/// How many sizes are tried for one cage.
const MOST_DRAWN: usize = 6;

/// The clues of one cage, at most one for each operator.
pub(crate) struct Clues {
    clues: [Clue; 4],
    count: usize,
}

impl Default for Clues {
    fn default() -> Clues {
        Clues { clues: [Clue { operator: Operator::Given, target: 0 }; 4], count: 0 }
    }
}

impl Clues {
    fn push(&mut self, operator: Operator, target: u64) {
        self.clues[self.count] = Clue { operator, target };
        self.count += 1;
    }

    fn remove(&mut self, clue: Clue) {
        if let Some(place) = self.as_slice().iter().position(|&other| other == clue) {
            self.clues.copy_within(place + 1..self.count, place);
            self.count -= 1;
        }
    }

    pub(crate) fn as_slice(&self) -> &[Clue] {
        &self.clues[..self.count]
    }
}

/// Copies into a draft that is there already keep its memory.
impl Clone for Draft {
    fn clone(&self) -> Draft {
        let Draft { size, rules, square, owner, cages } = self;
        let (square, owner, cages) = (square.clone(), owner.clone(), cages.clone());
        Draft { size: *size, rules: *rules, square, owner, cages }
    }

    fn clone_from(&mut self, other: &Draft) {
        (self.size, self.rules) = (other.size, other.rules);
        self.square.clone_from(&other.square);
        self.owner.clone_from(&other.owner);
        self.cages.truncate(other.cages.len());
        for ((clue, cells), (from, others)) in self.cages.iter_mut().zip(&other.cages) {
            *clue = *from;
            cells.clone_from(others);
        }
        let more = self.cages.len()..;
        self.cages.extend_from_slice(&other.cages[more]);
    }
}

pub(crate) struct Draft {
    pub(crate) size: Size,
    pub(crate) rules: Rules,
    /// The solution, as ranks.
    pub(crate) square: Vec<u8>,
    pub(crate) owner: Vec<u16>,
    pub(crate) cages: Vec<(Clue, Vec<Cell>)>,
}

impl Draft {
    /// Divides a filled grid at random into wanted cages; `None` if that fails.
    pub(crate) fn cut(
        random: &mut Random,
        size: Size,
        rules: Rules,
        square: Vec<u8>,
        wanted: &Wanted<'_>,
    ) -> Option<Draft> {
        let mut draft = Draft { size, rules, square, owner: Vec::new(), cages: Vec::new() };
        draft.cut_freely(random, wanted.sizes);
        let is_wanted = |(_, cells): &(Clue, Vec<Cell>)| draft.is_wanted(cells, wanted);
        if draft.cages.iter().all(is_wanted) {
            return Some(draft);
        }
        let coverable = wanted.coverable(size.cells());
        (0..MOST_CUTS).any(|_| draft.cut_strictly(random, wanted, &coverable)).then_some(draft)
    }

    fn clear(&mut self) {
        self.owner = vec![FREE; self.size.cells()];
        self.cages.clear();
    }

    /// Divides the grid cell by cell in random order. Where there is not enough space, cages become
    /// smaller than their random size.
    fn cut_freely(&mut self, random: &mut Random, sizes: &[u32]) {
        self.clear();
        let mut order: Vec<Cell> = (0..self.size.cells() as u16).map(Cell).collect();
        random.shuffle(&mut order);
        for cell in order {
            if self.owner[cell.index()] == FREE {
                let wanted = random.weighted(sizes).unwrap_or(1) + 1;
                let cells = self.grow(random, cell, wanted);
                self.enclose(cells);
            }
        }
        if sizes.first() == Some(&0) {
            self.absorb_single_cells(random, sizes.len());
        }
    }

    /// Divides the grid where there is least space first, and only into wanted cages that leave the
    /// rest coverable. Returns `false` at a dead end.
    fn cut_strictly(
        &mut self,
        random: &mut Random,
        wanted: &Wanted<'_>,
        coverable: &[bool],
    ) -> bool {
        self.clear();
        let mut order: Vec<Cell> = (0..self.size.cells() as u16).map(Cell).collect();
        random.shuffle(&mut order);
        let room = |draft: &Draft, cell: Cell| {
            neighbours(draft.size, cell).filter(|next| draft.owner[next.index()] == FREE).count()
        };
        while let Some(cell) = order
            .iter()
            .copied()
            .filter(|cell| self.owner[cell.index()] == FREE)
            .min_by_key(|&cell| room(self, cell))
        {
            // First random sizes, and then all of them.
            let drawn: Vec<usize> =
                (0..MOST_DRAWN).filter_map(|_| random.weighted(wanted.sizes)).collect();
            let all = (0..wanted.sizes.len()).filter(|&size| wanted.sizes[size] > 0);
            let mut tries = drawn.into_iter().chain(all);
            let cells = tries.find_map(|size| {
                let cells = self.grow(random, cell, size + 1);
                let fits = self.is_wanted(&cells, wanted) && self.leaves_room(&cells, coverable);
                fits.then_some(cells)
            });
            let Some(cells) = cells else { return false };
            self.enclose(cells);
        }
        true
    }

    /// Connected free cells, up to the wanted number.
    fn grow(&self, random: &mut Random, first: Cell, wanted: usize) -> Vec<Cell> {
        let mut cells = vec![first];
        while cells.len() < wanted {
            let is_free = |next: &Cell| self.owner[next.index()] == FREE && !cells.contains(next);
            let border: Vec<Cell> = self.border(&cells).filter(is_free).collect();
            if border.is_empty() {
                break;
            }
            let next = border[random.below(border.len())];
            cells.push(next);
        }
        cells.sort_unstable();
        cells
    }

    fn enclose(&mut self, cells: Vec<Cell>) {
        self.cages.push((Clue { operator: Operator::Add, target: 0 }, cells));
        self.relabel(self.cages.len() - 1);
    }

    /// Whether cells may be a cage: by their number, and by the clues that their digits allow.
    pub(crate) fn is_wanted(&self, cells: &[Cell], wanted: &Wanted<'_>) -> bool {
        self.is_wanted_union(cells, &[], wanted)
    }

    /// The same for the cells of two cages together.
    pub(crate) fn is_wanted_union(&self, a: &[Cell], b: &[Cell], wanted: &Wanted<'_>) -> bool {
        let clues = || self.clues_of(a.iter().chain(b).copied());
        wanted.allows_cells(a.len() + b.len())
            && clues().as_slice().iter().any(|clue| wanted.operators.allows(clue.operator))
    }

    /// Whether the free cells besides these can still be covered.
    fn leaves_room(&self, cells: &[Cell], coverable: &[bool]) -> bool {
        let mut free: Vec<bool> = self.owner.iter().map(|&owner| owner == FREE).collect();
        for cell in cells {
            free[cell.index()] = false;
        }
        self.border(cells).all(|start| {
            let mut reached = Vec::new();
            let mut next = 0;
            if std::mem::take(&mut free[start.index()]) {
                reached.push(start);
            }
            while let Some(&cell) = reached.get(next) {
                next += 1;
                let fresh = neighbours(self.size, cell)
                    .filter(|other| std::mem::take(&mut free[other.index()]));
                reached.extend(fresh);
            }
            coverable[reached.len()]
        })
    }

    /// The cells next to these cells, some of them repeatedly.
    fn border<'a>(&'a self, cells: &'a [Cell]) -> impl Iterator<Item = Cell> + 'a {
        cells.iter().flat_map(move |&cell| neighbours(self.size, cell))
    }

    /// Merges cages of one cell with a neighbour, if the result is not too large.
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
            // A merge moves another cage to this index.
            if !joined {
                cage += 1;
            }
        }
    }

    /// The neighbouring cages that a cage could be merged with.
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

    /// Merges two cages and returns the index of the result. The caller sets its clue.
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

    /// Splits a cage into two connected wanted parts of at least `least` cells, if possible.
    /// Returns the index of the new part.
    pub(crate) fn split(
        &mut self,
        random: &mut Random,
        cage: usize,
        least: usize,
        wanted: &Wanted<'_>,
    ) -> Option<usize> {
        let cells = self.cages[cage].1.clone();
        if cells.len() < 2 * least {
            return None;
        }
        for _ in 0..6 {
            let size = least + random.below(cells.len() - 2 * least + 1);
            let mut part = vec![cells[random.below(cells.len())]];
            while part.len() < size {
                let border: Vec<Cell> = self
                    .border(&part)
                    .filter(|cell| cells.contains(cell) && !part.contains(cell))
                    .collect();
                part.push(border[random.below(border.len())]);
            }
            let rest: Vec<Cell> =
                cells.iter().copied().filter(|cell| !part.contains(cell)).collect();
            let both_wanted = self.is_wanted(&part, wanted) && self.is_wanted(&rest, wanted);
            if both_wanted && self.is_connected(&rest) {
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

    /// Gives a cage a clue, chosen at random by weight from those that its digits allow.
    ///
    /// # Panics
    ///
    /// Panics if the mix allows none of them, because such a cage is not wanted.
    pub(crate) fn clue(&mut self, random: &mut Random, cage: usize, mix: &OperatorMix) {
        let choices = self.clues(cage);
        let choices = choices.as_slice();
        let choice = draw(random, choices, mix).unwrap_or_else(|| {
            assert_eq!(mix.told(), 0, "a cage has a wanted clue");
            choices.len().min(2) - 1
        });
        self.cages[cage].0 = hide(random, choices[choice], mix);
    }

    /// Gives a cage another clue. Returns `false` if there is no other.
    pub(crate) fn reclue(&mut self, random: &mut Random, cage: usize, mix: &OperatorMix) -> bool {
        let mut choices = self.clues(cage);
        choices.remove(self.cages[cage].0);
        let choices = choices.as_slice();
        let Some(choice) = draw(random, choices, mix) else { return false };
        self.cages[cage].0 = hide(random, choices[choice], mix);
        true
    }

    /// The clues that the digits of a cage allow: a given digit, or a sum, a product and whatever
    /// else is possible.
    pub(crate) fn clues(&self, cage: usize) -> Clues {
        self.clues_of(self.cages[cage].1.iter().copied())
    }

    /// Every draft asks for this several times, so it allocates nothing.
    fn clues_of(&self, cells: impl Iterator<Item = Cell>) -> Clues {
        let lowest = self.rules.lowest_digit();
        let (mut count, mut sum, mut largest, mut zeros) = (0, 0, 0, 0);
        // The products of all digits but zeros, and without the largest of them.
        let (mut all, mut rest) = (Some(1u64), Some(1u64));
        for cell in cells {
            let digit = u64::from(self.square[cell.index()]) + lowest;
            (count, sum) = (count + 1, sum + digit);
            let smaller = digit.min(largest);
            largest = largest.max(digit);
            if digit == 0 {
                zeros += 1;
                continue;
            }
            all = all.and_then(|product| product.checked_mul(digit));
            if smaller > 0 {
                rest = rest.and_then(|product| product.checked_mul(smaller));
            }
        }
        let mut clues = Clues::default();
        if count == 1 {
            clues.push(Operator::Given, largest);
            return clues;
        }
        let sum = sum - largest;
        clues.push(Operator::Add, largest + sum);
        if let Some(target) = if zeros > 0 { Some(0) } else { all } {
            clues.push(Operator::Multiply, target);
        }
        if self.rules.allows(Operator::Subtract, count) {
            if largest >= sum {
                clues.push(Operator::Subtract, largest - sum);
            }
            if let Some(divisor) = rest.filter(|_| zeros == 0)
                && largest % divisor == 0
            {
                clues.push(Operator::Divide, largest / divisor);
            }
        }
        clues
    }

    /// The puzzle in its current state.
    pub(crate) fn puzzle(&self) -> Puzzle {
        Puzzle::from_owners(self.size, self.rules, &self.owner, |cage| self.cages[cage].0)
    }
}

/// A random choice by the weights of a mix; `None` if all weights are 0.
fn draw(random: &mut Random, choices: &[Clue], mix: &OperatorMix) -> Option<usize> {
    let mut weights = [0; 4];
    for (weight, clue) in weights.iter_mut().zip(choices) {
        *weight = mix.weight(clue.operator);
    }
    random.weighted(&weights)
}

/// The same clue, or the clue with its operator hidden.
fn hide(random: &mut Random, clue: Clue, mix: &OperatorMix) -> Clue {
    let hidden = clue.operator != Operator::Given
        && mix.unknown > 0
        && random.weighted(&[mix.unknown, mix.told()]) == Some(0);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{puzzle::Cage, random::latin_square, solution::comes_out};

    /// For every operator that the rules allow, the only target that comes out, found by trying all
    /// of them.
    #[test]
    fn the_clues_of_cells_are_those_that_come_out() {
        let mut random = Random::new(31, 0);
        for _ in 0..2000 {
            let side = 2 + random.below(8);
            let size = Size::new(side).unwrap();
            let rules = Rules { zero: random.percent(40), wide_sub_div: true, ..Rules::default() };
            let square = latin_square(&mut random, side);
            let mut cells: Vec<Cell> = (0..size.cells() as u16).map(Cell).collect();
            random.shuffle(&mut cells);
            cells.truncate(1 + random.below(4));
            let digits: Vec<u64> = cells
                .iter()
                .map(|cell| u64::from(square[cell.index()]) + rules.lowest_digit())
                .collect();
            let draft = Draft { size, rules, square, owner: Vec::new(), cages: Vec::new() };
            let clues = draft.clues_of(cells.iter().copied());
            use Operator::{Add, Divide, Given, Multiply, Subtract};
            let operators: &[Operator] =
                if cells.len() == 1 { &[Given] } else { &[Add, Multiply, Subtract, Divide] };
            let mut expected = Vec::new();
            for &operator in operators {
                let largest = 10u64.pow(cells.len() as u32);
                let clue = |target| Clue { operator, target };
                let fits =
                    |clue: &Clue| comes_out(&rules, Cage { clue: *clue, cells: &[] }, &digits);
                expected.extend((0..largest).map(clue).find(fits));
            }
            assert_eq!(clues.as_slice(), expected, "{digits:?}");
        }
    }
}
