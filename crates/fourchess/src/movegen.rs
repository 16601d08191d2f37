//! Legal moves, found without making them.
//!
//! From the king, the eight directions give checkers and pinned pieces. Pieces that are not
//! pinned then move freely, or in check only to squares that answer it; pinned ones keep to the
//! line of the pin. Only king moves look at attacks again, and only pawns taken in passing, which
//! empty two squares at once, are tried on a copy.

use crate::castling::{CASTLES, home_index, right, rights};
use crate::geometry::{
    DIAGONAL_SETS, Few, KING_LISTS, KING_SETS, KING_STEPS, KING_WAYS, KNIGHT_LISTS, KNIGHT_SETS,
    LINE_SQUARES, LineKind, PAWNS, STRAIGHT_SETS, THROUGH, leaper_sets,
};
use crate::moves::{Manner, Move, Sink, Slide};
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
        is_hit(self, square, codes, &THREATS[seating as usize])
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

/// The set bit nearest above `bit`; the wall is one. The bit added far up is never the nearest,
/// but spares the instruction's special case of an empty word.
#[inline]
fn next_above(word: u32, bit: u32) -> u32 {
    bit + 1 + (word >> (bit + 1) | 1 << 16).trailing_zeros()
}

/// The set bit nearest below `bit`; the wall at 0 is one.
#[inline]
fn next_below(word: u32, bit: u32) -> u32 {
    31 - (word & ((1 << bit) - 1) | 1).leading_zeros()
}

/// Whether anything but a knight attacks the square.
#[inline]
fn is_hit(position: &Position, square: Square, codes: u32, threats: &Threats) -> bool {
    let through = &THROUGH[square.index()];
    let mut found = 0;
    for kind in 0..4 {
        let line = through.lines[kind] as usize;
        let bit = u32::from(through.bits[kind]);
        let word = u32::from(position.lines[line]);
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

    /// Finds checkers and pinned pieces.
    #[inline]
    fn look_from_king(&mut self) {
        let (position, king) = (self.position, self.king.index());
        for slider in position.straights & self.enemies & STRAIGHT_SETS[king] {
            self.look_at_slider(slider, 0);
        }
        for slider in position.diagonals & self.enemies & DIAGONAL_SETS[king] {
            self.look_at_slider(slider, 2);
        }
        let knights = position.knights & self.enemies & KNIGHT_SETS[king];
        // Pawns and kings are neighbours.
        let rest = !(position.knights | position.straights | position.diagonals);
        let neighbours = self.enemies & rest & KING_SETS[king];
        if !(knights | neighbours).is_empty() {
            for knight in knights {
                self.add_checker(&[knight]);
            }
            for neighbour in neighbours {
                self.look_at_neighbour(neighbour);
            }
        }
    }

    /// A slider on a line with the king, of the first or second kind from `kind`, checks it if
    /// nothing is between, and pins what is alone between if that is ours.
    #[inline]
    fn look_at_slider(&mut self, slider: Square, kind: usize) {
        let (one, other) = (&THROUGH[self.king.index()], &THROUGH[slider.index()]);
        let kind = kind + usize::from(one.lines[kind] != other.lines[kind]);
        let line = one.lines[kind] as usize;
        let (bit, far) = (one.bits[kind], other.bits[kind]);
        let (low, high) = (bit.min(far), bit.max(far));
        let between = u32::from(self.position.lines[line]) & ((1 << high) - (2 << low));
        let squares = &LINE_SQUARES[line];
        if between == 0 {
            let answers = if far > bit {
                bit as usize + 1..far as usize + 1
            } else {
                far as usize..bit as usize
            };
            self.add_checker(&squares[answers]);
        } else if between & (between - 1) == 0 {
            let blocker = squares[between.trailing_zeros() as usize & 15];
            if is_one_of(codes_of(self.seat), self.position.cells[blocker.index()]) {
                self.pinned.insert(blocker);
            }
        }
    }

    #[cold]
    fn look_at_neighbour(&mut self, neighbour: Square) {
        let cell = self.position.cells[neighbour.index()];
        let owner = cell.owner();
        let attacks = match cell.living_kind() {
            Kind::Pawn => {
                PAWNS[self.rules.edge(owner) as usize][neighbour.index()].takes.contains(&self.king)
            }
            _ => true,
        };
        if attacks {
            self.add_checker(&[neighbour]);
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
        (position.pawns & free).into_iter().for_each(|from| self.pawn(from, 0b1111, sink));
        let open = self.takable | 1;
        (position.knights & free).into_iter().for_each(|from| {
            for &to in KNIGHT_LISTS[from.index()].squares() {
                let cell = position.cells[to.index()];
                sink.push_if(Move::plain(from, to), is_one_of(open, cell));
            }
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
        let steps = KING_LISTS[self.king.index()].squares();
        let mut goals = Few::EMPTY;
        for &to in steps {
            goals.push_if(to, is_one_of(open, self.position.cells[to.index()]));
        }
        if goals.squares().is_empty() {
            return;
        }
        let mut danger = self.leapers_around_king();
        // Looking from each square costs as much for every goal, looking from each slider as much
        // for every slider. In the first moves there are many sliders and few goals.
        if goals.squares().len() <= 2 {
            for &to in goals.squares() {
                let is_safe = !danger.contains(to) && !self.is_hit_by_slider(to);
                sink.push_if(Move::plain(self.king, to), is_safe);
            }
        } else {
            danger |= self.sliders_around_king();
            for &to in goals.squares() {
                sink.push_if(Move::plain(self.king, to), !danger.contains(to));
            }
        }
    }

    /// Squares attacked by knights, pawns and kings, at least all those next to the king.
    #[inline]
    fn leapers_around_king(&self) -> Squares {
        let (position, king) = (self.position, self.king.index());
        let mut danger = Squares::EMPTY;
        for seat in Seat::ALL {
            if self.rules.are_opponents(self.seat, seat) {
                danger |= KING_SETS[position.kings[seat.index()].index()];
            }
        }
        for knight in position.knights & self.enemies & KNIGHT_ZONES[king] {
            danger |= KNIGHT_SETS[knight.index()];
        }
        for pawn in position.pawns & self.enemies & PAWN_ZONES[king] {
            let owner = position.cells[pawn.index()].owner();
            for to in PAWNS[self.rules.edge(owner) as usize][pawn.index()].takes {
                danger.insert(to);
            }
        }
        danger
    }

    /// Squares next to the king that sliders attack once the king is not in the way.
    #[inline]
    fn sliders_around_king(&self) -> Squares {
        let mut block = 0;
        let straights = self.position.straights & self.enemies;
        let diagonals = self.position.diagonals & self.enemies;
        let king = self.king.index();
        for (kind, sliders) in [straights, straights, diagonals, diagonals].into_iter().enumerate()
        {
            let near = sliders & LINE_ZONES[king][kind];
            near.into_iter().for_each(|slider| block |= self.block_hit(slider, kind));
        }
        let mut danger = Squares::EMPTY;
        for (way, &to) in KING_WAYS[self.king.index()].iter().enumerate() {
            danger.insert_if(to, block >> BLOCK_BITS[way] & 1 == 1);
        }
        danger
    }

    /// The squares of the block of nine around the king that a slider attacks along its line of
    /// one kind, a bit for each.
    #[inline]
    fn block_hit(&self, slider: Square, kind: usize) -> u32 {
        let (one, other) = (&THROUGH[self.king.index()], &THROUGH[slider.index()]);
        let line = other.lines[kind];
        // The block has five diagonals and three files; others are hit by no line.
        let offset = usize::from(line.wrapping_add(2).wrapping_sub(one.lines[kind])).min(5);
        let king = u32::from(one.bits[kind]);
        let lifted = u32::from(line == one.lines[kind]) << king;
        let word = u32::from(self.position.lines[line as usize]) & !lifted;
        let bit = u32::from(other.bits[kind]);
        let reach = ((2 << next_above(word, bit)) - (1 << next_below(word, bit))) & !(1 << bit);
        u32::from(BLOCKS[kind][offset][(reach >> (king - 1) & 7) as usize])
    }

    /// Whether a slider attacks the square once the king is not in the way.
    #[inline]
    fn is_hit_by_slider(&self, to: Square) -> bool {
        let (one, other) = (&THROUGH[to.index()], &THROUGH[self.king.index()]);
        let mut found = 0;
        for kind in 0..4 {
            let line = one.lines[kind];
            let bit = u32::from(one.bits[kind]);
            let lifted = u32::from(line == other.lines[kind]) << other.bits[kind];
            let word = u32::from(self.position.lines[line as usize]) & !lifted;
            let squares = &LINE_SQUARES[line as usize];
            let sliders = self.foes & self.threats[2 * kind][0];
            for end in [next_above(word, bit), next_below(word, bit)] {
                found |= sliders >> self.position.cells[squares[end as usize & 15].index()].code();
            }
        }
        found & 1 == 1
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

/// From where knights attack a neighbour of each square.
static KNIGHT_ZONES: [Squares; Square::COUNT] = zones(&KNIGHT_SETS);

/// From where pawns of any seat attack a neighbour of each square, and a few more.
static PAWN_ZONES: [Squares; Square::COUNT] = zones(&leaper_sets(&KING_STEPS));

/// Everything that the neighbours of each square have in their set.
const fn zones(sets: &[Squares; Square::COUNT]) -> [Squares; Square::COUNT] {
    let mut zones = [Squares::EMPTY; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        let mut way = 0;
        while way < 8 {
            let (files, ranks) = KING_STEPS[way];
            if let Some(near) = Square::raw(index as u8).step(files, ranks) {
                zones[index] = zones[index].and(sets[near.index()]);
            }
            way += 1;
        }
        index += 1;
    }
    zones
}

/// The bit of each of the king's steps in a block of three by three squares, ranks of three.
static BLOCK_BITS: [u32; 8] = block_bits();

const fn block_bits() -> [u32; 8] {
    let mut bits = [0; 8];
    let mut way = 0;
    while way < 8 {
        let (files, ranks) = KING_STEPS[way];
        bits[way] = (3 * (ranks + 1) + files + 1) as u32;
        way += 1;
    }
    bits
}

/// The squares of a block that lie on a line: by the line's kind, by how many lines it is away
/// from the one through the middle, plus 2, and by three bits of the line beside the middle.
static BLOCKS: [[[u16; 8]; 6]; 4] = blocks();

const fn blocks() -> [[[u16; 8]; 6]; 4] {
    let mut blocks = [[[0; 8]; 6]; 4];
    let mut index = 0;
    while index < 4 * 5 * 8 * 3 {
        let (kind, offset, bits, along) = (index / 120, index / 24 % 5, index / 3 % 8, index % 3);
        // Along the line, from the middle.
        let step = along as i8 - 1;
        let aside = offset as i8 - 2;
        // A line's number grows with rank, file, file less rank, file plus rank.
        let (files, ranks) = match kind {
            0 => (step, aside),
            1 => (aside, step),
            2 => (step, step - aside),
            _ => (step, aside - step),
        };
        let is_in_block = files >= -1 && files <= 1 && ranks >= -1 && ranks <= 1;
        if bits >> along & 1 == 1 && is_in_block {
            blocks[kind][offset][bits] |= 1 << (3 * (ranks + 1) + files + 1);
        }
        index += 1;
    }
    blocks
}

/// By king and kind of line: the squares whose line of that kind crosses the block of nine around
/// the king.
static LINE_ZONES: [[Squares; 4]; Square::COUNT] = line_zones();

const fn line_zones() -> [[Squares; 4]; Square::COUNT] {
    let mut zones = [[Squares::EMPTY; 4]; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT * Square::COUNT * 4 {
        let (king, from, kind) = (index / 4 / Square::COUNT, index / 4 % Square::COUNT, index % 4);
        let apart = THROUGH[king].lines[kind].abs_diff(THROUGH[from].lines[kind]);
        if apart <= if kind < 2 { 1 } else { 2 } {
            zones[king][kind] = zones[king][kind].with(Square::raw(from as u8));
        }
        index += 1;
    }
    zones
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
