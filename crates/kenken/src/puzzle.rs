//! Puzzles: a grid divided into cages, each with a clue.
//!
//! A [`Puzzle`] is well formed by construction: every cell is in exactly one cage, every cage is
//! connected (unless the rules say otherwise), and every operator can be used on the number of
//! cells of its cage.

use std::fmt;

use crate::grid::{Cell, Size};

/// How the digits of a cage are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// The digit of a single cell is the target.
    Given,
    /// The sum of the digits is the target.
    Add,
    /// The largest digit minus the sum of the others is the target.
    Subtract,
    /// The product of the digits is the target.
    Multiply,
    /// The largest digit divided by the product of the others is the target, without a remainder.
    Divide,
    /// The operator is hidden: one of the other operators gives the target.
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

    /// Its sign in print, such as `×`.
    pub const fn print_sign(self) -> &'static str {
        match self {
            Operator::Given | Operator::Unknown => "",
            Operator::Add => "+",
            Operator::Subtract => "\u{2212}",
            Operator::Multiply => "\u{d7}",
            Operator::Divide => "\u{f7}",
        }
    }

    /// The operator with this sign. `x` and the printed signs are also read.
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
    /// How the digits of the cage are combined.
    pub operator: Operator,
    /// The result of the combination.
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

/// The rule variants of a puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rules {
    /// Digits start at 0 instead of 1.
    pub zero: bool,
    /// Subtraction and division may be used on more than two cells.
    pub wide_sub_div: bool,
    /// No cage has more cells than this.
    pub max_cage: Option<u16>,
    /// The cells of a cage must be connected by their sides.
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

    /// Whether an operator may be used on a cage with this many cells.
    pub const fn allows(&self, operator: Operator, cells: usize) -> bool {
        match operator {
            Operator::Given => cells == 1,
            Operator::Add | Operator::Multiply | Operator::Unknown => cells >= 1,
            Operator::Subtract | Operator::Divide => cells == 2 || (cells > 2 && self.wide_sub_div),
        }
    }

    /// Whether a target of 0 is possible.
    const fn allows_zero(&self, operator: Operator, cells: usize) -> bool {
        let wide = self.wide_sub_div && cells > 2;
        self.zero || (wide && matches!(operator, Operator::Subtract | Operator::Unknown))
    }
}

/// Why cages do not form a puzzle. Cages are numbered from 0 in the order in which they were given.
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
    /// A cell in two cages.
    #[error("cage {cage}: cell {name} already belongs to cage {first}")]
    Twice {
        /// The second cage.
        cage: usize,
        /// The first cage.
        first: usize,
        /// The name of the cell.
        name: String,
    },
    /// A cell in no cage.
    #[error("cell {name} belongs to no cage")]
    Uncovered {
        /// The name of the cell.
        name: String,
    },
    /// A cage that is not connected.
    #[error("cage {cage}: cell {name} is cut off from the rest of the cage")]
    Disconnected {
        /// The cage.
        cage: usize,
        /// A cell that is not connected to the first cell.
        name: String,
    },
    /// An operator that cannot be used on this many cells.
    #[error("cage {cage}: operator {sign} cannot be used on {cells} cell(s)")]
    CellCount {
        /// The cage.
        cage: usize,
        /// The operator's sign.
        sign: char,
        /// The number of cells.
        cells: usize,
    },
    /// A target of 0 where it is impossible.
    #[error("cage {cage}: target 0 is impossible")]
    ZeroTarget {
        /// The cage.
        cage: usize,
    },
    /// A cage that is larger than the rules allow.
    #[error("cage {cage} has {cells} cells, the rules allow at most {most}")]
    TooLarge {
        /// The cage.
        cage: usize,
        /// The number of its cells.
        cells: usize,
        /// The maximum of the rules.
        most: u16,
    },
}

/// A view of one cage of a puzzle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cage<'a> {
    /// Its clue.
    pub clue: Clue,
    /// Its cells, in ascending order.
    pub cells: &'a [Cell],
}

/// A well-formed puzzle. Cages are in the order of their first cells.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Puzzle {
    size: Size,
    rules: Rules,
    clues: Vec<Clue>,
    /// The first index of each cage in `cells`, and one more at the end.
    starts: Vec<u16>,
    cells: Vec<Cell>,
    cage_of: Vec<u16>,
}

impl Puzzle {
    /// Checks cages, given as clues and cells, and sorts them.
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
                // There cannot be more cages than cells here: the cell would be in two cages.
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

    /// Builds a puzzle from the cage of each cell, which the caller has checked, and a clue for
    /// each cage.
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
        // `order` is no longer needed. It now holds the next free index of each cage.
        order[..clues.len()].copy_from_slice(&starts[..clues.len()]);
        for (cell, &cage) in cage_of.iter().enumerate() {
            let next = &mut order[usize::from(cage)];
            cells[usize::from(*next)] = Cell(cell as u16);
            *next += 1;
        }
        for (cage, clue) in clues.iter_mut().enumerate() {
            // A single digit is its own sum and product.
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

    /// Its rule variants.
    #[inline]
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// The number of cages.
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

    /// All cages, in the order of their first cells.
    pub fn cages(&self) -> impl ExactSizeIterator<Item = Cage<'_>> {
        (0..self.len()).map(|cage| self.cage(cage))
    }

    /// The number of the cage of a cell.
    #[inline]
    pub fn cage_of(&self, cell: Cell) -> usize {
        usize::from(self.cage_of[cell.index()])
    }

    /// The cage of each cell in row-major order.
    #[inline]
    pub fn cage_map(&self) -> &[u16] {
        &self.cage_of
    }
}

/// Checks whether a clue can be used on a number of cells.
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

/// A cell of the cage that is not connected to its first cell.
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
