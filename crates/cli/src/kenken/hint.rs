//! `everyply kenken hint`

use kenken::{Digits, Explainer, Level, Next, Puzzle, check_notes};
use tables::{
    Shape,
    kenken::{HINTS, hint},
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

/// Print the next deduction in words
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kenken hint '4:_a_7a4_a3,a4a5s1s1d2d2m4m6'
  everyply kenken hint '4:_a_7a4_a3,a4a5s1s1d2d2m4m6' --grid '3..2/1.../..../....'
  everyply kenken hint puzzle.txt --steps 3 --format jsonl

If digits of --grid are wrong, the command names them and prints no hint.")]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: Inputs,
    /// Digits filled in so far, with '/' between rows and '.' for an empty cell. In grids larger
    /// than 9x9, separate cells by commas
    #[arg(long, value_name = "ROWS")]
    grid: Option<String>,
    /// Number of deductions to print
    #[arg(long, value_name = "N", default_value_t = 1)]
    steps: u64,
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
    let mut explainer = match &args.grid {
        None => Explainer::new(&item.puzzle),
        Some(grid) => {
            let notes = notes(&item.puzzle, grid)?;
            // A hint based on a wrong digit would be misleading.
            match check_notes(&item.puzzle, &notes, &limits) {
                Some(Ok(())) => Explainer::from_notes(&item.puzzle, &notes),
                Some(Err(fault)) => return Err(bad_input(format_args!("--grid: {fault}"))),
                None => {
                    return Err(bad_input(
                        "--grid: the digits could not be checked within the limits",
                    ));
                }
            }
        }
    }
    .within(limits);
    let mut rows = args.output.rows(&HINTS, Shape::Many)?;
    let mut exit = Exit::Fine;
    for _ in 0..args.steps {
        match explainer.next(args.level) {
            Next::Step(step) => rows.row(&hint(&item.puzzle, &step))?,
            other => {
                say(end(&other, args.level));
                if other != Next::Solved {
                    exit = Exit::BadInput;
                }
                break;
            }
        }
    }
    rows.finish()?;
    Ok(exit)
}

/// The candidates of a partly filled grid.
fn notes(puzzle: &Puzzle, grid: &str) -> anyhow::Result<Vec<Digits>> {
    let side = puzzle.size().side();
    let lowest = puzzle.rules().lowest_digit() as usize;
    let mut notes = Vec::with_capacity(side * side);
    for (number, row) in grid.trim_end_matches('/').split('/').enumerate() {
        let cells: Vec<&str> = if row.contains(',') {
            row.split(',').map(str::trim).collect()
        } else {
            row.split("").filter(|cell| !cell.trim().is_empty()).collect()
        };
        if cells.len() != side {
            let found = cells.len();
            return Err(bad_input(format_args!(
                "--grid: row {} has {found} cells, expected {side}",
                number + 1
            )));
        }
        for cell in cells {
            let rank = cell.parse::<usize>().ok().and_then(|digit| digit.checked_sub(lowest));
            notes.push(match rank {
                Some(rank) if rank < side => Digits::one(rank),
                None if cell == "." => puzzle.size().digits(),
                _ => {
                    return Err(bad_input(format_args!(
                        "--grid: row {}: '{cell}' is not a digit of this grid",
                        number + 1
                    )));
                }
            });
        }
    }
    if notes.len() != side * side {
        let found = notes.len() / side;
        return Err(bad_input(format_args!("--grid: {found} rows, expected {side}")));
    }
    Ok(notes)
}
