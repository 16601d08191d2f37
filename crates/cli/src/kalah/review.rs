//! `everyply kalah review`

use std::{
    fmt::Display,
    io::Read,
    path::{Path, PathBuf},
};

use kalah::{Record, RecordError};
use kalah_answers::{Oracle, Reviewed};
use sources::Source;
use tables::{
    Shape,
    kalah::{REVIEW, review},
};

use super::known::{self, Thinking, unanswered};
use crate::{
    exit::{Exit, Outcome, bad_input},
    interrupt,
    rows::Output,
};

/// Print what each move of a saved game gave away
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kalah review game.kalah
  everyply kalah review game.kalah --store sqlite:kalah-4x3-std_either.sqlite --format csv
  printf 'start 3x3\\nmoves 1+2 3' | everyply kalah review -

A saved game has lines 'rules', 'start' and 'moves', as 'kalah play' saves it. The value is that of
the position for its mover; gave is 0 for a best move.")]
pub(crate) struct Args {
    /// Saved game, or - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    source: known::Source,
    #[command(flatten)]
    output: Output,
}

pub(crate) fn run(args: &Args) -> Outcome {
    args.output.check()?;
    let record = read(&args.file)?;
    let mut oracle = args.source.open_for(Some(record.kalah().rules()))?;
    let judged = judged(&mut oracle, &record)?;
    if interrupt::requested() {
        return Ok(Exit::Interrupted);
    }
    let judged: Vec<_> = judged
        .iter()
        .map(|reviewed| (reviewed.answer.between.value(), reviewed.answer.best, reviewed.gave))
        .collect();
    let mut out = args.output.rows(&REVIEW, Shape::Many)?;
    for row in review(&record, &judged) {
        out.row(&row)?;
    }
    out.finish()?;
    Ok(Exit::Fine)
}

/// What each move of a game gave away.
pub(super) fn judged(oracle: &mut Oracle, record: &Record) -> anyhow::Result<Vec<Reviewed>> {
    let mut thinking = Thinking::new();
    oracle.review(record, &mut |event| thinking.heed(event)).map_err(unanswered)
}

/// A saved game.
pub(super) fn read(path: &Path) -> anyhow::Result<Record> {
    let mut bytes = Vec::new();
    let source = Source::open(path).map_err(bad_input)?;
    let name = source.name().to_owned();
    let wrong = |what: &dyn Display| bad_input(format_args!("{name}: {what}"));
    source.take(MOST_BYTES).read_to_end(&mut bytes).map_err(|error| wrong(&error))?;
    let text = str::from_utf8(&bytes).map_err(|_| wrong(&"it is not UTF-8 text"))?;
    text.parse().map_err(|error: RecordError| wrong(&error))
}

/// A longer file is not the record of one game.
const MOST_BYTES: u64 = 1 << 20;
