//! `everyply kalah line`

use kalah::Kalah;
use tables::{
    Shape,
    kalah::{LINE, line},
};

use super::known::{Source, Thinking, standing, unanswered};
use crate::{
    exit::{Exit, Outcome},
    interrupt,
    rows::Output,
};

/// Print best play from a position to the end of the game, with the value at every move
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kalah line 4,4,4,4,4,4/4,4,4,4,4,4 --time-limit 0
  everyply kalah line 3,3,3,3/3,3,3,3 --store sqlite:kalah-4x3-std_either.sqlite
  everyply kalah line 3,3,3,3/3,3,3,3 --store sqlite:k43.sqlite --format csv

Player 1 is the side to move in POSITION. Each value is from the view of the player who moves.
remoteness is the number of plies to the end; only stores have it. store_1 and store_2 are the
stores of the two players after the move.")]
pub(crate) struct Args {
    /// Position; stores count as empty unless they are given
    #[arg(value_name = "POSITION")]
    position: String,
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    output: Output,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let standing = standing(&args.position)?;
    let mut oracle = args.source.open()?;
    let mut thinking = Thinking::new();
    let steps = oracle.line(&standing.position, &mut |event| thinking.heed(event));
    drop(thinking);
    if interrupt::requested() {
        return Ok(Exit::Interrupted);
    }
    let steps = steps.map_err(unanswered)?;
    let kalah = Kalah::from_start(standing.position, oracle.rules());
    let mut rows = args.output.rows(&LINE, Shape::Many)?;
    for row in line(&kalah, standing.stores, &steps) {
        rows.row(&row)?;
    }
    rows.finish()?;
    Ok(Exit::Fine)
}
