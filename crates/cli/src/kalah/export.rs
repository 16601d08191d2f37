//! `everyply kalah export`

use std::{io::Write, ops::ControlFlow, path::PathBuf};

use anyhow::Context;
use game::{Game, Rank};
use kalah::Kalah;
use sinks::Unfinished;
use solver::{Row, Store};

use super::{
    best_cell,
    known::{Stored, open_store},
};
use crate::{
    exit::{Exit, Outcome},
    files, interrupt,
    rows::{Batches, Cell, Format, Output, Rows, Shape, Table, count, flag, number, text},
};

/// Write every position of a solved game as a table
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kalah export --store sqlite:kalah-4x3-std_either.sqlite --out k43.parquet
  everyply kalah export --store sqlite:k33.sqlite --format csv | head

Rows come in order of seeds in play, steps to the stores, and key. The same game gives the same
bytes from every store.")]
pub(crate) struct Args {
    #[command(flatten)]
    place: Stored,
    /// How to write the result [default: from the name of --out, else table]
    #[arg(long, alias = "to", value_enum)]
    format: Option<Format>,
    /// Write to a file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

/// The table `kalah.positions` of docs/formats.md.
static COLUMNS: Table = Table {
    name: "kalah.positions",
    columns: &[
        text("position"),
        count("seeds_in_play"),
        count("steps"),
        count("own_seeds"),
        count("moves"),
        flag("over"),
        count("depth"),
        number("value"),
        count("best"),
    ],
};

pub(crate) fn run(args: &Args) -> Outcome {
    let mut known = args.place.open()?;
    let (kalah, store) = (known.kalah, &mut *known.store);
    let format = Format::chosen(args.format, args.out.as_deref())?;
    let Some(out) = &args.out else {
        let rows = Rows::to_stdout(Output { format }, &COLUMNS, Shape::Many)?;
        write(&kalah, store, rows)?;
        return Ok(ended());
    };
    let rows = Rows::new(Unfinished::create(out)?, format, &COLUMNS, Shape::Many)?;
    files::complete(write(&kalah, store, rows)?)?;
    Ok(ended())
}

fn write<W: Write + Send>(
    kalah: &Kalah,
    store: &mut dyn Store,
    mut rows: Rows<W>,
) -> anyhow::Result<W> {
    // Whether all were read is known by the interruption.
    let _ = each_row(kalah, store, |cells| {
        rows.row(cells)?;
        let stop = interrupt::requested();
        Ok(if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    Ok(rows.finish()?)
}

fn ended() -> Exit {
    if interrupt::requested() { Exit::Interrupted } else { Exit::Fine }
}

/// The table as SQL knows it: `kalah_store('sqlite:kalah.sqlite')`.
pub(crate) fn supplier() -> sql::Supplier {
    sql::Supplier {
        name: "kalah_store",
        takes: "url",
        says: "The positions of a solved game of Kalah, as the table kalah.positions. The argument \
               is a store URL, as for --store.",
        example: "kalah_store('sqlite:kalah-4x3-std_either.sqlite')",
        schema: COLUMNS.schema(),
        rows: |url, take| supply(url, take).map_err(|error| format!("{error:#}")),
    }
}

fn supply(url: &str, take: &mut sql::Taker<'_>) -> anyhow::Result<()> {
    let mut known = open_store(url)?;
    let mut batches = Batches::new(&COLUMNS);
    let unread = each_row(&known.kalah, &mut *known.store, |cells| {
        Ok(batches.row(cells)?.map_or(ControlFlow::Continue(()), &mut *take))
    })?;
    if unread.is_continue()
        && let Some(rest) = batches.rest()?
    {
        // Whether more is wanted does not matter after the last.
        let _ = take(rest);
    }
    Ok(())
}

/// Hands over the cells of each position, in order, until told to stop.
fn each_row(
    kalah: &Kalah,
    store: &mut dyn Store,
    mut take: impl FnMut(&[Cell<'_>]) -> anyhow::Result<ControlFlow<()>>,
) -> anyhow::Result<ControlFlow<()>> {
    let mut ended = Ok(ControlFlow::Continue(()));
    store.scan(Rank::default()..=Rank::MAX, &mut |batch| {
        for row in batch {
            ended = cells(kalah, row).and_then(|cells| take(&cells));
            if !matches!(ended, Ok(ControlFlow::Continue(()))) {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(())
    })?;
    ended
}

fn cells(kalah: &Kalah, row: &Row) -> anyhow::Result<[Cell<'static>; 9]> {
    let position = kalah.unpack(row.key);
    let position = position.with_context(|| format!("{:#x} is not a position", row.key.0))?;
    Ok([
        position.to_string().into(),
        u64::from(row.rank.level).into(),
        u64::from(row.rank.step).into(),
        u64::from(position.own().total()).into(),
        (kalah.moves(&position).count() as u64).into(),
        kalah.outcome(&position).is_some().into(),
        u64::from(row.depth).into(),
        row.verdict.map(|verdict| i64::from(verdict.score.0)).into(),
        row.verdict.as_ref().map_or(Cell::Nothing, best_cell),
    ])
}
