//! `everyply kenken solve`

use std::time::{Duration, Instant};

use kenken::{Count, Grade, Solver, grade};
use rayon::prelude::*;

use super::{
    Cost, one_line,
    puzzles::{Inputs, Item},
};
use crate::{
    exit::{Outcome, say},
    interrupt,
    rows::{Cell, Column, Output, Rows, Shape, Table, count, flag, real, text},
    threads::Threads,
};

/// Solve puzzles
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kenken solve '4:_a_7a4_a3,a4a5s1s1d2d2m4m6'
  everyply kenken solve puzzles.jsonl --format csv --timings
  everyply kenken generate --as json | everyply kenken solve -

Solutions are counted to two: 0 is none, 1 is exactly one, 2 is several; empty means that a limit
was met before that was known. A grid is written row by row, separated by '/'.")]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    cost: Cost,
    #[command(flatten)]
    threads: Threads,
    /// Add the time of each puzzle and its share of all; rows come at the end
    #[arg(long)]
    timings: bool,
    #[command(flatten)]
    output: Output,
}

const COLUMNS: &[Column] = &[
    text("id"),
    count("size"),
    count("cages"),
    text("level"),
    count("solutions"),
    flag("complete").wide(),
    count("nodes"),
    count("propagations").wide(),
    text("grid"),
    real("microseconds"),
    real("share"),
];

static PLAIN: Table = Table { name: "kenken.solutions", columns: COLUMNS.split_at(9).0 };
static TIMED: Table = Table { name: "kenken.solutions", columns: COLUMNS };

struct Solved {
    count: Count,
    grade: Grade,
    time: Duration,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let table = if args.timings { &TIMED } else { &PLAIN };
    let mut rows = Rows::to_stdout(args.output, table, Shape::Many)?;
    let mut held = Vec::new();
    let pool = args.threads.pool()?;
    let exit = args.inputs.each(|items| {
        for (item, solved) in items.iter().zip(pool.install(|| solve_all(items, args.cost))) {
            if solved.count.unique(2).is_none() {
                say(format_args!("{}: not settled within the limits", item.id));
            }
            let row = cells(item, &solved);
            if args.timings {
                held.push((row, solved.time));
            } else {
                rows.row(&row)?;
            }
        }
        Ok(())
    })?;
    let total: f64 = held.iter().map(|(_, time)| time.as_secs_f64()).sum();
    for (mut row, time) in held {
        row.push(Cell::Real(time.as_nanos() as f64 / 1e3));
        row.push(Cell::Real((time.as_secs_f64() / total * 1e4).round() / 1e4));
        rows.row(&row)?;
    }
    rows.finish()?;
    Ok(exit)
}

fn solve_all(items: &[Item], cost: Cost) -> Vec<Solved> {
    items
        .par_iter()
        .map_init(Solver::new, |solver, item| {
            if interrupt::requested() {
                return None;
            }
            let start = Instant::now();
            let count = solver.count(&item.puzzle, 2, &cost.limits());
            let time = start.elapsed();
            // Only what is known to be unique has a level, and then the grade needs no limit.
            let grade = match count.unique(2) {
                Some(true) => grade(&item.puzzle, &cost.limits()),
                _ => Grade::Unknown,
            };
            Some(Solved { count, grade, time })
        })
        .while_some()
        .collect()
}

fn cells(item: &Item, solved: &Solved) -> Vec<Cell<'static>> {
    let level = match solved.grade {
        Grade::Level(level) => Some(level.name()),
        _ => None,
    };
    vec![
        item.id.clone().into(),
        (item.puzzle.size().side() as u64).into(),
        (item.puzzle.len() as u64).into(),
        level.into(),
        // What a limit left open is no answer.
        solved.count.unique(2).map(|_| solved.count.solutions).into(),
        solved.count.complete.into(),
        solved.count.statistics.nodes.into(),
        solved.count.statistics.propagations.into(),
        solved.count.first.as_ref().map(one_line).into(),
    ]
}
