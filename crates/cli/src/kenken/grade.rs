//! `everyply kenken grade`

use kenken::{Grade, grade};
use rayon::prelude::*;
use tables::{
    Shape,
    kenken::{GRADES, graded},
};

use super::{
    Cost,
    puzzles::{Inputs, Item},
};
use crate::{exit::Outcome, interrupt, rows::Output, threads::Threads};

/// Grade puzzles: easy, normal, hard, extreme or unreasonable
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kenken grade '4:_a_7a4_a3,a4a5s1s1d2d2m4m6'
  everyply kenken grade puzzles.txt --format csv

A puzzle's level is the lowest one whose rules solve it without guessing; a puzzle that needs
guessing is unreasonable. A puzzle with no or several solutions has no level.")]
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
    let mut rows = args.output.rows(&GRADES, Shape::Many)?;
    let pool = args.threads.pool()?;
    let exit = args.inputs.each(|items| {
        for (item, grade) in items.iter().zip(pool.install(|| grade_all(items, args.cost))) {
            rows.row(&graded(&item.id, &item.puzzle, grade))?;
        }
        Ok(())
    })?;
    rows.finish()?;
    Ok(exit)
}

/// Grades on all cores. The results are in the order of the puzzles. After Ctrl-C some are missing
/// at the end.
fn grade_all(items: &[Item], cost: Cost) -> Vec<Grade> {
    items
        .par_iter()
        .map(|item| (!interrupt::requested()).then(|| grade(&item.puzzle, &cost.limits())))
        .while_some()
        .collect()
}
