//! `everyply kalah best`

use std::cmp::Reverse;

use kalah::Standing;
use kalah_answers::{TABLE_MEMORY, Worth};
use tables::{
    Shape,
    kalah::{MOVES, legal_move},
};

use super::known::{Place, unanswered};
use crate::{
    exit::{Exit, Outcome, bad_input},
    rows::Output,
};

/// List the moves of a position, best first, each with its value and what it does
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kalah best 3,3,3,3/3,3,3,3 --store sqlite:kalah-4x3-std_either.sqlite
  everyply kalah best 0,4,4,4/3,3,3,3 --store sqlite:k43.sqlite --format json")]
pub(crate) struct Args {
    /// Position, such as 4,4,4,4,4,4/4,4,4,4,4,4
    #[arg(value_name = "POSITION")]
    position: String,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    output: Output,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let Standing { position, .. } = args.position.parse().map_err(bad_input)?;
    let mut answers = args.place.open(TABLE_MEMORY)?;
    let best = answers.verdict(&position).map_err(unanswered)?.best;
    let mut moves = answers.moves(&position).map_err(unanswered)?;
    moves.sort_by_key(|worth| (Reverse(worth.value), worth.edge.mv));
    let mut rows = args.output.rows(&MOVES, Shape::Many)?;
    for Worth { edge, value } in moves {
        let is_best = best == Some(edge.mv);
        rows.row(&legal_move(&answers.kalah(), &position, &edge, value, is_best))?;
    }
    rows.finish()?;
    Ok(Exit::Fine)
}
