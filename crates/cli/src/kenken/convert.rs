//! `everyply kenken convert`

use std::io::Write;

use clap::ValueEnum;
use kenken::{Puzzle, Solution, drawing, json, keen};

use super::puzzles::Inputs;
use crate::{
    exit::{Exit, Outcome, say},
    files,
};

/// The text format of puzzles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Text {
    /// Keen game IDs, one per line
    Keen,
    /// JSON objects, one per line
    Json,
    /// Drawings in plain text
    Drawing,
}

/// Convert puzzles to another format
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kenken convert '2:_b_,a4a2' --to json
  everyply kenken convert puzzles.jsonl --to keen
  everyply kenken convert '2:_b_,a4a2' --to drawing > puzzle.txt")]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: Inputs,
    /// Output format of the puzzles
    #[arg(long, value_name = "FORMAT", value_enum)]
    to: Text,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let mut out = files::stdout();
    let mut refused = false;
    let mut written = 0;
    let exit = args.inputs.each(|items| {
        for item in items {
            // An id that is the game ID adds nothing.
            let id = (!item.id.contains(':')).then_some(item.id.as_str());
            match write(args.to, &item.puzzle, id, item.solution.as_ref()) {
                Ok(text) => {
                    out.write_all((between(args.to, written) + &text).as_bytes())?;
                    written += 1;
                }
                Err(error) => {
                    say(format_args!("{}: {error}", item.id));
                    refused = true;
                }
            }
        }
        Ok(())
    })?;
    out.flush()?;
    Ok(if refused { Exit::BadInput } else { exit })
}

/// The separator line between two drawings in a file.
pub(super) const BETWEEN_DRAWINGS: &str = "---";

/// The separator before a puzzle, if there are puzzles before it.
pub(super) fn between(text: Text, before: u64) -> String {
    match text {
        Text::Drawing if before > 0 => format!("{BETWEEN_DRAWINGS}\n"),
        _ => String::new(),
    }
}

/// A puzzle in a format, with its line break.
pub(super) fn write(
    text: Text,
    puzzle: &Puzzle,
    id: Option<&str>,
    solution: Option<&Solution>,
) -> Result<String, keen::NotKeen> {
    Ok(match text {
        Text::Keen => keen::print(puzzle)? + "\n",
        Text::Json => json::print(puzzle, id, solution) + "\n",
        Text::Drawing => drawing::print(puzzle),
    })
}
