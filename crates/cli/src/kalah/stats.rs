//! `everyply kalah stats`

use std::path::PathBuf;

use clap::builder::TypedValueParser;
use pictures::chart::{AHEAD_EVEN_BEHIND, Chart, Column, Palette};
use solver::{Count, statistics};
use tables::{
    Shape,
    kalah::{By, counted},
};

use super::known::Stored;
use crate::{
    exit::{Exit, Outcome, bad_command},
    files,
    rows::{Output, choices},
};

/// Count the positions of a solved game by seeds in play, depth, value or rank
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kalah stats --store sqlite:kalah-4x3-std_either.sqlite
  everyply kalah stats --store sqlite:k43.sqlite --by depth --format csv
  everyply kalah stats --store sqlite:k43.sqlite --by value --plot values.svg")]
pub(crate) struct Args {
    #[command(flatten)]
    place: Stored,
    /// What to count by
    #[arg(long, value_name = "WHAT", default_value = "seeds", value_parser = kinds())]
    by: By,
    /// Also write a chart of the counts to this SVG file
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    output: Output,
}

pub(crate) fn run(args: &Args) -> Outcome {
    if args.plot.as_deref().is_some_and(files::is_stream) {
        return Err(bad_command("--plot -: standard output is used for the rows; name a file"));
    }
    let mut known = args.place.open()?;
    let statistics = statistics(&mut *known.store)?;
    let kinds = args.by.counts(&statistics);
    let axis = match args.by {
        By::Seeds => "seeds in play",
        By::Depth => "fewest moves from the start",
        By::Value => "value for the side to move",
        By::Rank => "rank",
    };
    if let Some(path) = &args.plot {
        let columns = kinds.iter().map(|(kind, count)| {
            let name = kind.iter().map(ToString::to_string).collect::<Vec<_>>().join(".");
            bar(name, count)
        });
        let title = game::Game::name(&known.kalah);
        let (series, palette) = (&AHEAD_EVEN_BEHIND, Palette::LIGHT);
        let chart = Chart { title: &title, axis, series, palette };
        files::write(path, chart.stacked(&columns.collect::<Vec<_>>()).as_bytes())?;
    }
    let mut rows = args.output.rows(args.by.table(), Shape::Many)?;
    for (kind, count) in kinds {
        rows.row(&counted(args.by, &kind, &count))?;
    }
    rows.finish()?;
    Ok(Exit::Fine)
}

/// The values of `--by`.
fn kinds() -> impl TypedValueParser<Value = By> {
    choices(&By::ALL, By::name, By::description)
}

/// A bar of positions by the sign of their value.
pub(crate) fn bar(name: String, count: &Count) -> Column {
    let parts = [count.ahead, count.even, count.behind];
    Column { name, values: parts.map(|part| part as f64).into() }
}
