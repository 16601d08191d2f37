//! `everyply kalah stats`

use std::path::PathBuf;

use clap::builder::TypedValueParser;
use pictures::chart::{AHEAD_EVEN_BEHIND, Chart, Column, Palette};
use solver::{Count, Stage, Statistics, statistics};
use tables::{
    Shape,
    kalah::{By, STORE, counted, store},
};

use super::known::Stored;
use crate::{
    exit::{Exit, Outcome, bad_command, say},
    files,
    rows::{Output, choices},
};

/// Count the positions of a solved game by seeds in play, depth, value, number of moves or rank
///
/// A line on standard error says which game the store holds, how far it is solved, how many
/// positions it has, and their range of depth.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kalah stats --store sqlite:kalah-4x3-std_either.sqlite
  everyply kalah stats --store sqlite:k43.sqlite --by depth --format csv
  everyply kalah stats --store sqlite:k43.sqlite --by value --plot values.svg
  everyply kalah stats --store sqlite:k43.sqlite --by moves --plot branching.svg
  everyply kalah stats --store sqlite:k43.sqlite --by rank --plot ranks.svg
  everyply kalah stats --store sqlite:k43.sqlite --summary --format json")]
pub(crate) struct Args {
    #[command(flatten)]
    place: Stored,
    /// What to count by
    #[arg(long, value_name = "WHAT", default_value = "seeds", value_parser = kinds())]
    by: By,
    /// Print one row about the store in place of the counts
    #[arg(long, conflicts_with_all = ["by", "plot"])]
    summary: bool,
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
    let statistics = statistics(&known.kalah, &mut *known.store)?;
    let stage = known.store.state().stage;
    if args.summary {
        let mut rows = args.output.rows(&STORE, Shape::One)?;
        rows.row(&store(&known.kalah, stage, &statistics))?;
        rows.finish()?;
        return Ok(Exit::Fine);
    }
    let kinds = args.by.counts(&statistics);
    let axis = match args.by {
        By::Seeds => "seeds in play",
        By::Depth => "fewest moves from the start",
        By::Value => "value for the side to move",
        By::Moves => "number of moves",
        By::Rank => "rank: seeds in play and steps",
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
    say(summary(&game::Game::name(&known.kalah), stage, &statistics));
    Ok(Exit::Fine)
}

/// The game, how far it is, and how large it is, in one line.
fn summary(game: &str, stage: Stage, statistics: &Statistics) -> String {
    let counts = statistics.by_depth.values();
    let positions: u64 = counts.clone().map(|count| count.positions).sum();
    let settled: u64 = counts.map(Count::settled).sum();
    let depths = &statistics.by_depth;
    let depths = match (depths.first_key_value(), depths.last_key_value()) {
        (Some((least, _)), Some((most, _))) => format!(", depth {least} to {most}"),
        _ => String::new(),
    };
    let far = match stage {
        Stage::Solved => "solved".to_owned(),
        Stage::Exploring(None) => "exploring has just begun".to_owned(),
        Stage::Exploring(Some(rank)) => {
            let (seeds, steps) = (rank.level, rank.step);
            format!("not solved yet: explored down to {seeds} seeds in play and {steps} steps")
        }
        Stage::Settling(_) => format!("not solved yet: {settled} positions have their value"),
    };
    format!("{game}: {far}, {positions} positions in the store{depths}")
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
