//! `everyply kalah stats`

use clap::builder::TypedValueParser;
use commands::{
    stats::{Counts, Shown, summary, summary_row},
    stored::Stored,
};
use game::Game;
use solver::{Count, statistics};
use tables::kalah::{By, STORE, counted, store};

use super::known::open;
use crate::{
    exit::{Exit, Outcome, say},
    rows::{Output, choices},
};

/// Count the positions of a solved game by seeds in play, depth, value, number of moves or rank
///
/// A line on standard error says which game the store holds, how far it is solved, how many
/// positions it has, and their range of depth.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kalah stats --store sqlite:kalah-4x3-std_either.sqlite
  everyply kalah stats --store sqlite:k43.sqlite --by depth --format csv
  everyply kalah stats --store sqlite:k43.sqlite --by value --plot values.svg
  everyply kalah stats --store sqlite:k43.sqlite --by moves --plot branching.svg
  everyply kalah stats --store sqlite:k43.sqlite --by rank --plot ranks.svg
  everyply kalah stats --store sqlite:k43.sqlite --summary --format json")]
pub(crate) struct Args {
    #[command(flatten)]
    place: Stored,
    /// What to count by
    #[arg(long, value_name = "WHAT", default_value = "seeds", value_parser = kinds())]
    by: By,
    #[command(flatten)]
    shown: Shown,
    #[command(flatten)]
    output: Output,
}

pub(crate) fn run(args: &Args) -> Outcome {
    args.shown.check()?;
    let mut known = open(&args.place)?;
    let statistics = statistics(&known.kalah, &mut *known.store)?;
    let stage = known.store.state().stage;
    if args.shown.summary {
        return summary_row(args.output, &STORE, &store(&known.kalah, stage, &statistics));
    }
    let axis = match args.by {
        By::Seeds => "seeds in play",
        By::Depth => "fewest moves from the start",
        By::Value => "value for the side to move",
        By::Moves => "number of moves",
        By::Rank => "rank: seeds in play and steps",
    };
    let title = known.kalah.name();
    let counts = Counts { title: &title, axis, table: args.by.table() };
    let row = |kind: &[i64], count: &Count| counted(args.by, kind, count);
    counts.report(&args.shown, args.output, &args.by.counts(&statistics), row)?;
    let far = |seeds, steps| format!("explored down to {seeds} seeds in play and {steps} steps");
    say(summary(&title, stage, &statistics, far));
    Ok(Exit::Fine)
}

/// The values of `--by`.
fn kinds() -> impl TypedValueParser<Value = By> {
    choices(&By::ALL, By::name, By::description)
}
