//! Filled grids, and an independent check whether one solves a puzzle.

use std::fmt;

use crate::{
    grid::{Cell, Line, Size},
    puzzle::{Cage, Operator, Puzzle, Rules},
};

/// A filled grid: digits in row-major order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Solution {
    size: Size,
    digits: Vec<u8>,
}

impl Solution {
    /// A grid filled with these digits.
    ///
    /// # Panics
    ///
    /// Panics unless there is one digit for each cell.
    pub fn new(size: Size, digits: Vec<u8>) -> Solution {
        assert_eq!(digits.len(), size.cells(), "a {size} grid has {} cells", size.cells());
        Solution { size, digits }
    }

    /// The grid's size.
    pub fn size(&self) -> Size {
        self.size
    }

    /// The digits in row-major order.
    pub fn digits(&self) -> &[u8] {
        &self.digits
    }

    /// The digit in a cell.
    pub fn digit(&self, cell: Cell) -> u8 {
        self.digits[cell.index()]
    }
}

/// Rows as lines, with blanks between digits.
impl fmt::Display for Solution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in self.digits.chunks(self.size.side()) {
            let row: Vec<String> = row.iter().map(u8::to_string).collect();
            writeln!(f, "{}", row.join(" "))?;
        }
        Ok(())
    }
}

/// The cells in which grids of one size do not all have the same digit.
pub fn differing(grids: &[Solution]) -> Vec<Cell> {
    let [first, others @ ..] = grids else { return Vec::new() };
    (0..first.digits.len() as u16)
        .map(Cell)
        .filter(|&cell| others.iter().any(|other| other.digit(cell) != first.digit(cell)))
        .collect()
}

/// What is wrong with a filled grid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The grid does not have the size of the puzzle.
    #[error("the puzzle is {puzzle}, the grid is {grid}")]
    Size {
        /// The puzzle's size.
        puzzle: Size,
        /// The grid's size.
        grid: Size,
    },
    /// A number that is not a digit of the grid.
    #[error("{cell}: {digit} is not a digit of this grid")]
    Digit {
        /// The name of the cell.
        cell: String,
        /// The digit.
        digit: u8,
    },
    /// A digit twice in a line.
    #[error("{line}: {digit} appears twice")]
    Repeated {
        /// The name of the line.
        line: String,
        /// The digit.
        digit: u8,
    },
    /// A cage whose digits do not give its target.
    #[error("cage {cage} at {cell}: the digits do not make {clue}")]
    Clue {
        /// The cage.
        cage: usize,
        /// The name of its first cell.
        cell: String,
        /// Its clue as text.
        clue: String,
    },
    /// Digits or candidates that no solution has.
    #[error("wrong: {notes}")]
    Notes {
        /// Each with its cell, as text.
        notes: String,
    },
}

/// Checks a filled grid against the rules of a puzzle directly, without any code of the solver.
pub fn check(puzzle: &Puzzle, solution: &Solution) -> Result<(), Fault> {
    let (size, rules) = (puzzle.size(), puzzle.rules());
    if solution.size() != size {
        return Err(Fault::Size { puzzle: size, grid: solution.size() });
    }
    let lowest = rules.lowest_digit() as usize;
    for (index, &digit) in solution.digits().iter().enumerate() {
        if usize::from(digit) < lowest || usize::from(digit) >= lowest + size.side() {
            return Err(Fault::Digit { cell: Cell(index as u16).name(size), digit });
        }
    }
    for line in Line::all(size) {
        let mut seen = [false; 256];
        for cell in line.cells(size) {
            let digit = solution.digit(cell);
            if std::mem::replace(&mut seen[usize::from(digit)], true) {
                return Err(Fault::Repeated { line: line.name(size), digit });
            }
        }
    }
    for (number, cage) in puzzle.cages().enumerate() {
        let digits: Vec<u64> =
            cage.cells.iter().map(|&cell| u64::from(solution.digit(cell))).collect();
        if !comes_out(rules, cage, &digits) {
            let cell = cage.cells[0].name(size);
            return Err(Fault::Clue { cage: number, cell, clue: cage.clue.to_string() });
        }
    }
    Ok(())
}

/// Whether the digits of a cage give its target.
pub fn comes_out(rules: &Rules, cage: Cage<'_>, digits: &[u64]) -> bool {
    let operators: &[Operator] = match cage.clue.operator {
        Operator::Unknown if digits.len() == 1 => &[Operator::Given],
        Operator::Unknown => {
            &[Operator::Add, Operator::Subtract, Operator::Multiply, Operator::Divide]
        }
        ref operator => std::slice::from_ref(operator),
    };
    operators
        .iter()
        .filter(|&&operator| rules.allows(operator, digits.len()))
        .any(|&operator| result(operator, digits) == Some(cage.clue.target))
}

/// The result of an operator, if it has one.
fn result(operator: Operator, digits: &[u64]) -> Option<u64> {
    let mut sorted = digits.to_vec();
    sorted.sort_unstable();
    let (&largest, rest) = sorted.split_last()?;
    match operator {
        Operator::Given => rest.is_empty().then_some(largest),
        Operator::Add => Some(digits.iter().sum()),
        Operator::Multiply => product(digits),
        Operator::Subtract => largest.checked_sub(rest.iter().sum()),
        Operator::Divide => {
            let divisor = product(rest)?;
            (divisor != 0 && largest % divisor == 0).then(|| largest / divisor)
        }
        Operator::Unknown => None,
    }
}

/// The product; `None` if it does not fit `u64` and so cannot be a target.
fn product(digits: &[u64]) -> Option<u64> {
    if digits.contains(&0) {
        return Some(0);
    }
    digits.iter().try_fold(1u64, |product, &digit| product.checked_mul(digit))
}
