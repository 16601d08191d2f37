//! `everyply chess play`

use chess::{Game, San, find_move, typed_moves};
use tables::{
    Format, Shape,
    chess::{PLAY, played},
};

use crate::{
    exit::{Exit, Outcome, bad_input},
    files,
    rows::Output,
};

/// Play moves from a position and print the resulting position
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply chess play start e4 e5 Nf3 Nc6 Bb5
  everyply chess play start e2e4 c7c5 --format json
  everyply chess play start 1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7#")]
pub(crate) struct Args {
    /// Position in FEN, or 'start'
    #[arg(value_name = "FEN")]
    fen: String,
    /// Moves in SAN or UCI; move numbers are ignored
    #[arg(value_name = "MOVE")]
    moves: Vec<String>,
    #[command(flatten)]
    output: Output,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let mut game = Game::new(super::position(&args.fen)?);
    let mut moves = Vec::new();
    for word in args.moves.iter().flat_map(|words| typed_moves(words)) {
        let mv = find_move(game.position(), word)
            .map_err(|error| bad_input(format_args!("ply {}: {error}", moves.len() + 1)))?;
        moves.push(San::of(game.position(), mv).to_string());
        game.play(mv).expect("a move that was found is legal");
    }
    let position = game.position();
    if args.output.format == Format::Table {
        files::print(format!("{position}\n").as_bytes())?;
        return Ok(Exit::Fine);
    }
    let mut rows = args.output.rows(&PLAY, Shape::One)?;
    rows.row(&played(&game, &moves))?;
    rows.finish()?;
    Ok(Exit::Fine)
}
