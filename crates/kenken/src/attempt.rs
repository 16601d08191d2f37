//! A puzzle as its player has it: digits filled in and pencil marks, half done and perhaps wrong.

use std::fmt;

use crate::{
    grid::{Cell, Digits, Line},
    puzzle::Puzzle,
    search::Limits,
    solution::{Fault, Solution, check, comes_out},
    solver::wrong_notes,
    words,
};

/// A half-filled grid with pencil marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt<'a> {
    puzzle: &'a Puzzle,
    /// The digit in each cell.
    digits: Vec<Option<u8>>,
    /// The pencil marks of each cell, as ranks. A cell without marks is one that the player has not
    /// thought about: every digit is still possible there.
    marks: Vec<Digits>,
}

/// Why a grid with marks does not belong to a puzzle. Rows are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AttemptError {
    /// Too few or too many rows.
    #[error("{found} rows, expected {expected}")]
    Rows {
        /// The number of rows.
        found: usize,
        /// The side of the puzzle.
        expected: usize,
    },
    /// A row of the wrong length.
    #[error("row {row} has {found} cells, expected {expected}")]
    Row {
        /// The row.
        row: usize,
        /// The number of its cells.
        found: usize,
        /// The side of the puzzle.
        expected: usize,
    },
    /// A cell that is no digit, no '.' and no marks.
    #[error("row {row}: '{}' is not a digit of this grid", text.escape_debug())]
    Cell {
        /// The row.
        row: usize,
        /// The text of the cell.
        text: String,
    },
    /// Too few or too many cells.
    #[error("{found} cells, expected {expected}")]
    Cells {
        /// The number of cells.
        found: usize,
        /// The number of cells of the puzzle.
        expected: usize,
    },
    /// A number that is not a digit of the grid.
    #[error("{cell}: {digit} is not a digit of this grid")]
    Digit {
        /// The name of the cell.
        cell: String,
        /// The number.
        digit: u8,
    },
}

/// Cells that break a rule of the puzzle together, whatever its solution is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clash {
    /// The cells.
    pub cells: Vec<Cell>,
    /// What is wrong with them.
    pub fault: Fault,
}

/// What no solution has.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Wrong {
    /// The cells whose digit is wrong.
    pub digits: Vec<Cell>,
    /// The cells whose marks leave the right digit out. They are listed only if all digits are
    /// right.
    pub marks: Vec<Cell>,
    /// The digits or marks in words; empty if nothing is wrong.
    pub text: String,
}

impl Wrong {
    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.digits.is_empty() && self.marks.is_empty()
    }
}

impl<'a> Attempt<'a> {
    /// The empty grid.
    pub fn new(puzzle: &'a Puzzle) -> Attempt<'a> {
        let cells = puzzle.size().cells();
        Attempt { puzzle, digits: vec![None; cells], marks: vec![Digits::NONE; cells] }
    }

    /// A grid with these digits and marks, both as digits in row-major order.
    pub fn from_parts(
        puzzle: &'a Puzzle,
        digits: &[Option<u8>],
        marks: &[Vec<u8>],
    ) -> Result<Attempt<'a>, AttemptError> {
        let mut attempt = Attempt::new(puzzle);
        let expected = puzzle.size().cells();
        for found in [digits.len(), marks.len()] {
            if found != expected {
                return Err(AttemptError::Cells { found, expected });
            }
        }
        for (index, (&digit, marks)) in digits.iter().zip(marks).enumerate() {
            let cell = Cell(index as u16);
            for digit in digit.iter().chain(marks) {
                let outside =
                    || AttemptError::Digit { cell: cell.name(puzzle.size()), digit: *digit };
                let rank = attempt.rank(*digit).ok_or_else(outside)?;
                attempt.marks[index].0 |= 1 << rank;
            }
            if digit.is_some() {
                attempt.place(cell, digit);
                attempt.marks[index] = Digits::NONE;
            }
        }
        Ok(attempt)
    }

    /// Reads rows with '/' between them: a digit, '.' for an empty cell, or marks in brackets, such
    /// as `3[12]./...`. In grids with digits of two characters, cells are separated by commas and
    /// marks by blanks: `10,[1 12],.`.
    pub fn parse(puzzle: &'a Puzzle, text: &str) -> Result<Attempt<'a>, AttemptError> {
        let side = puzzle.size().side();
        let mut attempt = Attempt::new(puzzle);
        let rows: Vec<&str> = text.trim_end_matches('/').split('/').collect();
        for (number, row) in rows.iter().enumerate() {
            let cells = split_row(row);
            if cells.len() != side {
                let found = cells.len();
                return Err(AttemptError::Row { row: number + 1, found, expected: side });
            }
            for (column, text) in cells.into_iter().enumerate().filter(|_| number < side) {
                let cell = Cell::at(number, column, puzzle.size());
                let unknown = || AttemptError::Cell { row: number + 1, text: text.clone() };
                attempt.read(cell, &text).ok_or_else(unknown)?;
            }
        }
        match rows.len() == side {
            true => Ok(attempt),
            false => Err(AttemptError::Rows { found: rows.len(), expected: side }),
        }
    }

    fn read(&mut self, cell: Cell, text: &str) -> Option<()> {
        if text == "." {
            return Some(());
        }
        let Some(marks) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) else {
            let digit = text.parse().ok()?;
            self.rank(digit)?;
            self.place(cell, Some(digit));
            return Some(());
        };
        let marks: Vec<String> = if marks.contains(' ') || self.largest() > 9 {
            marks.split_whitespace().map(str::to_owned).collect()
        } else {
            marks.chars().map(String::from).collect()
        };
        for mark in marks {
            let rank = self.rank(mark.parse().ok()?)?;
            self.marks[cell.index()].0 |= 1 << rank;
        }
        Some(())
    }

    /// The puzzle.
    pub fn puzzle(&self) -> &'a Puzzle {
        self.puzzle
    }

    /// The digit in a cell.
    pub fn digit(&self, cell: Cell) -> Option<u8> {
        self.digits[cell.index()]
    }

    /// The pencil marks of a cell, as ranks.
    pub fn marks(&self, cell: Cell) -> Digits {
        self.marks[cell.index()]
    }

    /// Fills a digit in, or removes the one that is there. The marks of the cell stay as they are.
    ///
    /// # Panics
    ///
    /// Panics if the number is not a digit of the grid.
    pub fn place(&mut self, cell: Cell, digit: Option<u8>) {
        assert!(digit.is_none_or(|digit| self.rank(digit).is_some()), "a digit of the grid");
        self.digits[cell.index()] = digit;
    }

    /// Replaces the marks of a cell.
    pub fn mark(&mut self, cell: Cell, marks: Digits) {
        self.marks[cell.index()] = Digits(marks.0 & self.puzzle.size().digits().0);
    }

    /// The cells in row-major order.
    pub fn cells(&self) -> impl Iterator<Item = Cell> + use<> {
        (0..self.digits.len() as u16).map(Cell)
    }

    /// What each cell can still be at a glance: its digit, or its marks (every digit if there are
    /// none) without the digits that its row and column already have.
    pub fn candidates(&self) -> Vec<Digits> {
        let taken = self.taken();
        let side = self.puzzle.size().side();
        let candidates = |cell: Cell| match self.digit(cell) {
            Some(digit) => Digits::one(self.rank(digit).expect("it was checked")),
            None => {
                let [row, column] = lines(cell, side).map(|line| taken[line]);
                Digits(self.noted(cell).0 & !row & !column)
            }
        };
        self.cells().map(candidates).collect()
    }

    /// The candidates that the player has noted, whatever other cells hold.
    pub(crate) fn noted(&self, cell: Cell) -> Digits {
        match self.marks(cell) {
            Digits::NONE => self.puzzle.size().digits(),
            marks => marks,
        }
    }

    /// Marks every empty cell that has no marks with all digits that its row and column do not have
    /// yet.
    pub fn fill_marks(&mut self) {
        let candidates = self.candidates();
        for cell in self.cells() {
            if self.digit(cell).is_none() && self.marks(cell).is_empty() {
                self.marks[cell.index()] = candidates[cell.index()];
            }
        }
    }

    /// Removes the marks that the digits in the same row or column rule out, and all marks of
    /// filled cells.
    pub fn tidy_marks(&mut self) {
        let candidates = self.candidates();
        for cell in self.cells() {
            let kept = if self.digit(cell).is_some() { 0 } else { candidates[cell.index()].0 };
            self.marks[cell.index()].0 &= kept;
        }
    }

    /// Whether every cell has a digit and all rules hold.
    pub fn is_solved(&self) -> bool {
        let digits: Option<Vec<u8>> = self.digits.iter().copied().collect();
        let size = self.puzzle.size();
        digits.is_some_and(|digits| check(self.puzzle, &Solution::new(size, digits)).is_ok())
    }

    /// The cells that break a rule: equal digits in a line, and full cages that do not give their
    /// target.
    pub fn clashes(&self) -> Vec<Clash> {
        let mut clashes = Vec::new();
        let size = self.puzzle.size();
        for line in Line::all(size) {
            for digit in (0..size.side()).map(|rank| self.digit_of(rank)) {
                let holds = |cell: &Cell| self.digit(*cell) == Some(digit);
                let cells: Vec<Cell> = line.cells(size).filter(holds).collect();
                if cells.len() > 1 {
                    let fault = Fault::Repeated { line: line.name(size), digit };
                    clashes.push(Clash { cells, fault });
                }
            }
        }
        for (number, cage) in self.puzzle.cages().enumerate() {
            let digits = cage.cells.iter().map(|&cell| self.digit(cell).map(u64::from));
            let digits: Option<Vec<u64>> = digits.collect();
            if digits.is_some_and(|digits| !comes_out(self.puzzle.rules(), cage, &digits)) {
                let (cell, clue) = (cage.cells[0].name(size), cage.clue.to_string());
                let fault = Fault::Clue { cage: number, cell, clue };
                clashes.push(Clash { cells: cage.cells.to_vec(), fault });
            }
        }
        clashes
    }

    /// The digits, and if all of them are right the marks, that no solution has. `None` if a limit
    /// was reached first. If the puzzle has no solution, nothing is wrong.
    ///
    /// If a puzzle has several solutions, digits can be wrong only together. Then the later ones in
    /// row-major order are listed.
    pub fn wrong(&self, limits: &Limits) -> Option<Wrong> {
        let all = self.puzzle.size().digits();
        // An empty grid need not be solved to know that.
        if self.cells().all(|cell| self.digit(cell).is_none() && self.noted(cell) == all) {
            return Some(Wrong::default());
        }
        let mut notes: Vec<Digits> = self.cells().map(|cell| self.noted(cell)).collect();
        let mut filled: Vec<Digits> = vec![all; notes.len()];
        for cell in self.cells() {
            if let Some(rank) = self.digit(cell).and_then(|digit| self.rank(digit)) {
                notes[cell.index()] = Digits::one(rank);
                filled[cell.index()] = Digits::one(rank);
            }
        }
        let digits = wrong_notes(self.puzzle, &filled, limits)?;
        let marks = match digits.is_empty() {
            true => wrong_notes(self.puzzle, &notes, limits)?,
            false => Vec::new(),
        };
        let named: Vec<String> = digits
            .iter()
            .chain(&marks)
            .map(|cell| words::note(self.puzzle, *cell, notes[cell.index()]))
            .collect();
        Some(Wrong { digits, marks, text: named.join(", ") })
    }

    /// The ranks of the digits that each line has: rows first, then columns.
    fn taken(&self) -> Vec<u32> {
        let side = self.puzzle.size().side();
        let mut taken = vec![0; 2 * side];
        for cell in self.cells() {
            if let Some(rank) = self.digit(cell).and_then(|digit| self.rank(digit)) {
                lines(cell, side).into_iter().for_each(|line| taken[line] |= 1 << rank);
            }
        }
        taken
    }

    /// The rank of a digit, if it is one of the grid.
    pub fn rank(&self, digit: u8) -> Option<usize> {
        let rank = u64::from(digit).checked_sub(self.puzzle.rules().lowest_digit())? as usize;
        (rank < self.puzzle.size().side()).then_some(rank)
    }

    /// The digit of a rank.
    pub fn digit_of(&self, rank: usize) -> u8 {
        rank as u8 + self.puzzle.rules().lowest_digit() as u8
    }

    fn largest(&self) -> u8 {
        self.digit_of(self.puzzle.size().side() - 1)
    }
}

/// The form that [`Attempt::parse`] reads.
impl fmt::Display for Attempt<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let wide = self.largest() > 9;
        let side = self.puzzle.size().side();
        for cell in self.cells() {
            match cell.index() {
                0 => {}
                index if index % side == 0 => f.write_str("/")?,
                _ if wide => f.write_str(",")?,
                _ => {}
            }
            match (self.digit(cell), self.marks(cell)) {
                (Some(digit), _) => write!(f, "{digit}")?,
                (None, Digits::NONE) => f.write_str(".")?,
                (None, marks) => {
                    let marks: Vec<String> =
                        marks.ranks().map(|rank| self.digit_of(rank).to_string()).collect();
                    write!(f, "[{}]", marks.join(if wide { " " } else { "" }))?;
                }
            }
        }
        Ok(())
    }
}

/// The row and the column of a cell, as indices of lines.
fn lines(cell: Cell, side: usize) -> [usize; 2] {
    [cell.index() / side, side + cell.index() % side]
}

/// The texts of the cells of a row.
fn split_row(row: &str) -> Vec<String> {
    if row.contains(',') {
        return row.split(',').map(|cell| cell.trim().to_owned()).collect();
    }
    let mut cells: Vec<String> = Vec::new();
    let mut is_open = false;
    for sign in row.chars() {
        match (is_open, cells.last_mut()) {
            (true, Some(cell)) => {
                cell.push(sign);
                is_open = sign != ']';
            }
            _ if sign.is_whitespace() => {}
            _ => {
                cells.push(sign.to_string());
                is_open = sign == '[';
            }
        }
    }
    cells
}
