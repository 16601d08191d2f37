//! The tables of chess.

use ::chess::{Game, San, Uci};
use pyo3::prelude::*;
use tables::chess::{self as table, DIVIDE, MOVES, PERFT, PLAY};

use crate::{
    chess::{counts, position},
    error::{Raise, refuse},
    strings::Strings,
    table::Table,
};

/// The table `chess.perft`: how many sequences of `depth` legal moves start from a position.
/// `hash` is that of `chess.perft`.
///
/// >>> from everyply import tables
/// >>> tables.chess_perft(4)
/// chess.perft: 1 rows, 3 columns
/// fen                                                       depth   nodes
/// rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1      4  197281
#[pyfunction]
#[pyo3(signature = (depth, fen="start", *, hash=None))]
pub(super) fn chess_perft(
    py: Python<'_>,
    depth: u32,
    fen: &str,
    hash: Option<usize>,
) -> PyResult<Table> {
    let start = position(fen)?;
    let nodes = match depth {
        0 => 1,
        _ => counts(py, &start, depth, hash)?.iter().map(|(_, nodes)| nodes).sum(),
    };
    Ok(Table::of_rows(&PERFT, [table::perft(&start, depth, nodes)]))
}

/// The table `chess.divide`: how many of these sequences begin with each move. `hash` is
/// that of `chess.perft`.
///
/// >>> from everyply import tables
/// >>> tables.chess_divide(2, "7k/8/8/8/8/8/P7/K7 w - - 0 1")
/// chess.divide: 4 rows, 3 columns
/// uci   san  nodes
/// a1b1  Kb1      3
/// a1b2  Kb2      3
/// a2a3  a3       3
/// a2a4  a4       3
#[pyfunction]
#[pyo3(signature = (depth, fen="start", *, hash=None))]
pub(super) fn chess_divide(
    py: Python<'_>,
    depth: u32,
    fen: &str,
    hash: Option<usize>,
) -> PyResult<Table> {
    if depth == 0 {
        return Err(refuse("depth 0, expected at least 1".to_owned()));
    }
    let start = position(fen)?;
    let divided: Vec<(String, u64)> = counts(py, &start, depth, hash)?
        .into_iter()
        .map(|(mv, nodes)| (Uci::of(&start, mv).to_string(), nodes))
        .collect();
    let rows = divided.iter().map(|(uci, nodes)| table::divided(&start, uci, *nodes));
    Ok(Table::of_rows(&DIVIDE, rows))
}

/// The table `chess.moves`: the legal moves of a position.
///
/// >>> from everyply import tables
/// >>> tables.chess_moves("7k/P7/8/8/8/8/8/K7 w - - 0 1").num_rows
/// 7
#[pyfunction]
#[pyo3(signature = (fen="start"))]
pub(super) fn chess_moves(fen: &str) -> PyResult<Table> {
    let start = position(fen)?;
    let moves = start.legal_moves();
    Ok(Table::of_rows(&MOVES, moves.iter().map(|mv| table::legal_move(&start, mv))))
}

/// The table `chess.play`: the state of a game after moves in UCI notation or SAN.
///
/// >>> from everyply import tables
/// >>> import pyarrow
/// >>> pyarrow.table(tables.chess_play("start", ["f3", "e5", "g4", "Qh4"]))["ending"].to_pylist()
/// ['checkmate']
#[pyfunction]
pub(super) fn chess_play(fen: &str, moves: &Bound<'_, PyAny>) -> PyResult<Table> {
    let mut game = Game::new(position(fen)?);
    let mut played = Vec::new();
    let strings = Strings::new(moves, "moves")?;
    for (index, text) in strings.texts("moves")?.into_iter().enumerate() {
        let found = ::chess::find_move(game.position(), text);
        let mv = found.map_err(|error| error.raise_at(&format!("moves[{index}]: ")))?;
        played.push(San::of(game.position(), mv).to_string());
        game.play(mv).expect("a move that was found is legal");
    }
    Ok(Table::of_rows(&PLAY, [table::played(&game, &played)]))
}
