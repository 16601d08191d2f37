//! The command `export`.

use std::{io::Write, ops::ControlFlow, path::PathBuf};

use sinks::Unfinished;
use tables::{
    Cell, Format, Rows, Shape, Table,
    game::{POSITIONS, position},
};

use crate::{
    Notation,
    exit::{Exit, Outcome},
    files, interrupt,
    rows::{self, Output, formats},
    stored::{Solved, Stored},
};

/// Write every position of a solved game as a table
///
/// Rows are sorted by level, step and key. The same game gives the same bytes from every kind of
/// store.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    stored: Stored,
    #[command(flatten)]
    to: Destination,
}

/// Where a table is written to, and in which format.
#[derive(Clone, Debug, clap::Args)]
pub struct Destination {
    /// Output format [default: from the extension of --out, otherwise table]
    #[arg(long, alias = "to", value_parser = formats())]
    format: Option<Format>,
    /// Write the result to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// Takes the cells of a row, and says whether more are wanted.
pub type Take<'a> = dyn FnMut(&[Cell<'_>]) -> ControlFlow<()> + 'a;

/// Writes every position of a store.
pub fn run<G: Notation>(args: &Args) -> Outcome {
    let mut solved = args.stored.open::<G>()?;
    report(&args.to, &POSITIONS, |take| positions(&mut solved, take))
}

/// Passes the rows of [`POSITIONS`] to `take`.
pub(crate) fn positions<G: Notation>(
    solved: &mut Solved<G>,
    take: &mut Take<'_>,
) -> anyhow::Result<()> {
    solved.each_row(|game, at, row| {
        let moves = game.outcome(at).is_none().then(|| {
            let mut moves = 0;
            game.edges(at, |_| moves += 1);
            moves
        });
        take(&position(row, game.write(at), moves, |mv| game.name_move(at, mv)))
    })
}

/// Writes the rows that `supply` passes on, to a file or to standard output, until a signal asks to
/// stop.
pub fn report(
    to: &Destination,
    table: &Table,
    supply: impl FnOnce(&mut Take<'_>) -> anyhow::Result<()>,
) -> Outcome {
    let format = rows::chosen(to.format, to.out.as_deref())?;
    match &to.out {
        None => drop(write(Output { format }.rows(table, Shape::Many)?, supply)?),
        Some(out) => {
            let rows = Rows::new(Unfinished::create(out)?, format, table, Shape::Many)?;
            files::complete(write(rows, supply)?)?;
        }
    }
    Ok(if interrupt::requested() { Exit::Interrupted } else { Exit::Fine })
}

fn write<W: Write + Send>(
    mut rows: Rows<W>,
    supply: impl FnOnce(&mut Take<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<W> {
    let mut failed = None;
    supply(&mut |cells| match rows.row(cells) {
        Err(error) => {
            failed = Some(error);
            ControlFlow::Break(())
        }
        Ok(()) if interrupt::requested() => ControlFlow::Break(()),
        Ok(()) => ControlFlow::Continue(()),
    })?;
    match failed {
        Some(error) => Err(error.into()),
        None => Ok(rows.finish()?),
    }
}
