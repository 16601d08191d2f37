//! The one pass: attacks and lines of every piece, then judgements on whole sets.

use arrayvec::ArrayVec;
use chess::{
    Bitboard, Color, File, Position, Rank, Role, Square,
    attacks::{self, SliderWork, Sliders},
};

use crate::{
    Battery, Definitions, Facts, Hanging, Level, Line, PawnFacts, Reach, Side,
    exchange::Exchange,
    facts::{BATTERIES, LINES, PINS},
    field::{Field, VALUES, lone},
    forks,
    mobility::{Freedom, king_moves},
    pawns,
};

/// A position to be gone through, and where to write what is found.
pub(crate) struct Survey<'a> {
    pub(crate) position: &'a Position,
    pub(crate) level: Level,
    pub(crate) definitions: Definitions,
    pub(crate) facts: &'a mut Facts,
}

impl SliderWork for Survey<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Sliders>(self) {
        let Survey { position, level, definitions, facts } = self;
        let field = Field::new(position.board());
        facts.level = level;
        facts.definitions = definitions;
        facts.board = *position.board();
        facts.open_files = pawns::open_files(field.roles[Role::Pawn.index()]);
        let (white, black) = (&mut facts.sides.white, &mut facts.sides.black);
        white.clear();
        black.clear();
        let literal = definitions == Definitions::Literal;
        let mut white_ties = ArrayVec::new();
        let mut black_ties = ArrayVec::new();
        let by_white = attack::<S>(&field, Color::White, literal, white, black, &mut black_ties);
        let by_black = attack::<S>(&field, Color::Black, literal, black, white, &mut white_ties);
        judge::<S>(&field, Color::White, literal, white, black, &white_ties);
        judge::<S>(&field, Color::Black, literal, black, white, &black_ties);
        if level == Level::Lines {
            return;
        }
        let ties = [white_ties, black_ties];
        exchange::<S>(&field, Color::White, white, (by_white, by_black), &ties);
        exchange::<S>(&field, Color::Black, black, (by_black, by_white), &ties);
        if level == Level::Exchange {
            return;
        }
        let white_free = Freedom::of(&field, Color::White, white, &ties[0]);
        let black_free = Freedom::of(&field, Color::Black, black, &ties[1]);
        let by_white_pieces =
            forks::find::<S>(position, &field, Color::White, white, black, by_black, &white_free);
        let by_black_pieces =
            forks::find::<S>(position, &field, Color::Black, black, white, by_white, &black_free);
        if level == Level::Forks {
            return;
        }
        white.mobility =
            by_white_pieces | king_moves::<S>(position, &field, Color::White, white, black);
        black.mobility =
            by_black_pieces | king_moves::<S>(position, &field, Color::Black, black, white);
    }
}

/// What pawns, minor pieces and rooks of a side attack.
#[derive(Clone, Copy)]
pub(crate) struct Reaches {
    pub(crate) pawns: Bitboard,
    pub(crate) minors: Bitboard,
    pub(crate) rooks: Bitboard,
}

/// How many pieces attack each square, counted on all squares at once: plane `i` holds bit `i` of
/// each number. Eight rays and eight knights lead to a square, so 16 is the most.
struct Counter([Bitboard; 5]);

impl Counter {
    #[inline(always)]
    fn add(&mut self, set: Bitboard) {
        let [a, b, c, d, e] = &mut self.0;
        let mut carry = set;
        for plane in [a, b, c, d] {
            let next = *plane & carry;
            *plane ^= carry;
            carry = next;
        }
        *e |= carry;
    }
}

/// Where the first number is greater than the second.
#[inline(always)]
fn greater(a: &[Bitboard; 5], b: &[Bitboard; 5]) -> Bitboard {
    let mut greater = Bitboard::EMPTY;
    let mut equal = Bitboard::FULL;
    for bit in (0..5).rev() {
        greater |= equal & a[bit] & !b[bit];
        equal &= !(a[bit] ^ b[bit]);
    }
    greater
}

/// The attacks and lines of one side.
#[inline(always)]
fn attack<S: Sliders>(
    field: &Field,
    color: Color,
    literal: bool,
    us: &mut Side,
    them: &mut Side,
    ties: &mut ArrayVec<Line, PINS>,
) -> Reaches {
    let mut counter = Counter([Bitboard::EMPTY; 5]);
    let ahead = match color {
        Color::White => field.of(color, Role::Pawn).up(),
        Color::Black => field.of(color, Role::Pawn).down(),
    };
    counter.add(ahead.left());
    counter.add(ahead.right());
    let mut by = Reaches {
        pawns: ahead.left() | ahead.right(),
        minors: Bitboard::EMPTY,
        rooks: Bitboard::EMPTY,
    };
    let mut add = |role, square, attacks| {
        counter.add(attacks);
        us.reaches.push(Reach { role, square, attacks });
    };
    let mut lines = Lines {
        field,
        own: field.colors[color as usize],
        enemy: field.colors[!color as usize],
        literal,
        xrays: &mut us.xrays,
        discovered: &mut us.discovered,
        batteries: &mut us.batteries,
        them,
        ties,
    };
    for square in field.of(color, Role::Knight) {
        let attacks = attacks::knight(square);
        by.minors |= attacks;
        add(Role::Knight, square, attacks);
    }
    for square in field.of(color, Role::Bishop) {
        let attacks = S::bishop(square, field.occupied);
        let deeper = S::bishop(square, field.occupied - attacks);
        by.minors |= attacks;
        add(Role::Bishop, square, attacks);
        lines.follow(square, attacks, deeper, field.diagonal);
    }
    for square in field.of(color, Role::Rook) {
        let attacks = S::rook(square, field.occupied);
        let deeper = S::rook(square, field.occupied - attacks);
        by.rooks |= attacks;
        add(Role::Rook, square, attacks);
        lines.follow(square, attacks, deeper, field.straight);
    }
    for square in field.of(color, Role::Queen) {
        let diagonal = S::bishop(square, field.occupied);
        let straight = S::rook(square, field.occupied);
        let attacks = diagonal | straight;
        let beyond = field.occupied - attacks;
        add(Role::Queen, square, attacks);
        let deeper = S::bishop(square, beyond) | S::rook(square, beyond);
        let alike = diagonal & field.diagonal | straight & field.straight;
        lines.follow(square, attacks, deeper, alike);
    }
    let king = field.king(color);
    add(Role::King, king, attacks::king(king));
    us.attack_counts = counter.0;
    us.attacks = counter.0.into_iter().fold(Bitboard::EMPTY, |any, plane| any | plane);
    by
}

/// Where the lines of a side are written.
struct Lines<'a> {
    field: &'a Field,
    own: Bitboard,
    enemy: Bitboard,
    literal: bool,
    xrays: &'a mut ArrayVec<Line, LINES>,
    discovered: &'a mut ArrayVec<Line, LINES>,
    batteries: &'a mut ArrayVec<Battery, BATTERIES>,
    them: &'a mut Side,
    ties: &'a mut ArrayVec<Line, PINS>,
}

impl Lines<'_> {
    /// The lines of one slider, given what it attacks, what it would attack if the first piece of
    /// each ray were away, and the sliders that move as it does on the line it sees them.
    #[inline(always)]
    fn follow(&mut self, slider: Square, attacks: Bitboard, deeper: Bitboard, alike: Bitboard) {
        let field = self.field;
        let later = Bitboard((!1) << slider.index());
        for second in attacks & alike & self.own & later {
            self.batteries.push(Battery { first: slider, second });
        }
        let [pawns, .., kings] = field.roles;
        for back in (deeper - attacks) & self.enemy {
            let front = lone(attacks::between(slider, back) & field.occupied);
            let line = Line { slider, front, back };
            self.xrays.push(line);
            if self.own.contains(front) {
                if !pawns.contains(back) {
                    self.discovered.push(line);
                }
                continue;
            }
            let (fore, aft) = (field.value(front), field.value(back));
            if kings.contains(back) {
                self.ties.push(line);
            } else if aft > fore {
                self.them.relative_pins.push(line);
            }
            let skewer = if self.literal {
                fore > 1 && (fore >= aft || kings.contains(back))
            } else {
                fore > aft && aft > 1
            };
            if skewer {
                self.them.skewers.push(line);
            }
        }
    }
}

/// What follows for one side from the attacks and lines of both.
#[inline(always)]
fn judge<S: Sliders>(
    field: &Field,
    color: Color,
    literal: bool,
    us: &mut Side,
    them: &Side,
    ties: &ArrayVec<Line, PINS>,
) {
    let own = field.colors[color as usize];
    let [pawns, knights, bishops, ..] = field.roles;
    let victims = if literal { own } else { own - field.roles[Role::King.index()] };
    let pieces = own - field.roles[Role::King.index()];
    us.attacked = victims & them.attacks;
    us.loose = pieces - us.attacks;
    us.undefended = pieces & them.attacks & !us.attacks;
    us.hanging_count = victims & greater(&them.attack_counts, &us.attack_counts);

    us.pinned = Bitboard::EMPTY;
    for &tie in ties {
        if !(literal && pawns.contains(tie.front)) {
            us.pins.push(tie);
            us.pinned |= tie.front;
        }
    }
    let fronts = |lines: &[Line]| lines.iter().fold(Bitboard::EMPTY, |set, line| set | line.front);
    us.relatively_pinned = fronts(&us.relative_pins);
    us.skewered = fronts(&us.skewers);

    let king = field.king(color);
    us.checkers = Bitboard::EMPTY;
    if them.attacks.contains(king) {
        us.checkers = attacks::pawn(color, king) & pawns & field.colors[!color as usize];
        for reach in &them.reaches {
            if reach.attacks.contains(king) {
                us.checkers |= reach.square;
            }
        }
    }
    let target = field.king(!color);
    let diagonal = S::bishop(target, field.occupied);
    let straight = S::rook(target, field.occupied);
    let pawn = attacks::pawn(!color, target);
    us.check_squares = [pawn, attacks::knight(target), diagonal, straight, diagonal | straight];

    us.pawns = pawns::pawns(color, pawns & own, pawns - own);
    if literal {
        us.pawns = PawnFacts { backward: Bitboard::EMPTY, ..us.pawns };
    }
    us.material = 0;
    for role in Role::ALL {
        let count = field.of(color, role).len() as u8;
        us.pieces[role.index()] = count;
        us.material += if role == Role::King { 0 } else { VALUES[role.index()] * count };
    }
    us.minors = (knights | bishops) & own;
    let first = Bitboard::rank(Rank::FIRST.of(color));
    us.developed = us.minors - first;
    const KNIGHT_FILES: Bitboard = Bitboard(Bitboard::file(File::B).0 | Bitboard::file(File::G).0);
    const BISHOP_FILES: Bitboard = Bitboard(Bitboard::file(File::C).0 | Bitboard::file(File::F).0);
    us.home_minors = own & first & (knights & KNIGHT_FILES | bishops & BISHOP_FILES);
}

/// What each attacked piece of a side is worth to the enemy.
#[inline(always)]
fn exchange<S: Sliders>(
    field: &Field,
    color: Color,
    us: &mut Side,
    (by_us, by_them): (Reaches, Reaches),
    ties: &[ArrayVec<Line, PINS>; 2],
) {
    let attacked = us.attacked - field.roles[Role::King.index()];
    let safe = safe(field, by_us, by_them);
    let mut near_pins = Bitboard::EMPTY;
    for ties in ties {
        for tie in ties {
            near_pins |= influence(field, tie.front);
        }
    }
    for square in attacked & (!safe | near_pins) {
        let exchange = Exchange {
            square,
            occupied: field.occupied,
            begins: !color,
            value: field.value(square),
        };
        let gain = if safe.contains(square) { 0 } else { exchange.gain::<S>(field) };
        if gain > 0 {
            us.hanging.push(Hanging { square, gain });
        }
        let gain = if near_pins.contains(square) {
            exchange.gain_among_pins::<S>(field, ties)
        } else {
            gain
        };
        if gain > 0 {
            us.hanging_pins.push(Hanging { square, gain });
        }
    }
}

/// Squares on which a piece of ours cannot be captured with gain, found without exchanging: who
/// captures with `a` and is recaptured by `d` cannot win more than the piece's value less `a - d`.
#[inline(always)]
fn safe(field: &Field, by_us: Reaches, by_them: Reaches) -> Bitboard {
    let [pawns, knights, bishops, rooks, ..] = field.roles;
    let no_pawn = !by_them.pawns;
    let no_minor = no_pawn - by_them.minors;
    let no_rook = no_minor - by_them.rooks;
    let minors_or_rooks = by_us.minors | by_us.rooks;
    pawns & (by_us.pawns & no_pawn | by_us.minors & no_minor | by_us.rooks & no_rook)
        | (knights | bishops) & (by_us.pawns & no_minor | minors_or_rooks & no_rook)
        | rooks & (by_us.pawns | by_us.minors) & no_rook
}

/// The squares on which a piece might take part in exchanges, now or when others have left.
#[inline(always)]
fn influence(field: &Field, square: Square) -> Bitboard {
    match field.role_index(square) {
        0 => attacks::pawn(Color::White, square) | attacks::pawn(Color::Black, square),
        1 => attacks::knight(square),
        2 => attacks::bishop_rays(square),
        3 => attacks::rook_rays(square),
        _ => attacks::bishop_rays(square) | attacks::rook_rays(square),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lookup for every processor.
    #[derive(Clone, Copy)]
    struct Plain;

    impl Sliders for Plain {
        fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
            attacks::bishop(square, occupied)
        }

        fn rook(square: Square, occupied: Bitboard) -> Bitboard {
            attacks::rook(square, occupied)
        }
    }

    #[test]
    fn facts_are_the_same_with_every_lookup() {
        let suite = include_str!("../../../fixtures/chess/perft/perftsuite.epd");
        let mut quick = Facts::empty();
        let mut plain = Facts::empty();
        for line in suite.lines() {
            let position = line.parse::<chess::Epd>().unwrap().position;
            for definitions in Definitions::ALL {
                let level = Level::Everything;
                quick.compute(&position, level, definitions);
                let survey = Survey { position: &position, level, definitions, facts: &mut plain };
                survey.run::<Plain>();
                assert_eq!(quick, plain, "{position}");
            }
        }
    }

    #[test]
    fn counts_up_to_sixteen_are_kept_and_compared() {
        let set = Bitboard::of(Square::E4);
        let counted = |times: usize| {
            let mut counter = Counter([Bitboard::EMPTY; 5]);
            (0..times).for_each(|_| counter.add(set));
            counter.0
        };
        for a in 0..=16 {
            for b in 0..=16 {
                assert_eq!(!greater(&counted(a), &counted(b)).is_empty(), a > b, "{a} and {b}");
            }
        }
    }
}
