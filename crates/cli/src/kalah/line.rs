//! `everyply kalah line`

use game::{MoveId, Turn};
use kalah::Standing;
use solver::line;

use super::{
    best::sown,
    known::{Place, TABLE_MEMORY},
};
use crate::{
    exit::{Exit, Outcome, bad_input},
    rows::{Output, Rows, Shape, Table, count, flag, number, text},
};

/// Show best play from a position to the end, with the value at every move
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kalah line 3,3,3,3/3,3,3,3 --store sqlite:kalah-4x3-std_either.sqlite
  everyply kalah line 3,3,3,3/3,3,3,3 --store sqlite:k43.sqlite --format csv

Player 1 is the side to move in the position. The value is from the view of whoever moves, the
stores from the view of player 1.")]
pub(crate) struct Args {
    /// The position; stores that are not given count as empty
    #[arg(value_name = "POSITION")]
    position: String,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    output: Output,
}

static COLUMNS: Table = Table {
    name: "kalah.line",
    columns: &[
        count("ply"),
        count("player"),
        text("position"),
        count("pit"),
        number("value"),
        count("gain"),
        count("captured"),
        flag("again"),
        count("store_1"),
        count("store_2"),
        text("why"),
    ],
};

pub(crate) fn run(args: &Args) -> Outcome {
    let standing: Standing = args.position.parse().map_err(bad_input)?;
    let mut known = args.place.open(TABLE_MEMORY)?;
    // Asked first, so that a position which is not there is an error even where play is over.
    known.verdict(&standing.position)?;
    let kalah = known.kalah();
    let steps = line(&kalah, &standing.position, |position| known.verdict(position))?;
    let (own, other) = standing.stores.unwrap_or_default();
    let mut stores = [u64::from(own), u64::from(other)];
    let mut player = 0;
    let mut rows = Rows::to_stdout(args.output, &COLUMNS, Shape::Many)?;
    for (step, ply) in steps.iter().zip(1_u64..) {
        let sown = sown(&kalah, &step.position, step.edge.mv);
        let MoveId(pit) = step.edge.mv;
        stores[player] += u64::from(sown.gain);
        rows.row(&[
            ply.into(),
            (player as u64 + 1).into(),
            step.position.to_string().into(),
            u64::from(pit).into(),
            i64::from(step.verdict.score.0).into(),
            u64::from(sown.gain).into(),
            u64::from(sown.captured).into(),
            (sown.turn == Turn::Keeps).into(),
            stores[0].into(),
            stores[1].into(),
            sown.why().into(),
        ])?;
        if step.edge.turn == Turn::Passes {
            player = 1 - player;
        }
    }
    rows.finish()?;
    Ok(Exit::Fine)
}
