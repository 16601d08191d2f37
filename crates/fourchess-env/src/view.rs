//! What is kept beside a position so that it can be shown quickly.

use fourchess::{Cell, Edge, Manner, Move, Position, Rules, Seat, Square};

/// The board turned by a quarter, and which kings are in check.
///
/// Nearly every move changes two cells. So the turned board is kept up to date, which is cheaper
/// than turning it for every observation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(align(64))]
pub(crate) struct View {
    /// The cells by [`Square::index`] as the player at the western edge sees them.
    turned: [Cell; Square::COUNT],
    /// A bit for each seat whose king is in check.
    checked: u8,
}

/// Cells in the order of squares, or in the opposite order.
#[derive(Clone, Copy)]
pub(crate) struct Cells<'a> {
    pub(crate) cells: &'a [Cell; Square::COUNT],
    pub(crate) order: Order,
}

/// The order of squares on a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// That of the squares.
    Forward,
    /// The last square comes first: the board as the player opposite sees it.
    Backward,
}

impl View {
    /// A view of nothing.
    pub(crate) const EMPTY: View = View { turned: [Cell::EMPTY; Square::COUNT], checked: 0 };

    /// The view of a position.
    pub(crate) fn of(position: &Position, rules: &Rules) -> View {
        let mut view = View::EMPTY;
        for (square, &cell) in Square::all().zip(position.cells()) {
            view.turned[square.seen_from(Edge::West).index()] = cell;
        }
        for seat in Seat::ALL {
            view.look_at_king(seat, position, rules);
        }
        view
    }

    /// Follows a legal move to the position after it, in which every seat has the status that it
    /// had before. Without this, pieces may have died.
    #[inline]
    pub(crate) fn follow(&mut self, mv: Move, mover: Seat, position: &Position, rules: &Rules) {
        if matches!(mv.manner, Manner::Castling | Manner::EnPassant) {
            *self = View::of(position, rules);
            return;
        }
        for square in [mv.from, mv.to] {
            self.turned[square.seen_from(Edge::West).index()] = position.cell(square);
        }
        // A king that was in check may not be any more; others come into check only in view of
        // what moved. A legal move leaves the own king in no check.
        let mut kings = (self.checked | position.kings_in_view(mv)) & !(1 << mover.index());
        self.checked &= !(1 << mover.index());
        while kings != 0 {
            self.look_at_king(Seat::ALL[kings.trailing_zeros() as usize & 3], position, rules);
            kings &= kings - 1;
        }
    }

    #[inline]
    fn look_at_king(&mut self, seat: Seat, position: &Position, rules: &Rules) {
        let is_checked = position.in_check(seat, rules);
        let bit = 1 << seat.index();
        self.checked = self.checked & !bit | if is_checked { bit } else { 0 };
    }

    /// Whether the king of a seat is in check.
    #[inline]
    pub(crate) fn is_checked(&self, seat: Seat) -> bool {
        self.checked >> seat.index() & 1 == 1
    }

    /// The cells of the position as the player at an edge sees them.
    #[inline]
    pub(crate) fn cells<'a>(&'a self, position: &'a Position, edge: Edge) -> Cells<'a> {
        let straight = position.cells().first_chunk().expect("a cell for every square");
        // Whose turn it is changes from game to game, so that a branch would often be wrong.
        Cells {
            cells: [straight, &self.turned][edge as usize % 2],
            order: [Order::Forward, Order::Backward][edge as usize / 2],
        }
    }
}
