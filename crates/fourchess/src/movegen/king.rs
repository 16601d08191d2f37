//! The king: who checks it, who is pinned to it, where it may go.

use super::Generator;
use crate::{
    attacks::{is_one_of, next_above, next_below},
    geometry::{
        DIAGONAL_SETS, KING_SETS, KING_STEPS, KING_WAYS, KNIGHT_SETS, LINE_SQUARES, PAWNS,
        STRAIGHT_SETS, THROUGH, leaper_sets,
    },
    moves::{Leaper, Leaps, Sink},
    piece::{Role, codes_of},
    seat::Seat,
    square::{Square, Squares},
};

impl Generator<'_> {
    /// Finds checkers and pinned pieces.
    #[inline]
    pub(super) fn look_from_king(&mut self) {
        let (position, king) = (self.position, self.king.index());
        let straights = position.straights & self.enemies & STRAIGHT_SETS[king];
        straights.into_iter().for_each(|slider| self.look_at_slider(slider, 0));
        let diagonals = position.diagonals & self.enemies & DIAGONAL_SETS[king];
        diagonals.into_iter().for_each(|slider| self.look_at_slider(slider, 2));
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
        let attacks = match cell.living_role() {
            Role::Pawn => {
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
    pub(super) fn king_moves<S: Sink>(&self, sink: &mut S) {
        let ways = &KING_WAYS[self.king.index()];
        // A bit for each of the king's ways.
        let mut goals = self.ways_to(self.takable | 1, ways);
        if goals == 0 {
            return;
        }
        let danger = self.leapers_around_king();
        if !danger.is_empty() {
            for (way, &to) in ways.iter().enumerate() {
                goals &= !(u32::from(danger.contains(to)) << way);
            }
        }
        // Looking from each square costs as much for every goal, looking from each slider as much
        // for every slider. In the first moves there are many sliders and few goals.
        let but_one = goals & goals.wrapping_sub(1);
        let but_two = but_one & but_one.wrapping_sub(1);
        if but_two == 0 {
            let mut left = goals;
            while left != 0 {
                let way = left.trailing_zeros() & 7;
                goals &= !(u32::from(self.is_hit_by_slider(ways[way as usize])) << way);
                left &= left - 1;
            }
        } else {
            goals &= !self.sliders_around_king();
        }
        let leaps = Leaps { leaper: Leaper::King, squares: ways, legal: goals };
        sink.push_leaps(self.king, &leaps);
    }

    /// Squares next to the king that knights, pawns and kings attack.
    #[inline]
    fn leapers_around_king(&self) -> Squares {
        let (position, king) = (self.position, self.king.index());
        let mut danger = Squares::EMPTY;
        for seat in Seat::ALL {
            if self.rules.are_opponents(self.seat, seat) {
                danger |= KING_SETS[position.kings[seat.index()].index()];
            }
        }
        let knights = position.knights & self.enemies & KNIGHT_ZONES[king];
        knights.into_iter().for_each(|knight| danger |= KNIGHT_SETS[knight.index()]);
        let pawns = position.pawns & self.enemies & PAWN_ZONES[king];
        pawns.into_iter().for_each(|pawn| {
            let owner = position.cells[pawn.index()].owner();
            for to in PAWNS[self.rules.edge(owner) as usize][pawn.index()].takes {
                danger.insert(to);
            }
        });
        danger & KING_SETS[king]
    }

    /// The king's ways, a bit for each, into the reach of sliders once the king has left.
    #[inline]
    fn sliders_around_king(&self) -> u32 {
        let mut ways = 0;
        let straights = self.position.straights & self.enemies;
        let diagonals = self.position.diagonals & self.enemies;
        let zones = &LINE_ZONES[self.king.index()];
        for (kind, sliders) in [straights, straights, diagonals, diagonals].into_iter().enumerate()
        {
            let near = sliders & zones[kind];
            near.into_iter().for_each(|slider| ways |= self.ways_hit(slider, kind));
        }
        ways
    }

    /// The king's ways that a slider hits along its line of one kind.
    #[inline]
    fn ways_hit(&self, slider: Square, kind: usize) -> u32 {
        let (one, other) = (&THROUGH[self.king.index()], &THROUGH[slider.index()]);
        let line = other.lines[kind];
        // Five diagonals and three files pass a king's neighbours; other lines hit none.
        let offset = usize::from(line.wrapping_add(2).wrapping_sub(one.lines[kind])).min(5);
        let king = u32::from(one.bits[kind]);
        let lifted = u32::from(line == one.lines[kind]) << king;
        let word = u32::from(self.position.lines[line as usize]) & !lifted;
        let bit = u32::from(other.bits[kind]);
        let reach = ((2 << next_above(word, bit)) - (1 << next_below(word, bit))) & !(1 << bit);
        u32::from(WAYS_ON_LINES[kind][offset][(reach >> (king - 1) & 7) as usize])
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
                zones[index] = zones[index].union(sets[near.index()]);
            }
            way += 1;
        }
        index += 1;
    }
    zones
}

/// The king's ways, a bit for each, that lie on a line: by the line's kind, by how many lines it
/// is away from the king's own, plus 2, and by the three bits of the line beside the king.
static WAYS_ON_LINES: [[[u8; 8]; 6]; 4] = ways_on_lines();

const fn ways_on_lines() -> [[[u8; 8]; 6]; 4] {
    let mut table = [[[0; 8]; 6]; 4];
    let mut index = 0;
    while index < 4 * 8 * 8 {
        let (kind, way, bits) = (index / 64, index / 8 % 8, index % 8);
        let (files, ranks) = KING_STEPS[way];
        // A line's number grows with rank, file, file less rank, file plus rank; its bits grow
        // with the file, or with the rank if it is a file.
        let (aside, along) = match kind {
            0 => (ranks, files),
            1 => (files, ranks),
            2 => (files - ranks, files),
            _ => (files + ranks, files),
        };
        if bits >> (along + 1) & 1 == 1 {
            table[kind][(aside + 2) as usize][bits] |= 1 << way;
        }
        index += 1;
    }
    table
}

/// By king and kind of line: the squares whose line of that kind passes a neighbour of the king.
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
