//! `everyply kenken generate`

use std::io::Write;

use clap::ValueEnum;
use kenken::{
    Batch, Generated, Level, MOST_REPEATS, Minimise, Puzzle, Recipe, Rules, Size, make_unique,
    minimise,
};
use tables::{
    Rows, Shape,
    kenken::{PUZZLES, made},
};

use super::{
    convert::{Text, between, write},
    explain::{level, only},
    making::{Making, refused},
    puzzles::Inputs,
};
use crate::{
    exit::{Exit, Outcome, bad_input, say},
    files::{self, Stream},
    interrupt,
    rows::Output,
    threads::Threads,
};

/// Generate puzzles with exactly one solution
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kenken generate --size 6 --level hard --count 5 --seed 1
  everyply kenken generate --size 9 --level extreme --operators '*' --as keen
  everyply kenken generate --size 5 --cages 0,4,2,1 --zero --as drawing
  everyply kenken generate --layout puzzle.txt --seed 3 --as json
  everyply kenken generate --size 6 --minimise operators
  everyply kenken generate --size 5 --seed random

The same seed generates the same puzzles on every machine and with any number of threads. No puzzle
is repeated, unless 1,000 further attempts find no other one, as with the smallest sizes. Cages have
only the sizes of --cages and the operators of --operators; a cage of one cell shows its digit. Only
--minimise operators brings in cages without an operator.")]
pub(crate) struct Args {
    /// Number of rows and columns
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u8).range(1..=32))]
    size: u8,
    /// Difficulty: easy, normal, hard, extreme or unreasonable [default: any]
    #[arg(long, value_parser = level)]
    level: Option<Level>,
    /// Number of puzzles
    #[arg(long, value_name = "N", default_value_t = 1)]
    count: u64,
    #[command(flatten)]
    making: Making,
    /// Use digits from 0 instead of from 1
    #[arg(long)]
    zero: bool,
    /// Allow subtraction and division in cages of more than two cells
    #[arg(long)]
    wide: bool,
    /// Keep the cages of this puzzle and find digits and clues that give a unique solution
    #[arg(long, value_name = "PUZZLE", conflicts_with_all = ["size", "level", "cages", "count", "zero", "wide"])]
    layout: Option<String>,
    /// Remove operators or clues that a unique solution does not need. Cannot be combined with
    /// --level
    #[arg(long, value_enum, value_name = "WHAT", conflicts_with = "level")]
    minimise: Option<What>,
    /// Print only the puzzles, in this format
    #[arg(long = "as", value_name = "FORMAT", value_enum, conflicts_with = "format")]
    text: Option<Text>,
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    output: Output,
}

#[derive(Clone, Copy, ValueEnum)]
enum What {
    /// Hide as many operators as possible
    Operators,
    /// Merge cages as long as the solution stays unique
    Clues,
}

/// The number of puzzles generated together: enough for all cores, few enough to stream.
const TOGETHER: u64 = 64;

pub(crate) fn run(args: &Args) -> Outcome {
    let seed = args.making.seed.take();
    let mut writer = Writer::new(args, seed)?;
    if let Some(layout) = &args.layout {
        let layout = only(&Inputs::of(layout))?.puzzle;
        let made = make_unique(&layout, &args.making.operators, seed).map_err(bad_input)?;
        writer.write(args, 0, made)?;
        return writer.finish();
    }
    let recipe = Recipe {
        size: Size::new(usize::from(args.size)).expect("the flag is in range"),
        level: args.level,
        operators: args.making.operators,
        cage_sizes: args.making.cages.clone(),
        rules: Rules { zero: args.zero, wide_sub_div: args.wide, ..Rules::default() },
    };
    let pool = args.threads.pool()?;
    let mut batch = Batch::new(&recipe, seed, 0);
    let mut from = 0;
    while from < args.count && !interrupt::requested() {
        let count = TOGETHER.min(args.count - from);
        for made in pool.install(|| batch.next(count)) {
            writer.write(args, from, made.map_err(refused)?)?;
            from += 1;
        }
    }
    say_repeats(&batch);
    writer.finish()
}

/// Says if there were not enough different puzzles.
pub(super) fn say_repeats(batch: &Batch<'_>) {
    if batch.repeats() > 0 {
        say(format_args!(
            "{} puzzles are repeated: {MOST_REPEATS} further attempts found no other one",
            batch.repeats()
        ));
    }
}

/// Writes only puzzles, or rows about them.
struct Writer {
    sink: Sink,
    seed: u64,
}

enum Sink {
    Text(Text, Stream, Exit),
    Rows(Box<Rows<Stream>>),
}

impl Writer {
    fn new(args: &Args, seed: u64) -> anyhow::Result<Writer> {
        let sink = match args.text {
            Some(text) => Sink::Text(text, files::stdout(), Exit::Fine),
            None => Sink::Rows(Box::new(args.output.rows(&PUZZLES, Shape::Many)?)),
        };
        Ok(Writer { sink, seed })
    }

    fn write(&mut self, args: &Args, number: u64, generated: Generated) -> anyhow::Result<()> {
        let reduced = reduce(args, self.seed, generated);
        match &mut self.sink {
            Sink::Text(text, out, exit) => {
                match write(*text, &reduced.puzzle, None, Some(&reduced.solution)) {
                    // Every puzzle can be drawn, so none was left out before this one.
                    Ok(puzzle) => {
                        out.write_all((between(*text, number) + &puzzle).as_bytes())?;
                    }
                    Err(error) => {
                        say(format_args!("puzzle {}: {error}", number + 1));
                        *exit = Exit::BadInput;
                    }
                }
            }
            Sink::Rows(rows) => rows.row(&made(number + 1, &reduced, reduced.graded()))?,
        }
        Ok(())
    }

    fn finish(self) -> Outcome {
        match self.sink {
            Sink::Text(_, mut out, exit) => {
                out.flush()?;
                Ok(exit)
            }
            Sink::Rows(rows) => {
                rows.finish()?;
                Ok(Exit::Fine)
            }
        }
    }
}

/// Minimises the puzzle if requested. Its level may then differ.
fn reduce(args: &Args, seed: u64, made: Generated) -> Generated {
    let what = match args.minimise {
        None => return made,
        Some(What::Operators) => Minimise::Operators,
        Some(What::Clues) => {
            Minimise::Clues { sizes: &args.making.cages, operators: args.making.operators }
        }
    };
    let reduced: Option<Puzzle> = minimise(&made.puzzle, what, seed);
    Generated { puzzle: reduced.unwrap_or(made.puzzle), level: None, ..made }
}
