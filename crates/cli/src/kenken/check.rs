//! `everyply kenken check`

use kenken::Solver;
use tables::{
    Shape,
    kenken::{CHECKS, checked},
};

use super::{Cost, puzzles::Inputs};
use crate::{
    exit::{Exit, Outcome},
    rows::Output,
    threads::Threads,
};

/// Check that puzzles have exactly one solution, and that the solutions given with them are right
///
/// The exit code is 1 if a puzzle does not have exactly one solution, or a given solution is wrong.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kenken check '4:_a_7a4_a3,a4a5s1s1d2d2m4m6'
  everyply kenken check puzzles.jsonl --format csv")]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    cost: Cost,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    output: Output,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let mut rows = args.output.rows(&CHECKS, Shape::Many)?;
    let mut wrong = false;
    let count = |solver: &mut Solver, puzzle: &_| solver.count(puzzle, 2, &args.cost.limits());
    let exit = args.inputs.each_on(args.threads, count, |item, count| {
        let given = item.solution.as_ref().map(|given| kenken::check(&item.puzzle, given));
        wrong |= count.unique(2) != Some(true) || matches!(given, Some(Err(_)));
        rows.row(&checked(&item.id, &count, given.as_ref()))
    })?;
    rows.finish()?;
    Ok(if wrong { Exit::BadInput } else { exit })
}
