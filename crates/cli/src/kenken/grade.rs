//! `everyply kenken grade`

use kenken::grade;
use tables::{
    Shape,
    kenken::{GRADES, graded},
};

use super::{Cost, puzzles::Inputs};
use crate::{exit::Outcome, rows::Output, threads::Threads};

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
    let grade = |_: &mut _, puzzle: &_| grade(puzzle, &args.cost.limits());
    let exit = args.inputs.each_on(args.threads, grade, |item, grade| {
        rows.row(&graded(&item.id, &item.puzzle, grade))
    })?;
    rows.finish()?;
    Ok(exit)
}
