//! `everyply kalah value`

use kalah::Standing;

use super::{
    best_cell,
    known::{Known, Place, TABLE_MEMORY},
};
use crate::{
    exit::{Exit, Fault, Outcome, bad_input, say},
    rows::{Cell, Output, Rows, Shape, Table, count, number, text},
};

/// Tell what positions are worth to the side to move
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kalah value 3,3,3,3/3,3,3,3 --store sqlite:kalah-4x3-std_either.sqlite
  everyply kalah value 0,4,4,4/3,3,3,3 3,3,0,4/4,4,3,3 --store sqlite:k43.sqlite --format json
  everyply kalah value 3,3,0,4/4,4,3,3/0-1 --store sqlite:k43.sqlite
  everyply kalah value 0,1,0,2,0,3/4,0,0,0,0,1 --table kalah6

The value is what is still to come: seeds to the mover's store less those to the other. Where the
stores were given, the result is the final difference, stores included.")]
pub(crate) struct Args {
    /// The positions
    #[arg(value_name = "POSITION", required = true)]
    positions: Vec<String>,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    output: Output,
}

static COLUMNS: Table = Table {
    name: "kalah.values",
    columns: &[
        text("position"),
        text("rules"),
        count("seeds_in_play"),
        number("value"),
        count("best"),
        number("result"),
    ],
};

pub(crate) fn run(args: &Args) -> Outcome {
    let mut known = args.place.open(TABLE_MEMORY)?;
    let is_one = args.positions.len() == 1;
    let shape = if is_one { Shape::One } else { Shape::Many };
    let mut rows = Rows::to_stdout(args.output, &COLUMNS, shape)?;
    let mut exit = Exit::Fine;
    for text in &args.positions {
        match cells(&mut known, text) {
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

fn cells(known: &mut Known, text: &str) -> anyhow::Result<[Cell<'static>; 6]> {
    let Standing { position, stores } = text.parse().map_err(bad_input)?;
    let verdict = known.verdict(&position)?;
    let value = i64::from(verdict.score.0);
    let result = stores.map(|(own, other)| value + i64::from(own) - i64::from(other));
    Ok([
        position.to_string().into(),
        known.kalah().rules().name().into(),
        u64::from(position.seeds_in_play()).into(),
        value.into(),
        best_cell(&verdict),
        Cell::from(result),
    ])
}
