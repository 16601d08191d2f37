//! `everyply kalah line`

use kalah::Standing;
use kalah_answers::TABLE_MEMORY;
use tables::{
    Shape,
    kalah::{LINE, line},
};

use super::known::{Place, unanswered};
use crate::{
    exit::{Exit, Outcome, bad_input},
    rows::Output,
};

/// Print best play from a position to the end of the game, with the value at every move
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kalah line 3,3,3,3/3,3,3,3 --store sqlite:kalah-4x3-std_either.sqlite
  everyply kalah line 3,3,3,3/3,3,3,3 --store sqlite:k43.sqlite --format csv

Player 1 is the side to move in POSITION. Each value is from the view of the player who moves.
store_1 and store_2 are the stores of the two players after the move.")]
pub(crate) struct Args {
    /// Position; stores count as empty unless they are given
    #[arg(value_name = "POSITION")]
    position: String,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    output: Output,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let standing: Standing = args.position.parse().map_err(bad_input)?;
    let mut answers = args.place.open(TABLE_MEMORY)?;
    let steps = answers.line(&standing.position).map_err(unanswered)?;
    let mut rows = args.output.rows(&LINE, Shape::Many)?;
    for row in line(&answers.kalah(), standing.stores, &steps) {
        rows.row(&row)?;
    }
    rows.finish()?;
    Ok(Exit::Fine)
}
