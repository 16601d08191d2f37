//! `everyply chess games`

use std::{path::PathBuf, sync::Arc};

use chess::pgn::Mainline;
use games::{Kind, Reader, Record, RecordError, Wanted};
use sources::{Content, Source};
use tables::{
    Shape, TableError,
    chess::{self as table, GAMES, POSITIONS},
};

use crate::{
    exit::{Exit, Outcome, say},
    interrupt, progress,
    rows::Output,
};

/// Convert PGN to a table with one row for each game or each position
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply chess games games.pgn
  everyply chess games 2025-*.pgn.zst --format csv > games.csv
  everyply chess games games.pgn --positions --format jsonl
  zstdcat huge.pgn.zst | everyply chess games - --format jsonl | head

An invalid game is reported with its number and line and skipped; the exit code is then 1. All valid
games are still written. docs/formats.md lists the columns.")]
pub(crate) struct Args {
    /// PGN files, plain or compressed with gzip or zstd; '-' reads standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Write one row for each position instead of one for each game
    #[arg(long)]
    positions: bool,
    #[command(flatten)]
    output: Output,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let kind = if args.positions { &POSITIONS } else { &GAMES };
    let mut rows = args.output.rows(kind, Shape::Many)?;
    let reader = Reader::new(args.files.clone(), wanted());
    let exit = read(reader, &mut |name, number, game| {
        if args.positions {
            table::positions(name, number, game).try_for_each(|row| rows.row(&row))
        } else {
            rows.row(&table::game(name, number, game))
        }
    })?;
    rows.finish()?;
    Ok(exit)
}

fn wanted() -> Wanted {
    Wanted {
        kind: Kind::Games,
        notes: true,
        interrupted: Arc::new(interrupt::requested),
        ..Wanted::default()
    }
}

/// Plays every game of a source.
pub(crate) fn read_source(
    source: Source,
    use_game: &mut dyn FnMut(&str, u64, &Mainline) -> Result<(), TableError>,
) -> Outcome {
    read(Reader::of_source(source, wanted()), use_game)
}

/// Plays every game; what is wrong with bad ones is said.
fn read(
    mut reader: Reader,
    use_game: &mut dyn FnMut(&str, u64, &Mainline) -> Result<(), TableError>,
) -> Outcome {
    let bar = progress::bytes("games", reader.size());
    let mut exit = Exit::Fine;
    loop {
        bar.set_position(reader.progress());
        match reader.read() {
            Some(Ok(Record::Game { source, number, game })) => use_game(source, number, game)?,
            Some(Ok(Record::Position { .. })) => unreachable!("only games are wanted"),
            Some(Err(error)) => {
                bar.suspend(|| say_bad(&error));
                exit = Exit::BadInput;
            }
            None => break,
        }
    }
    bar.finish_and_clear();
    Ok(exit)
}

fn say_bad(error: &RecordError) {
    match error {
        RecordError::Content { found: Content::Fen | Content::Epd, .. } => {
            say(format_args!("{error} (try 'chess moves --from')"));
        }
        error => say(error),
    }
}
