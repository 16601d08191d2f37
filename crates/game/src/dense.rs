//! What a builder of dense tables must know of a game: how to number every position, and how to
//! follow the moves of many positions at once.
//!
//! This suits games in which each side has some units of its own and points are made by taking
//! units out of play, as in the mancala family. A position is then two halves, one for each side,
//! and all positions with `own` units on the mover's side and `other` units on the other form a
//! matrix: a row for each way to lay the mover's half, a column for each way to lay the other.
//! Such a matrix is a [`Sheet`].

use std::ops::Range;

use crate::Game;

/// A game whose positions are numbered without gaps.
///
/// The level of a position's rank is its units in play. No more points can be made than units are
/// in play, so every value lies within plus and minus that many. Play is over in all positions of
/// a sheet or in none.
pub trait Numbered: Sync {
    /// The game. Its start does not matter, and its keys tell positions with more units apart too,
    /// as far as they can be unpacked.
    type Game: Game;

    /// The rules of the game.
    fn game(&self) -> &Self::Game;

    /// The game with everything that changes its positions or values, but neither start nor size
    /// of the table, such as `kalah pits=4 rules=std_either`. A table keeps it and refuses to be
    /// opened for another.
    fn name(&self) -> String;

    /// The halves with 0, 1, .. units, up to the most units that can be in play. A half with no
    /// units has one layout.
    fn halves(&self) -> &[Half];

    /// Where the value of a position stands, or `None` for one with too many units.
    fn locate(&self, position: &<Self::Game as Game>::Position) -> Option<Cell>;

    /// The position of a cell, which must lie inside its sheet.
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

/// A numbered game that can give values to whole rows of positions.
///
/// A move that takes units out of play leads to a sheet with fewer units. A move that does not,
/// changes the mover's half alone and passes the turn, and the row of the new half is in an
/// earlier layer. So a sheet and the one for the other side to move are filled in two steps: first
/// [`Dense::lead`] with the sheets of fewer units, in any order, then [`Dense::stay`] layer by
/// layer.
pub trait Dense: Numbered {
    /// The views that moves to fewer units lead to from a sheet.
    fn needs(&self, sheet: Sheet) -> Vec<View>;

    /// Raises the values of some rows of a sheet to the best of those moves to fewer units that
    /// lead to a view that is given. `rows` are numbers of rows, `values` their values.
    fn lead(&self, sheet: Sheet, rows: Range<usize>, given: &Given<'_>, values: &mut [i8]);

    /// Raises the values of some rows of one layer to the best of the moves that keep all units
    /// in play: those of the upright view, and then those of the turned view of the same halves.
    /// `earlier` holds the rows of the turned view in all earlier layers.
    fn stay(
        &self,
        sheet: Sheet,
        rows: Range<usize>,
        earlier: &[i8],
        upright: &mut [i8],
        turned: &mut [i8],
    );

    /// The memory that numbering and following moves take, in bytes.
    fn memory(&self) -> usize;
}

/// All ways to lay some units in one half.
///
/// They have two numbers each. Columns can stand in whatever order makes the moves quick to
/// follow. Rows stand in layers.
#[derive(Clone, Debug, Default)]
pub struct Half {
    /// The number as a row of each number as a column.
    pub rows: Vec<u32>,
    /// Where each layer of rows begins, and behind the last where it ends.
    pub layers: Vec<u32>,
}

impl Half {
    /// How many ways there are.
    pub fn count(&self) -> usize {
        self.rows.len()
    }
}

/// All positions with these units on either side.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Sheet {
    /// The units of the side to move, whose half gives the row.
    pub own: u16,
    /// The units of the other side, whose half gives the column.
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

/// A sheet as it lies in memory, row after row: a row for each layout of the half that the sheet's
/// mover has, if upright, and of the other half, if turned.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct View {
    /// The units of the half that gives the rows.
    pub rows: u16,
    /// The units of the half that gives the columns.
    pub columns: u16,
    /// Who is to move, and from whose side the values are seen.
    pub mover: Mover,
}

/// The half of a view that is to move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mover {
    /// The rows: the sheet lies upright.
    Rows,
    /// The columns: the sheet is turned.
    Columns,
}

impl View {
    /// A sheet with the mover's half as rows.
    pub fn upright(sheet: Sheet) -> View {
        View { rows: sheet.own, columns: sheet.other, mover: Mover::Rows }
    }

    /// A sheet with the mover's half as columns.
    pub fn turned(sheet: Sheet) -> View {
        View { rows: sheet.other, columns: sheet.own, mover: Mover::Columns }
    }

    /// The sheet that is seen.
    pub fn sheet(self) -> Sheet {
        match self.mover {
            Mover::Rows => Sheet { own: self.rows, other: self.columns },
            Mover::Columns => Sheet { own: self.columns, other: self.rows },
        }
    }
}

/// Views that are at hand.
#[derive(Clone, Debug)]
pub struct Given<'a> {
    most: u16,
    views: Vec<&'a [i8]>,
}

impl<'a> Given<'a> {
    /// No views, for a game of at most so many units.
    pub fn new(most: u16) -> Given<'a> {
        let side = usize::from(most) + 1;
        Given { most, views: vec![&[]; side * side * 2] }
    }

    /// Adds a view.
    pub fn add(&mut self, view: View, values: &'a [i8]) {
        let at = self.place(view);
        self.views[at] = values;
    }

    /// The values of a view; nothing if it is not at hand.
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
