//! The tables of recorded games, which are read from PGN4.

use fourchess::{
    Ending, Game, Move, Piece, Role, Seat,
    pgn::{Outcome, Ply, Record},
};
use fourchess_env::Action;

use super::captured;
use crate::{Cell, Table, count, flag, number, text};

/// The games of PGN4 files.
pub static PGN4_GAMES: Table = Table::new(
    "fourchess.pgn4_games",
    &[
        text("source").wide(),
        count("game"),
        text("site").wide(),
        text("date"),
        text("time_control").wide(),
        text("rules"),
        text("red"),
        text("blue"),
        text("yellow"),
        text("green"),
        count("red_elo").wide(),
        count("blue_elo").wide(),
        count("yellow_elo").wide(),
        count("green_elo").wide(),
        text("result").wide(),
        text("termination").wide(),
        count("plies"),
        text("ending"),
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

/// The positions of the games of PGN4 files, each with the move that was made in it.
pub static PGN4_POSITIONS: Table = Table::new(
    "fourchess.pgn4_positions",
    &[
        text("source").wide(),
        count("game"),
        count("ply"),
        text("fen").wide(),
        text("seat"),
        text("san"),
        text("piece"),
        text("from"),
        text("to"),
        text("captured"),
        text("promotion"),
        count("action"),
        count("choices"),
        flag("check"),
        number("red_points"),
        number("blue_points"),
        number("yellow_points"),
        number("green_points"),
    ],
);

/// The row of [`PGN4_GAMES`] of a game.
pub fn pgn4_game<'a>(source: &'a str, number: u64, record: &'a Record) -> Vec<Cell<'a>> {
    let tag = |name: &str| -> Cell<'a> {
        record.tags.get(name).filter(|value| !matches!(*value, "" | "?" | "-")).into()
    };
    let rating = |seat: Seat| -> Cell<'a> {
        record.tags.get(&format!("{seat}Elo")).and_then(|elo| elo.parse::<u64>().ok()).into()
    };
    let game = record.play();
    let (position, rules) = (game.position(), record.rules());
    let mut cells = vec![source.into(), number.into(), tag("Site"), tag("Date")];
    cells.extend([tag("TimeControl"), rules.words().into()]);
    cells.extend(Seat::ALL.map(|seat| tag(&seat.to_string())));
    cells.extend(Seat::ALL.map(rating));
    let plies = record.plies().filter(|ply| matches!(ply, Ply::Move(_))).count() as u64;
    cells.extend([result(record), tag("Termination"), plies.into()]);
    cells.push(game.ending().map(Ending::name).into());
    cells.extend(position.points().map(|points| Cell::from(i64::from(points))));
    cells.extend(game.places().map(|place| Cell::from(u64::from(place))));
    cells.push(position.fen(rules).to_string().into());
    cells
}

/// The result that the tags tell, if they do.
fn result(record: &Record) -> Cell<'_> {
    match record.outcome() {
        Outcome::Unknown => Cell::Nothing,
        _ => record.tags.get("Result").into(),
    }
}

/// The rows of [`PGN4_POSITIONS`] of a game: a position for each ply, and the last one.
pub fn pgn4_positions<'a>(
    source: &'a str,
    number: u64,
    record: &'a Record,
) -> impl Iterator<Item = Vec<Cell<'a>>> {
    let mut game = Game::from_position(*record.start(), record.rules());
    let plies = record.plies().map(Some).chain([None]);
    (0_u64..).zip(plies).map(move |(at, ply)| {
        let mut cells = vec![source.into(), number.into(), at.into()];
        cells.extend(position(&game, ply));
        if let Some(ply) = ply {
            let could = game.apply(ply);
            assert!(could, "the reader has played the game");
        }
        cells
    })
}

/// A position, and what happens in it, if anything does.
fn position(game: &Game, ply: Option<Ply>) -> Vec<Cell<'static>> {
    let (position, rules) = (game.position(), game.rules());
    let mut cells: Vec<Cell<'static>> = vec![position.fen(rules).to_string().into()];
    match ply {
        Some(Ply::Move(mv)) => cells.extend(moved(game, mv)),
        Some(Ply::Leave { seat, exit }) => {
            cells.extend([seat.name().into(), exit.letter().to_string().into()]);
            cells.extend([const { Cell::Nothing }; 6]);
        }
        None => {
            let turn = game.ending().is_none().then(|| position.turn().name());
            cells.push(turn.into());
            cells.extend([const { Cell::Nothing }; 7]);
        }
    }
    let is_checked = game.ending().is_none() && position.in_check(position.turn(), rules);
    cells.extend([(game.moves().len() as u64).into(), is_checked.into()]);
    cells.extend(position.points().map(|points| Cell::from(i64::from(points))));
    cells
}

/// Who moves, and how.
fn moved(game: &Game, mv: Move) -> [Cell<'static>; 8] {
    let (position, rules) = (game.position(), game.rules());
    let action = Action::of(mv, rules.edge(position.turn()));
    [
        position.turn().name().into(),
        game.move_text(mv).into(),
        position.piece(mv.from).map(Piece::role).map(Role::name).into(),
        mv.from.to_string().into(),
        mv.to.to_string().into(),
        captured(position, mv, rules).into(),
        mv.promotion.map(Role::name).into(),
        action.map(|action| u64::from(action.id())).into(),
    ]
}
