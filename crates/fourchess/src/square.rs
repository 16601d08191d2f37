//! The 160 squares, and sets of them.

use std::{
    fmt,
    ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not},
    str::FromStr,
};

use thiserror::Error;

use crate::seat::Edge;

/// Files and ranks of the board, the cut corners included.
pub const WIDTH: u8 = 14;

/// The side of each square that is cut from a corner.
pub const CUT: u8 = 3;

/// One of the 160 squares: `d1` is 0, then along the files and up the ranks to `k14`, 159.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Square(u8);

impl Square {
    /// How many there are.
    pub const COUNT: usize = 160;

    /// The square with this index, if there are so many.
    pub const fn new(index: usize) -> Option<Square> {
        if index < Square::COUNT { Some(Square(index as u8)) } else { None }
    }

    /// The square on this file (0 is a) and rank (0 is 1), unless it is cut away or outside.
    pub const fn at(file: u8, rank: u8) -> Option<Square> {
        if file >= WIDTH || rank >= WIDTH {
            return None;
        }
        let index = GRID[rank as usize][file as usize];
        if index == OUTSIDE { None } else { Some(Square(index)) }
    }

    /// A square of a table, or [`OUTSIDE`]: for tables whose lines end in a wall.
    pub(crate) const fn raw(index: u8) -> Square {
        Square(index)
    }

    /// The number of the square, below [`COUNT`](Square::COUNT).
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The file, 0 for a to 13 for n.
    pub const fn file(self) -> u8 {
        PLACES[self.index()].0
    }

    /// The rank, 0 for 1 to 13 for 14.
    pub const fn rank(self) -> u8 {
        PLACES[self.index()].1
    }

    /// The square this many files and ranks away, unless that leaves the board.
    pub const fn step(self, files: i8, ranks: i8) -> Option<Square> {
        // A negative sum becomes a large one, which is outside.
        Square::at(self.file().wrapping_add_signed(files), self.rank().wrapping_add_signed(ranks))
    }

    /// The same square as the player at `edge` sees it: the board turned until that edge is the
    /// southern one.
    pub const fn seen_from(self, edge: Edge) -> Square {
        Square(TURNED[edge as usize][self.index()])
    }

    /// The square that the player at `edge` sees here; undoes [`seen_from`](Square::seen_from).
    pub const fn shown_to(self, edge: Edge) -> Square {
        Square(TURNED[edge.turned_back() as usize][self.index()])
    }

    /// The rank counted from `edge`, 1 for the edge itself to 14.
    pub const fn own_rank(self, edge: Edge) -> u8 {
        OWN_RANKS[edge as usize][self.index()]
    }

    /// The number of the square when reading the board from the top left, `d14` 0 to `k1` 159.
    pub const fn reading_index(self) -> usize {
        READING[self.index()] as usize
    }

    /// The square with this [`reading_index`](Square::reading_index).
    pub const fn from_reading_index(index: usize) -> Option<Square> {
        // Turning the list of lines upside down twice gives back the list.
        if index < Square::COUNT { Some(Square(READING[index])) } else { None }
    }

    /// All squares by index.
    pub fn all() -> impl DoubleEndedIterator<Item = Square> + ExactSizeIterator {
        (0..Square::COUNT as u8).map(Square)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.file()), self.rank() + 1)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that names no square.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("{0:?} is not a square: expected a file a to n and a rank 1 to 14, without the corners")]
pub struct SquareError(pub String);

impl FromStr for Square {
    type Err = SquareError;

    fn from_str(text: &str) -> Result<Square, SquareError> {
        let error = || SquareError(text.chars().take(12).collect());
        let (file, rank) = text.split_at_checked(1).ok_or_else(error)?;
        let file = file.as_bytes()[0].wrapping_sub(b'a');
        let plain = (1..=2).contains(&rank.len()) && rank.bytes().all(|byte| byte.is_ascii_digit());
        if !plain || rank.starts_with('0') {
            return Err(error());
        }
        let rank: u8 = rank.parse().map_err(|_| error())?;
        Square::at(file, rank - 1).ok_or_else(error)
    }
}

/// A set of squares.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct Squares([u64; 3]);

impl Squares {
    /// No square.
    pub const EMPTY: Squares = Squares([0; 3]);

    /// Every square.
    pub const ALL: Squares = Squares([u64::MAX, u64::MAX, u64::MAX >> 32]);

    /// Whether the square is in the set.
    #[inline]
    pub const fn contains(self, square: Square) -> bool {
        self.0[square.index() >> 6] >> (square.index() & 63) & 1 == 1
    }

    /// The set and this square.
    #[inline]
    pub const fn with(mut self, square: Square) -> Squares {
        self.0[square.index() >> 6] |= 1 << (square.index() & 63);
        self
    }

    /// The squares in either set; `|` where that is not allowed.
    pub(crate) const fn union(self, other: Squares) -> Squares {
        let (one, other) = (self.0, other.0);
        Squares([one[0] | other[0], one[1] | other[1], one[2] | other[2]])
    }

    /// Adds a square.
    #[inline]
    pub fn insert(&mut self, square: Square) {
        self.0[square.index() >> 6] |= 1 << (square.index() & 63);
    }

    /// Adds the squares of a word's bits, whose lowest stands for the square with this index.
    #[inline]
    pub(crate) fn insert_word(&mut self, first: u8, word: u64) {
        let (at, shift) = (first as usize >> 6, first & 63);
        self.0[at] |= word << shift;
        // Two shifts, because one by 64 is none.
        if let Some(next) = self.0.get_mut(at + 1) {
            *next |= word >> 1 >> (63 - shift);
        }
    }

    /// If `is_meant`, adds the square if it is not there and takes it away if it is.
    #[inline]
    pub(crate) fn flip_if(&mut self, square: Square, is_meant: bool) {
        self.0[square.index() >> 6] ^= u64::from(is_meant) << (square.index() & 63);
    }

    /// The set of these bits.
    #[inline]
    pub(crate) const fn from_words(words: [u64; 3]) -> Squares {
        Squares(words)
    }

    /// Whether there is no square in it.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0[0] | self.0[1] | self.0[2] == 0
    }

    /// How many squares.
    #[inline]
    pub const fn len(self) -> usize {
        (self.0[0].count_ones() + self.0[1].count_ones() + self.0[2].count_ones()) as usize
    }

    /// The bits, the square with index 0 first.
    pub const fn words(self) -> [u64; 3] {
        self.0
    }
}

impl BitAnd for Squares {
    type Output = Squares;

    #[inline]
    fn bitand(self, other: Squares) -> Squares {
        Squares([self.0[0] & other.0[0], self.0[1] & other.0[1], self.0[2] & other.0[2]])
    }
}

impl BitOr for Squares {
    type Output = Squares;

    #[inline]
    fn bitor(self, other: Squares) -> Squares {
        Squares([self.0[0] | other.0[0], self.0[1] | other.0[1], self.0[2] | other.0[2]])
    }
}

impl Not for Squares {
    type Output = Squares;

    #[inline]
    fn not(self) -> Squares {
        Squares([!self.0[0], !self.0[1], !self.0[2] & Squares::ALL.0[2]])
    }
}

impl BitAndAssign for Squares {
    #[inline]
    fn bitand_assign(&mut self, other: Squares) {
        *self = *self & other;
    }
}

impl BitOrAssign for Squares {
    #[inline]
    fn bitor_assign(&mut self, other: Squares) {
        *self = *self | other;
    }
}

impl FromIterator<Square> for Squares {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Squares {
        squares.into_iter().fold(Squares::EMPTY, Squares::with)
    }
}

impl IntoIterator for Squares {
    type Item = Square;
    type IntoIter = SquaresIter;

    #[inline]
    fn into_iter(self) -> SquaresIter {
        SquaresIter { left: self }
    }
}

impl fmt::Debug for Squares {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(*self).finish()
    }
}

/// The squares of a set by index.
#[derive(Clone, Debug)]
pub struct SquaresIter {
    left: Squares,
}

impl Iterator for SquaresIter {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        for (at, word) in self.left.0.iter_mut().enumerate() {
            if *word != 0 {
                let bit = word.trailing_zeros() as u8;
                *word &= *word - 1;
                return Some(Square(at as u8 * 64 + bit));
            }
        }
        None
    }

    /// A loop over the words with one over the bits inside is faster than asking for the next
    /// square each time; `for_each` comes here.
    #[inline]
    fn fold<B, F: FnMut(B, Square) -> B>(self, init: B, mut add: F) -> B {
        let mut sum = init;
        for (at, mut word) in self.left.0.into_iter().enumerate() {
            while word != 0 {
                sum = add(sum, Square(at as u8 * 64 + word.trailing_zeros() as u8));
                word &= word - 1;
            }
        }
        sum
    }
}

/// What stands in tables where there is no square.
pub(crate) const OUTSIDE: u8 = Square::COUNT as u8;

const fn is_cut(file: u8, rank: u8) -> bool {
    let outer_file = file < CUT || file >= WIDTH - CUT;
    let outer_rank = rank < CUT || rank >= WIDTH - CUT;
    outer_file && outer_rank
}

/// Square index by rank and file.
static GRID: [[u8; WIDTH as usize]; WIDTH as usize] = number_squares();

/// File and rank by square index.
static PLACES: [(u8, u8); Square::COUNT] = places();

/// Where each square lies when the board is turned until the edge is the southern one.
static TURNED: [[u8; Square::COUNT]; 4] = turn_squares();

static OWN_RANKS: [[u8; Square::COUNT]; 4] = own_ranks();

static READING: [u8; Square::COUNT] = reading_order();

const fn number_squares() -> [[u8; WIDTH as usize]; WIDTH as usize] {
    let mut grid = [[OUTSIDE; WIDTH as usize]; WIDTH as usize];
    let mut next = 0;
    let mut rank = 0;
    while rank < WIDTH {
        let mut file = 0;
        while file < WIDTH {
            if !is_cut(file, rank) {
                grid[rank as usize][file as usize] = next;
                next += 1;
            }
            file += 1;
        }
        rank += 1;
    }
    grid
}

const fn places() -> [(u8, u8); Square::COUNT] {
    let mut places = [(0, 0); Square::COUNT];
    let mut rank = 0;
    while rank < WIDTH {
        let mut file = 0;
        while file < WIDTH {
            if let Some(square) = Square::at(file, rank) {
                places[square.index()] = (file, rank);
            }
            file += 1;
        }
        rank += 1;
    }
    places
}

/// Each edge's player looks at the opposite edge; what lies on the left hand becomes file a.
const fn turn(edge: Edge, file: u8, rank: u8) -> (u8, u8) {
    let last = WIDTH - 1;
    match edge {
        Edge::South => (file, rank),
        Edge::West => (last - rank, file),
        Edge::North => (last - file, last - rank),
        Edge::East => (rank, last - file),
    }
}

const fn turn_squares() -> [[u8; Square::COUNT]; 4] {
    let mut turned = [[0; Square::COUNT]; 4];
    let mut index = 0;
    while index < Square::COUNT {
        let (file, rank) = PLACES[index];
        let mut edge = 0;
        while edge < 4 {
            let (file, rank) = turn(Edge::ALL[edge], file, rank);
            turned[edge][index] = GRID[rank as usize][file as usize];
            edge += 1;
        }
        index += 1;
    }
    turned
}

const fn own_ranks() -> [[u8; Square::COUNT]; 4] {
    let mut ranks = [[0; Square::COUNT]; 4];
    let mut index = 0;
    while index < Square::COUNT {
        let (file, rank) = PLACES[index];
        let mut edge = 0;
        while edge < 4 {
            ranks[edge][index] = turn(Edge::ALL[edge], file, rank).1 + 1;
            edge += 1;
        }
        index += 1;
    }
    ranks
}

const fn reading_order() -> [u8; Square::COUNT] {
    let mut order = [0; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        let (file, rank) = PLACES[index];
        order[index] = GRID[(WIDTH - 1 - rank) as usize][file as usize];
        index += 1;
    }
    order
}
