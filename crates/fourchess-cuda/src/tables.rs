//! The tables of the kernels as text, computed from the crates of the rules and the environment.

use std::fmt::Write;

use fourchess::{
    Edge, Move, Random, Role, Rules, Seat, Seating, Square,
    geometry::{KING_STEPS, KNIGHT_STEPS, back_line},
};
use fourchess_env::{Action, Observation};

/// What stands for no square.
const NOWHERE: usize = Square::COUNT;
const LINES: usize = 82;
/// Lowest bits of a living piece are one more than its role.
const KING_CODE: u32 = 6;
const PAWN_CODE: u32 = 1;

/// All tables as definitions in C.
pub(crate) fn text() -> String {
    let mut text = Text(String::new());
    lines(&mut text);
    steps(&mut text);
    views(&mut text);
    castling(&mut text);
    keys(&mut text);
    actions(&mut text);
    observation(&mut text);
    text.0
}

struct Text(String);

impl Text {
    fn table(&mut self, kind: &str, name: &str, shape: &str, values: impl Iterator<Item = String>) {
        let values: Vec<String> = values.collect();
        writeln!(self.0, "TABLE {kind} {name}{shape} = {{{}}};", values.join(","))
            .expect("a string takes any text");
    }

    fn numbers<T: ToString>(&mut self, kind: &str, name: &str, values: impl Iterator<Item = T>) {
        let values: Vec<String> = values.map(|value| value.to_string()).collect();
        let shape = format!("[{}]", values.len());
        self.table(kind, name, &shape, values.into_iter());
    }

    /// A table of tables of one size each.
    fn rows<T: ToString>(&mut self, kind: &str, name: &str, inner: &str, rows: &[Vec<T>]) {
        let row = |row: &Vec<T>| {
            let values: Vec<String> = row.iter().map(ToString::to_string).collect();
            format!("{{{}}}", values.join(","))
        };
        let shape = format!("[{}]{inner}", rows.len());
        self.table(kind, name, &shape, rows.iter().map(row));
    }

    /// A value for every square, by edge.
    fn by_edge<T: ToString>(&mut self, kind: &str, name: &str, value: impl Fn(Edge, Square) -> T) {
        let row = |edge| Square::all().map(|square| value(edge, square)).collect();
        let rows: Vec<Vec<T>> = Edge::ALL.into_iter().map(row).collect();
        self.rows(kind, name, "[160]", &rows);
    }
}

/// The line of each kind through a square, and the bit of the square in it.
fn line_and_bit(square: Square, kind: usize) -> (usize, usize) {
    let (file, rank) = (square.file() as usize, square.rank() as usize);
    match kind {
        0 => (rank, file + 1),
        1 => (14 + file, rank + 1),
        2 => (28 + file + 13 - rank, file + 1),
        _ => (55 + file + rank, file + 1),
    }
}

fn packed(bytes: impl Iterator<Item = usize>) -> u32 {
    bytes.enumerate().map(|(index, byte)| (byte as u32) << (8 * index)).sum()
}

fn lines(text: &mut Text) {
    let mut squares = vec![vec![NOWHERE; 16]; LINES];
    for square in Square::all() {
        for kind in 0..4 {
            let (line, bit) = line_and_bit(square, kind);
            squares[line][bit] = square.index();
        }
    }
    let lines = |square| packed((0..4).map(move |kind| line_and_bit(square, kind).0));
    let bits = |square| packed((0..4).map(move |kind| line_and_bit(square, kind).1));
    let through = |square| u64::from(lines(square)) | u64::from(bits(square)) << 32;
    text.numbers("u64", "THROUGH", Square::all().map(|square| format!("{}ull", through(square))));
    let wall = |line: &Vec<usize>| -> u32 {
        let is_wall = |(bit, &square): (usize, &usize)| u32::from(square == NOWHERE) << bit;
        line.iter().enumerate().map(is_wall).sum()
    };
    text.numbers("u16", "WALLS", squares.iter().map(wall));
    text.rows("u8", "LINE_SQUARES", "[16]", &squares);
}

fn index(square: Option<Square>) -> usize {
    square.map_or(NOWHERE, Square::index)
}

fn steps(text: &mut Text) {
    for (name, steps) in [("KING_WAYS", KING_STEPS), ("KNIGHT_WAYS", KNIGHT_STEPS)] {
        let goals = |square: Square| {
            steps.iter().map(|&(files, ranks)| index(square.step(files, ranks))).collect()
        };
        text.rows("u8", name, "[8]", &Square::all().map(goals).collect::<Vec<Vec<usize>>>());
    }
    text.by_edge("u32", "PAWNS", pawn);
    text.numbers("u32", "PAWN_WAYS", Edge::ALL.into_iter().map(pawn_ways));
    let seatings = [Seating::Clockwise, Seating::Counterclockwise];
    let threats = seatings.iter().map(|&seating| {
        let row = |way| format!("{{{},{}}}", threat(seating, way, 0), threat(seating, way, 1));
        format!("{{{}}}", (0..8).map(row).collect::<Vec<String>>().join(","))
    });
    text.table("u32", "THREATS_BY_SEATING", "[2][8][2]", threats);
}

/// A pawn's push, double step and two captures.
fn pawn(edge: Edge, from: Square) -> u32 {
    let (files, ranks) = edge.forward();
    let push = from.step(files, ranks);
    let jump = push.filter(|_| from.own_rank(edge) == 2).and_then(|push| push.step(files, ranks));
    let takes = [from.step(files + ranks, ranks + files), from.step(files - ranks, ranks - files)];
    packed([push, jump, takes[0], takes[1]].into_iter().map(index))
}

/// The king's ways that a pawn's push and its two captures go.
fn pawn_ways(edge: Edge) -> u32 {
    let (files, ranks) = edge.forward();
    let steps = [(files, ranks), (files + ranks, ranks + files), (files - ranks, ranks - files)];
    let way = |step| KING_STEPS.iter().position(|&other| other == step);
    packed(steps.into_iter().map(|step| way(step).expect("a pawn goes one step")))
}

/// The codes of pieces that attack along a king's way that they are seen on, knights aside.
fn threat(seating: Seating, way: usize, near: usize) -> u32 {
    let slider = if way < 4 { Role::Rook } else { Role::Bishop };
    let codes = |seat: Seat| {
        let (files, ranks) = KING_STEPS[way];
        let (ahead, up) = seating.edge(seat).forward();
        // A pawn takes diagonally forward, so the way back to it is one against forward.
        let pawn = way >= 4 && -files * ahead - ranks * up == 1;
        let slides = 1 << (slider.index() + 1) | 1 << (Role::Queen.index() + 1);
        let steps = 1 << KING_CODE | u32::from(pawn) << PAWN_CODE;
        (slides | if near == 1 { steps } else { 0 }) << (8 * seat.index())
    };
    Seat::ALL.into_iter().map(codes).fold(0, |all, codes| all | codes)
}

fn views(text: &mut Text) {
    text.by_edge("u8", "SEEN", |edge, square| square.seen_from(edge).index());
    text.by_edge("u8", "SHOWN", |edge, square| square.shown_to(edge).index());
    text.by_edge("u8", "OWN_RANKS", |edge, square| square.own_rank(edge));
}

fn castling(text: &mut Text) {
    let homes = |edge| vec![back_line(edge)[3].index(), back_line(edge)[4].index()];
    text.rows("u8", "HOMES", "[2]", &Edge::ALL.map(homes));
    let rook = |right: usize| back_line(Edge::ALL[right / 2])[7 * (right % 2)];
    text.numbers("u8", "ROOKS", (0..8).map(|right| rook(right).index()));
    let right_of = |square| {
        let held = |&right: &usize| rook(right) == square;
        (0..8).find(held).map_or(0, |right| 1u32 << right)
    };
    text.numbers("u8", "RIGHTS_OF", Square::all().map(right_of));
    let castles =
        || (0..16).map(|index| castle(Edge::ALL[index / 4], 3 + index / 2 % 2, index % 2));
    text.numbers("u32", "CASTLES", castles().map(|(squares, _)| squares));
    text.numbers("u16", "CASTLE_GAPS", castles().map(|(_, gap)| gap));
}

/// The king's goal, the rook's squares and their line; the bits that must be empty.
fn castle(edge: Edge, king: usize, side: usize) -> (u32, u32) {
    let squares = back_line(edge);
    let kind = usize::from(matches!(edge, Edge::West | Edge::East));
    let (rook, gap) = if side == 0 { (0, 1..king) } else { (7, king + 1..7) };
    let (rook_to, king_to) = if side == 0 { (king - 1, king - 2) } else { (king + 1, king + 2) };
    let line = line_and_bit(squares[0], kind).0;
    let goals = [squares[king_to].index(), squares[rook].index(), squares[rook_to].index(), line];
    (packed(goals.into_iter()), gap.map(|place| 1 << line_and_bit(squares[place], kind).1).sum())
}

/// The numbers that keys of positions are made of; the tests compare the keys.
fn keys(text: &mut Text) {
    let numbers = |seed, count| {
        let mut stream = Random::new(seed);
        (0..count).map(move |_| format!("{}ull", stream.next() | 1))
    };
    text.numbers("u64", "SQUARE_KEYS", numbers(1, Square::COUNT + 1));
    text.numbers("u64", "CODE_KEYS", numbers(2, 32));
    text.numbers("u64", "TURN_KEYS", numbers(3, 4));
    let rights: String = numbers(4, 1).collect();
    writeln!(text.0, "#define RIGHTS_KEY {rights}").expect("a string takes any text");
}

fn action(edge: Edge, from: Square, to: Square) -> Option<i32> {
    Action::of(Move::plain(from, to), edge).map(|action| i32::from(action.id()))
}

/// Whether actions increase up the lines of a kind.
fn rises(edge: Edge, kind: usize) -> bool {
    let middle = Square::at(6, 6).expect("the middle of the board");
    let (files, ranks) = KING_STEPS[2 * kind];
    let to = |way: i8| middle.step(way * files, way * ranks).expect("a neighbour");
    action(edge, middle, to(1)) > action(edge, middle, to(-1))
}

/// The action of the first step down a line, or the one it would have.
fn run(edge: Edge, from: Square, kind: usize) -> i32 {
    let (files, ranks) = KING_STEPS[2 * kind];
    let to = |way: i8| from.step(way * files, way * ranks).and_then(|to| action(edge, from, to));
    let back = if rises(edge, kind) { 1 } else { -1 };
    to(-1).or_else(|| to(1).map(|up| up - back)).unwrap_or(0)
}

fn actions(text: &mut Text) {
    let braced = |values: Vec<i32>| {
        let values: Vec<String> = values.iter().map(ToString::to_string).collect();
        format!("{{{}}}", values.join(","))
    };
    let nested = |value: &dyn Fn(Edge, Square) -> Vec<i32>| -> Vec<Vec<String>> {
        let row = |edge| Square::all().map(|from| braced(value(edge, from))).collect();
        Edge::ALL.into_iter().map(row).collect()
    };
    let runs = nested(&|edge, from| (0..4).map(|kind| run(edge, from, kind)).collect());
    text.rows("i16", "RUNS", "[160][4]", &runs);
    let up = |edge| (0..4).map(|kind| u32::from(rises(edge, kind)) << kind).sum::<u32>();
    text.numbers("u32", "RISES", Edge::ALL.into_iter().map(up));
    let steps = nested(&|edge, from| {
        let goal = |&(files, ranks): &(i8, i8)| from.step(files, ranks);
        let id = |step| goal(step).and_then(|to| action(edge, from, to)).unwrap_or(0);
        KING_STEPS.iter().chain(&KNIGHT_STEPS).map(id).collect()
    });
    text.rows("u16", "STEP_ACTIONS", "[160][16]", &steps);
    let under = nested(&|edge, from| underpromotions(edge, from).into());
    text.rows("u16", "UNDERPROMOTIONS", "[160][3]", &under);
    let squares = |id| {
        let (from, to) = Action::new(id).expect("below the count").squares();
        from.index() | to.index() << 8
    };
    text.numbers("u16", "ACTION_SQUARES", (0..Action::COUNT as u16).map(squares));
    writeln!(text.0, "#define PAIRS {}", Action::PAIRS).expect("a string takes any text");
    text.numbers("i32", "GREEDY_VALUES", Rules::FFA.values.into_iter());
}

/// The actions of becoming a knight, by a push and by the two captures.
fn underpromotions(edge: Edge, from: Square) -> [i32; 3] {
    let pawn = pawn(edge, from);
    [0, 2, 3].map(|part| {
        let to = Square::new((pawn >> (8 * part) & 255) as usize);
        let becomes = |to| Move { promotion: Some(Role::Knight), ..Move::plain(from, to) };
        to.and_then(|to| Action::of(becomes(to), edge)).map_or(0, |action| i32::from(action.id()))
    })
}

fn observation(text: &mut Text) {
    let scale = |scalar| format!("{:.1}f", Observation::scale(scalar));
    text.numbers("float", "SCALES", (0..Observation::SCALARS).map(scale));
    let rank = |rank: u8| Square::all().filter(move |square| square.rank() == rank);
    let first = |number| rank(number).next().expect("no rank is empty");
    text.numbers("u8", "RANK_STARTS", (0..14).map(|number| first(number).index()));
    text.numbers("u8", "RANK_FILES", (0..14).map(|number| first(number).file()));
    text.numbers("u8", "RANK_SIZES", (0..14).map(|number| rank(number).count()));
}
