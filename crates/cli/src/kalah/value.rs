//! `everyply kalah value`

use kalah::Standing;
use kalah_answers::{Answers, TABLE_MEMORY};
use tables::{
    Cell, Shape,
    kalah::{VALUES, position_value},
};

use super::known::{Place, unanswered};
use crate::{
    exit::{Exit, Fault, Outcome, bad_input, say},
    rows::Output,
};

/// Print the value of positions for the side to move
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kalah value 3,3,3,3/3,3,3,3 --store sqlite:kalah-4x3-std_either.sqlite
  everyply kalah value 0,4,4,4/3,3,3,3 3,3,0,4/4,4,3,3 --store sqlite:k43.sqlite --format json
  everyply kalah value 3,3,0,4/4,4,3,3/0-1 --store sqlite:k43.sqlite
  everyply kalah value 0,1,0,2,0,3/4,0,0,0,0,1 --table kalah6

A value counts only seeds that are still in play: those that the side to move will store with best
play, less those that the opponent will store. If a position includes the stores, the column result
is the final difference of the stores.")]
pub(crate) struct Args {
    /// Positions, such as 4,4,4,4,4,4/4,4,4,4,4,4
    #[arg(value_name = "POSITION", required = true)]
    positions: Vec<String>,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    output: Output,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let mut answers = args.place.open(TABLE_MEMORY)?;
    let is_one = args.positions.len() == 1;
    let shape = if is_one { Shape::One } else { Shape::Many };
    let mut rows = args.output.rows(&VALUES, shape)?;
    let mut exit = Exit::Fine;
    for text in &args.positions {
        match cells(&mut answers, text) {
            Ok(cells) => rows.row(&cells)?,
            Err(error) if !is_one && error.is::<Fault>() => {
                say(error);
                exit = Exit::BadInput;
            }
            Err(error) => return Err(error),
        }
    }
    rows.finish()?;
    Ok(exit)
}

fn cells(answers: &mut Answers, text: &str) -> anyhow::Result<[Cell<'static>; 6]> {
    let standing: Standing = text.parse().map_err(bad_input)?;
    let verdict = answers.verdict(&standing.position).map_err(unanswered)?;
    Ok(position_value(&answers.kalah(), &standing, &verdict))
}
