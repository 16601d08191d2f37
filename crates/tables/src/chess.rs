//! The tables of chess.

mod facts;

use chess::{
    Ending, Game, Move, Position, Role, San, Suffix, Uci,
    pgn::{Evaluation, Mainline},
};

use crate::{Cell, Table, count, flag, hash, real, text};

pub(crate) use facts::facts_named;
pub use facts::{FACT_KEYS, FACTS, FACTS_VERSION, FactRows, facts_schema};

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
        text("captures"),
        text("promotion"),
        text("check"),
    ],
);

/// The legal moves of one position, which need not say of which.
pub static MOVES: Table = Table::new("chess.moves", MOVES_OF_FILE.columns.split_at(3).1);

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

/// Games.
pub static GAMES: Table = Table::new(
    "chess.games",
    &[
        text("source").wide(),
        count("game"),
        text("event").wide(),
        text("site").wide(),
        text("date"),
        text("round").wide(),
        text("white"),
        text("black"),
        text("result"),
        count("white_elo"),
        count("black_elo"),
        text("eco"),
        text("opening").wide(),
        text("time_control").wide(),
        text("termination").wide(),
        count("plies"),
        text("ending"),
        count("legal_moves_min"),
        real("legal_moves_mean"),
        count("legal_moves_max"),
        text("fen").wide(),
        hash("zobrist").wide(),
    ],
);

/// The positions of games.
pub static POSITIONS: Table = Table::new(
    "chess.positions",
    &[
        text("source").wide(),
        count("game"),
        count("ply"),
        text("fen"),
        hash("zobrist").wide(),
        text("turn").wide(),
        text("san"),
        text("uci").wide(),
        count("legal_moves"),
        flag("check"),
        real("clock").wide(),
        text("eval").wide(),
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
pub fn legal_move(position: &Position, mv: Move) -> [Cell<'static>; 8] {
    let board = position.board();
    let role = board.role_at(mv.from).expect("a legal move starts from a piece");
    let san = San::of(position, mv);
    let castles = board.by_color(position.turn()).contains(mv.to);
    let captured = if castles {
        None
    } else if role == Role::Pawn && mv.from.file() != mv.to.file() {
        Some(board.role_at(mv.to).unwrap_or(Role::Pawn))
    } else {
        board.role_at(mv.to)
    };
    let uci = Uci::of(position, mv);
    [
        uci.to_string().into(),
        san.to_string().into(),
        role.name().into(),
        uci.from.to_string().into(),
        uci.to.to_string().into(),
        captured.map(Role::name).into(),
        mv.promotion.map(Role::name).into(),
        match san.suffix {
            Some(Suffix::Check) => "check".into(),
            Some(Suffix::Checkmate) => "checkmate".into(),
            None => Cell::Nothing,
        },
    ]
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

/// A row of [`GAMES`].
pub fn game<'a>(source: &'a str, number: u64, game: &'a Mainline) -> [Cell<'a>; 22] {
    let tag = |name: &str| -> Cell<'a> {
        game.tags.get(name).filter(|value| !matches!(*value, "" | "?" | "-")).into()
    };
    let rating = |name: &str| -> Cell<'a> {
        game.tags.get(name).and_then(|value| value.parse::<u64>().ok()).into()
    };
    let counts = LegalMoves::of(&game.positions);
    let last = game.positions.last().expect("a game has a start");
    [
        source.into(),
        number.into(),
        tag("Event"),
        tag("Site"),
        tag("Date"),
        tag("Round"),
        tag("White"),
        tag("Black"),
        game.result.as_str().into(),
        rating("WhiteElo"),
        rating("BlackElo"),
        tag("ECO"),
        tag("Opening"),
        tag("TimeControl"),
        tag("Termination"),
        (game.moves.len() as u64).into(),
        Ending::of(&game.positions).map(Ending::name).into(),
        counts.min.into(),
        ((counts.mean * 100.0).round() / 100.0).into(),
        counts.max.into(),
        last.to_string().into(),
        last.zobrist().into(),
    ]
}

/// The rows of [`POSITIONS`] of a game, one after the other.
pub fn positions<'a>(
    source: &'a str,
    number: u64,
    game: &'a Mainline,
) -> impl Iterator<Item = [Cell<'a>; 12]> {
    (0..game.positions.len()).map(move |ply| position(source, number, game, ply))
}

/// The row of [`POSITIONS`] of a game after so many plies.
///
/// # Panics
/// If the game is not that long.
pub fn position<'a>(
    source: &'a str,
    number: u64,
    game: &'a Mainline,
    ply: usize,
) -> [Cell<'a>; 12] {
    let position = &game.positions[ply];
    let mv = game.moves.get(ply).copied();
    let note = ply.checked_sub(1).and_then(|before| game.notes.get(before)).copied();
    let note = note.unwrap_or_default();
    [
        source.into(),
        number.into(),
        (ply as u64).into(),
        position.to_string().into(),
        position.zobrist().into(),
        position.turn().name().into(),
        mv.map(|mv| San::of(position, mv).to_string()).into(),
        mv.map(|mv| Uci::of(position, mv).to_string()).into(),
        u64::from(position.legal_moves().len()).into(),
        position.is_check().into(),
        note.clock.map(|clock| clock.as_secs_f64()).into(),
        match note.evaluation {
            Some(Evaluation::Pawns(pawns)) => pawns.to_string().into(),
            Some(Evaluation::Mate(moves)) => format!("#{moves}").into(),
            None => Cell::Nothing,
        },
    ]
}

/// How many legal moves the positions of a game offer.
struct LegalMoves {
    min: u64,
    mean: f64,
    max: u64,
}

impl LegalMoves {
    fn of(positions: &[Position]) -> LegalMoves {
        let (mut min, mut max, mut sum) = (u64::MAX, 0, 0);
        for position in positions {
            let count = chess::perft(position, 1);
            min = min.min(count);
            max = max.max(count);
            sum += count;
        }
        LegalMoves { min, mean: sum as f64 / positions.len() as f64, max }
    }
}
