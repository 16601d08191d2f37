//! `everyply fourchess games`

use std::path::PathBuf;

use games::fourchess::Reader;
use tables::{
    Shape,
    fourchess::{PGN4_GAMES, PGN4_POSITIONS, pgn4_game, pgn4_positions},
};

use crate::{
    exit::{Exit, Outcome, say},
    interrupt, progress,
    rows::Output,
};

/// Convert PGN4 to a table with one row for each game or each position
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply fourchess games games.pgn4
  everyply fourchess games 2025-*.pgn4.gz --positions --format parquet > plies.parquet
  everyply fourchess selfplay --games 100 --pgn - | everyply fourchess games - --format csv

With --positions a row has the position, the move that was made in it, and its action for
reinforcement learning. An invalid game is reported with its number and line and skipped; the exit
code is then 1. All valid games are still written. docs/formats.md lists the columns.")]
pub(crate) struct Args {
    /// PGN4 files, plain or compressed with gzip or zstd; '-' reads standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Write one row for each position instead of one for each game
    #[arg(long)]
    positions: bool,
    #[command(flatten)]
    output: Output,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let kind = if args.positions { &PGN4_POSITIONS } else { &PGN4_GAMES };
    let mut rows = args.output.rows(kind, Shape::Many)?;
    let mut reader = Reader::new(args.files.clone());
    let bar = progress::bytes("games", reader.size());
    let (mut games, mut bad) = (0_u64, 0_u64);
    while !interrupt::requested() {
        bar.set_position(reader.progress());
        let Some(read) = reader.next() else { break };
        match read {
            Ok(played) => {
                games += 1;
                let (source, number, record) = (&*played.source, played.number, &played.record);
                if args.positions {
                    let mut positions = pgn4_positions(source, number, record);
                    positions.try_for_each(|row| rows.row(&row))?;
                } else {
                    rows.row(&pgn4_game(source, number, record))?;
                }
            }
            Err(error) => {
                bad += 1;
                bar.suspend(|| say(error));
            }
        }
    }
    bar.finish_and_clear();
    rows.finish()?;
    if bad > 0 {
        say(format_args!("{games} games read, {bad} bad ones skipped"));
    }
    Ok(match (interrupt::requested(), bad) {
        (true, _) => Exit::Interrupted,
        (false, 0) => Exit::Fine,
        (false, _) => Exit::BadInput,
    })
}
