//! `everyply chess play`

use std::io::Write;

use chess::{Game, Move, Position, San, SanError, Uci, UciError};

use crate::{
    exit::{Exit, Outcome, bad_input},
    rows::{Format, Output, Rows, Shape, Table, count, flag, hash, text},
};

/// Play moves from a position and print the position they lead to
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply chess play start e4 e5 Nf3 Nc6 Bb5
  everyply chess play start e2e4 c7c5 --format json
  everyply chess play start 1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7#")]
pub(crate) struct Args {
    /// The position, or 'start'
    #[arg(value_name = "FEN")]
    fen: String,
    /// Moves in SAN or UCI; move numbers are passed over
    #[arg(value_name = "MOVE")]
    moves: Vec<String>,
    #[command(flatten)]
    output: Output,
}

static COLUMNS: Table = Table {
    name: "chess.play",
    columns: &[
        text("fen"),
        hash("zobrist"),
        text("moves"),
        count("plies"),
        count("legal_moves"),
        flag("check"),
        count("repetitions"),
        text("ending"),
    ],
};

pub(crate) fn run(args: &Args) -> Outcome {
    let mut game = Game::new(super::position(&args.fen)?);
    let mut moves = Vec::new();
    for text in args.moves.iter().flat_map(|word| word.split_whitespace()) {
        let Some(text) = without_number(text) else { continue };
        let mv = find(game.position(), text)
            .map_err(|error| bad_input(format_args!("ply {}: {error}", moves.len() + 1)))?;
        moves.push(San::of(game.position(), mv).to_string());
        game.play(mv);
    }
    let position = game.position();
    if args.output.format == Format::Table {
        writeln!(std::io::stdout(), "{position}")?;
        return Ok(Exit::Fine);
    }
    let mut rows = Rows::to_stdout(args.output, &COLUMNS, Shape::One)?;
    rows.row(&[
        position.to_string().into(),
        position.zobrist().into(),
        moves.join(" ").into(),
        (moves.len() as u64).into(),
        u64::from(position.legal_moves().len()).into(),
        position.is_check().into(),
        (game.repetitions() as u64).into(),
        game.ending().map(chess::Ending::name).into(),
    ])?;
    rows.finish()?;
    Ok(Exit::Fine)
}

/// `1.e4` without its number; nothing if there is only a number.
fn without_number(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let text = if rest.len() < text.len() && rest.starts_with('.') {
        rest.trim_start_matches('.')
    } else {
        text
    };
    (!text.is_empty()).then_some(text)
}

fn find(position: &Position, text: &str) -> Result<Move, SanError> {
    let as_san = text.parse::<San>().and_then(|san| san.find(position));
    let as_uci = || {
        text.parse::<Uci>().and_then(|uci: Uci| -> Result<Move, UciError> { uci.find(position) })
    };
    as_san.or_else(|error| as_uci().map_err(|_| error))
}
