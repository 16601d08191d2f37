//! The tables of four-player chess.

use ::fourchess::{Game, Move, MoveList, Position, Rules, Setup, perft};
use fourchess_env::{Player, Record, SelfPlay};
use pyo3::prelude::*;
use rayon::prelude::*;
use tables::fourchess::{self as table, DIVIDE, GAMES, MOVES, PERFT, PLIES};

use crate::{
    error::{Raise, refuse},
    fourchess::named,
    perft::divide,
    strings::Strings,
    table::Table,
    threads,
};

/// The table `fourchess.perft`: how many sequences of `depth` legal moves start from a position.
///
/// `fen` is FEN4 or `start`. `rules` is `ffa`, `teams` or `jax`, or a dictionary of rules as for
/// `fourchess.Batch`. `setup` is the placement of kings and queens at the start: `modern`,
/// `classic`, `by`, `byg` or `rg`.
///
/// >>> from everyply import tables
/// >>> import pyarrow
/// >>> pyarrow.table(tables.fourchess_perft(3))["nodes"].to_pylist()
/// [7800]
#[pyfunction]
#[pyo3(signature = (depth, fen="start", *, rules=None, setup=None))]
#[pyo3(text_signature = "(depth, fen='start', *, rules='ffa', setup=None)")]
pub(super) fn fourchess_perft(
    py: Python<'_>,
    depth: u32,
    fen: &str,
    rules: Option<&Bound<'_, PyAny>>,
    setup: Option<&str>,
) -> PyResult<Table> {
    let (position, rules) = board(fen, rules, setup)?;
    let nodes = match depth {
        0 => 1,
        _ => counts(py, &position, &rules, depth)?.iter().map(|(_, nodes)| nodes).sum(),
    };
    Ok(Table::of_rows(&PERFT, [table::perft(&position, &rules, depth, nodes)]))
}

/// The table `fourchess.divide`: how many of these sequences begin with each move.
///
/// The arguments are those of `fourchess_perft`.
///
/// >>> from everyply import tables
/// >>> tables.fourchess_divide(2).num_rows
/// 20
#[pyfunction]
#[pyo3(signature = (depth, fen="start", *, rules=None, setup=None))]
#[pyo3(text_signature = "(depth, fen='start', *, rules='ffa', setup=None)")]
pub(super) fn fourchess_divide(
    py: Python<'_>,
    depth: u32,
    fen: &str,
    rules: Option<&Bound<'_, PyAny>>,
    setup: Option<&str>,
) -> PyResult<Table> {
    if depth == 0 {
        return Err(refuse("depth 0, expected at least 1".to_owned()));
    }
    let (position, rules) = board(fen, rules, setup)?;
    let divided = counts(py, &position, &rules, depth)?;
    let rows = divided.iter().map(|(mv, nodes)| table::divided(&position, &rules, *mv, *nodes));
    Ok(Table::of_rows(&DIVIDE, rows))
}

/// The table `fourchess.moves`: the legal moves of a position, with the numbers of their actions.
///
/// The arguments are those of `fourchess_perft`.
///
/// >>> from everyply import tables
/// >>> tables.fourchess_moves(rules="teams").num_rows
/// 20
#[pyfunction]
#[pyo3(signature = (fen="start", *, rules=None, setup=None))]
#[pyo3(text_signature = "(fen='start', *, rules='ffa', setup=None)")]
pub(super) fn fourchess_moves(
    fen: &str,
    rules: Option<&Bound<'_, PyAny>>,
    setup: Option<&str>,
) -> PyResult<Table> {
    let (position, rules) = board(fen, rules, setup)?;
    let game = Game::from_position(position, &rules);
    Ok(Table::of_rows(&MOVES, game.moves().iter().map(|&mv| table::legal_move(&game, mv))))
}

/// The table `fourchess.games`: games between built-in players, a row each.
///
/// `players` is `random` or `greedy`, or one of them for each of red, blue, yellow, green. Game
/// number i, from 0, has the seed `seed` plus i. A game stops unfinished after `max_plies`. The same
/// arguments give the same games, on any number of threads. `fen` and `setup` are those of
/// `fourchess_perft`: where the games start.
///
/// >>> from everyply import tables
/// >>> games = tables.fourchess_games(3, seed=7, players=["greedy", "random", "random", "random"])
/// >>> games.num_rows, games.column_names[:4]
/// (3, ['game', 'seed', 'rules', 'ending'])
#[pyfunction]
#[pyo3(signature = (
    games=1, *, seed=0, players=None, rules=None, max_plies=10_000, fen="start", setup=None
))]
#[pyo3(text_signature = "(games=1, *, seed=0, players='random', rules='ffa', max_plies=10000, \
                         fen='start', setup=None)")]
#[expect(clippy::too_many_arguments, reason = "in Python they have names and defaults")]
pub(super) fn fourchess_games(
    py: Python<'_>,
    games: u64,
    seed: u64,
    players: Option<&Bound<'_, PyAny>>,
    rules: Option<&Bound<'_, PyAny>>,
    max_plies: usize,
    fen: &str,
    setup: Option<&str>,
) -> PyResult<Table> {
    let board = board(fen, rules, setup)?;
    let (records, rules) = (played(py, games, seed, players, board, max_plies)?, board.1);
    Ok(Table::of_rows(
        &GAMES,
        (1..).zip(&records).map(|(at, record)| table::game(at, record, &rules)),
    ))
}

/// The table `fourchess.plies`: the plies of the same games, a row each.
///
/// The arguments are those of `fourchess_games`.
///
/// >>> from everyply import tables
/// >>> tables.fourchess_plies(2, max_plies=10).num_rows
/// 20
#[pyfunction]
#[pyo3(signature = (
    games=1, *, seed=0, players=None, rules=None, max_plies=10_000, fen="start", setup=None
))]
#[pyo3(text_signature = "(games=1, *, seed=0, players='random', rules='ffa', max_plies=10000, \
                         fen='start', setup=None)")]
#[expect(clippy::too_many_arguments, reason = "in Python they have names and defaults")]
pub(super) fn fourchess_plies(
    py: Python<'_>,
    games: u64,
    seed: u64,
    players: Option<&Bound<'_, PyAny>>,
    rules: Option<&Bound<'_, PyAny>>,
    max_plies: usize,
    fen: &str,
    setup: Option<&str>,
) -> PyResult<Table> {
    let board = board(fen, rules, setup)?;
    let (records, rules) = (played(py, games, seed, players, board, max_plies)?, board.1);
    let rows = (1..).zip(&records).flat_map(|(at, record)| table::plies(at, record, &rules));
    Ok(Table::of_rows(&PLIES, rows))
}

/// Games played between two looks at Python's signals.
const TOGETHER: u64 = 256;

fn played(
    py: Python<'_>,
    games: u64,
    seed: u64,
    players: Option<&Bound<'_, PyAny>>,
    (start, rules): (Position, Rules),
    max_plies: usize,
) -> PyResult<Vec<Record>> {
    let mut selfplay =
        SelfPlay::new(&rules, players_of(players)?).map_err(|error| refuse(error.to_string()))?;
    (selfplay.max_plies, selfplay.start) = (max_plies, start);
    let mut records = Vec::new();
    for first in (0..games).step_by(TOGETHER as usize) {
        py.check_signals()?;
        let some = (first..games.min(first + TOGETHER)).into_par_iter();
        let some = some.map(|game| selfplay.game(seed.wrapping_add(game)));
        records.extend(threads::detach(py, || some.collect::<Vec<Record>>()));
    }
    Ok(records)
}

fn players_of(players: Option<&Bound<'_, PyAny>>) -> PyResult<[Player; 4]> {
    let Some(players) = players else { return Ok([Player::Random; 4]) };
    let player = |name: &str| {
        Player::named(name)
            .ok_or_else(|| refuse(format!("players: '{name}' is none of random, greedy")))
    };
    if let Ok(name) = players.extract::<&str>() {
        return Ok([player(name)?; 4]);
    }
    let names = Strings::new(players, "players")?;
    let all = names.texts("players")?.into_iter().map(player).collect::<PyResult<Vec<_>>>()?;
    let found = all.len();
    all.try_into().map_err(|_| refuse(format!("players: {found}, expected 1 or 4")))
}

fn board(
    fen: &str,
    rules: Option<&Bound<'_, PyAny>>,
    setup: Option<&str>,
) -> PyResult<(Position, Rules)> {
    let rules = rules.map_or(Ok(Rules::FFA), crate::fourchess::rules)?;
    let position = match setup {
        Some(_) if fen != "start" => {
            return Err(refuse("setup: expected none where fen is given".to_owned()));
        }
        Some(name) => {
            let setup = named("setup", name, &Setup::ALL, |setup| setup.name())?;
            Position::setup(&rules, *setup)
        }
        None if fen == "start" => Position::start(&rules),
        None => Position::from_fen(fen, &rules).map_err(|error| error.raise_at("fen: "))?,
    };
    Ok((position, rules))
}

/// Counts below each legal move on all cores.
fn counts(
    py: Python<'_>,
    position: &Position,
    rules: &Rules,
    depth: u32,
) -> PyResult<Vec<(Move, u64)>> {
    let legal = |position: &Position| MoveList::of(position, rules).to_vec();
    let play = |position: &Position, mv| position.play(mv, rules);
    let perft = |position: &Position, depth| perft(position, rules, depth);
    divide(py, position, depth, &legal, &play, &perft)
}
