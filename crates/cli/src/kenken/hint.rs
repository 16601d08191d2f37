//! `everyply kenken hint`

use kenken::{Attempt, Hint, Level, Limits, Next};
use tables::{
    Shape,
    kenken::{HINTS, hinted},
};

use super::{
    Cost,
    explain::{end, level, only},
    puzzles::Inputs,
};
use crate::{
    exit::{Exit, Outcome, bad_input, say},
    rows::Output,
};

/// Print the deductions up to the next digit, in words
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kenken hint '4:_a_7a4_a3,a4a5s1s1d2d2m4m6'
  everyply kenken hint '4:_a_7a4_a3,a4a5s1s1d2d2m4m6' --grid '3[14].2/1.../..../....'
  everyply kenken hint puzzle.txt --steps 3 --format jsonl

If digits or marks of --grid are wrong, the command names them and prints no hint. The column grid,
which formats other than table have, is the grid after a step with its marks: give it to --grid.")]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: Inputs,
    /// Digits filled in so far, with '/' between rows and '.' for an empty cell. Pencil marks are
    /// in square brackets. In grids larger than 9x9, separate cells by commas and marks by blanks
    #[arg(long, value_name = "ROWS")]
    grid: Option<String>,
    /// Number of deductions to print [default: up to the next digit]
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// Hardest level of rules to use: easy, normal, hard, extreme or unreasonable
    #[arg(long, default_value = "unreasonable", value_parser = level)]
    level: Level,
    #[command(flatten)]
    cost: Cost,
    #[command(flatten)]
    output: Output,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let item = only(&args.inputs)?;
    let limits = args.cost.limits();
    let mut attempt = match &args.grid {
        None => Attempt::new(&item.puzzle),
        Some(grid) => Attempt::parse(&item.puzzle, grid)
            .map_err(|error| bad_input(format_args!("--grid: {error}")))?,
    };
    let hints = match args.steps {
        None => attempt.hints_to_digit(args.level, &limits),
        Some(steps) => first(attempt.clone(), steps, args.level, &limits),
    };
    // A hint based on a wrong digit would be misleading, so there is none before it.
    if let [Hint::Wrong(wrong)] = hints.as_slice() {
        return Err(bad_input(format_args!("--grid: wrong: {}", wrong.text)));
    }
    let mut rows = args.output.rows(&HINTS, Shape::Many)?;
    let mut exit = Exit::Fine;
    for found in hints {
        let next = match found {
            Hint::Deduction(deduction) => {
                attempt.follow(&deduction);
                rows.row(&hinted(&deduction.follows, &attempt))?;
                continue;
            }
            Hint::Solved => Next::Solved,
            Hint::Stuck => Next::Stuck,
            Hint::NoSolution => Next::Contradiction,
            Hint::Wrong(_) | Hint::Unsettled => Next::Unsettled,
        };
        say(end(&next, args.level));
        if next != Next::Solved {
            exit = Exit::BadInput;
        }
    }
    rows.finish()?;
    Ok(exit)
}

/// The first hints, so many of them, and why there are no more.
fn first(mut attempt: Attempt<'_>, steps: u64, level: Level, limits: &Limits) -> Vec<Hint> {
    let mut hints = Vec::new();
    for _ in 0..steps {
        let hint = attempt.hint(level, limits);
        let is_last = match &hint {
            Hint::Deduction(deduction) => {
                attempt.follow(deduction);
                false
            }
            _ => true,
        };
        hints.push(hint);
        if is_last {
            break;
        }
    }
    hints
}
