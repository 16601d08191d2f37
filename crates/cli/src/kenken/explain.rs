//! `everyply kenken explain`

use kenken::{Level, Next, Puzzle, Step};

use super::{Cost, puzzles::Inputs};
use crate::{
    exit::{Exit, Outcome, bad_input, say},
    interrupt,
    rows::{Cell, Output, Rows, Shape, Table, count, text},
};

/// Explain a solution step by step, in words
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kenken explain '4:_a_7a4_a3,a4a5s1s1d2d2m4m6'
  everyply kenken explain puzzle.txt --level hard --format jsonl")]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: Inputs,
    /// The hardest rules to use: easy, normal, hard, extreme or unreasonable
    #[arg(long, default_value = "unreasonable", value_parser = level)]
    level: Level,
    #[command(flatten)]
    cost: Cost,
    #[command(flatten)]
    output: Output,
}

static COLUMNS: Table = Table {
    name: "kenken.steps",
    columns: &[
        text("id").wide(),
        count("step"),
        text("rule"),
        text("cage").wide(),
        text("cells").wide(),
        text("placed").wide(),
        text("text"),
    ],
};

pub(crate) fn run(args: &Args) -> Outcome {
    let mut rows = Rows::to_stdout(args.output, &COLUMNS, Shape::Many)?;
    let mut stuck = false;
    let exit = args.inputs.each(|items| {
        for item in items.iter().take_while(|_| !interrupt::requested()) {
            let explanation = kenken::explain(&item.puzzle, args.level, &args.cost.limits());
            for (number, step) in explanation.steps.iter().enumerate() {
                let [rule, cage, cells, placed, text] = cells(&item.puzzle, step);
                let id: Cell<'_> = item.id.as_str().into();
                rows.row(&[id, (number as u64 + 1).into(), rule, cage, cells, placed, text])?;
            }
            if explanation.end != Next::Solved {
                stuck = true;
                say(format_args!("{}: {}", item.id, end(&explanation.end, args.level)));
            }
        }
        Ok(())
    })?;
    rows.finish()?;
    Ok(if stuck { Exit::BadInput } else { exit })
}

/// The level with this name or letter.
pub(super) fn level(name: &str) -> Result<Level, String> {
    Level::from_name(name)
        .ok_or_else(|| "expected easy, normal, hard, extreme or unreasonable".to_owned())
}

/// Why there is no further step.
pub(super) fn end(next: &Next, level: Level) -> String {
    match next {
        Next::Solved => "it is solved".to_owned(),
        Next::Contradiction => "it has no solution".to_owned(),
        Next::Unsettled => "no further step was found in time".to_owned(),
        Next::Stuck if level == Level::Unreasonable => "it has several solutions".to_owned(),
        Next::Stuck | Next::Step(_) => format!("the rules up to {level} go no further"),
    }
}

/// Rule, cage, cells, digits placed and text of a step.
pub(super) fn cells(puzzle: &Puzzle, step: &Step) -> [Cell<'static>; 5] {
    let size = puzzle.size();
    let names: Vec<String> = step.because.iter().map(|cell| cell.name(size)).collect();
    let placed: Vec<String> =
        step.placed.iter().map(|(cell, digit)| format!("{}={digit}", cell.name(size))).collect();
    [
        step.rule.name().into(),
        step.cage.map(|cage| puzzle.cage(cage).clue.to_string()).into(),
        names.join(" ").into(),
        placed.join(" ").into(),
        step.text.clone().into(),
    ]
}

/// The only puzzle of the inputs.
pub(super) fn only(inputs: &Inputs) -> anyhow::Result<super::puzzles::Item> {
    let (mut items, _) = inputs.all()?;
    match items.len() {
        1 => Ok(items.remove(0)),
        count => Err(bad_input(format_args!("expected one puzzle, found {count}"))),
    }
}
