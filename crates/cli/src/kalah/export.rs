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

use super::{best_cell, known::Stored};
use crate::{
    exit::{Exit, Outcome},
    interrupt,
    rows::{Format, Output, Rows, Shape, Table, count, flag, number, text},
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
    let mut failed = None;
    store.scan(Rank::default()..=Rank::MAX, &mut |batch| {
        let written = batch.iter().try_for_each(|row| write_row(kalah, row, &mut rows));
        failed = written.err();
        if failed.is_some() || interrupt::requested() {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })?;
    if let Some(error) = failed {
        return Err(error);
    }
    if interrupt::requested() {
        return Ok(Exit::Interrupted);
    }
    rows.finish()?;
    Ok(Exit::Fine)
}

fn write_row<W: Write + Send>(kalah: &Kalah, row: &Row, rows: &mut Rows<W>) -> anyhow::Result<()> {
    let position = kalah.unpack(row.key);
    let position = position.with_context(|| format!("{:#x} is no position", row.key.0))?;
    rows.row(&[
        position.to_string().into(),
        u64::from(row.rank.level).into(),
        u64::from(row.rank.step).into(),
        u64::from(position.own().total()).into(),
        (kalah.moves(&position).count() as u64).into(),
        kalah.outcome(&position).is_some().into(),
        u64::from(row.depth).into(),
        row.verdict.map(|verdict| i64::from(verdict.score.0)).into(),
        row.verdict.as_ref().map_or(crate::rows::Cell::Nothing, best_cell),
    ])?;
    Ok(())
}
