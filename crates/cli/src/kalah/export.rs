//! `everyply kalah export`

use std::{
    fs::{self, File},
    io::{BufWriter, Write},
    ops::ControlFlow,
    path::{Path, PathBuf},
};

use anyhow::Context;
use game::{Game, Rank};
use kalah::Kalah;
use solver::{Row, Store};

use super::{
    best_cell,
    known::{Stored, open_store},
};
use crate::{
    exit::{Exit, Outcome},
    interrupt,
    rows::{Batches, Cell, Format, Output, Rows, Shape, Table, count, flag, number, text},
};

/// Write every position of a solved game as a table
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kalah export --store sqlite:kalah-4x3-std_either.sqlite --to parquet --out k43.parquet
  everyply kalah export --store sqlite:k33.sqlite --to csv | head

Rows come in order of seeds in play, steps to the stores, and key. The same game gives the same
bytes from every store.")]
pub(crate) struct Args {
    #[command(flatten)]
    place: Stored,
    /// How to write it
    #[arg(long = "to", alias = "format", value_enum, default_value_t = Format::Parquet)]
    format: Format,
    /// Where to write it [default: standard output]
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
    let Some(out) = &args.out else {
        let rows = Rows::to_stdout(Output { format: args.format }, &COLUMNS, Shape::Many)?;
        return write(&kalah, store, rows);
    };
    // A file with the name that was asked for is a whole one.
    let part = part_of(out);
    let file = File::create(&part).with_context(|| format!("cannot write {}", part.display()))?;
    let rows = Rows::new(BufWriter::new(&file), args.format, &COLUMNS, Shape::Many)?;
    let outcome = write(&kalah, store, rows);
    if matches!(outcome, Ok(Exit::Fine)) {
        file.sync_all()?;
        fs::rename(&part, out).with_context(|| format!("cannot write {}", out.display()))?;
    } else {
        // What went wrong is more important than that the rest could not be removed.
        let _ = fs::remove_file(&part);
    }
    outcome
}

fn part_of(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

fn write<W: Write + Send>(kalah: &Kalah, store: &mut dyn Store, mut rows: Rows<W>) -> Outcome {
    let unread = each_row(kalah, store, |cells| {
        rows.row(cells)?;
        let stop = interrupt::requested();
        Ok(if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })?;
    if unread.is_break() {
        return Ok(Exit::Interrupted);
    }
    rows.finish()?;
    Ok(Exit::Fine)
}

/// The table as SQL knows it: `kalah_store('sqlite:kalah.sqlite')`.
pub(crate) fn supplier() -> sql::Supplier {
    sql::Supplier {
        name: "kalah_store",
        takes: "url",
        says: "The positions of a solved game of Kalah, as the table kalah.positions; the URL is that \
               of --store.",
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
    let position = position.with_context(|| format!("{:#x} is no position", row.key.0))?;
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
