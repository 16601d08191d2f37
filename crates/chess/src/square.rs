//! Files, ranks and squares.

use std::fmt;

use crate::Color;

/// One of the 64 squares, counted a1, b1 to h1, a2 and so on to h8.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Square(u8);

impl Square {
    /// The square of a file and a rank.
    #[inline]
    pub const fn new(file: File, rank: Rank) -> Square {
        Square(rank.0 * 8 + file.0)
    }

    /// The square of an index below 64, counted from a1 along the ranks.
    ///
    /// # Panics
    /// If the index is 64 or more.
    #[inline]
    pub const fn from_index(index: usize) -> Square {
        assert!(index < 64, "a board has 64 squares");
        Square(index as u8)
    }

    /// For callers that got the index from a non-empty set of squares.
    #[inline]
    pub(crate) const fn from_low_bits(index: u32) -> Square {
        Square(index as u8 & 63)
    }

    /// All squares from a1 to h8.
    pub fn all() -> impl ExactSizeIterator<Item = Square> + DoubleEndedIterator {
        (0..64).map(Square)
    }

    /// The position in the count from a1; always below 64.
    #[inline]
    pub const fn index(self) -> usize {
        // The mask is free where the optimiser knows the range and saves a bounds check elsewhere.
        (self.0 & 63) as usize
    }

    /// The file, a to h.
    #[inline]
    pub const fn file(self) -> File {
        File(self.0 & 7)
    }

    /// The rank, 1 to 8.
    #[inline]
    pub const fn rank(self) -> Rank {
        Rank(self.0 >> 3)
    }

    /// The square a step of files and ranks away, if it is on the board.
    #[inline]
    pub const fn step(self, files: i8, ranks: i8) -> Option<Square> {
        let file = (self.0 & 7) as i8 + files;
        let rank = (self.0 >> 3) as i8 + ranks;
        if 0 <= file && file < 8 && 0 <= rank && rank < 8 {
            Some(Square((rank * 8 + file) as u8))
        } else {
            None
        }
    }

    /// The square seen from the other side: e2 and e7 change places.
    #[inline]
    pub const fn flip(self) -> Square {
        Square(self.0 ^ 56)
    }

    /// Whether the square is a light one, as h1 is.
    pub const fn is_light(self) -> bool {
        (self.0 & 7) % 2 != (self.0 >> 3) % 2
    }

    /// The square of a name such as `e4`.
    #[inline]
    pub const fn from_ascii(name: &[u8]) -> Option<Square> {
        match name {
            &[file @ b'a'..=b'h', rank @ b'1'..=b'8'] => {
                Some(Square((rank - b'1') * 8 + (file - b'a')))
            }
            _ => None,
        }
    }
}

macro_rules! name_squares {
    ($($name:ident)*) => {
        #[allow(missing_docs)]
        impl Square {
            $(pub const $name: Square = match Square::from_upper(stringify!($name).as_bytes()) {
                Some(square) => square,
                None => panic!("not a square"),
            };)*
        }
    };
}

name_squares! {
    A1 B1 C1 D1 E1 F1 G1 H1 A2 B2 C2 D2 E2 F2 G2 H2
    A3 B3 C3 D3 E3 F3 G3 H3 A4 B4 C4 D4 E4 F4 G4 H4
    A5 B5 C5 D5 E5 F5 G5 H5 A6 B6 C6 D6 E6 F6 G6 H6
    A7 B7 C7 D7 E7 F7 G7 H7 A8 B8 C8 D8 E8 F8 G8 H8
}

impl Square {
    const fn from_upper(name: &[u8]) -> Option<Square> {
        Square::from_ascii(&[name[0].to_ascii_lowercase(), name[1]])
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.file(), self.rank())
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A column of the board, a to h.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct File(u8);

#[allow(missing_docs)]
impl File {
    pub const A: File = File(0);
    pub const B: File = File(1);
    pub const C: File = File(2);
    pub const D: File = File(3);
    pub const E: File = File(4);
    pub const F: File = File(5);
    pub const G: File = File(6);
    pub const H: File = File(7);
}

impl File {
    /// All files from a to h.
    pub fn all() -> impl ExactSizeIterator<Item = File> + DoubleEndedIterator {
        (0..8).map(File)
    }

    /// 0 for a to 7 for h.
    #[inline]
    pub const fn index(self) -> usize {
        (self.0 & 7) as usize
    }

    /// The lower-case letter.
    pub const fn letter(self) -> char {
        (b'a' + self.0) as char
    }

    /// The file of a lower-case letter.
    #[inline]
    pub const fn from_letter(letter: u8) -> Option<File> {
        match letter {
            b'a'..=b'h' => Some(File(letter - b'a')),
            _ => None,
        }
    }
}

impl fmt::Display for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.letter())
    }
}

impl fmt::Debug for File {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A row of the board, 1 to 8.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Rank(u8);

#[allow(missing_docs)]
impl Rank {
    pub const FIRST: Rank = Rank(0);
    pub const SECOND: Rank = Rank(1);
    pub const THIRD: Rank = Rank(2);
    pub const FOURTH: Rank = Rank(3);
    pub const FIFTH: Rank = Rank(4);
    pub const SIXTH: Rank = Rank(5);
    pub const SEVENTH: Rank = Rank(6);
    pub const EIGHTH: Rank = Rank(7);
}

impl Rank {
    /// All ranks from the first to the eighth.
    pub fn all() -> impl ExactSizeIterator<Item = Rank> + DoubleEndedIterator {
        (0..8).map(Rank)
    }

    /// 0 for the first rank to 7 for the eighth.
    #[inline]
    pub const fn index(self) -> usize {
        (self.0 & 7) as usize
    }

    /// The digit.
    pub const fn digit(self) -> char {
        (b'1' + self.0) as char
    }

    /// The rank of a digit.
    #[inline]
    pub const fn from_digit(digit: u8) -> Option<Rank> {
        match digit {
            b'1'..=b'8' => Some(Rank(digit - b'1')),
            _ => None,
        }
    }

    /// This rank counted from the side of `color`: the second rank of Black is the seventh.
    #[inline]
    pub const fn of(self, color: Color) -> Rank {
        match color {
            Color::White => self,
            Color::Black => Rank(7 - self.0),
        }
    }
}

impl fmt::Display for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.digit())
    }
}

impl fmt::Debug for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
