//! `everyply kenken count`

use kenken::{Count, Solver};
use rayon::prelude::*;
use tables::{
    Shape,
    kenken::{COUNTS, counted},
};

use super::{
    Cost,
    puzzles::{Inputs, Item},
};
use crate::{exit::Outcome, interrupt, rows::Output, threads::Threads};

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
    let pool = args.threads.pool()?;
    let exit = args.inputs.each(|items| {
        for (item, count) in
            items.iter().zip(pool.install(|| count_all(items, args.limit, args.cost)))
        {
            rows.row(&counted(&item.id, &item.puzzle, &count))?;
        }
        Ok(())
    })?;
    rows.finish()?;
    Ok(exit)
}

/// Counts on all cores. The results are in the order of the puzzles. After Ctrl-C some are missing
/// at the end.
pub(super) fn count_all(items: &[Item], limit: u64, cost: Cost) -> Vec<Count> {
    items
        .par_iter()
        .map_init(Solver::new, |solver, item| {
            (!interrupt::requested()).then(|| solver.count(&item.puzzle, limit, &cost.limits()))
        })
        .while_some()
        .collect()
}
