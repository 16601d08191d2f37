//! `everyply kalah export`

use commands::{
    export::{Destination, report},
    stored::Stored,
};
use tables::kalah::{POSITIONS, position};

use super::known::{open, unanswered};
use crate::exit::Outcome;

/// Write every position of a solved game as a table
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kalah export --store sqlite:kalah-4x3-std_either.sqlite --out k43.parquet
  everyply kalah export --store sqlite:k33.sqlite --format csv | head

Rows are sorted by seeds in play, then by the total distance of the seeds from their stores, then by
key. The same game gives the same bytes from every kind of store.")]
pub(crate) struct Args {
    #[command(flatten)]
    place: Stored,
    #[command(flatten)]
    to: Destination,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let mut solved = open(&args.place)?;
    let kalah = solved.kalah;
    report(&args.to, &POSITIONS, |take| {
        let end = solved.each_position(|at, row| take(&position(&kalah, at, row)));
        end.map(drop).map_err(unanswered)
    })
}
