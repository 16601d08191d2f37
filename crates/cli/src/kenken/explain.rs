//! `everyply kenken explain`

use kenken::{Level, Next};
use tables::{
    Shape,
    kenken::{STEPS, steps},
};

use super::{Cost, puzzles::Inputs};
use crate::{
    exit::{Exit, Outcome, bad_input, say},
    interrupt,
    rows::Output,
};

/// Explain a solution step by step in words
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kenken explain '4:_a_7a4_a3,a4a5s1s1d2d2m4m6'
  everyply kenken explain puzzle.txt --level hard --format jsonl")]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: Inputs,
    /// Hardest level of rules to use: easy, normal, hard, extreme or unreasonable
    #[arg(long, default_value = "unreasonable", value_parser = level)]
    level: Level,
    #[command(flatten)]
    cost: Cost,
    #[command(flatten)]
    output: Output,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let mut rows = args.output.rows(&STEPS, Shape::Many)?;
    let mut stuck = false;
    let exit = args.inputs.each(|items| {
        for item in items.iter().take_while(|_| !interrupt::requested()) {
            let explanation = kenken::explain(&item.puzzle, args.level, &args.cost.limits());
            let mut steps = steps(&item.id, &item.puzzle, &explanation.steps);
            steps.try_for_each(|row| rows.row(&row))?;
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

/// The reason why there is no further step.
pub(super) fn end(next: &Next, level: Level) -> String {
    match next {
        Next::Solved => "it is solved".to_owned(),
        Next::Contradiction => "it has no solution".to_owned(),
        Next::Unsettled => "no further step was found within the limits".to_owned(),
        Next::Stuck if level == Level::Unreasonable => "it has several solutions".to_owned(),
        Next::Stuck | Next::Step(_) => format!("no rule up to level {level} applies"),
    }
}

/// The only puzzle of the inputs.
pub(super) fn only(inputs: &Inputs) -> anyhow::Result<super::puzzles::Item> {
    let (mut items, _) = inputs.all()?;
    match items.len() {
        1 => Ok(items.remove(0)),
        count => Err(bad_input(format_args!("expected one puzzle, found {count}"))),
    }
}
