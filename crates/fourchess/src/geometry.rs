//! The shape of the board as tables: lines, destinations by role, squares between.
//!
//! Every table is computed at compile time from [`Square::step`]; what a piece may do on an empty
//! board follows from the steps below and from nothing else.
//!
//! ```
//! use fourchess::geometry;
//! use fourchess::{Role, Square};
//!
//! let widest = |role| Square::all().map(|s| geometry::destinations(role, s).len()).max();
//! assert_eq!(widest(Role::Bishop), Some(19));
//! assert_eq!(widest(Role::Rook), Some(26));
//! assert_eq!(widest(Role::Queen), Some(45));
//! ```

use crate::{
    piece::Role,
    seat::Edge,
    square::{OUTSIDE, Square, Squares, WIDTH},
};

/// A king's steps: both ways along each of the four kinds of lines, in files and ranks.
pub const KING_STEPS: [(i8, i8); 8] =
    [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (1, -1), (-1, 1)];

/// A knight's jumps, in files and ranks.
pub const KNIGHT_STEPS: [(i8, i8); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// The four kinds of lines through a square. Up a line is towards the higher file, and on a file
/// towards the higher rank: the even ones of [`KING_STEPS`], in the same order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum LineKind {
    /// Along a rank.
    Rank,
    /// Along a file.
    File,
    /// From south-west to north-east.
    Diagonal,
    /// From north-west to south-east.
    Antidiagonal,
}

impl LineKind {
    /// All four.
    pub const ALL: [LineKind; 4] =
        [LineKind::Rank, LineKind::File, LineKind::Diagonal, LineKind::Antidiagonal];
}

/// The squares a piece of this kind reaches from `from` on an empty board. A pawn's depend on its
/// edge: see [`pawn_pushes`] and [`pawn_takes`]; here it has none.
pub fn destinations(role: Role, from: Square) -> Squares {
    let index = from.index();
    match role {
        Role::Pawn => Squares::EMPTY,
        Role::Knight => KNIGHT_SETS[index],
        Role::Bishop => DIAGONAL_SETS[index],
        Role::Rook => STRAIGHT_SETS[index],
        Role::Queen => DIAGONAL_SETS[index] | STRAIGHT_SETS[index],
        Role::King => KING_SETS[index],
    }
}

/// Whether a piece of this kind could go from one square to the other on an empty board.
pub fn can_move(role: Role, from: Square, to: Square) -> bool {
    destinations(role, from).contains(to)
}

/// The squares that a king or a knight reaches, so that nothing can stand between: 16 at most.
/// Together with [`far`], these are all squares that any piece reaches.
pub fn near(from: Square) -> Squares {
    KING_SETS[from.index()] | KNIGHT_SETS[from.index()]
}

/// A queen's destinations more than one step away: 37 at most.
pub fn far(from: Square) -> Squares {
    destinations(Role::Queen, from) & !KING_SETS[from.index()]
}

/// The squares strictly between two squares of one line; none if they share no line, or one that
/// a corner interrupts, such as a4 and d1.
pub fn between(one: Square, other: Square) -> Squares {
    let joined = (0..4).map(|kind| (line_of(one, kind), line_of(other, kind)));
    for ((line, bit), (other_line, other_bit)) in joined {
        if line == other_line && bit != other_bit {
            let squares = &LINE_SQUARES[line][bit.min(other_bit) + 1..bit.max(other_bit)];
            let is_whole = squares.iter().all(|square| square.index() < Square::COUNT);
            return if is_whole { squares.iter().copied().collect() } else { Squares::EMPTY };
        }
    }
    Squares::EMPTY
}

/// Where a pawn from this edge may walk on an empty board: one square, and a second from its own
/// second rank.
pub fn pawn_pushes(edge: Edge, from: Square) -> Squares {
    let pawn = &PAWNS[edge as usize][from.index()];
    on_board(&[pawn.push, pawn.jump])
}

/// Where a pawn from this edge takes.
pub fn pawn_takes(edge: Edge, from: Square) -> Squares {
    on_board(&PAWNS[edge as usize][from.index()].takes)
}

/// What a pawn from this edge may do on an empty board and by capture, in the order of
/// [`PawnSteps`](crate::PawnSteps): the step, the double step, the captures.
pub const fn pawn_steps(edge: Edge, from: Square) -> [Option<Square>; 4] {
    let pawn = &PAWNS[edge as usize][from.index()];
    let [left, right] = pawn.takes;
    [
        Square::new(pawn.push.index()),
        Square::new(pawn.jump.index()),
        Square::new(left.index()),
        Square::new(right.index()),
    ]
}

fn on_board(squares: &[Square]) -> Squares {
    squares.iter().copied().filter(|square| square.index() < Square::COUNT).collect()
}

/// 14 ranks, 14 files, 27 diagonals and 27 antidiagonals.
pub(crate) const LINES: usize = 82;

/// The squares of a line by bits of its word: a wall, up to 14 squares, a wall, and a few more
/// places so that four may be read from any bit. What is no square has the index 160.
pub(crate) type Line = [Square; 20];

/// The line through a square of each kind (rank, file, diagonal, antidiagonal) and the bit of the
/// square in it.
#[derive(Clone, Copy)]
pub(crate) struct Through {
    pub(crate) lines: [u8; 4],
    pub(crate) bits: [u8; 4],
}

#[inline]
pub(crate) fn line_of(square: Square, kind: usize) -> (usize, usize) {
    let through = &THROUGH[square.index()];
    (through.lines[kind] as usize, through.bits[kind] as usize)
}

/// The four lines through each square.
pub(crate) static THROUGH: [Through; Square::COUNT] = through();

/// The words of an empty board: a bit is set where there is no square.
pub(crate) static WALLS: [u16; LINES] = walls();

/// The square at each bit of each line, [`OUTSIDE`] where there is none.
pub(crate) static LINE_SQUARES: [Line; LINES] = line_squares();

/// The squares whose bits are set in the words of the ranks.
#[inline]
pub(crate) fn occupied(lines: &[u16; LINES]) -> Squares {
    let mut squares = Squares::EMPTY;
    for rank in 0..WIDTH as usize {
        let (first, bit) = RANK_STARTS[rank];
        let word = u64::from(lines[rank] & !WALLS[rank]) >> bit;
        squares.insert_word(first, word);
    }
    squares
}

/// The first square of each rank and its bit in the rank's word.
static RANK_STARTS: [(u8, u8); WIDTH as usize] = rank_starts();

const fn rank_starts() -> [(u8, u8); WIDTH as usize] {
    let mut starts = [(0, 0); WIDTH as usize];
    let mut index = Square::COUNT;
    while index > 0 {
        index -= 1;
        let through = &THROUGH[index];
        starts[through.lines[0] as usize] = (index as u8, through.bits[0]);
    }
    starts
}

/// The neighbour of each square in each of the king's ways, or [`OUTSIDE`].
pub(crate) static KING_WAYS: [[Square; 8]; Square::COUNT] = leaper_ways(&KING_STEPS);
/// The neighbours of each square; none of no square.
pub(crate) static KING_SETS: [Squares; Square::COUNT + 1] = king_sets();
/// The goal of each of a knight's jumps, or [`OUTSIDE`].
pub(crate) static KNIGHT_WAYS: [[Square; 8]; Square::COUNT] = leaper_ways(&KNIGHT_STEPS);
pub(crate) static KNIGHT_SETS: [Squares; Square::COUNT] = leaper_sets(&KNIGHT_STEPS);
pub(crate) static STRAIGHT_SETS: [Squares; Square::COUNT] = slider_sets(0);
pub(crate) static DIAGONAL_SETS: [Squares; Square::COUNT] = slider_sets(4);

/// Where a pawn may go from a square; [`OUTSIDE`] stands for no square.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pawn {
    pub(crate) push: Square,
    pub(crate) jump: Square,
    pub(crate) takes: [Square; 2],
}

/// By edge and square.
pub(crate) static PAWNS: [[Pawn; Square::COUNT]; 4] = pawns();

/// The eight squares in front of an edge where its pieces start, low files and ranks first.
pub const fn back_line(edge: Edge) -> [Square; 8] {
    let mut squares = [Square::raw(OUTSIDE); 8];
    let mut index = 0;
    while index < 8 {
        let along = crate::square::CUT + index;
        let far = WIDTH - 1;
        let (file, rank) = match edge {
            Edge::South => (along, 0),
            Edge::West => (0, along),
            Edge::North => (along, far),
            Edge::East => (far, along),
        };
        squares[index as usize] = Square::at(file, rank).expect("an edge has eight squares");
        index += 1;
    }
    squares
}

const fn line_and_bit(file: u8, rank: u8, kind: usize) -> (u8, u8) {
    match kind {
        0 => (rank, file + 1),
        1 => (WIDTH + file, rank + 1),
        2 => (2 * WIDTH + (file + WIDTH - 1 - rank), file + 1),
        _ => (4 * WIDTH - 1 + file + rank, file + 1),
    }
}

const fn through() -> [Through; Square::COUNT] {
    let mut table = [Through { lines: [0; 4], bits: [0; 4] }; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        let square = Square::raw(index as u8);
        let mut kind = 0;
        while kind < 4 {
            let (line, bit) = line_and_bit(square.file(), square.rank(), kind);
            table[index].lines[kind] = line;
            table[index].bits[kind] = bit;
            kind += 1;
        }
        index += 1;
    }
    table
}

const fn walls() -> [u16; LINES] {
    let mut words = [u16::MAX; LINES];
    let mut index = 0;
    while index < Square::COUNT {
        let mut kind = 0;
        while kind < 4 {
            words[THROUGH[index].lines[kind] as usize] &= !(1 << THROUGH[index].bits[kind]);
            kind += 1;
        }
        index += 1;
    }
    words
}

const fn line_squares() -> [Line; LINES] {
    let mut table = [[Square::raw(OUTSIDE); 20]; LINES];
    let mut index = 0;
    while index < Square::COUNT {
        let mut kind = 0;
        while kind < 4 {
            let (line, bit) = (THROUGH[index].lines[kind], THROUGH[index].bits[kind]);
            table[line as usize][bit as usize] = Square::raw(index as u8);
            kind += 1;
        }
        index += 1;
    }
    table
}

const fn leaper_ways(steps: &[(i8, i8); 8]) -> [[Square; 8]; Square::COUNT] {
    let mut ways = [[Square::raw(OUTSIDE); 8]; Square::COUNT];
    let mut index = 0;
    while index < 8 * Square::COUNT {
        let (from, way) = (index / 8, index % 8);
        let (files, ranks) = steps[way];
        if let Some(to) = Square::raw(from as u8).step(files, ranks) {
            ways[from][way] = to;
        }
        index += 1;
    }
    ways
}

pub(crate) const fn leaper_sets(steps: &[(i8, i8); 8]) -> [Squares; Square::COUNT] {
    let ways = leaper_ways(steps);
    let mut sets = [Squares::EMPTY; Square::COUNT];
    let mut index = 0;
    while index < 8 * Square::COUNT {
        let (from, to) = (index / 8, ways[index / 8][index % 8]);
        if to.index() < Square::COUNT {
            sets[from] = sets[from].with(to);
        }
        index += 1;
    }
    sets
}

const fn king_sets() -> [Squares; Square::COUNT + 1] {
    let sets = leaper_sets(&KING_STEPS);
    let mut with_none = [Squares::EMPTY; Square::COUNT + 1];
    let mut index = 0;
    while index < Square::COUNT {
        with_none[index] = sets[index];
        index += 1;
    }
    with_none
}

/// Slides along four of the king's steps, from the step numbered `first`.
const fn slider_sets(first: usize) -> [Squares; Square::COUNT] {
    let mut sets = [Squares::EMPTY; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        let mut way = first;
        while way < first + 4 {
            let (files, ranks) = KING_STEPS[way];
            let mut from = Square::raw(index as u8);
            while let Some(to) = from.step(files, ranks) {
                sets[index] = sets[index].with(to);
                from = to;
            }
            way += 1;
        }
        index += 1;
    }
    sets
}

const fn pawns() -> [[Pawn; Square::COUNT]; 4] {
    let outside = Square::raw(OUTSIDE);
    let none = Pawn { push: outside, jump: outside, takes: [outside; 2] };
    let mut table = [[none; Square::COUNT]; 4];
    let mut edge = 0;
    while edge < 4 {
        let mut index = 0;
        while index < Square::COUNT {
            table[edge][index] = pawn(Edge::ALL[edge], Square::raw(index as u8), none);
            index += 1;
        }
        edge += 1;
    }
    table
}

const fn pawn(edge: Edge, from: Square, mut pawn: Pawn) -> Pawn {
    let (files, ranks) = edge.forward();
    if let Some(push) = from.step(files, ranks) {
        pawn.push = push;
        if from.own_rank(edge) == 2
            && let Some(jump) = push.step(files, ranks)
        {
            pawn.jump = jump;
        }
    }
    // Forward and one square to each side: the side is forward with files and ranks exchanged.
    if let Some(to) = from.step(files + ranks, ranks + files) {
        pawn.takes[0] = to;
    }
    if let Some(to) = from.step(files - ranks, ranks - files) {
        pawn.takes[1] = to;
    }
    pawn
}
