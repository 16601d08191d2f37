//! The interface for dense tables: how a game numbers its positions, and how it computes many
//! positions at once.
//!
//! It suits games in which each side has some units and scores points by taking units out of play,
//! as in the mancala family. A position then has two halves, one for each side. All positions with
//! `own` units on the mover's side and `other` units on the other side form a matrix, a [`Sheet`].
//! It has a row for each layout of the mover's half and a column for each layout of the other half.

use std::ops::Range;

use crate::Game;

/// A game whose positions are numbered without gaps.
///
/// The level of a position's rank is its number of units in play. The value of a position is never
/// larger than that number, and never smaller than its negative. The game is over either in all
/// positions of a sheet or in none.
pub trait Numbered: Sync {
    /// The game. Its start does not matter. Its keys must also be unique for positions with more
    /// units than the table has, as far as they can be unpacked.
    type Game: Game;

    /// The game.
    fn game(&self) -> &Self::Game;

    /// The name of the game with everything that positions and values depend on, except the start
    /// and the size of the table, such as `kalah pits=4 rules=std_either`. A table keeps the name
    /// and cannot be opened for another game.
    fn name(&self) -> String;

    /// The halves with 0, 1, 2, .. units, up to the most units in play. A half without units has
    /// one layout.
    fn halves(&self) -> &[Half];

    /// The cell of a position, or `None` if the position has too many units.
    fn locate(&self, position: &<Self::Game as Game>::Position) -> Option<Cell>;

    /// The position of a cell. The cell must be inside its sheet.
    fn position(&self, cell: Cell) -> <Self::Game as Game>::Position;
}

impl<N: Numbered> Numbered for &N {
    type Game = N::Game;

    fn game(&self) -> &N::Game {
        (**self).game()
    }

    fn name(&self) -> String {
        (**self).name()
    }

    fn halves(&self) -> &[Half] {
        (**self).halves()
    }

    #[inline]
    fn locate(&self, position: &<N::Game as Game>::Position) -> Option<Cell> {
        (**self).locate(position)
    }

    fn position(&self, cell: Cell) -> <N::Game as Game>::Position {
        (**self).position(cell)
    }
}

/// A numbered game that can compute whole rows of positions at once.
///
/// A move that takes units out of play leads to a sheet with fewer units. Any other move changes
/// only the mover's half and passes the turn, and the row of the new half is in an earlier layer.
/// So a sheet is computed together with the sheet for the other side to move, in two steps: first
/// [`Dense::lead`] for moves to sheets with fewer units, in any order, then [`Dense::stay`] layer
/// by layer.
pub trait Dense: Numbered {
    /// The views that the moves of a sheet to fewer units lead to.
    fn needs(&self, sheet: Sheet) -> Vec<View>;

    /// Raises the values of some rows of a sheet to the maximum over the moves to fewer units whose
    /// target view is in `given`. `values` holds the values of `rows`.
    fn lead(&self, sheet: Sheet, rows: Range<usize>, given: &Given<'_>, values: &mut [i8]);

    /// Raises the values of some rows of one layer to the maximum over the moves that keep all
    /// units in play: first the values of the upright view, then those of the turned view of the
    /// same halves. `earlier` holds the rows of the turned view in all earlier layers.
    fn stay(
        &self,
        sheet: Sheet,
        rows: Range<usize>,
        earlier: &[i8],
        upright: &mut [i8],
        turned: &mut [i8],
    );

    /// The memory for numbering positions and computing moves, in bytes.
    fn memory(&self) -> usize;
}

/// All layouts of a number of units in one half.
///
/// Each layout has a number as a column and a number as a row. The order of columns is free; it is
/// chosen for fast moves. Rows are ordered by layer.
#[derive(Clone, Debug, Default)]
pub struct Half {
    /// For each column number, the row number of the same layout.
    pub rows: Vec<u32>,
    /// The first row of each layer, and the number of all rows at the end.
    pub layers: Vec<u32>,
}

impl Half {
    /// The number of layouts.
    pub fn count(&self) -> usize {
        self.rows.len()
    }
}

/// All positions with these numbers of units on the two sides.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Sheet {
    /// The units of the side to move. Its layout is the row.
    pub own: u16,
    /// The units of the other side. Its layout is the column.
    pub other: u16,
}

impl Sheet {
    /// The sheet of the same halves with the other side to move.
    pub fn turned(self) -> Sheet {
        Sheet { own: self.other, other: self.own }
    }

    /// The units in play.
    pub fn units(self) -> u16 {
        self.own + self.other
    }
}

/// A position by its number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Cell {
    /// Its sheet.
    pub sheet: Sheet,
    /// The row of the mover's half.
    pub row: usize,
    /// The column of the other half.
    pub column: usize,
}

/// A sheet in memory, in row-major order. The rows are the layouts of the mover's half if the view
/// is upright, and those of the other half if it is turned.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct View {
    /// The units of the half that the rows stand for.
    pub rows: u16,
    /// The units of the half that the columns stand for.
    pub columns: u16,
    /// The half to move. Values are from its view.
    pub mover: Mover,
}

/// The half of a view that is to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mover {
    /// The rows; the view is upright.
    Rows,
    /// The columns; the view is turned.
    Columns,
}

impl View {
    /// The view with the mover's half as rows.
    pub fn upright(sheet: Sheet) -> View {
        View { rows: sheet.own, columns: sheet.other, mover: Mover::Rows }
    }

    /// The view with the mover's half as columns.
    pub fn turned(sheet: Sheet) -> View {
        View { rows: sheet.other, columns: sheet.own, mover: Mover::Columns }
    }

    /// The sheet of the view.
    pub fn sheet(self) -> Sheet {
        match self.mover {
            Mover::Rows => Sheet { own: self.rows, other: self.columns },
            Mover::Columns => Sheet { own: self.columns, other: self.rows },
        }
    }
}

/// The views that are in memory.
#[derive(Clone, Debug)]
pub struct Given<'a> {
    most: u16,
    views: Vec<&'a [i8]>,
}

impl<'a> Given<'a> {
    /// No views, for a game with at most this many units.
    pub fn new(most: u16) -> Given<'a> {
        let side = usize::from(most) + 1;
        Given { most, views: vec![&[]; side * side * 2] }
    }

    /// Adds a view.
    pub fn add(&mut self, view: View, values: &'a [i8]) {
        let at = self.place(view);
        self.views[at] = values;
    }

    /// The values of a view; empty if it is not in memory.
    #[inline]
    pub fn get(&self, view: View) -> &'a [i8] {
        self.views[self.place(view)]
    }

    #[inline]
    fn place(&self, view: View) -> usize {
        let side = usize::from(self.most) + 1;
        (usize::from(view.rows) * side + usize::from(view.columns)) * 2 + view.mover as usize
    }
}
