//! The tables of four-player chess.

mod pgn4;

use fourchess::{Ending, Game, Move, Piece, Position, Role, Rules, Seat};
use fourchess_env::{Action, Record};

use crate::{Cell, Table, count, number, real, text};

pub use pgn4::{PGN4_GAMES, PGN4_POSITIONS, pgn4_game, pgn4_positions};

/// The number of legal move sequences.
pub static PERFT: Table = Table::new(
    "fourchess.perft",
    &[text("fen").wide(), text("rules"), count("depth"), count("nodes")],
);

/// The number of legal move sequences that begin with each move.
pub static DIVIDE: Table =
    Table::new("fourchess.divide", &[text("san"), count("nodes")]).version(2, 0);

/// The legal moves of a position.
pub static MOVES: Table = Table::new(
    "fourchess.moves",
    &[
        text("san"),
        text("seat"),
        text("piece"),
        text("from"),
        text("to"),
        text("captured"),
        text("promotion"),
        count("action"),
        count("wide_action"),
    ],
)
.version(2, 0);

/// Games of self-play.
pub static GAMES: Table = Table::new(
    "fourchess.games",
    &[
        count("game"),
        count("seed"),
        text("rules"),
        text("ending"),
        count("plies"),
        number("red_points"),
        number("blue_points"),
        number("yellow_points"),
        number("green_points"),
        count("red_place"),
        count("blue_place"),
        count("yellow_place"),
        count("green_place"),
        text("fen").wide(),
    ],
);

/// The plies of games of self-play.
pub static PLIES: Table = Table::new(
    "fourchess.plies",
    &[
        count("game"),
        count("ply"),
        text("seat"),
        text("san"),
        count("action"),
        count("choices"),
        number("red_points"),
        number("blue_points"),
        number("yellow_points"),
        number("green_points"),
    ],
)
.version(2, 0);

/// The speed of batches of games.
pub static BENCH: Table = Table::new(
    "fourchess.bench",
    &[
        text("rules"),
        text("outputs"),
        count("games"),
        count("threads"),
        count("steps"),
        real("seconds"),
        real("million_steps_per_second"),
    ],
);

pub(crate) static TABLES: [&Table; 8] =
    [&PERFT, &DIVIDE, &MOVES, &GAMES, &PLIES, &PGN4_GAMES, &PGN4_POSITIONS, &BENCH];

/// The row of [`PERFT`].
pub fn perft(position: &Position, rules: &Rules, depth: u32, nodes: u64) -> [Cell<'static>; 4] {
    let fen = position.fen(rules).to_string();
    [fen.into(), rules.words().into(), u64::from(depth).into(), nodes.into()]
}

/// A row of [`DIVIDE`]: a move and the count below it.
pub fn divided(position: &Position, rules: &Rules, mv: Move, nodes: u64) -> [Cell<'static>; 2] {
    [position.move_text(mv, rules).into(), nodes.into()]
}

/// A row of [`MOVES`].
pub fn legal_move(game: &Game, mv: Move) -> [Cell<'static>; 9] {
    let (position, rules) = (game.position(), game.rules());
    let edge = rules.edge(position.turn());
    let action = Action::of(mv, edge);
    [
        game.move_text(mv).into(),
        position.turn().name().into(),
        position.piece(mv.from).map(|piece| piece.role().name()).into(),
        mv.from.to_string().into(),
        mv.to.to_string().into(),
        captured(position, mv, rules).into(),
        mv.promotion.map(Role::name).into(),
        action.map(|action| u64::from(action.id())).into(),
        action.map(|action| u64::from(action.wide(edge))).into(),
    ]
}

/// A row of [`GAMES`].
pub fn game(number: u64, record: &Record, rules: &Rules) -> Vec<Cell<'static>> {
    let mut game = Game::from_position(record.start, rules);
    for ply in &record.plies {
        game.play(ply.mv).expect("recorded moves are legal");
    }
    let mut cells = vec![
        number.into(),
        record.seed.into(),
        rules.words().into(),
        record.ending.map(Ending::name).into(),
        (record.plies.len() as u64).into(),
    ];
    cells.extend(record.points.map(|points| Cell::from(i64::from(points))));
    cells.extend(record.places.map(|place| Cell::from(u64::from(place))));
    cells.push(game.position().fen(rules).to_string().into());
    cells
}

/// The rows of [`PLIES`] of a game.
pub fn plies<'a>(
    number: u64,
    record: &'a Record,
    rules: &Rules,
) -> impl Iterator<Item = Vec<Cell<'a>>> {
    let mut game = Game::from_position(record.start, rules);
    (1_u64..).zip(&record.plies).map(move |(index, ply)| {
        let mut cells: Vec<Cell<'_>> = vec![
            number.into(),
            index.into(),
            ply.seat.name().into(),
            game.move_text(ply.mv).into(),
            u64::from(ply.action.id()).into(),
            u64::from(ply.choices).into(),
        ];
        cells.extend(ply.points.map(|points| Cell::from(i64::from(points))));
        game.play(ply.mv).expect("recorded moves are legal");
        cells
    })
}

/// A row of [`BENCH`]: the time for a number of steps of a number of games.
pub fn bench<'a>(
    rules: &Rules,
    outputs: &'a str,
    games: u64,
    threads: u64,
    steps: u64,
    seconds: f64,
) -> [Cell<'a>; 7] {
    let rounded = |number: f64| (number * 1e3).round() / 1e3;
    [
        rules.words().into(),
        outputs.into(),
        games.into(),
        threads.into(),
        steps.into(),
        rounded(seconds).into(),
        rounded(steps as f64 / seconds / 1e6).into(),
    ]
}

/// What a move captures, if anything. An en passant capture may capture two pieces.
fn captured(position: &Position, mv: Move, rules: &Rules) -> Option<String> {
    let taken: Vec<String> = position.captures(mv, rules).map(owned).collect();
    (!taken.is_empty()).then(|| taken.join(" and "))
}

/// A piece with its owner: `blue knight`, `dead pawn`.
fn owned(piece: Piece) -> String {
    let owner = piece.owner().map_or("dead", Seat::name);
    format!("{owner} {}", piece.role().name())
}
