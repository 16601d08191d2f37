//! `everyply fourchess moves`

use fourchess::Game;
use tables::{
    Shape,
    fourchess::{MOVES, legal_move},
};

use super::Board;
use crate::{
    exit::{Exit, Outcome},
    rows::Output,
};

/// List the legal moves of a position
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply fourchess moves
  everyply fourchess moves --rules teams --setup classic --format csv

The column action is the index of the move for reinforcement learning, with the board rotated to the
player to move. docs/formats.md lists the actions.")]
pub(crate) struct Args {
    #[command(flatten)]
    board: Board,
    #[command(flatten)]
    output: Output,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let rules = args.board.rules();
    let game = Game::from_position(args.board.position()?, &rules);
    let mut rows = args.output.rows(&MOVES, Shape::Many)?;
    for &mv in game.moves() {
        rows.row(&legal_move(&game, mv))?;
    }
    rows.finish()?;
    Ok(Exit::Fine)
}
