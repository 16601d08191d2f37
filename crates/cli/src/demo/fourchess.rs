//! Four players play many games.

use std::{io::Write, path::Path};

use fourchess::{Game, Rules, drawing::Drawing};
use fourchess_env::{Player, Record, SelfPlay};
use rayon::prelude::*;
use sinks::Unfinished;
use tables::fourchess as table;

use super::{picture, rows};
use crate::{
    files::{self, Stream},
    fourchess::selfplay::write_pgn,
};

const GAMES: u64 = 400;
/// Plies of the first game before its picture is taken.
const SHOWN: usize = 100;

pub(super) fn write(out: &mut Stream, directory: &Path) -> anyhow::Result<()> {
    let rules = &Rules::FFA;
    let players = SelfPlay::new(rules, [Player::Greedy; 4])?;
    let records: Vec<Record> = (1..=GAMES).into_par_iter().map(|seed| players.game(seed)).collect();
    let mut game_rows = rows(directory, "fourchess_games.csv", &table::GAMES)?;
    let mut ply_rows = rows(directory, "fourchess_plies.parquet", &table::PLIES)?;
    let mut pgn = Unfinished::create(&directory.join("fourchess.pgn4"))?;
    for (number, record) in (1..).zip(&records) {
        game_rows.row(&table::game(number, record, rules))?;
        table::plies(number, record, rules).try_for_each(|row| ply_rows.row(&row))?;
        write_pgn(&mut pgn, number, record, rules)?;
    }
    [game_rows.finish()?, ply_rows.finish()?, pgn].into_iter().try_for_each(files::complete)?;

    let mut game = Game::new(rules);
    for ply in records[0].plies.iter().take(SHOWN) {
        game.play(ply.mv).expect("recorded moves are legal");
    }
    picture(directory, "fourchess", &Drawing::of(game.position(), rules).svg())?;
    let plies: usize = records.iter().map(|record| record.plies.len()).sum();
    writeln!(
        out,
        "{GAMES} free-for-all games with {plies} plies between greedy players, written as PGN4, as \
         a row for each game and as a row for each ply. fourchess.png shows the first game after \
         {SHOWN} plies."
    )?;
    Ok(())
}
