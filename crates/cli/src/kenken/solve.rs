//! `everyply kenken solve`

use std::time::{Duration, Instant};

use kenken::{Count, Grade, Puzzle, Solver, grade};
use tables::{
    Shape,
    kenken::{ALL_SOLUTIONS, SOLUTIONS, SOLUTIONS_TIMED, all_solutions, solution, timing},
};

use super::{Cost, puzzles::Inputs};
use crate::{
    exit::{Outcome, say},
    rows::Output,
    threads::Threads,
};

/// Solve puzzles
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kenken solve '4:_a_7a4_a3,a4a5s1s1d2d2m4m6'
  everyply kenken solve puzzles.jsonl --format csv --timings
  everyply kenken generate --as json | everyply kenken solve -
  everyply kenken solve '2:__b,a3a3' --all --limit 10

In the column solutions, 0 means none, 1 exactly one, and 2 several. It is empty if --nodes or
--time-limit stopped the search first. A grid is written row by row, with '/' between rows.

With --all there is a row for each solution. Then solutions is their number, which is empty if there
are more than --limit or the search was stopped, and differs names the cells that are not the same
in all rows of the puzzle. A puzzle without a solution has one row without a grid.")]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: Inputs,
    #[command(flatten)]
    cost: Cost,
    #[command(flatten)]
    threads: Threads,
    /// Add the time of each puzzle and its share of the total; rows are then printed at the end
    #[arg(long)]
    timings: bool,
    /// List all solutions, and the cells in which they differ
    #[arg(long, conflicts_with = "timings")]
    all: bool,
    /// Stop after this many solutions of a puzzle
    #[arg(long, value_name = "N", requires = "all", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    limit: u32,
    #[command(flatten)]
    output: Output,
}

struct Solved {
    count: Count,
    grade: Grade,
    time: Duration,
}

pub(crate) fn run(args: &Args) -> Outcome {
    if args.all {
        return list(args);
    }
    let table = if args.timings { &SOLUTIONS_TIMED } else { &SOLUTIONS };
    let mut rows = args.output.rows(table, Shape::Many)?;
    let mut held = Vec::new();
    let work = |solver: &mut Solver, puzzle: &_| solve(solver, puzzle, args.cost);
    let exit = args.inputs.each_on(args.threads, work, |item, solved| {
        if solved.count.unique(2).is_none() {
            say(format_args!("{}: not solved within the limits", item.id));
        }
        if args.timings {
            held.push((item.id.clone(), item.puzzle.clone(), solved));
            return Ok(());
        }
        rows.row(&solution(&item.id, &item.puzzle, &solved.count, solved.grade))
    })?;
    let all = held.iter().map(|(_, _, solved)| solved.time).sum();
    for (id, puzzle, solved) in held {
        let row = solution(&id, &puzzle, &solved.count, solved.grade);
        rows.row(&[&row[..], &timing(solved.time, all)].concat())?;
    }
    rows.finish()?;
    Ok(exit)
}

/// Every solution, and where they differ.
fn list(args: &Args) -> Outcome {
    let mut rows = args.output.rows(&ALL_SOLUTIONS, Shape::Many)?;
    let work = |solver: &mut Solver, puzzle: &_| {
        solver.list(puzzle, args.limit as usize, &args.cost.limits())
    };
    let exit = args.inputs.each_on(args.threads, work, |item, listed| {
        if !listed.complete && listed.solutions.len() < args.limit as usize {
            say(format_args!("{}: not all solutions were found within the limits", item.id));
        }
        all_solutions(&item.id, &item.puzzle, &listed).try_for_each(|row| rows.row(&row))
    })?;
    rows.finish()?;
    Ok(exit)
}

fn solve(solver: &mut Solver, puzzle: &Puzzle, cost: Cost) -> Solved {
    let start = Instant::now();
    let count = solver.count(puzzle, 2, &cost.limits());
    let time = start.elapsed();
    // Only a puzzle with a unique solution has a level, and then grading needs no limit.
    let grade = match count.unique(2) {
        Some(true) => grade(puzzle, &cost.limits()),
        _ => Grade::Unknown,
    };
    Solved { count, grade, time }
}
