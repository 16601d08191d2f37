//! `everyply kalah path`

use game::Game;
use kalah::{Kalah, Record, Rules, Standing, Way};
use tables::{
    Shape,
    kalah::{PATH, path},
};

use super::known::standing;
use crate::{
    exit::{Exit, Outcome, bad_command, bad_input},
    rows::Output,
};

/// Print one way from the start of the game to a position
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kalah path 4,4,0,5,5,0/0,6,6,6,5,5/2-0
  everyply kalah path 4,4,3/3,3,0 --seeds 3 --format csv

If the position includes the stores, the way ends with these stores, and the stores say with how
many seeds the game began. Player 1 moves first; store_1 and store_2 are the stores after the move.

A third of --limit goes to the positions with the fewest moves from the start. A way among them is a
shortest one. Otherwise moves are taken back from POSITION until one of these is met.")]
pub(crate) struct Args {
    /// Position, such as 4,4,0,5,5,0/0,6,6,6,5,5/2-0
    #[arg(value_name = "POSITION")]
    position: String,
    /// Number of seeds in each pit at the start [default: what the stores say]
    #[arg(long, value_name = "N")]
    seeds: Option<u32>,
    /// Rules: std_either, empty_either, std_mover or empty_mover (see docs/kalah.md)
    #[arg(long, value_name = "RULES", default_value_t = Rules::STD_EITHER)]
    rules: Rules,
    /// Most positions to look at
    #[arg(long, value_name = "N", default_value_t = 3_000_000)]
    limit: usize,
    #[command(flatten)]
    output: Output,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let target = standing(&args.position)?;
    let kalah = Kalah::new(target.position.pits(), seeds(args, &target)?, args.rules);
    let kalah = kalah.map_err(bad_command)?;
    let pits = match kalah.way_to(&target, args.limit) {
        Way::Found(pits) => pits,
        Way::None => {
            return Err(bad_input(format_args!("{target} cannot be reached in {}", kalah.name())));
        }
        Way::Unknown => {
            return Err(bad_input(format_args!(
                "no way to {target} among {} positions; look at more with --limit",
                args.limit
            )));
        }
    };
    let start = Standing { position: kalah.start(), stores: None };
    let mut record = Record::new(&start, args.rules);
    for pit in pits {
        record.play(pit.number()).map_err(bad_input)?;
    }
    let mut rows = args.output.rows(&PATH, Shape::Many)?;
    for row in path(&record) {
        rows.row(&row)?;
    }
    rows.finish()?;
    Ok(Exit::Fine)
}

/// The seeds in each pit at the start.
fn seeds(args: &Args, target: &Standing) -> anyhow::Result<u32> {
    let pits = 2 * target.position.pits() as u32;
    match (args.seeds, target.stores) {
        (Some(seeds), _) => Ok(seeds),
        (None, None) => Err(bad_command("a position without its stores needs --seeds")),
        (None, Some((own, other))) => {
            let all = target.position.seeds_in_play() + own + other;
            if all.is_multiple_of(pits) {
                return Ok(all / pits);
            }
            Err(bad_input(format_args!(
                "{target} has {all} seeds in all, which is no multiple of its {pits} pits"
            )))
        }
    }
}
