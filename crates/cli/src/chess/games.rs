//! `everyply chess games`

use std::{io::Write, path::PathBuf, sync::Arc};

use chess::{
    Ending, Position, San, Uci,
    pgn::{Evaluation, Mainline},
};
use games::{Kind, Reader, Record, RecordError, Wanted};
use sources::{Content, Source};
use tables::TableError;

use crate::{
    exit::{Exit, Outcome, say},
    interrupt, progress,
    rows::{Cell, Output, Rows, Shape, Table, count, flag, hash, real, text},
};

/// Turn PGN into one row for each game or each position
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply chess games games.pgn
  everyply chess games 2025-*.pgn.zst --format csv > games.csv
  everyply chess games games.pgn --positions --format jsonl
  zstdcat huge.pgn.zst | everyply chess games - --format jsonl | head

A bad game is reported with its number and line, left out, and makes the exit code 1; all good
games are still written. The columns are documented in docs/formats.md.")]
pub(crate) struct Args {
    /// PGN files, plain or packed with gzip or zstd; '-' is standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// One row for each position instead of each game
    #[arg(long)]
    positions: bool,
    #[command(flatten)]
    output: Output,
}

pub(crate) static GAMES: Table = Table {
    name: "chess.games",
    columns: &[
        text("source").wide(),
        count("game"),
        text("event").wide(),
        text("site").wide(),
        text("date"),
        text("round").wide(),
        text("white"),
        text("black"),
        text("result"),
        count("white_elo"),
        count("black_elo"),
        text("eco"),
        text("opening").wide(),
        text("time_control").wide(),
        text("termination").wide(),
        count("plies"),
        text("ending"),
        count("legal_moves_min"),
        real("legal_moves_mean"),
        count("legal_moves_max"),
        text("fen").wide(),
        hash("zobrist").wide(),
    ],
};

pub(crate) static POSITIONS: Table = Table {
    name: "chess.positions",
    columns: &[
        text("source").wide(),
        count("game"),
        count("ply"),
        text("fen"),
        hash("zobrist").wide(),
        text("turn").wide(),
        text("san"),
        text("uci").wide(),
        count("legal_moves"),
        flag("check"),
        real("clock").wide(),
        text("eval").wide(),
    ],
};

pub(crate) fn run(args: &Args) -> Outcome {
    let table = if args.positions { &POSITIONS } else { &GAMES };
    let mut rows = Rows::to_stdout(args.output, table, Shape::Many)?;
    let reader = Reader::new(args.files.clone(), wanted());
    let exit = read(reader, &mut |name, number, game| {
        if args.positions {
            write_positions(&mut rows, name, number, game)
        } else {
            write_game(&mut rows, name, number, game)
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

pub(crate) fn write_game(
    rows: &mut Rows<impl Write + Send>,
    source: &str,
    number: u64,
    game: &Mainline,
) -> Result<(), TableError> {
    let tag = |name: &str| -> Cell<'_> {
        game.tags.get(name).filter(|value| !matches!(*value, "" | "?" | "-")).into()
    };
    let rating = |name: &str| -> Cell<'_> {
        game.tags.get(name).and_then(|value| value.parse::<u64>().ok()).into()
    };
    let counts = LegalMoves::of(&game.positions);
    let last = game.positions.last().expect("a game has a start");
    rows.row(&[
        source.into(),
        number.into(),
        tag("Event"),
        tag("Site"),
        tag("Date"),
        tag("Round"),
        tag("White"),
        tag("Black"),
        game.result.as_str().into(),
        rating("WhiteElo"),
        rating("BlackElo"),
        tag("ECO"),
        tag("Opening"),
        tag("TimeControl"),
        tag("Termination"),
        (game.moves.len() as u64).into(),
        Ending::of(&game.positions).map(Ending::name).into(),
        counts.min.into(),
        ((counts.mean * 100.0).round() / 100.0).into(),
        counts.max.into(),
        last.to_string().into(),
        last.zobrist().into(),
    ])
}

pub(crate) fn write_positions(
    rows: &mut Rows<impl Write + Send>,
    source: &str,
    number: u64,
    game: &Mainline,
) -> Result<(), TableError> {
    let mut fen = String::new();
    for (ply, position) in game.positions.iter().enumerate() {
        fen.clear();
        position.write_fen(&mut fen);
        let mv = game.moves.get(ply).copied();
        let note = ply.checked_sub(1).and_then(|before| game.notes.get(before)).copied();
        let note = note.unwrap_or_default();
        rows.row(&[
            source.into(),
            number.into(),
            (ply as u64).into(),
            fen.as_str().into(),
            position.zobrist().into(),
            position.turn().name().into(),
            mv.map(|mv| San::of(position, mv).to_string()).into(),
            mv.map(|mv| Uci::of(position, mv).to_string()).into(),
            u64::from(position.legal_moves().len()).into(),
            position.is_check().into(),
            note.clock.map(|clock| clock.as_secs_f64()).into(),
            match note.evaluation {
                Some(Evaluation::Pawns(pawns)) => pawns.to_string().into(),
                Some(Evaluation::Mate(moves)) => format!("#{moves}").into(),
                None => Cell::Nothing,
            },
        ])?;
    }
    Ok(())
}

/// How many legal moves the positions of a game offer.
pub(crate) struct LegalMoves {
    pub(crate) min: u64,
    pub(crate) mean: f64,
    pub(crate) max: u64,
}

impl LegalMoves {
    pub(crate) fn of(positions: &[Position]) -> LegalMoves {
        let (mut min, mut max, mut sum) = (u64::MAX, 0, 0);
        for position in positions {
            let count = chess::perft(position, 1);
            min = min.min(count);
            max = max.max(count);
            sum += count;
        }
        LegalMoves { min, mean: sum as f64 / positions.len() as f64, max }
    }
}
