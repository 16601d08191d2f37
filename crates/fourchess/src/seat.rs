//! The players and the edges of the board.

use std::fmt;

/// A player, in turn order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Seat {
    /// Moves first, from the southern edge.
    Red,
    /// Moves second.
    Blue,
    /// Moves third, opposite Red.
    Yellow,
    /// Moves last, opposite Blue.
    Green,
}

impl Seat {
    /// All four in turn order.
    pub const ALL: [Seat; 4] = [Seat::Red, Seat::Blue, Seat::Yellow, Seat::Green];

    /// The number of the seat, 0 for Red to 3 for Green.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The next seat in turn order, whether or not it is still in the game.
    pub const fn next(self) -> Seat {
        Seat::ALL[(self as usize + 1) & 3]
    }

    /// The seat across the board.
    pub const fn opposite(self) -> Seat {
        Seat::ALL[self as usize ^ 2]
    }

    /// The name in lower case.
    pub const fn name(self) -> &'static str {
        ["red", "blue", "yellow", "green"][self as usize]
    }

    /// R, B, Y or G.
    pub const fn letter(self) -> char {
        ['R', 'B', 'Y', 'G'][self as usize]
    }

    /// The seat with this letter, of either case.
    pub const fn from_letter(letter: u8) -> Option<Seat> {
        Some(match letter.to_ascii_uppercase() {
            b'R' => Seat::Red,
            b'B' => Seat::Blue,
            b'Y' => Seat::Yellow,
            b'G' => Seat::Green,
            _ => return None,
        })
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// An edge of the board. Pawns move away from the edge of their seat.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Edge {
    /// Rank 1.
    South,
    /// File a.
    West,
    /// Rank 14.
    North,
    /// File n.
    East,
}

impl Edge {
    /// All four, clockwise from the south.
    pub const ALL: [Edge; 4] = [Edge::South, Edge::West, Edge::North, Edge::East];

    /// The edge across the board.
    pub const fn opposite(self) -> Edge {
        Edge::ALL[self as usize ^ 2]
    }

    /// The edge to which the southern edge moves when the board is rotated so that this edge is the
    /// southern one.
    pub(crate) const fn turned_back(self) -> Edge {
        Edge::ALL[(4 - self as usize) & 3]
    }

    /// One step away from the edge, in files and ranks.
    pub const fn forward(self) -> (i8, i8) {
        [(0, 1), (1, 0), (0, -1), (-1, 0)][self as usize]
    }
}

/// The direction in which the seats sit, in turn order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Seating {
    /// Red south, Blue west, Yellow north, Green east.
    Clockwise,
    /// Red south, Blue east, Yellow north, Green west.
    Counterclockwise,
}

impl Seating {
    /// The edge at which a seat sits.
    #[inline]
    pub const fn edge(self, seat: Seat) -> Edge {
        match self {
            Seating::Clockwise => Edge::ALL[seat as usize],
            Seating::Counterclockwise => Edge::ALL[(4 - seat as usize) & 3],
        }
    }

    /// The seat that sits at an edge.
    #[inline]
    pub const fn seat(self, edge: Edge) -> Seat {
        match self {
            Seating::Clockwise => Seat::ALL[edge as usize],
            Seating::Counterclockwise => Seat::ALL[(4 - edge as usize) & 3],
        }
    }
}
