//! Games become rows: each game, each position, and everything true of it.

use std::{
    io::{self, Write},
    path::Path,
};

use chess::{Position, drawing::Drawing};
use chess_facts::{Definitions, Facts, Level, Selection};
use sinks::Unfinished;
use sources::Source;
use tables::{Format, Shape, Writer, chess as table};

use super::{picture, questions::Engine, rows};
use crate::{
    chess::games,
    colors,
    files::{self, Stream},
};

/// Lichess, May 2025, CC0.
static GAMES: &[u8] = include_bytes!("games.pgn");

pub(super) fn write(out: &mut Stream, directory: &Path) -> anyhow::Result<()> {
    let found = write_tables(directory)?;
    writeln!(
        out,
        "{} games with {} positions; every move was checked. Which share of the positions has a \
         check, a hanging piece, a piece pinned to its king, a skewered piece, a fork, or a safe \
         move that forks?\n",
        found.games, found.positions
    )?;
    Engine::new(directory)?.answer(include_str!("questions/tactics.sql"))?.print(out)?;
    let drawing = Drawing::of(&found.freest.position);
    picture(directory, "freest", &drawing.svg())?;
    let board = if colors::wanted(&io::stdout()) { drawing.colored() } else { drawing.plain() };
    let Freest { legal_moves, game, ply, position } = found.freest;
    writeln!(
        out,
        "\nThe position with the most legal moves ({legal_moves}), game {game} after {ply} \
         plies:\n\n{board}\n{position}"
    )?;
    Ok(())
}

struct Found {
    games: u64,
    positions: usize,
    freest: Freest,
}

/// The position with the most legal moves.
struct Freest {
    legal_moves: u64,
    game: u64,
    ply: usize,
    position: Position,
}

fn write_tables(directory: &Path) -> anyhow::Result<Found> {
    let mut game_rows = rows(directory, "games.csv", &table::GAMES)?;
    let mut position_rows = rows(directory, "positions.jsonl", &table::POSITIONS)?;
    let level = Level::Everything;
    let selection = Selection::counts(level);
    let mut facts = Box::new(Facts::empty());
    let mut fact_rows = table::FactRows::new(&selection, Definitions::Std);
    let out = Unfinished::create(&directory.join("facts.parquet"))?;
    let schema = table::facts_schema(&selection, Definitions::Std);
    let mut fact_writer = Writer::new(out, Format::Parquet, &schema, Shape::Many)?;
    let freest = Freest { legal_moves: 0, game: 0, ply: 0, position: Position::default() };
    let mut found = Found { games: 0, positions: 0, freest };
    let source = Source::from_reader("lichess_438_games.pgn", GAMES);
    games::read_source(source, &mut |name, number, game| {
        game_rows.row(&table::game(name, number, game))?;
        table::positions(name, number, game).try_for_each(|row| position_rows.row(&row))?;
        for (ply, position) in game.positions.iter().enumerate() {
            facts.compute(position, level, Definitions::Std);
            fact_rows.push(name, number, ply as u64, position, &facts);
            let legal_moves = chess::perft(position, 1);
            if legal_moves > found.freest.legal_moves {
                found.freest = Freest { legal_moves, game: number, ply, position: *position };
            }
        }
        found.games += 1;
        found.positions += game.positions.len();
        Ok(())
    })?;
    fact_writer.write(&fact_rows.finish()?)?;
    [game_rows.finish()?, position_rows.finish()?, fact_writer.finish()?]
        .into_iter()
        .try_for_each(files::complete)?;
    Ok(found)
}
