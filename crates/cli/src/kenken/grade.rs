//! `everyply kenken grade`

use kenken::{Grade, grade};
use rayon::prelude::*;

use super::{
    Cost,
    puzzles::{Inputs, Item},
};
use crate::{
    exit::Outcome,
    interrupt,
    rows::{Output, Rows, Shape, Table, count, text},
    threads::Threads,
};

/// Tell how hard puzzles are: easy, normal, hard, extreme or unreasonable
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kenken grade '4:_a_7a4_a3,a4a5s1s1d2d2m4m6'
  everyply kenken grade puzzles.txt --format csv

A puzzle's level is the lowest whose rules solve it without a guess; what only trial solves is
unreasonable. A puzzle with no or several solutions has no level.")]
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

static COLUMNS: Table = Table {
    name: "kenken.grades",
    columns: &[text("id"), count("size"), count("cages"), text("level"), count("solutions")],
};

pub(crate) fn run(args: &Args) -> Outcome {
    let mut rows = Rows::to_stdout(args.output, &COLUMNS, Shape::Many)?;
    let pool = args.threads.pool()?;
    let exit = args.inputs.each(|items| {
        for (item, grade) in items.iter().zip(pool.install(|| grade_all(items, args.cost))) {
            let (level, solutions) = match grade {
                Grade::Level(level) => (Some(level.name()), Some(1u64)),
                Grade::NoSolution => (None, Some(0)),
                Grade::ManySolutions => (None, Some(2)),
                Grade::Unknown => (None, None),
            };
            rows.row(&[
                item.id.as_str().into(),
                (item.puzzle.size().side() as u64).into(),
                (item.puzzle.len() as u64).into(),
                level.into(),
                solutions.into(),
            ])?;
        }
        Ok(())
    })?;
    rows.finish()?;
    Ok(exit)
}

/// Grades on all cores; the answers stand in the order of the puzzles. After Ctrl-C there are
/// fewer of them.
fn grade_all(items: &[Item], cost: Cost) -> Vec<Grade> {
    items
        .par_iter()
        .map(|item| (!interrupt::requested()).then(|| grade(&item.puzzle, &cost.limits())))
        .while_some()
        .collect()
}
