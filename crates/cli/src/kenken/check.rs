//! `everyply kenken check`

use tables::{
    Shape,
    kenken::{CHECKS, checked},
};

use super::{Cost, count::count_all, puzzles::Inputs};
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
    let pool = args.threads.pool()?;
    let exit = args.inputs.each(|items| {
        for (item, count) in items.iter().zip(pool.install(|| count_all(items, 2, args.cost))) {
            let given = item.solution.as_ref().map(|given| kenken::check(&item.puzzle, given));
            wrong |= count.unique(2) != Some(true) || matches!(given, Some(Err(_)));
            rows.row(&checked(&item.id, &count, given.as_ref()))?;
        }
        Ok(())
    })?;
    rows.finish()?;
    Ok(if wrong { Exit::BadInput } else { exit })
}
