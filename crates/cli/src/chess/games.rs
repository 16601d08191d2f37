//! `everyply chess games`

use std::{io::Write, path::PathBuf, sync::Arc};

use chess::pgn::Mainline;
use clap::builder::TypedValueParser;
use games::{Kind, Reader, Record, RecordError, Wanted};
use sources::{Content, Source};
use tables::{
    Format, Shape, TableError,
    chess::{self as table, GAMES, POSITIONS},
};

use super::facts::conditions;
use crate::{
    exit::{Exit, Outcome, bad_command, say},
    files, interrupt, progress,
    rows::{Output, choices},
};

/// Convert PGN to a table with one row for each game or each position
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply chess games games.pgn
  everyply chess games 2025-*.pgn.zst --format csv > games.csv
  everyply chess games games.pgn --positions --format jsonl
  everyply chess games games.pgn --where white_elo '>=' 2500 --format pgn > strong.pgn
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
    /// Use only games and positions that match; if repeated, all conditions must match. Keys:
    /// result, white_elo, black_elo, eco, ply. Operators: = != < <= > >= ~ (contains)
    #[arg(long = "where", value_names = ["KEY", "OP", "VALUE"], num_args = 3, allow_hyphen_values = true)]
    conditions: Vec<String>,
    /// Fill the column pgn with the text of each game; --format pgn writes the text alone
    #[arg(long, conflicts_with = "positions")]
    text: bool,
    /// Output format
    #[arg(long, default_value = "table", value_parser = formats_with_pgn())]
    format: GamesFormat,
}

/// How games are written.
#[derive(Clone, Copy)]
enum GamesFormat {
    Rows(Format),
    Pgn,
}

/// The formats of tables, and PGN.
fn formats_with_pgn() -> impl TypedValueParser<Value = GamesFormat> {
    const ALL: [GamesFormat; Format::ALL.len() + 1] = {
        let mut all = [GamesFormat::Pgn; Format::ALL.len() + 1];
        let mut index = 0;
        while index < Format::ALL.len() {
            all[index] = GamesFormat::Rows(Format::ALL[index]);
            index += 1;
        }
        all
    };
    choices(
        &ALL,
        |format| match format {
            GamesFormat::Rows(format) => format.name(),
            GamesFormat::Pgn => "pgn",
        },
        |format| match format {
            GamesFormat::Rows(format) => format.description(),
            GamesFormat::Pgn => "The games as they are written, with comments and variations",
        },
    )
}

pub(crate) fn run(args: &Args) -> Outcome {
    let conditions = conditions(&args.conditions)?;
    if let Some(condition) = conditions.iter().find(|it| it.is_of_positions() && !args.positions) {
        return Err(bad_command(format_args!(
            "--where: '{condition}' is a condition on positions; use --positions"
        )));
    }
    let allows = |ply: &usize| conditions.iter().all(|it| it.allows_ply(*ply as u64));
    // A text has many lines, and is often longer than the rest of its row.
    let text = args.text || matches!(args.format, GamesFormat::Pgn);
    let wanted = Wanted { conditions: conditions.clone(), text, ..wanted() };
    let reader = Reader::new(args.files.clone(), wanted);
    let GamesFormat::Rows(format) = args.format else {
        if args.positions {
            return Err(bad_command("--positions cannot be written as PGN"));
        }
        return write_pgn(reader);
    };
    let kind = if args.positions { &POSITIONS } else { &GAMES };
    let mut rows = Output { format }.rows(kind, Shape::Many)?;
    let exit = read(reader, &mut |name, number, game| {
        if args.positions {
            let plies = (0..game.positions.len()).filter(allows);
            plies
                .map(|ply| table::position(name, number, game, ply))
                .try_for_each(|row| rows.row(&row))
        } else {
            rows.row(&table::game(name, number, game))
        }
    })?;
    rows.finish()?;
    Ok(exit)
}

/// Writes games as they stand in their files, comments included.
fn write_pgn(reader: Reader) -> Outcome {
    let mut out = files::stdout();
    let exit =
        read(reader, &mut |_, _, game| writeln!(out, "{}\n", game.text).map_err(TableError::Io))?;
    out.flush()?;
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
