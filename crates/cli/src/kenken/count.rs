//! `everyply kenken count`

use kenken::Solver;
use tables::{
    Shape,
    kenken::{COUNTS, counted},
};

use super::{Cost, puzzles::Inputs};
use crate::{exit::Outcome, rows::Output, threads::Threads};

/// Count solutions, up to a limit
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kenken count '2:__b,a3a3'
  everyply kenken count --limit 2 --format jsonl puzzles.txt
  zcat puzzles.gz | everyply kenken count --limit 1000 --time-limit 1 -")]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: Inputs,
    /// Stop after this many solutions
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..))]
    limit: u64,
    #[command(flatten)]
    cost: Cost,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    output: Output,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let mut rows = args.output.rows(&COUNTS, Shape::Many)?;
    let count =
        |solver: &mut Solver, puzzle: &_| solver.count(puzzle, args.limit, &args.cost.limits());
    let exit = args.inputs.each_on(args.threads, count, |item, count| {
        rows.row(&counted(&item.id, &item.puzzle, &count))
    })?;
    rows.finish()?;
    Ok(exit)
}
