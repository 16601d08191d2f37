//! Legal moves, found without making them.
//!
//! The sliders on a line with the king, and what is near it, give checkers and pinned pieces.
//! Pieces that are not pinned then move freely, or in check only to squares that answer it; pinned
//! ones keep to the line of the pin. Only king moves look at attacks again, and only pawns taken
//! in passing, which empty two squares at once, are tried on a copy.

mod king;

use crate::{
    attacks::{THREATS, Threats, is_one_of, next_above, next_below},
    castling::{CASTLES, home_index, right, rights},
    geometry::{KNIGHT_WAYS, LINE_SQUARES, LineKind, PAWNS, THROUGH},
    moves::{Candidate, Leaper, Leaps, Manner, Move, PawnSteps, Sink, Slide},
    piece::{Cell, Piece, Role},
    position::Position,
    rules::{EnPassant, Promotion, Rules, takable},
    seat::{Edge, Seat},
    square::{OUTSIDE, Square, Squares},
};

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
    /// Pieces that play against the seat.
    enemies: Squares,
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
            enemies: position.opponents(seat, rules),
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

    #[inline]
    fn pieces<S: Sink>(&self, sink: &mut S) {
        let position = self.position;
        let own = position.seats[self.seat.index()];
        let free = own & !self.pinned;
        (position.pawns & free).into_iter().for_each(|from| self.free_pawn(from, sink));
        let open = self.takable | 1;
        (position.knights & free).into_iter().for_each(|from| {
            let squares = &KNIGHT_WAYS[from.index()];
            let legal = self.ways_to(open, squares);
            sink.push_leaps(from, &Leaps { leaper: Leaper::Knight, squares, legal });
        });
        (position.straights & free).into_iter().for_each(|from| {
            self.slide(from, 0, sink);
            self.slide(from, 1, sink);
        });
        (position.diagonals & free).into_iter().for_each(|from| {
            self.slide(from, 2, sink);
            self.slide(from, 3, sink);
        });
        if !self.pinned.is_empty() {
            self.pinned_pieces(sink);
        }
    }

    /// The squares, a bit for each, whose cells have one of these codes.
    #[inline]
    fn ways_to(&self, codes: u32, squares: &[Square; 8]) -> u32 {
        let mut ways = 0;
        for (way, to) in squares.iter().enumerate() {
            ways |= u32::from(is_one_of(codes, self.position.cells[to.index()])) << way;
        }
        ways
    }

    /// The moves of a slider along its line of one kind.
    #[inline(always)]
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
        let (kind, own) = (LineKind::ALL[kind], bit as usize);
        sink.push_slide(from, &Slide { kind, squares, start, own, end });
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
            let piece = self.position.cells[from.index()].living_role();
            match piece {
                Role::Pawn => self.pawn(from, 1 << kind, sink),
                Role::Bishop if kind < 2 => {}
                Role::Rook if kind >= 2 => {}
                Role::Bishop | Role::Rook | Role::Queen => self.slide(from, kind, sink),
                Role::Knight | Role::King => {}
            }
        }
    }

    /// The moves of a pawn that is not pinned. What it may do is a coin toss each time, so its
    /// moves are pushed without a branch, unless it promotes.
    #[inline]
    fn free_pawn<S: Sink>(&self, from: Square, sink: &mut S) {
        if from.own_rank(self.edge) + 1 == self.rules.promotion_rank {
            return self.pawn(from, 0b1111, sink);
        }
        let pawn = &PAWNS[self.edge as usize][from.index()];
        let cells = &self.position.cells;
        let walks = cells[pawn.push.index()].is_empty();
        let jumps = walks & cells[pawn.jump.index()].is_empty();
        let mut legal = u32::from(walks) | u32::from(jumps) << 1;
        for (side, to) in pawn.takes.into_iter().enumerate() {
            let takes = is_one_of(self.takable, cells[to.index()]);
            let is_plain = (to != self.both[0]) & (to != self.both[1]);
            legal |= u32::from(takes & is_plain) << (2 + side);
        }
        sink.push_pawn(from, &PawnSteps { pawn, legal });
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
    fn castling<S: Sink>(&self, sink: &mut S) {
        if self.position.rights & rights(self.edge) == 0 {
            return;
        }
        let Some(home) = home_index(self.edge, self.king) else { return };
        // The king is not in check, so nothing on the back line attacks through it.
        for (side, castle) in CASTLES[self.edge as usize][home - 3].iter().enumerate() {
            if self.position.rights & right(self.edge, side) != 0
                && self.position.lines[castle.line as usize] & castle.empty == 0
                && !self.position.is_attacked(castle.rook_to, self.seat, self.rules)
                && !self.position.is_attacked(castle.king_to, self.seat, self.rules)
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
        let own = Cell::of(Piece::new(self.seat, Role::Pawn));
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
    for &role in promotion.roles() {
        sink.push(Move { promotion: Some(role), ..mv });
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
        let is_legal = self.squares.contains(mv.to);
        self.sink.push_if_legal(Candidate { mv, is_legal });
    }
}

/// The kind of line a pawn walks along, and those along which it takes, by edge.
static PAWN_KINDS: [(u32, [u32; 2]); 4] = [(1, [2, 3]), (0, [2, 3]), (1, [2, 3]), (0, [2, 3])];
