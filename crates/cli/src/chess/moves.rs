//! `everyply chess moves`

use std::{path::PathBuf, sync::Arc};

use chess::Position;
use games::{Kind, Reader, Record, Wanted};
use sources::Source;
use tables::{
    Rows, Shape, TableError,
    chess::{MOVES, MOVES_OF_FILE, legal_move, legal_move_of_file},
};

use crate::{
    exit::{Exit, Outcome, bad_input, say},
    interrupt,
    rows::Output,
};

/// List the legal moves of a position, or of every position in a file
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply chess moves start
  everyply chess moves 'r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1' --format jsonl
  everyply chess moves --from positions.epd.gz --format csv
  zcat fens.gz | everyply chess moves --from - --format jsonl")]
pub(crate) struct Args {
    /// Position in FEN, or 'start'
    #[arg(value_name = "FEN", required_unless_present = "from", conflicts_with = "from")]
    fen: Option<String>,
    /// Read positions from this file, one FEN or EPD per line; '-' reads standard input
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    #[command(flatten)]
    output: Output,
}

pub(crate) fn run(args: &Args) -> Outcome {
    if let Some(path) = &args.from {
        return run_file(path, args.output);
    }
    let position = super::position(args.fen.as_deref().unwrap_or("start"))?;
    let mut rows = args.output.rows(&MOVES, Shape::Many)?;
    for mv in position.legal_moves().iter() {
        rows.row(&legal_move(&position, mv))?;
    }
    rows.finish()?;
    Ok(Exit::Fine)
}

fn run_file(path: &PathBuf, output: Output) -> Outcome {
    let source = Source::open(path).map_err(bad_input)?;
    let name = source.name().to_owned();
    let wanted = Wanted {
        kind: Kind::Positions,
        interrupted: Arc::new(interrupt::requested),
        ..Wanted::default()
    };
    let mut reader = Reader::of_source(source, wanted);
    let mut rows = output.rows(&MOVES_OF_FILE, Shape::Many)?;
    let mut exit = Exit::Fine;
    let mut positions = 0u64;
    while let Some(record) = reader.read() {
        match record {
            Ok(Record::Position { source, line, position }) => {
                positions += 1;
                write_position(&mut rows, source, line, position)?;
            }
            Ok(Record::Game { .. }) => unreachable!("only positions are wanted"),
            Err(error) => {
                say(&error);
                exit = Exit::BadInput;
            }
        }
    }
    rows.finish()?;
    if positions == 0 && exit == Exit::Fine && !interrupt::requested() {
        return Err(bad_input(format_args!("{name}: it contains no positions")));
    }
    Ok(exit)
}

fn write_position(
    rows: &mut Rows<impl std::io::Write + Send>,
    name: &str,
    line: u64,
    position: &Position,
) -> Result<(), TableError> {
    let fen = position.to_string();
    let moves = position.legal_moves();
    moves.iter().try_for_each(|mv| rows.row(&legal_move_of_file(name, line, &fen, position, mv)))
}
