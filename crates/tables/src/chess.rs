//! The tables of chess.

mod facts;
mod games;
mod lists;
mod positions;

use chess::{Ending, Game, Move, Position, Role, San, Suffix, Uci};

use crate::{Cell, Table, count, flag, hash, text};

pub(crate) use facts::facts_named;
pub use facts::{FACT_KEYS, FACTS, FACTS_VERSION, FactRows, facts_schema};
pub use games::{BAD_GAMES, GAMES, GameRows, game, tag_cell};
pub use positions::{POSITIONS, PositionRows, all_positions, position, positions};

/// How many sequences of moves there are.
pub static PERFT: Table = Table::new("chess.perft", &[text("fen"), count("depth"), count("nodes")]);

/// How many of them begin with each move.
pub static DIVIDE: Table = Table::new("chess.divide", &[text("uci"), text("san"), count("nodes")]);

/// The legal moves of the positions of a file.
pub static MOVES_OF_FILE: Table = Table::new(
    "chess.moves",
    &[
        text("source"),
        count("line"),
        text("fen"),
        text("uci"),
        text("san"),
        text("piece"),
        text("from"),
        text("to"),
        text("captured"),
        text("promotion"),
        flag("check"),
        flag("mate"),
    ],
)
.version(2, 0);

/// The legal moves of one position, which need not say of which.
pub static MOVES: Table =
    Table::new("chess.moves", MOVES_OF_FILE.columns.split_at(3).1).version(2, 0);

/// A position after moves.
pub static PLAY: Table = Table::new(
    "chess.play",
    &[
        text("fen"),
        hash("zobrist"),
        text("moves"),
        count("plies"),
        count("legal_moves"),
        flag("check"),
        count("repetitions"),
        text("ending"),
    ],
);

/// The rules of chess, a pattern of movement each.
pub static PATTERNS: Table = Table::new(
    "chess.patterns",
    &[
        text("name"),
        text("source"),
        text("destination"),
        text("dx"),
        text("dy"),
        text("sequence"),
        text("effects"),
    ],
);

pub(crate) static TABLES: [&Table; 8] =
    [&PERFT, &DIVIDE, &MOVES_OF_FILE, &MOVES, &PLAY, &GAMES, &POSITIONS, &PATTERNS];

/// The row of [`PERFT`].
pub fn perft(position: &Position, depth: u32, nodes: u64) -> [Cell<'static>; 3] {
    [position.to_string().into(), u64::from(depth).into(), nodes.into()]
}

/// A row of [`DIVIDE`]: a move and what is counted below it. Moves of other rules, which SAN does
/// not know, are written as in UCI.
pub fn divided<'a>(position: &Position, uci: &'a str, nodes: u64) -> [Cell<'a>; 3] {
    let mv = uci.parse::<Uci>().ok().and_then(|uci| uci.find(position).ok());
    let san = mv.map_or(uci.into(), |mv| San::of(position, mv).to_string().into());
    [uci.into(), san, nodes.into()]
}

/// A row of [`MOVES`].
pub fn legal_move(position: &Position, mv: Move) -> [Cell<'static>; 9] {
    let role = position.board().role_at(mv.from).expect("a legal move starts from a piece");
    let san = San::of(position, mv);
    let uci = Uci::of(position, mv);
    [
        uci.to_string().into(),
        san.to_string().into(),
        role.name().into(),
        uci.from.to_string().into(),
        uci.to.to_string().into(),
        captured(position, mv).map(Role::name).into(),
        mv.promotion.map(Role::name).into(),
        san.suffix.is_some().into(),
        (san.suffix == Some(Suffix::Checkmate)).into(),
    ]
}

/// What a legal move captures.
pub fn captured(position: &Position, mv: Move) -> Option<Role> {
    let board = position.board();
    if board.by_color(position.turn()).contains(mv.to) {
        return None;
    }
    let is_pawn = board.by_role(Role::Pawn).contains(mv.from);
    let en_passant = (is_pawn && mv.from.file() != mv.to.file()).then_some(Role::Pawn);
    board.role_at(mv.to).or(en_passant)
}

/// A row of [`MOVES_OF_FILE`].
pub fn legal_move_of_file<'a>(
    source: &'a str,
    line: u64,
    fen: &'a str,
    position: &Position,
    mv: Move,
) -> Vec<Cell<'a>> {
    let mut cells = vec![source.into(), line.into(), fen.into()];
    cells.extend(legal_move(position, mv));
    cells
}

/// The row of [`PLAY`]: where a game stands after moves, written in SAN.
pub fn played(game: &Game, moves: &[String]) -> [Cell<'static>; 8] {
    let position = game.position();
    [
        position.to_string().into(),
        position.zobrist().into(),
        moves.join(" ").into(),
        (moves.len() as u64).into(),
        u64::from(position.legal_moves().len()).into(),
        position.is_check().into(),
        (game.repetitions() as u64).into(),
        game.ending().map(Ending::name).into(),
    ]
}
