//! Numbers for moves (actions), in the frame of the player to move.
//!
//! An action is a pair of squares that a queen or a knight connects on an empty board. There are
//! 6,952 such pairs. A pawn that reaches its promotion rank becomes a queen. The 240 actions after
//! the pairs are underpromotions. All presets use the same actions.
//!
//! All pairs from one square are consecutive, and within them those along one line. So the moves of
//! a slider along a line, in both directions, are one run of numbers.

use fourchess::{
    Edge, Move, Position, Role, Rules, Slide, Square,
    geometry::{KING_STEPS, KNIGHT_STEPS, pawn_steps},
};

/// A move in the frame of the player who makes it: the board is rotated so that this player's edge
/// is the southern one.
///
/// ```
/// use fourchess::{Edge, Square};
/// use fourchess_env::Action;
///
/// let [from, to] = ["h2", "h4"].map(|name| name.parse::<Square>().unwrap());
/// let action = Action::between(from, to).unwrap();
/// assert_eq!(action.squares(), (from, to));
/// // The same step of Yellow, who sits opposite.
/// let [from, to] = ["g13", "g11"].map(|name| name.parse::<Square>().unwrap());
/// let turned = Action::between(from.seen_from(Edge::North), to.seen_from(Edge::North));
/// assert_eq!(turned, Some(action));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(transparent)]
pub struct Action(u16);

impl Action {
    /// The number of actions.
    pub const COUNT: usize = Action::PAIRS + 240;

    /// The number of actions that are pairs of squares. The others are underpromotions.
    pub const PAIRS: usize = 6_952;

    /// The number of actions in the wide encoding: see [`wide`](Action::wide).
    pub const WIDE: u32 = 160 * 640;

    /// The action with this number.
    pub const fn new(id: u16) -> Option<Action> {
        if (id as usize) < Action::COUNT { Some(Action(id)) } else { None }
    }

    /// The number, below [`COUNT`](Action::COUNT).
    pub const fn id(self) -> u16 {
        self.0
    }

    /// The action that connects two squares in the mover's frame, if a queen or a knight connects
    /// them.
    pub fn between(from: Square, to: Square) -> Option<Action> {
        let id = IDS[from.index()][to.index()];
        (id != NONE).then_some(Action(id))
    }

    /// The action of a move by the player at `edge`. It is `None` only for a pawn that becomes a
    /// knight, bishop or rook on another rank than its own 8th or 11th.
    pub fn of(mv: Move, edge: Edge) -> Option<Action> {
        let (from, to) = (mv.from.seen_from(edge), mv.to.seen_from(edge));
        match mv.promotion {
            None | Some(Role::Queen) => Action::between(from, to),
            Some(role) => underpromotion(from, to, role),
        }
    }

    /// The source and the destination square in the mover's frame.
    pub fn squares(self) -> (Square, Square) {
        SQUARES[self.0 as usize]
    }

    /// The piece that a pawn becomes, if it is not a queen.
    pub fn underpromotion(self) -> Option<Role> {
        let index = (self.0 as usize).checked_sub(Action::PAIRS)?;
        Some(UNDERPROMOTIONS[index % UNDERPROMOTIONS.len()])
    }

    /// The move that the action stands for in a position. It need not be legal.
    #[inline]
    pub fn move_in(self, position: &Position, rules: &Rules) -> Move {
        let edge = rules.edge(position.turn());
        let (from, to) = self.squares();
        let (from, to) = (from.shown_to(edge), to.shown_to(edge));
        position.move_between(from, to, self.underpromotion(), rules)
    }

    /// The number of the same move by the player at `edge` in the wide encoding: 640 times the
    /// source square, plus four times the destination square, plus the promotion. Squares are not
    /// rotated, and are numbered from the top left ([`Square::reading_index`]). The promotion is 0
    /// for a queen or none, 1 for a rook, 2 for a bishop, 3 for a knight.
    pub fn wide(self, edge: Edge) -> u32 {
        let (from, to) = self.squares();
        let [from, to] = [from, to].map(|square| square.shown_to(edge).reading_index() as u32);
        let promotion = match self.underpromotion() {
            Some(Role::Rook) => 1,
            Some(Role::Bishop) => 2,
            Some(Role::Knight) => 3,
            _ => 0,
        };
        640 * from + 4 * to + promotion
    }

    /// The action with this number in the wide encoding, if there is one. Most of its numbers
    /// connect squares that no piece connects, or promote on other ranks.
    pub fn from_wide(wide: u32, edge: Edge) -> Option<Action> {
        let square = |index: u32| Square::from_reading_index(index as usize);
        let from = square(wide / 640)?.seen_from(edge);
        let to = square(wide / 4 % 160)?.seen_from(edge);
        match wide % 4 {
            0 => Action::between(from, to),
            1 => underpromotion(from, to, Role::Rook),
            2 => underpromotion(from, to, Role::Bishop),
            _ => underpromotion(from, to, Role::Knight),
        }
    }
}

/// No action.
pub(crate) const NONE: u16 = u16::MAX;

const UNDERPROMOTIONS: [Role; 3] = [Role::Knight, Role::Bishop, Role::Rook];

/// The promotion ranks of the presets, counted from 1.
const PROMOTION_RANKS: [u8; 2] = [8, 11];

fn underpromotion(from: Square, to: Square, role: Role) -> Option<Action> {
    let role = UNDERPROMOTIONS.iter().position(|&other| other == role)?;
    let index = PROMOTIONS.iter().position(|&pair| pair == (from, to))?;
    Some(Action((Action::PAIRS + UNDERPROMOTIONS.len() * index + role) as u16))
}

/// The action of each pair of squares in the mover's frame, or [`NONE`] if nothing connects them.
static IDS: [[u16; Square::COUNT]; Square::COUNT] = number_pairs();

/// The squares of every action.
static SQUARES: [(Square, Square); Action::COUNT] = list_squares();

/// The pawn moves to the two promotion ranks, ordered by rank, then by source file, then by
/// destination file.
static PROMOTIONS: [(Square, Square); 80] = list_promotions();

/// By edge, square of the board (not rotated) and direction of a line: the number of the first step
/// down the line, or the number it would have.
pub(crate) static RUNS: [[[i16; 4]; Square::COUNT]; 4] = start_runs();

/// By edge and direction of a line: whether numbers increase up the line.
pub(crate) static RISES: [[bool; 4]; 4] = find_rising();

/// Like [`IDS`], by edge and for squares that are not rotated, and with one more destination, which
/// is outside the board.
pub(crate) static IDS_FROM: [[[u16; Square::COUNT + 1]; Square::COUNT]; 4] = turn_ids();

/// By [`Leaper`](fourchess::Leaper), edge, square (not rotated) and step: the action.
pub(crate) static LEAPS: [[[[u16; 8]; Square::COUNT]; 4]; 2] =
    [number_leaps(&KNIGHT_STEPS), number_leaps(&KING_STEPS)];

/// By edge and square (not rotated): the actions of a pawn, in the order of
/// [`PawnSteps`](fourchess::PawnSteps).
pub(crate) static PAWN_STEPS: [[[u16; 4]; Square::COUNT]; 4] = number_pawn_steps();

const fn square(index: usize) -> Square {
    Square::new(index).expect("there are 160 squares")
}

const fn number_pairs() -> [[u16; Square::COUNT]; Square::COUNT] {
    let mut ids = [[NONE; Square::COUNT]; Square::COUNT];
    let mut next = 0;
    let mut index = 0;
    while index < Square::COUNT {
        let from = square(index);
        let mut line = 0;
        while line < 4 {
            let (files, ranks) = KING_STEPS[2 * line];
            // From the lower end of the line to the upper end.
            let mut to = last_along(from, -files, -ranks);
            loop {
                if to.index() != index {
                    ids[index][to.index()] = next;
                    next += 1;
                }
                to = match to.step(files, ranks) {
                    Some(to) => to,
                    None => break,
                };
            }
            line += 1;
        }
        let mut jump = 0;
        while jump < KNIGHT_STEPS.len() {
            if let Some(to) = from.step(KNIGHT_STEPS[jump].0, KNIGHT_STEPS[jump].1) {
                ids[index][to.index()] = next;
                next += 1;
            }
            jump += 1;
        }
        index += 1;
    }
    assert!(next as usize == Action::PAIRS);
    ids
}

const fn last_along(from: Square, files: i8, ranks: i8) -> Square {
    let mut last = from;
    while let Some(next) = last.step(files, ranks) {
        last = next;
    }
    last
}

const fn list_promotions() -> [(Square, Square); 80] {
    let mut pairs = [(square(0), square(0)); 80];
    let mut next = 0;
    let mut index = 0;
    while index < 2 * 14 * 3 {
        let (rank, file, step) = (PROMOTION_RANKS[index / 42], index / 3 % 14, index % 3);
        let from = Square::at(file as u8, rank - 2).expect("these ranks are whole");
        if let Some(to) = from.step(step as i8 - 1, 1) {
            pairs[next] = (from, to);
            next += 1;
        }
        index += 1;
    }
    assert!(next == pairs.len());
    pairs
}

const fn list_squares() -> [(Square, Square); Action::COUNT] {
    let mut squares = [(square(0), square(0)); Action::COUNT];
    let mut from = 0;
    while from < Square::COUNT {
        let mut to = 0;
        while to < Square::COUNT {
            if IDS[from][to] != NONE {
                squares[IDS[from][to] as usize] = (square(from), square(to));
            }
            to += 1;
        }
        from += 1;
    }
    let mut index = Action::PAIRS;
    while index < Action::COUNT {
        squares[index] = PROMOTIONS[(index - Action::PAIRS) / UNDERPROMOTIONS.len()];
        index += 1;
    }
    squares
}

const fn turn_ids() -> [[[u16; Square::COUNT + 1]; Square::COUNT]; 4] {
    let mut turned = [[[NONE; Square::COUNT + 1]; Square::COUNT]; 4];
    let mut edge = 0;
    while edge < 4 {
        let mut id = 0;
        while id < Action::PAIRS {
            let (from, to) = SQUARES[id];
            let (from, to) = (from.shown_to(Edge::ALL[edge]), to.shown_to(Edge::ALL[edge]));
            turned[edge][from.index()][to.index()] = id as u16;
            id += 1;
        }
        edge += 1;
    }
    turned
}

const fn find_rising() -> [[bool; 4]; 4] {
    let mut rises = [[false; 4]; 4];
    // A square with neighbours on all sides.
    let from = Square::at(6, 6).expect("the middle of the board");
    let mut index = 0;
    while index < 16 {
        let (edge, line) = (index / 4, index % 4);
        let (files, ranks) = KING_STEPS[2 * line];
        let up = from.step(files, ranks).expect("a neighbour");
        let down = from.step(-files, -ranks).expect("a neighbour");
        let ids = &IDS_FROM[edge][from.index()];
        rises[edge][line] = ids[up.index()] > ids[down.index()];
        index += 1;
    }
    rises
}

const fn start_runs() -> [[[i16; 4]; Square::COUNT]; 4] {
    let mut runs = [[[0; 4]; Square::COUNT]; 4];
    let mut index = 0;
    while index < 16 * Square::COUNT {
        let (edge, from, line) = (index / 4 / Square::COUNT, index / 4 % Square::COUNT, index % 4);
        let (files, ranks) = KING_STEPS[2 * line];
        let rises = RISES[edge][line];
        let ids = &IDS_FROM[edge][from];
        runs[edge][from][line] = if let Some(down) = square(from).step(-files, -ranks) {
            ids[down.index()] as i16
        } else if let Some(up) = square(from).step(files, ranks) {
            ids[up.index()] as i16 - if rises { 1 } else { -1 }
        } else {
            0
        };
        index += 1;
    }
    runs
}

const fn number_leaps(steps: &[(i8, i8); 8]) -> [[[u16; 8]; Square::COUNT]; 4] {
    let mut ids = [[[NONE; 8]; Square::COUNT]; 4];
    let mut index = 0;
    while index < 4 * Square::COUNT * 8 {
        let (edge, from, step) = (index / 8 / Square::COUNT, index / 8 % Square::COUNT, index % 8);
        if let Some(to) = square(from).step(steps[step].0, steps[step].1) {
            ids[edge][from][step] = IDS_FROM[edge][from][to.index()];
        }
        index += 1;
    }
    ids
}

const fn number_pawn_steps() -> [[[u16; 4]; Square::COUNT]; 4] {
    let mut ids = [[[NONE; 4]; Square::COUNT]; 4];
    let mut index = 0;
    while index < 4 * Square::COUNT * 4 {
        let (edge, from, step) = (index / 4 / Square::COUNT, index / 4 % Square::COUNT, index % 4);
        if let Some(to) = pawn_steps(Edge::ALL[edge], square(from))[step] {
            ids[edge][from][step] = IDS_FROM[edge][from][to.index()];
        }
        index += 1;
    }
    ids
}

/// The numbers of a slider's moves along a line are consecutive. This is the first of them.
#[inline]
pub(crate) fn first_of(edge: Edge, from: Square, slide: &Slide<'_>) -> u16 {
    let (edge, line) = (edge as usize, slide.kind as usize);
    let lower = if RISES[edge][line] {
        slide.own as i16 - slide.start as i16 - 1
    } else {
        slide.end as i16 - slide.own as i16 - 1
    };
    (RUNS[edge][from.index()][line] - lower) as u16
}
