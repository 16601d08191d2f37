//! `everyply kalah export`

use std::{io::Write, ops::ControlFlow, path::PathBuf};

use kalah_answers::Solved;
use sinks::Unfinished;
use tables::{
    Format, Rows, Shape,
    kalah::{POSITIONS, position},
};

use super::known::{Stored, unanswered};
use crate::{
    exit::{Exit, Outcome},
    files, interrupt,
    rows::{self, Output, formats},
};

/// Write every position of a solved game as a table
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kalah export --store sqlite:kalah-4x3-std_either.sqlite --out k43.parquet
  everyply kalah export --store sqlite:k33.sqlite --format csv | head

Rows are sorted by seeds in play, then by the total distance of the seeds from their stores, then by
key. The same game gives the same bytes from every kind of store.")]
pub(crate) struct Args {
    #[command(flatten)]
    place: Stored,
    /// Output format [default: from the extension of --out, otherwise table]
    #[arg(long, alias = "to", value_parser = formats())]
    format: Option<Format>,
    /// Write the result to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let mut solved = args.place.open()?;
    let format = rows::chosen(args.format, args.out.as_deref())?;
    let Some(out) = &args.out else {
        let rows = Output { format }.rows(&POSITIONS, Shape::Many)?;
        write(&mut solved, rows)?;
        return Ok(ended());
    };
    let rows = Rows::new(Unfinished::create(out)?, format, &POSITIONS, Shape::Many)?;
    files::complete(write(&mut solved, rows)?)?;
    Ok(ended())
}

fn write<W: Write + Send>(solved: &mut Solved, mut rows: Rows<W>) -> anyhow::Result<W> {
    let kalah = solved.kalah;
    let end = solved.each_position(|at, row| match rows.row(&position(&kalah, at, row)) {
        Err(error) => ControlFlow::Break(Err(error)),
        Ok(()) if interrupt::requested() => ControlFlow::Break(Ok(())),
        Ok(()) => ControlFlow::Continue(()),
    });
    if let ControlFlow::Break(stopped) = end.map_err(unanswered)? {
        stopped?;
    }
    Ok(rows.finish()?)
}

fn ended() -> Exit {
    if interrupt::requested() { Exit::Interrupted } else { Exit::Fine }
}
