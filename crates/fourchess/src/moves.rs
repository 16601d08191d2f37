//! Moves, and where the generator puts them.

use std::fmt;

use crate::{
    geometry::{Line, LineKind, Pawn},
    piece::Role,
    position::Position,
    rules::Rules,
    seat::Edge,
    square::Square,
};

/// What else a move does besides carrying a piece from one square to another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Manner {
    /// Nothing.
    Plain,
    /// A pawn walks two squares and offers itself to be taken in passing.
    DoubleStep,
    /// A king walks two squares and its rook jumps over it.
    Castling,
    /// A pawn takes one that has just passed it, and whatever stands where it arrives.
    EnPassant,
}

/// A move. Those that the generator makes are legal in the position they were made for; no other
/// way to make one is needed, since a list can be searched by squares.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(C)]
pub struct Move {
    /// Where the piece stands.
    pub from: Square,
    /// Where it goes; a castling king's own goal.
    pub to: Square,
    /// What a pawn becomes.
    pub promotion: Option<Role>,
    /// What else happens.
    pub manner: Manner,
}

impl Move {
    /// A move that does nothing else.
    #[inline]
    pub const fn plain(from: Square, to: Square) -> Move {
        Move { from, to, promotion: None, manner: Manner::Plain }
    }
}

/// The two squares and what a pawn becomes: `h2-h4`, `j10-j11=N`.
impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.from, self.to)?;
        match self.promotion {
            Some(role) => write!(f, "={}", role.letter()),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self} {:?}", self.manner)
    }
}

/// Where a slider may go along one of its lines.
#[derive(Clone, Copy, Debug)]
pub struct Slide<'a> {
    /// The kind of line.
    pub kind: LineKind,
    /// The squares of the line, which has places beside it that are no squares.
    pub(crate) squares: &'a Line,
    /// The first place in the line that it reaches, or its own.
    pub start: usize,
    /// Its own place, to which it does not go.
    pub own: usize,
    /// The place behind the last that it reaches.
    pub end: usize,
}

impl Slide<'_> {
    /// How many squares it reaches.
    #[inline]
    pub const fn count(&self) -> usize {
        self.end - self.start - 1
    }

    /// The squares it reaches, down the line first.
    #[inline]
    pub fn goals(&self) -> impl Iterator<Item = Square> {
        let (below, above) = (self.start..self.own, self.own + 1..self.end);
        below.chain(above).map(|index| self.squares[index])
    }
}

/// The pieces that leap: they go to one of eight squares whatever stands between.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum Leaper {
    /// By [`KNIGHT_STEPS`](crate::geometry::KNIGHT_STEPS).
    Knight,
    /// By [`KING_STEPS`](crate::geometry::KING_STEPS).
    King,
}

/// Where a knight or a king may go.
#[derive(Clone, Copy, Debug)]
pub struct Leaps<'a> {
    /// Which of them.
    pub leaper: Leaper,
    /// The squares by step, which may lie outside the board.
    pub(crate) squares: &'a [Square; 8],
    /// A bit for each step that is legal, the first lowest.
    pub legal: u32,
}

impl Leaps<'_> {
    /// The squares it may go to, in the order of its steps.
    #[inline]
    pub fn goals(&self) -> impl Iterator<Item = Square> {
        (0..8).filter(|&step| self.legal >> step & 1 == 1).map(|step| self.squares[step])
    }
}

/// Where a pawn that does not promote may go.
#[derive(Clone, Copy, Debug)]
pub struct PawnSteps<'a> {
    pub(crate) pawn: &'a Pawn,
    /// A bit for each that is legal: the step, the double step, the capture on either side.
    pub legal: u32,
}

impl PawnSteps<'_> {
    /// The moves, in this order.
    #[inline]
    pub fn moves(&self, from: Square) -> impl Iterator<Item = Move> {
        let moves = self.all(from);
        (0..4).filter(|&index| self.legal >> index & 1 == 1).map(move |index| moves[index])
    }

    /// Those that are legal and others, whose goals may lie outside the board.
    #[inline]
    fn all(&self, from: Square) -> [Move; 4] {
        let Pawn { push, jump, takes } = *self.pawn;
        let jump = Move { manner: Manner::DoubleStep, ..Move::plain(from, jump) };
        let [left, right] = takes.map(|to| Move::plain(from, to));
        [Move::plain(from, push), jump, left, right]
    }
}

/// A move that the generator offers before anybody has branched on whether it is legal.
///
/// Where it is not, its goal may lie outside the board. So the move is there only if it is legal,
/// and the goal as a number for whoever looks something up before that is known.
#[derive(Clone, Copy)]
pub struct Candidate {
    pub(crate) mv: Move,
    pub(crate) is_legal: bool,
}

impl Candidate {
    /// Whether the move is legal.
    #[inline]
    pub const fn is_legal(self) -> bool {
        self.is_legal
    }

    /// The move, if it is legal.
    #[inline]
    pub const fn legal(self) -> Option<Move> {
        if self.is_legal { Some(self.mv) } else { None }
    }

    /// Where the piece stands.
    #[inline]
    pub const fn from(self) -> Square {
        self.mv.from
    }

    /// The index of where it would go: [`Square::COUNT`] if that is outside the board.
    #[inline]
    pub const fn goal_index(self) -> usize {
        self.mv.to.index()
    }

    /// What a pawn would become.
    #[inline]
    pub const fn promotion(self) -> Option<Role> {
        self.mv.promotion
    }
}

/// A move that is known to be legal.
impl From<Move> for Candidate {
    #[inline]
    fn from(mv: Move) -> Candidate {
        Candidate { mv, is_legal: true }
    }
}

impl fmt::Debug for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Candidate").field(&self.legal()).finish()
    }
}

/// What takes in moves one by one: a list, a counter, or a caller's own table of actions.
pub trait Sink {
    /// Forgets everything taken in.
    fn clear(&mut self);

    /// Forgets everything taken in; what comes next are moves of the player at this edge.
    #[inline]
    fn start(&mut self, edge: Edge) {
        let _ = edge;
        self.clear();
    }

    /// How many moves were taken in since.
    fn len(&self) -> usize;

    /// Takes in a move.
    fn push(&mut self, mv: Move);

    /// Takes in the move if it is legal; worth overriding where that needs no branch.
    #[inline]
    fn push_if_legal(&mut self, candidate: Candidate) {
        if let Some(mv) = candidate.legal() {
            self.push(mv);
        }
    }

    /// Takes in the plain moves of a slider along one line.
    #[inline]
    fn push_slide(&mut self, from: Square, slide: &Slide<'_>) {
        for to in slide.goals() {
            self.push(Move::plain(from, to));
        }
    }

    /// Takes in the plain moves of a knight or a king.
    #[inline]
    fn push_leaps(&mut self, from: Square, leaps: &Leaps<'_>) {
        for to in leaps.goals() {
            self.push(Move::plain(from, to));
        }
    }

    /// Takes in the moves of a pawn that does not promote.
    #[inline]
    fn push_pawn(&mut self, from: Square, steps: &PawnSteps<'_>) {
        for mv in steps.moves(from) {
            self.push(mv);
        }
    }

    /// Whether no move was taken in.
    #[inline]
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Moves in a buffer of fixed size, meant to be reused: clearing costs nothing.
///
/// No position has more moves than there is room. A seat has sixteen pieces at most (FEN4 with
/// more is refused), so fifteen queens and a king have 15 x 45 + 8 + 2 moves at most, and pawns
/// have fewer than queens.
#[derive(Clone)]
pub struct MoveList {
    /// With room for the four that are written at once.
    moves: [Move; MoveList::ROOM + 4],
    len: usize,
}

impl MoveList {
    /// A power of two, so that an index can be cut to it instead of being checked.
    const ROOM: usize = 1024;

    /// An empty list.
    pub fn new() -> MoveList {
        let nothing = Move::plain(Square::raw(0), Square::raw(0));
        MoveList { moves: [nothing; MoveList::ROOM + 4], len: 0 }
    }

    /// The legal moves of a position.
    pub fn of(position: &Position, rules: &Rules) -> MoveList {
        let mut moves = MoveList::new();
        position.legal_moves(rules, &mut moves);
        moves
    }

    /// The moves.
    #[inline]
    pub fn as_slice(&self) -> &[Move] {
        &self.moves[..self.len]
    }
}

impl Default for MoveList {
    fn default() -> MoveList {
        MoveList::new()
    }
}

impl std::ops::Deref for MoveList {
    type Target = [Move];

    #[inline]
    fn deref(&self) -> &[Move] {
        self.as_slice()
    }
}

impl fmt::Debug for MoveList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.as_slice()).finish()
    }
}

impl Sink for MoveList {
    #[inline]
    fn clear(&mut self) {
        self.len = 0;
    }

    #[inline]
    fn len(&self) -> usize {
        self.len
    }

    #[inline]
    fn push(&mut self, mv: Move) {
        self.moves[self.len % MoveList::ROOM] = mv;
        self.len += 1;
    }

    /// Writes four moves each way whether there are so many or not: most runs are shorter, and how
    /// long one is cannot be foreseen.
    #[inline]
    fn push_slide(&mut self, from: Square, slide: &Slide<'_>) {
        for (start, end) in [(slide.start, slide.own), (slide.own + 1, slide.end)] {
            let count = end - start;
            let next = self.len % MoveList::ROOM;
            for index in 0..4 {
                self.moves[next + index] = Move::plain(from, slide.squares[(start & 15) + index]);
            }
            for index in 4..count {
                let to = slide.squares[start + index];
                self.moves[(self.len + index) % MoveList::ROOM] = Move::plain(from, to);
            }
            self.len += count;
        }
    }

    /// Writes in any case and moves on only if legal: whether a square is free is a coin toss
    /// that no branch predictor wins.
    #[inline]
    fn push_if_legal(&mut self, candidate: Candidate) {
        self.moves[self.len % MoveList::ROOM] = candidate.mv;
        self.len += usize::from(candidate.is_legal);
    }

    #[inline]
    fn push_leaps(&mut self, from: Square, leaps: &Leaps<'_>) {
        for (step, &to) in leaps.squares.iter().enumerate() {
            let is_legal = leaps.legal >> step & 1 == 1;
            self.push_if_legal(Candidate { mv: Move::plain(from, to), is_legal });
        }
    }

    #[inline]
    fn push_pawn(&mut self, from: Square, steps: &PawnSteps<'_>) {
        for (index, mv) in steps.all(from).into_iter().enumerate() {
            self.push_if_legal(Candidate { mv, is_legal: steps.legal >> index & 1 == 1 });
        }
    }
}

/// Counts moves without keeping them.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counter(pub usize);

impl Sink for Counter {
    #[inline]
    fn clear(&mut self) {
        self.0 = 0;
    }

    #[inline]
    fn len(&self) -> usize {
        self.0
    }

    #[inline]
    fn push(&mut self, _: Move) {
        self.0 += 1;
    }

    #[inline]
    fn push_if_legal(&mut self, candidate: Candidate) {
        self.0 += usize::from(candidate.is_legal);
    }

    #[inline]
    fn push_slide(&mut self, _: Square, slide: &Slide<'_>) {
        self.0 += slide.count();
    }

    #[inline]
    fn push_leaps(&mut self, _: Square, leaps: &Leaps<'_>) {
        self.0 += (0..8).map(|step| (leaps.legal >> step & 1) as usize).sum::<usize>();
    }

    #[inline]
    fn push_pawn(&mut self, _: Square, steps: &PawnSteps<'_>) {
        self.0 += (0..4).map(|index| (steps.legal >> index & 1) as usize).sum::<usize>();
    }
}
