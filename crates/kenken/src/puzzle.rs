//! The puzzle: a grid cut into cages, each with a clue.
//!
//! A [`Puzzle`] is well formed by construction: every cell lies in exactly one cage, every cage
//! is connected (unless the rules waive that), and every clue fits its number of cells.

use std::fmt;

use crate::grid::{Cell, Size};

/// What a cage does with its digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// The one digit is the target.
    Given,
    /// The digits sum to the target.
    Add,
    /// The largest digit minus all others is the target.
    Subtract,
    /// The digits multiply to the target.
    Multiply,
    /// The largest digit divided by all others is the target, exactly.
    Divide,
    /// One of the other operators holds, and the solver is not told which.
    Unknown,
}

impl Operator {
    /// Its sign in puzzle text.
    pub const fn sign(self) -> char {
        match self {
            Operator::Given => '=',
            Operator::Add => '+',
            Operator::Subtract => '-',
            Operator::Multiply => '*',
            Operator::Divide => '/',
            Operator::Unknown => '?',
        }
    }

    /// Its sign in print.
    pub const fn print_sign(self) -> &'static str {
        match self {
            Operator::Given | Operator::Unknown => "",
            Operator::Add => "+",
            Operator::Subtract => "\u{2212}",
            Operator::Multiply => "\u{d7}",
            Operator::Divide => "\u{f7}",
        }
    }

    /// The operator with this sign; `x` and the printed signs are read too.
    pub const fn from_sign(sign: char) -> Option<Operator> {
        Some(match sign {
            '=' => Operator::Given,
            '+' => Operator::Add,
            '-' | '\u{2212}' => Operator::Subtract,
            '*' | 'x' | '\u{d7}' => Operator::Multiply,
            '/' | ':' | '\u{f7}' => Operator::Divide,
            '?' => Operator::Unknown,
            _ => return None,
        })
    }
}

/// A cage's operator and target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Clue {
    /// What the cage does with its digits.
    pub operator: Operator,
    /// What must come out.
    pub target: u64,
}

impl fmt::Display for Clue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.operator {
            Operator::Given => write!(f, "{}", self.target),
            operator => write!(f, "{}{}", self.target, operator.sign()),
        }
    }
}

/// The variant of the rules a puzzle is played by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Digits run from 0 instead of from 1.
    pub zero: bool,
    /// Subtraction and division may stand on more than two cells.
    pub wide_sub_div: bool,
    /// No cage has more cells than this.
    pub max_cage: Option<u16>,
    /// The cells of a cage hang together by their sides.
    pub connected: bool,
}

impl Default for Rules {
    fn default() -> Rules {
        Rules { zero: false, wide_sub_div: false, max_cage: None, connected: true }
    }
}

impl Rules {
    /// The digit of rank 0.
    #[inline]
    pub const fn lowest_digit(&self) -> u64 {
        if self.zero { 0 } else { 1 }
    }

    /// Whether an operator may stand on a cage with this many cells.
    pub const fn allows(&self, operator: Operator, cells: usize) -> bool {
        match operator {
            Operator::Given => cells == 1,
            Operator::Add | Operator::Multiply | Operator::Unknown => cells >= 1,
            Operator::Subtract | Operator::Divide => cells == 2 || (cells > 2 && self.wide_sub_div),
        }
    }

    /// Whether a target of 0 can ever come out.
    const fn allows_zero(&self, operator: Operator, cells: usize) -> bool {
        let wide = self.wide_sub_div && cells > 2;
        self.zero || (wide && matches!(operator, Operator::Subtract | Operator::Unknown))
    }
}

/// Why cages do not make a puzzle. Cages are numbered from 0 in the order they were given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PuzzleError {
    /// A cage without cells.
    #[error("cage {cage} has no cells")]
    Empty {
        /// The cage.
        cage: usize,
    },
    /// A cell outside the grid.
    #[error("cage {cage}: cell {cell} lies outside the {size} grid")]
    Outside {
        /// The cage.
        cage: usize,
        /// The cell's index.
        cell: u64,
        /// The grid.
        size: Size,
    },
    /// A cell claimed twice.
    #[error("cage {cage}: cell {name} already belongs to cage {first}")]
    Twice {
        /// The second cage to claim it.
        cage: usize,
        /// The first.
        first: usize,
        /// The cell in words.
        name: String,
    },
    /// A cell in no cage.
    #[error("cell {name} belongs to no cage")]
    Uncovered {
        /// The cell in words.
        name: String,
    },
    /// A cage in several pieces.
    #[error("cage {cage}: cell {name} is cut off from the rest of the cage")]
    Disconnected {
        /// The cage.
        cage: usize,
        /// A cell in another piece than the first cell.
        name: String,
    },
    /// An operator that cannot stand on so many cells.
    #[error("cage {cage}: operator {sign} cannot be used on {cells} cell(s)")]
    CellCount {
        /// The cage.
        cage: usize,
        /// The operator's sign.
        sign: char,
        /// How many cells it was given.
        cells: usize,
    },
    /// A target of zero where it can never come out.
    #[error("cage {cage}: target 0 is impossible")]
    ZeroTarget {
        /// The cage.
        cage: usize,
    },
    /// A cage beyond the rules' maximum.
    #[error("cage {cage} has {cells} cells, the rules allow at most {most}")]
    TooLarge {
        /// The cage.
        cage: usize,
        /// Its cells.
        cells: usize,
        /// The rules' maximum.
        most: u16,
    },
}

/// One cage of a puzzle, looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cage<'a> {
    /// Its clue.
    pub clue: Clue,
    /// Its cells, ascending.
    pub cells: &'a [Cell],
}

/// A well-formed puzzle. Cages stand in the order of their lowest cells.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Puzzle {
    size: Size,
    rules: Rules,
    clues: Vec<Clue>,
    /// Where each cage's cells start in `cells`, and one more at the end.
    starts: Vec<u16>,
    cells: Vec<Cell>,
    cage_of: Vec<u16>,
}

impl Puzzle {
    /// Checks cages given as clue and cells, and puts them in order.
    pub fn new(
        size: Size,
        rules: Rules,
        cages: &[(Clue, Vec<Cell>)],
    ) -> Result<Puzzle, PuzzleError> {
        const NOWHERE: u16 = u16::MAX;
        let mut owner = vec![NOWHERE; size.cells()];
        for (cage, (clue, cells)) in cages.iter().enumerate() {
            check_clue(&rules, cage, *clue, cells.len())?;
            for &cell in cells {
                let Some(first) = owner.get_mut(cell.index()) else {
                    return Err(PuzzleError::Outside { cage, cell: u64::from(cell.0), size });
                };
                if *first != NOWHERE {
                    let first = usize::from(*first);
                    return Err(PuzzleError::Twice { cage, first, name: cell.name(size) });
                }
                // More cages than cells cannot get here: the cell would be taken already.
                *first = cage as u16;
            }
        }
        if let Some(free) = owner.iter().position(|&cage| cage == NOWHERE) {
            return Err(PuzzleError::Uncovered { name: Cell(free as u16).name(size) });
        }
        if rules.connected {
            for (cage, (_, cells)) in cages.iter().enumerate() {
                if let Some(cell) = cut_off(size, &owner, cells) {
                    return Err(PuzzleError::Disconnected { cage, name: cell.name(size) });
                }
            }
        }
        let clues: Vec<Clue> = cages.iter().map(|cage| cage.0).collect();
        Ok(Puzzle::from_owners(size, rules, &owner, |cage| clues[cage]))
    }

    /// Builds a puzzle from a map of cells to cages, which the caller has checked, and a clue
    /// for each of those cages.
    pub(crate) fn from_owners(
        size: Size,
        rules: Rules,
        owner: &[u16],
        clue: impl Fn(usize) -> Clue,
    ) -> Puzzle {
        const UNSEEN: u16 = u16::MAX;
        let mut order = vec![UNSEEN; owner.len()];
        let mut clues = Vec::with_capacity(owner.len());
        let mut starts: Vec<u16> = Vec::with_capacity(owner.len() + 1);
        let mut cage_of = Vec::with_capacity(owner.len());
        for &cage in owner {
            let place = &mut order[usize::from(cage)];
            if *place == UNSEEN {
                *place = clues.len() as u16;
                clues.push(clue(usize::from(cage)));
                starts.push(0);
            }
            starts[usize::from(*place)] += 1;
            cage_of.push(*place);
        }
        let mut start = 0;
        for count in &mut starts {
            start += std::mem::replace(count, start);
        }
        starts.push(start);
        let mut cells = vec![Cell(0); owner.len()];
        // `order` is spent: it serves as each cage's next free place.
        order[..clues.len()].copy_from_slice(&starts[..clues.len()]);
        for (cell, &cage) in cage_of.iter().enumerate() {
            let next = &mut order[usize::from(cage)];
            cells[usize::from(*next)] = Cell(cell as u16);
            *next += 1;
        }
        for (cage, clue) in clues.iter_mut().enumerate() {
            // One digit sums and multiplies to itself.
            if starts[cage + 1] - starts[cage] == 1 {
                clue.operator = Operator::Given;
            }
        }
        Puzzle { size, rules, clues, starts, cells, cage_of }
    }

    /// The grid's size.
    #[inline]
    pub fn size(&self) -> Size {
        self.size
    }

    /// The rules it is played by.
    #[inline]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// How many cages it has.
    #[inline]
    pub fn len(&self) -> usize {
        self.clues.len()
    }

    /// Never: a grid has at least one cell.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.clues.is_empty()
    }

    /// One cage.
    #[inline]
    pub fn cage(&self, cage: usize) -> Cage<'_> {
        let (from, to) = (usize::from(self.starts[cage]), usize::from(self.starts[cage + 1]));
        Cage { clue: self.clues[cage], cells: &self.cells[from..to] }
    }

    /// All cages, in order of their lowest cells.
    pub fn cages(&self) -> impl ExactSizeIterator<Item = Cage<'_>> {
        (0..self.len()).map(|cage| self.cage(cage))
    }

    /// The number of the cage a cell lies in.
    #[inline]
    pub fn cage_of(&self, cell: Cell) -> usize {
        usize::from(self.cage_of[cell.index()])
    }

    /// The cage of each cell in reading order.
    #[inline]
    pub fn cage_map(&self) -> &[u16] {
        &self.cage_of
    }
}

/// Checks what a clue and a cell count can tell on their own.
pub(crate) fn check_clue(
    rules: &Rules,
    cage: usize,
    clue: Clue,
    cells: usize,
) -> Result<(), PuzzleError> {
    if cells == 0 {
        return Err(PuzzleError::Empty { cage });
    }
    if !rules.allows(clue.operator, cells) {
        return Err(PuzzleError::CellCount { cage, sign: clue.operator.sign(), cells });
    }
    let operator = if cells == 1 { Operator::Given } else { clue.operator };
    if clue.target == 0 && !rules.allows_zero(operator, cells) {
        return Err(PuzzleError::ZeroTarget { cage });
    }
    match rules.max_cage {
        Some(most) if cells > usize::from(most) => Err(PuzzleError::TooLarge { cage, cells, most }),
        _ => Ok(()),
    }
}

/// A cell of the cage that no path inside the cage joins to its first cell.
fn cut_off(size: Size, owner: &[u16], cells: &[Cell]) -> Option<Cell> {
    let side = size.side();
    let mut reached = vec![cells[0]];
    let mut next = 0;
    while let Some(&cell) = reached.get(next) {
        next += 1;
        let (row, column) = (cell.row(size), cell.column(size));
        let mut step = |inside: bool, neighbour: usize| {
            let neighbour = Cell(neighbour as u16);
            if inside
                && owner[neighbour.index()] == owner[cell.index()]
                && !reached.contains(&neighbour)
            {
                reached.push(neighbour);
            }
        };
        step(column > 0, cell.index().wrapping_sub(1));
        step(column + 1 < side, cell.index() + 1);
        step(row > 0, cell.index().wrapping_sub(side));
        step(row + 1 < side, cell.index() + side);
    }
    cells.iter().copied().find(|cell| !reached.contains(cell))
}
