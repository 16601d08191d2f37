//! Legal moves, found without making them.
//!
//! From the king, the eight directions give checkers and pinned pieces. Pieces that are not
//! pinned then move freely, or in check only to squares that answer it; pinned ones keep to the
//! line of the pin. Only king moves look at attacks again, and only pawns taken in passing, which
//! empty two squares at once, are tried on a copy.

use crate::castling::{CASTLES, home_index, right, rights};
use crate::geometry::{
    KING_LISTS, KNIGHT_LISTS, KNIGHT_SETS, LINE_SQUARES, Line, PAWNS, THROUGH,
};
use crate::moves::{Manner, Move, Sink};
use crate::piece::{Cell, Kind, Piece, codes_of};
use crate::position::Position;
use crate::rules::{EnPassant, Promotion, Rules, takable};
use crate::seat::{Edge, Seat, Seating};
use crate::square::{OUTSIDE, Square, Squares};

impl Position {
    /// Puts the legal moves of the seat to move into `sink`; none once the game has ended.
    ///
    /// A seat without moves is mated or stalemated; [`Position::settle`] draws the consequences.
    #[inline]
    pub fn legal_moves<S: Sink>(&self, rules: &Rules, sink: &mut S) {
        if self.ending.is_none() {
            sink.start(rules.edge(self.turn));
            Generator::new(self, rules).generate(sink);
        } else {
            sink.clear();
        }
    }

    /// Whether an opponent of `seat` attacks the square.
    #[must_use]
    pub fn is_attacked(&self, square: Square, seat: Seat, rules: &Rules) -> bool {
        self.is_attacked_by(square, rules.foes(seat), rules.seating)
    }

    /// Whether a piece with one of these codes attacks the square.
    pub(crate) fn is_attacked_by(&self, square: Square, codes: u32, seating: Seating) -> bool {
        let nobody = Square::raw(OUTSIDE);
        let threats = &THREATS[seating as usize];
        attacks_without(self, square, nobody, codes, threats)
            || KNIGHT_LISTS[square.index()]
                .squares()
                .iter()
                .any(|from| is_one_of(codes & KNIGHTS, self.cells[from.index()]))
    }
}

/// Directions: both ways along the four kinds of lines, up the line first.
type Threats = [[u32; 2]; 8];

/// The codes of pieces that attack the square they are seen from, by seating, by the direction
/// they are seen in and by whether they are neighbours (1) or farther away (0). Knights aside.
static THREATS: [Threats; 2] = [threats(Seating::Clockwise), threats(Seating::Counterclockwise)];

const KNIGHTS: u32 = 0x0101_0101 << Kind::Knight as u32;

#[inline]
fn is_one_of(codes: u32, cell: Cell) -> bool {
    codes >> cell.code() & 1 == 1
}

/// The set bit nearest above `bit`; the wall is one.
#[inline]
fn next_above(word: u32, bit: u32) -> u32 {
    bit + 1 + (word >> (bit + 1)).trailing_zeros()
}

/// The set bit nearest below `bit`; the wall is one.
#[inline]
fn next_below(word: u32, bit: u32) -> u32 {
    31 - (word & ((1 << bit) - 1)).leading_zeros()
}

/// Whether anything but a knight attacks the square when the piece on `lifted` is not there.
#[inline]
fn attacks_without(
    position: &Position,
    square: Square,
    lifted: Square,
    codes: u32,
    threats: &Threats,
) -> bool {
    let through = &THROUGH[square.index()];
    let mut found = 0;
    for kind in 0..4 {
        let line = through.lines[kind] as usize;
        let bit = u32::from(through.bits[kind]);
        let mut word = u32::from(position.lines[line]);
        if lifted.index() < Square::COUNT && THROUGH[lifted.index()].lines[kind] as usize == line {
            word &= !(1 << THROUGH[lifted.index()].bits[kind]);
        }
        let (above, below) = (next_above(word, bit), next_below(word, bit));
        let upper = position.cells[LINE_SQUARES[line][above as usize & 15].index()];
        let lower = position.cells[LINE_SQUARES[line][below as usize & 15].index()];
        found |= threats[2 * kind][usize::from(above == bit + 1)] >> upper.code()
            & codes >> upper.code();
        found |= threats[2 * kind + 1][usize::from(below + 1 == bit)] >> lower.code()
            & codes >> lower.code();
    }
    found & 1 == 1
}

/// What the generator knows before it looks at the first piece.
struct Generator<'a> {
    position: &'a Position,
    rules: &'a Rules,
    seat: Seat,
    edge: Edge,
    king: Square,
    foes: u32,
    takable: u32,
    threats: &'a Threats,
    pinned: Squares,
    checkers: u32,
    /// Squares that answer a single check: the checker's and those between.
    answers: Squares,
    /// Occupied squares on which pawns are taken in passing; plain captures leave them out.
    both: [Square; 2],
}

impl<'a> Generator<'a> {
    #[inline]
    fn new(position: &'a Position, rules: &'a Rules) -> Generator<'a> {
        let seat = position.turn;
        let foes = rules.foes(seat);
        let mut generator = Generator {
            position,
            rules,
            seat,
            edge: rules.edge(seat),
            king: position.kings[seat.index()],
            foes,
            takable: takable(foes),
            threats: &THREATS[rules.seating as usize],
            pinned: Squares::EMPTY,
            checkers: 0,
            answers: Squares::EMPTY,
            both: [Square::raw(OUTSIDE); 2],
        };
        if generator.king.index() < Square::COUNT {
            generator.look_from_king();
        }
        generator
    }

    #[inline]
    fn generate<S: Sink>(&mut self, sink: &mut S) {
        // First, because it tells plain captures which squares to leave out.
        if self.rules.en_passant != EnPassant::Off {
            self.en_passant(sink);
        }
        match self.checkers {
            0 => {
                self.pieces(sink);
                self.castling(sink);
            }
            1 => self.pieces(&mut Answers { squares: self.answers, sink }),
            _ => {}
        }
        if self.king.index() < Square::COUNT {
            self.king_moves(sink);
        }
    }

    fn look_from_king(&mut self) {
        let through = &THROUGH[self.king.index()];
        for kind in 0..4 {
            let line = through.lines[kind] as usize;
            let bit = u32::from(through.bits[kind]);
            let word = u32::from(self.position.lines[line]);
            let squares = &LINE_SQUARES[line];
            let above = next_above(word, bit);
            let cell = self.position.cells[squares[above as usize & 15].index()];
            if is_one_of(self.foes & self.threats[2 * kind][usize::from(above == bit + 1)], cell) {
                self.add_checker(&squares[bit as usize + 1..=above as usize]);
            } else if is_one_of(codes_of(self.seat), cell) {
                let beyond = squares[next_above(word, above) as usize & 15];
                let pinner = self.position.cells[beyond.index()];
                if is_one_of(self.foes & self.threats[2 * kind][0], pinner) {
                    self.pinned.insert(squares[above as usize & 15]);
                }
            }
            let below = next_below(word, bit);
            let cell = self.position.cells[squares[below as usize & 15].index()];
            let near = usize::from(below + 1 == bit);
            if is_one_of(self.foes & self.threats[2 * kind + 1][near], cell) {
                self.add_checker(&squares[below as usize..bit as usize]);
            } else if is_one_of(codes_of(self.seat), cell) {
                let beyond = squares[next_below(word, below) as usize & 15];
                let pinner = self.position.cells[beyond.index()];
                if is_one_of(self.foes & self.threats[2 * kind + 1][0], pinner) {
                    self.pinned.insert(squares[below as usize & 15]);
                }
            }
        }
        let near = KNIGHT_SETS[self.king.index()] & self.position.knights;
        if !near.is_empty() {
            for knight in near {
                if is_one_of(self.foes, self.position.cells[knight.index()]) {
                    self.add_checker(&[knight]);
                }
            }
        }
    }

    #[cold]
    fn add_checker(&mut self, answers: &[Square]) {
        self.checkers += 1;
        self.answers = answers.iter().copied().collect();
    }

    #[inline]
    fn pieces<S: Sink>(&self, sink: &mut S) {
        let position = self.position;
        let own = position.seats[self.seat.index()];
        let free = own & !self.pinned;
        for from in position.pawns & free {
            self.pawn(from, 0b1111, sink);
        }
        for from in position.knights & free {
            let open = self.takable | 1;
            for &to in KNIGHT_LISTS[from.index()].squares() {
                let cell = position.cells[to.index()];
                sink.push_if(Move::plain(from, to), is_one_of(open, cell));
            }
        }
        for from in position.straights & free {
            self.slide(from, 0, sink);
            self.slide(from, 1, sink);
        }
        for from in position.diagonals & free {
            self.slide(from, 2, sink);
            self.slide(from, 3, sink);
        }
        if !self.pinned.is_empty() {
            self.pinned_pieces(sink);
        }
    }

    /// The moves of a slider along its line of one kind.
    #[inline]
    fn slide<S: Sink>(&self, from: Square, kind: usize, sink: &mut S) {
        let through = &THROUGH[from.index()];
        let line = through.lines[kind] as usize;
        let bit = u32::from(through.bits[kind]);
        let word = u32::from(self.position.lines[line]);
        let squares = &LINE_SQUARES[line];
        let (above, below) = (next_above(word, bit) & 15, next_below(word, bit) & 15);
        let upper = self.position.cells[squares[above as usize].index()];
        let lower = self.position.cells[squares[below as usize].index()];
        let end = above as usize + usize::from(is_one_of(self.takable, upper));
        let start = below as usize + 1 - usize::from(is_one_of(self.takable, lower));
        let (below, above) = (&squares[start..bit as usize], &squares[bit as usize + 1..end]);
        sink.push_line(from, Line::ALL[kind], below, above);
    }

    /// Pinned pieces move along the line to their king, so the pin stays blocked or is taken.
    #[cold]
    fn pinned_pieces<S: Sink>(&self, sink: &mut S) {
        for from in self.pinned {
            let kind = (0..4)
                .find(|&kind| {
                    THROUGH[from.index()].lines[kind] == THROUGH[self.king.index()].lines[kind]
                })
                .expect("a pinned piece stands on a line with its king");
            let piece = self.position.cells[from.index()].living_kind();
            match piece {
                Kind::Pawn => self.pawn(from, 1 << kind, sink),
                Kind::Bishop if kind < 2 => {}
                Kind::Rook if kind >= 2 => {}
                Kind::Bishop | Kind::Rook | Kind::Queen => self.slide(from, kind, sink),
                Kind::Knight | Kind::King => {}
            }
        }
    }

    /// The moves of a pawn along those kinds of lines whose bits are set.
    #[inline]
    fn pawn<S: Sink>(&self, from: Square, kinds: u32, sink: &mut S) {
        let pawn = &PAWNS[self.edge as usize][from.index()];
        let (push_kind, take_kinds) = PAWN_KINDS[self.edge as usize];
        let cells = &self.position.cells;
        if kinds >> push_kind & 1 == 1 && cells[pawn.push.index()].is_empty() {
            self.pawn_move(from, pawn.push, sink);
            if cells[pawn.jump.index()].is_empty() {
                sink.push(Move { manner: Manner::DoubleStep, ..Move::plain(from, pawn.jump) });
            }
        }
        for (to, kind) in pawn.takes.into_iter().zip(take_kinds) {
            let takes = is_one_of(self.takable, cells[to.index()]) && kinds >> kind & 1 == 1;
            if takes && to != self.both[0] && to != self.both[1] {
                self.pawn_move(from, to, sink);
            }
        }
    }

    #[inline]
    fn pawn_move<S: Sink>(&self, from: Square, to: Square, sink: &mut S) {
        if to.own_rank(self.edge) != self.rules.promotion_rank {
            sink.push(Move::plain(from, to));
        } else {
            promotions(Move::plain(from, to), self.rules.promotion, sink);
        }
    }

    #[inline]
    fn king_moves<S: Sink>(&self, sink: &mut S) {
        let open = self.takable | 1;
        for &to in KING_LISTS[self.king.index()].squares() {
            if is_one_of(open, self.position.cells[to.index()]) {
                sink.push_if(Move::plain(self.king, to), self.is_safe(to));
            }
        }
    }

    /// Whether the king would stand on the square without being attacked.
    #[inline]
    fn is_safe(&self, to: Square) -> bool {
        let position = self.position;
        if attacks_without(position, to, self.king, self.foes, self.threats) {
            return false;
        }
        let near = KNIGHT_SETS[to.index()] & position.knights;
        near.is_empty()
            || !near.into_iter().any(|from| is_one_of(self.foes, position.cells[from.index()]))
    }

    #[inline]
    fn castling<S: Sink>(&self, sink: &mut S) {
        if self.position.rights & rights(self.edge) == 0 {
            return;
        }
        let Some(home) = home_index(self.edge, self.king) else { return };
        for (side, castle) in CASTLES[self.edge as usize][home - 3].iter().enumerate() {
            if self.position.rights & right(self.edge, side) != 0
                && self.position.lines[castle.line as usize] & castle.empty == 0
                && self.is_safe(castle.rook_to)
                && self.is_safe(castle.king_to)
            {
                let mv = Move::plain(self.king, castle.king_to);
                sink.push(Move { manner: Manner::Castling, ..mv });
            }
        }
    }

    /// Pawns of the seats at the perpendicular edges that have just passed one of ours.
    #[inline]
    fn en_passant<S: Sink>(&mut self, sink: &mut S) {
        for (index, pusher) in
            [self.seat.next(), self.seat.next().opposite()].into_iter().enumerate()
        {
            let passed = self.position.passed[pusher.index()];
            if passed.index() < Square::COUNT {
                self.en_passant_at(passed, index, sink);
            }
        }
    }

    #[cold]
    fn en_passant_at<S: Sink>(&mut self, passed: Square, index: usize, sink: &mut S) {
        let occupant = self.position.cells[passed.index()];
        if !is_one_of(self.takable | 1, occupant) {
            return;
        }
        if !occupant.is_empty() && self.rules.en_passant == EnPassant::TakesBoth {
            self.both[index] = passed;
        }
        let own = Cell::of(Piece::new(self.seat, Kind::Pawn));
        // From where a pawn takes a square is where one from the opposite edge would take.
        for from in PAWNS[self.edge.opposite() as usize][passed.index()].takes {
            if self.position.cells[from.index()] != own {
                continue;
            }
            let mv = Move { manner: Manner::EnPassant, ..Move::plain(from, passed) };
            if !self.is_safe_after(mv) {
                continue;
            }
            if passed.own_rank(self.edge) != self.rules.promotion_rank {
                sink.push(mv);
            } else {
                promotions(mv, self.rules.promotion, sink);
            }
        }
    }

    fn is_safe_after(&self, mv: Move) -> bool {
        let mut after = *self.position;
        after.carry(mv, self.rules);
        !after.in_check(self.seat, self.rules)
    }
}

fn promotions<S: Sink>(mv: Move, promotion: Promotion, sink: &mut S) {
    for &kind in promotion.kinds() {
        sink.push(Move { promotion: Some(kind), ..mv });
    }
}

/// Passes on the moves that answer a check.
struct Answers<'a, S> {
    squares: Squares,
    sink: &'a mut S,
}

impl<S: Sink> Sink for Answers<'_, S> {
    fn clear(&mut self) {
        self.sink.clear();
    }

    fn len(&self) -> usize {
        self.sink.len()
    }

    #[inline]
    fn push(&mut self, mv: Move) {
        self.sink.push_if(mv, self.squares.contains(mv.to));
    }
}

/// The kind of line a pawn walks along, and those along which it takes, by edge.
static PAWN_KINDS: [(u32, [u32; 2]); 4] = [(1, [2, 3]), (0, [2, 3]), (1, [2, 3]), (0, [2, 3])];

const fn threats(seating: Seating) -> Threats {
    let mut threats = [[0; 2]; 8];
    let mut direction = 0;
    while direction < 8 {
        let slider = if direction < 4 { Kind::Rook } else { Kind::Bishop };
        let mut seat = 0;
        while seat < 4 {
            let code = 8 * seat;
            let slides = (1 << slider as u32 | 1 << Kind::Queen as u32) << code;
            threats[direction][0] |= slides;
            threats[direction][1] |= slides | 1 << (Kind::King as u32 + code);
            if pawn_attacks_along(seating.edge(Seat::ALL[seat as usize]), direction) {
                threats[direction][1] |= 1 << (Kind::Pawn as u32 + code);
            }
            seat += 1;
        }
        direction += 1;
    }
    threats
}

/// Whether a pawn of this edge that is seen as a neighbour in this direction takes back along it.
const fn pawn_attacks_along(edge: Edge, direction: usize) -> bool {
    let (files, ranks) = crate::geometry::KING_STEPS[direction];
    let (ahead, up) = edge.forward();
    // It takes diagonally, one step forward: the way back, measured along forward, is one.
    direction >= 4 && -files * ahead - ranks * up == 1
}
