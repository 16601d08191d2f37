//! `everyply kalah value`

use kalah_answers::Oracle;
use tables::{
    Cell, Shape,
    kalah::{VALUES, position_value},
};

use super::known::{Source, Thinking, standing, unanswered};
use crate::{
    exit::{Exit, Fault, Outcome, say},
    interrupt,
    rows::Output,
};

/// Print the value of positions for the side to move
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kalah value 4,4,4,4,4,4/4,4,4,4,4,4
  everyply kalah value 3,3,3,3/3,3,3,3 --store sqlite:kalah-4x3-std_either.sqlite
  everyply kalah value 0,4,4,4/3,3,3,3 3,3,0,4/4,4,3,3 --store sqlite:k43.sqlite --format json
  everyply kalah value 3,3,0,4/4,4,3,3/0-1 --store sqlite:k43.sqlite
  everyply kalah value 0,1,0,2,0,3/4,0,0,0,0,1 --table kalah6

A value counts only seeds that are still in play: those that the side to move will store with best
play, less those that the opponent will store. If a position includes the stores, the column result
is the final difference of the stores.

What no store and no table answers is searched, down to a table that is built once and kept. The
value is empty if --time-limit ends the search; the bounds found until then go to standard error.")]
pub(crate) struct Args {
    /// Positions, such as 4,4,4,4,4,4/4,4,4,4,4,4
    #[arg(value_name = "POSITION", required = true)]
    positions: Vec<String>,
    #[command(flatten)]
    source: Source,
    #[command(flatten)]
    output: Output,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let mut oracle = args.source.open()?;
    let is_one = args.positions.len() == 1;
    let shape = if is_one { Shape::One } else { Shape::Many };
    let mut rows = args.output.rows(&VALUES, shape)?;
    let mut exit = Exit::Fine;
    for text in &args.positions {
        match cells(&mut oracle, text) {
            Ok(cells) => rows.row(&cells)?,
            Err(error) if !is_one && error.is::<Fault>() => {
                say(error);
                exit = Exit::BadInput;
            }
            Err(error) => return Err(error),
        }
        if interrupt::requested() {
            return Ok(Exit::Interrupted);
        }
    }
    rows.finish()?;
    Ok(exit)
}

fn cells(oracle: &mut Oracle, text: &str) -> anyhow::Result<[Cell<'static>; 6]> {
    let standing = standing(text)?;
    let mut thinking = Thinking::new();
    let answer =
        oracle.answer(&standing.position, &mut |event| thinking.heed(event)).map_err(unanswered)?;
    drop(thinking);
    let between = answer.between;
    if between.value().is_none() {
        let (position, least, most) = (standing.position, between.least, between.most);
        say(format_args!("{position}: not found in time; the value is between {least} and {most}"));
    }
    Ok(position_value(oracle.rules(), &standing, between.value(), answer.best))
}
