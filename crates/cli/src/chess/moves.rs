//! `everyply chess moves`

use std::{path::PathBuf, sync::Arc};

use chess::{Move, Position, Role, San, Suffix, Uci};
use games::{Kind, Reader, Record, Wanted};
use sources::Source;
use tables::TableError;

use crate::{
    exit::{Exit, Outcome, bad_input, say},
    interrupt,
    rows::{Cell, Column, Output, Rows, Shape, Table, count, text},
};

/// List the legal moves of a position, or of every position of a file
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply chess moves start
  everyply chess moves 'r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1' --format jsonl
  everyply chess moves --from positions.epd.gz --format csv
  zcat fens.gz | everyply chess moves --from - --format jsonl")]
pub(crate) struct Args {
    /// The position, or 'start'
    #[arg(value_name = "FEN", required_unless_present = "from", conflicts_with = "from")]
    fen: Option<String>,
    /// Read positions from a file, one FEN or EPD a line; '-' is standard input
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    #[command(flatten)]
    output: Output,
}

const COLUMNS: &[Column] = &[
    text("source"),
    count("line"),
    text("fen"),
    text("uci"),
    text("san"),
    text("piece"),
    text("from"),
    text("to"),
    text("captures"),
    text("promotion"),
    text("check"),
];

static OF_FILE: Table = Table { name: "chess.moves", columns: COLUMNS };
/// The moves of one position need not say of which.
static OF_ONE: Table = Table { name: "chess.moves", columns: COLUMNS.split_at(3).1 };

pub(crate) fn run(args: &Args) -> Outcome {
    if let Some(path) = &args.from {
        return run_file(path, args.output);
    }
    let position = super::position(args.fen.as_deref().unwrap_or("start"))?;
    let mut rows = Rows::to_stdout(args.output, &OF_ONE, Shape::Many)?;
    for mv in position.legal_moves().iter() {
        rows.row(&cells(&position, mv))?;
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
    let mut rows = Rows::to_stdout(output, &OF_FILE, Shape::Many)?;
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
    for mv in position.legal_moves().iter() {
        let [uci, san, piece, from, to, captures, promotion, check] = cells(position, mv);
        let key: [Cell<'_>; 3] = [name.into(), line.into(), fen.as_str().into()];
        let [source, line, fen] = key;
        rows.row(&[source, line, fen, uci, san, piece, from, to, captures, promotion, check])?;
    }
    Ok(())
}

fn cells(position: &Position, mv: Move) -> [Cell<'static>; 8] {
    let board = position.board();
    let role = board.role_at(mv.from).expect("a legal move starts from a man");
    let san = San::of(position, mv);
    let castles = board.by_color(position.turn()).has(mv.to);
    let captured = if castles {
        None
    } else if role == Role::Pawn && mv.from.file() != mv.to.file() {
        Some(board.role_at(mv.to).unwrap_or(Role::Pawn))
    } else {
        board.role_at(mv.to)
    };
    let uci = Uci::of(position, mv);
    [
        uci.to_string().into(),
        san.to_string().into(),
        role.name().into(),
        uci.from.to_string().into(),
        uci.to.to_string().into(),
        captured.map(Role::name).into(),
        mv.promotion.map(Role::name).into(),
        match san.suffix {
            Some(Suffix::Check) => "check".into(),
            Some(Suffix::Checkmate) => "checkmate".into(),
            None => Cell::Nothing,
        },
    ]
}
