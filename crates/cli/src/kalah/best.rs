//! `everyply kalah best`

use std::cmp::Reverse;

use kalah::{Kalah, Standing};
use kalah_answers::Choice;
use tables::{
    Shape,
    kalah::{MOVES, legal_move},
};

use super::known::{Source, Thinking, standing, unanswered};
use crate::{
    exit::{Exit, Outcome, say},
    interrupt,
    rows::Output,
};

/// List the moves of a position, best first, each with its value and what it does
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kalah best 4,4,4,4,4,4/4,4,4,4,4,4 --time-limit 120
  everyply kalah best 3,3,3,3/3,3,3,3 --store sqlite:kalah-4x3-std_either.sqlite
  everyply kalah best 0,4,4,4/3,3,3,3 --store sqlite:k43.sqlite --format json

What no store and no table answers is searched, down to a table that is built once and kept. A value
is empty if --time-limit ends the search; the bounds found until then go to standard error.

remoteness is the number of plies to the end with best play, from this move on: the side that is
ahead, or even, takes the shortest way and the side that is behind the longest. Only stores have it.")]
pub(crate) struct Args {
    /// Position, such as 4,4,4,4,4,4/4,4,4,4,4,4
    #[arg(value_name = "POSITION")]
    position: String,
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    output: Output,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let Standing { position, .. } = standing(&args.position)?;
    let mut oracle = args.source.open()?;
    let mut thinking = Thinking::new();
    let mut watch = |event: &_| thinking.heed(event);
    let best = oracle.answer(&position, &mut watch).map_err(unanswered)?.best;
    let mut moves = oracle.moves(&position, &mut watch).map_err(unanswered)?;
    drop(thinking);
    if interrupt::requested() {
        return Ok(Exit::Interrupted);
    }
    let kalah = Kalah::from_start(position, oracle.rules());
    moves.sort_by_key(|Choice { edge, between, .. }| {
        (Reverse(between.most), best != Some(edge.mv), edge.mv)
    });
    let mut rows = args.output.rows(&MOVES, Shape::Many)?;
    for Choice { edge, between, remoteness } in moves {
        if between.value().is_none() {
            let (pit, least, most) = (edge.mv.0, between.least, between.most);
            say(format_args!(
                "pit {pit}: not found in time; the value is between {least} and {most}"
            ));
        }
        let is_best = best == Some(edge.mv);
        let value = between.value();
        rows.row(&legal_move(&kalah, &position, &edge, value, remoteness, is_best))?;
    }
    rows.finish()?;
    Ok(Exit::Fine)
}
