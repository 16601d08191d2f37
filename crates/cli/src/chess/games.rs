//! `everyply chess games`

use std::{io::Write, ops::ControlFlow, path::PathBuf, sync::Arc};

use arrow::{datatypes::SchemaRef, record_batch::RecordBatch};
use chess::pgn::Mainline;
use clap::builder::TypedValueParser;
use games::{
    Chunk, Chunks, Condition, Kind, Played, Reader, Record, RecordError, Wanted, in_order,
};
use sources::{Content, Source};
use tables::{
    Encoder, Format, Shape, TableError, Writer,
    chess::{GAMES, GameRows, POSITIONS, PositionRows},
};

use super::facts::conditions;
use crate::{
    exit::{Exit, Outcome, bad_command, say},
    files, interrupt, progress,
    rows::{self, choices},
    threads::Threads,
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
    #[command(flatten)]
    threads: Threads,
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
            GamesFormat::Pgn => {
                "The games as they are written, with comments and variations; on one thread"
            }
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
    // A text has many lines, and is often longer than the rest of its row. Positions have none.
    let text = args.text && !args.positions || matches!(args.format, GamesFormat::Pgn);
    let wanted = Wanted { conditions: conditions.clone(), text, ..wanted() };
    let reader = Reader::new(args.files.clone(), wanted);
    match args.format {
        GamesFormat::Rows(format) => write_rows(reader, args, format, &conditions),
        GamesFormat::Pgn if args.positions => {
            Err(bad_command("--positions cannot be written as PGN"))
        }
        GamesFormat::Pgn => write_pgn(reader),
    }
}

/// Positions that a thread works on at once.
const CHUNK: usize = 1 << 13;
/// The same where they become a row group.
const ROW_GROUP: usize = 1 << 16;

/// Writes the rows of all games, which several threads make.
fn write_rows(reader: Reader, args: &Args, format: Format, conditions: &[Condition]) -> Outcome {
    let format = rows::chosen(Some(format), None)?;
    let table = if args.positions { &POSITIONS } else { &GAMES };
    let schema = table.schema();
    let encoder = Encoder::new(format, &schema)?;
    let size = if format == Format::Parquet && args.positions { ROW_GROUP } else { CHUNK };
    let mut chunks = Chunks::of_games(reader, size);
    let bar = progress::bytes("games", chunks.reader().size());
    let mut writer = Writer::new(files::stdout(), format, &schema, Shape::Many)?;
    let mut exit = Exit::Fine;
    let mut result = Ok(());
    in_order(
        args.threads.count(),
        || {
            bar.set_position(chunks.reader().progress());
            chunks.next()
        },
        || {
            let mut maker = Maker::new(args.positions, &schema, conditions);
            let encoder = &encoder;
            move |chunk: Chunk| {
                let made = maker.rows(&chunk).and_then(|batch| match batch.num_rows() {
                    0 => Ok(Made::Nothing),
                    // Chunks of few rows become a row group together.
                    rows if format == Format::Parquet && rows < ROW_GROUP / 2 => {
                        Ok(Made::Batch(batch))
                    }
                    _ => encoder.encode(vec![batch]).map(Made::Encoded),
                });
                (made, chunk.errors)
            }
        },
        |(made, errors)| {
            for error in &errors {
                bar.suspend(|| say_bad(error));
                exit = Exit::BadInput;
            }
            let written = made.and_then(|made| match made {
                Made::Nothing => Ok(()),
                Made::Batch(batch) => writer.write(&batch),
                Made::Encoded(chunk) => writer.append(chunk),
            });
            match written {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    result = Err(error);
                    ControlFlow::Break(())
                }
            }
        },
    );
    bar.finish_and_clear();
    result?;
    writer.finish()?;
    Ok(exit)
}

/// The rows of a chunk, as they are handed over.
enum Made {
    Nothing,
    Batch(RecordBatch),
    Encoded(tables::Chunk),
}

/// Makes rows of games, on one thread.
struct Maker<'a> {
    rows: MadeRows,
    schema: &'a SchemaRef,
    conditions: &'a [Condition],
}

enum MadeRows {
    Games(GameRows),
    Positions(Box<PositionRows>),
}

impl<'a> Maker<'a> {
    fn new(positions: bool, schema: &'a SchemaRef, conditions: &'a [Condition]) -> Maker<'a> {
        // The columns of the table are the first of all that is known of a position.
        let columns: Vec<usize> = (0..schema.fields().len()).collect();
        let rows = match positions {
            true => MadeRows::Positions(Box::new(PositionRows::new(&columns))),
            false => MadeRows::Games(GameRows::new(&columns)),
        };
        Maker { rows, schema, conditions }
    }

    fn rows(&mut self, chunk: &Chunk) -> Result<RecordBatch, TableError> {
        let allows = |ply: &usize| self.conditions.iter().all(|it| it.allows_ply(*ply as u64));
        let mut plies = Vec::new();
        let batch = match &mut self.rows {
            MadeRows::Games(rows) => {
                for Played { number, game } in &chunk.games {
                    rows.push(&chunk.source, *number, game);
                }
                rows.finish()?
            }
            MadeRows::Positions(rows) => {
                for Played { number, game } in &chunk.games {
                    plies.clear();
                    plies.extend((0..game.positions.len()).filter(allows));
                    rows.push_game(&chunk.source, *number, game, plies.iter().copied());
                }
                rows.finish()?
            }
        };
        Ok(batch.with_schema(self.schema.clone())?)
    }
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
