//! The grid: its size, its cells, and sets of digits.

use std::fmt;

/// The largest grid: a set of digits is one 32-bit word.
pub const LARGEST: usize = 32;

/// The side of a grid, from 1 to [`LARGEST`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size(u8);

impl Size {
    /// The size with this side, if it is in range.
    pub const fn new(side: usize) -> Option<Size> {
        if side >= 1 && side <= LARGEST { Some(Size(side as u8)) } else { None }
    }

    /// The number of cells along one side, which is also the number of digits.
    #[inline]
    pub const fn side(self) -> usize {
        self.0 as usize
    }

    /// Cells in the grid.
    #[inline]
    pub const fn cells(self) -> usize {
        self.side() * self.side()
    }

    /// Every digit of a grid of this size.
    #[inline]
    pub const fn digits(self) -> Digits {
        Digits(u32::MAX >> (LARGEST - self.side()))
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{0}x{0}", self.0)
    }
}

/// A cell, numbered in row-major order from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell(pub u16);

impl Cell {
    /// The cell at a row and a column, both from 0.
    #[inline]
    pub const fn at(row: usize, column: usize, size: Size) -> Cell {
        Cell((row * size.side() + column) as u16)
    }

    /// Its index in row-major order.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// Its row, from 0.
    #[inline]
    pub const fn row(self, size: Size) -> usize {
        self.index() / size.side()
    }

    /// Its column, from 0.
    #[inline]
    pub const fn column(self, size: Size) -> usize {
        self.index() % size.side()
    }

    /// Its name, such as `r1c2`, with rows and columns counted from 1.
    pub fn name(self, size: Size) -> String {
        format!("r{}c{}", self.row(size) + 1, self.column(size) + 1)
    }

    /// Whether two cells share a row or a column (a cell shares both with itself).
    #[inline]
    pub const fn sees(self, other: Cell, size: Size) -> bool {
        self.row(size) == other.row(size) || self.column(size) == other.column(size)
    }
}

/// A row or a column. Rows are numbered first, then columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Line(pub u8);

impl Line {
    /// The row with this number, from 0.
    pub const fn row(row: usize) -> Line {
        Line(row as u8)
    }

    /// The column with this number, from 0.
    pub const fn column(column: usize, size: Size) -> Line {
        Line((size.side() + column) as u8)
    }

    /// Every line of a grid.
    pub fn all(size: Size) -> impl Iterator<Item = Line> {
        (0..2 * size.side()).map(|line| Line(line as u8))
    }

    /// Its cells, from left to right or from top to bottom.
    pub fn cells(self, size: Size) -> impl Iterator<Item = Cell> + Clone {
        let (start, step) = self.stride(size);
        (0..size.side()).map(move |i| Cell((start + i * step) as u16))
    }

    /// The index of its first cell, and the distance between adjacent cells.
    #[inline]
    pub(crate) const fn stride(self, size: Size) -> (usize, usize) {
        let (line, side) = (self.0 as usize, size.side());
        if line < side { (line * side, 1) } else { (line - side, side) }
    }

    /// Its name, such as `row 1`, counted from 1.
    pub fn name(self, size: Size) -> String {
        let (line, side) = (self.0 as usize, size.side());
        if line < side {
            format!("row {}", line + 1)
        } else {
            format!("column {}", line - side + 1)
        }
    }
}

/// A set of digits, as ranks. Rank 0 is the smallest digit of the grid, 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct Digits(pub u32);

impl Digits {
    /// The empty set.
    pub const NONE: Digits = Digits(0);

    /// The set of one rank.
    #[inline]
    pub const fn one(rank: usize) -> Digits {
        Digits(1 << rank)
    }

    /// How many digits it holds.
    #[inline]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether it holds none.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether it holds exactly one.
    #[inline]
    pub const fn is_single(self) -> bool {
        self.0 != 0 && self.0 & (self.0 - 1) == 0
    }

    /// Whether it holds this rank.
    #[inline]
    pub const fn contains(self, rank: usize) -> bool {
        self.0 >> rank & 1 == 1
    }

    /// The lowest rank it holds.
    #[inline]
    pub const fn lowest(self) -> Option<usize> {
        if self.0 == 0 { None } else { Some(self.0.trailing_zeros() as usize) }
    }

    /// Its ranks in ascending order.
    pub fn ranks(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let rank = Digits(rest).lowest()?;
            rest &= rest - 1;
            Some(rank)
        })
    }
}
