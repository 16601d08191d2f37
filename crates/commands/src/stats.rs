//! The command `stats`, and what counts of every game have in common.

use std::path::{Path, PathBuf};

use clap::builder::TypedValueParser;
use pictures::chart::{AHEAD_EVEN_BEHIND, Chart, Column, Palette};
use solver::{Count, Stage, Statistics, statistics};
use tables::{
    Cell, Shape, Table,
    game::{By, STORE, store},
};

use crate::{
    Notation,
    exit::{Exit, Outcome, bad_command, say},
    files,
    rows::{Output, choices},
    stored::{Stored, refused},
};

/// Count the positions of a solved game by level, depth, value, number of moves or rank
///
/// A line on standard error says which game the store holds, how far it is solved, how many
/// positions it has, and their range of depth.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    stored: Stored,
    /// What to count by
    #[arg(long, value_name = "WHAT", default_value = "level", value_parser = kinds())]
    by: By,
    #[command(flatten)]
    shown: Shown,
    #[command(flatten)]
    output: Output,
}

/// What is shown of the counts.
#[derive(Clone, Debug, clap::Args)]
pub struct Shown {
    /// Print one row about the store in place of the counts
    #[arg(long, conflicts_with_all = ["by", "plot"])]
    pub summary: bool,
    /// Also write a chart of the counts to this SVG file
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
}

impl Shown {
    /// Refuses a chart among the rows.
    pub fn check(&self) -> anyhow::Result<()> {
        if self.plot.as_deref().is_some_and(files::is_stream) {
            return Err(bad_command("--plot -: standard output is used for the rows; name a file"));
        }
        Ok(())
    }
}

/// Counts the positions of a store.
pub fn run<G: Notation>(args: &Args) -> Outcome {
    args.shown.check()?;
    let mut solved = args.stored.open::<G>()?;
    let game = &solved.game;
    let found = statistics(game, &mut *solved.store).map_err(refused)?;
    let stage = solved.store.state().stage;
    if args.shown.summary {
        let row = store(game.name(), game.write(&game.start()), stage, &found);
        return summary_row(args.output, &STORE, &row);
    }
    let axis = match args.by {
        By::Level => "level",
        By::Depth => "fewest moves from the start",
        By::Value => "value for the side to move",
        By::Moves => "number of moves",
        By::Rank => "rank: level and step",
    };
    let counts = Counts { title: &game.name(), axis, table: args.by.table() };
    let row = |kind: &[i64], count: &Count| args.by.counted(kind, count);
    counts.report(&args.shown, args.output, &args.by.counts(&found), row)?;
    let far = |level, step| format!("explored down to level {level} and step {step}");
    say(summary(&game.name(), stage, &found, far));
    Ok(Exit::Fine)
}

/// Prints the row about a store.
pub fn summary_row(output: Output, table: &Table, row: &[Cell<'_>]) -> Outcome {
    let mut rows = output.rows(table, Shape::One)?;
    rows.row(row)?;
    rows.finish()?;
    Ok(Exit::Fine)
}

/// What counts are called.
pub struct Counts<'a> {
    /// The title of a chart.
    pub title: &'a str,
    /// What the axis of a chart counts.
    pub axis: &'a str,
    /// The table of the rows.
    pub table: &'static Table,
}

impl Counts<'_> {
    /// Prints counts, and draws them if that is asked for. `row` makes the row of a count.
    pub fn report(
        &self,
        shown: &Shown,
        output: Output,
        counts: &[(Vec<i64>, Count)],
        row: impl Fn(&[i64], &Count) -> Vec<Cell<'static>>,
    ) -> anyhow::Result<()> {
        if let Some(path) = &shown.plot {
            self.draw(path, counts)?;
        }
        let mut rows = output.rows(self.table, Shape::Many)?;
        for (kind, count) in counts {
            rows.row(&row(kind, count))?;
        }
        rows.finish()?;
        Ok(())
    }

    fn draw(&self, path: &Path, counts: &[(Vec<i64>, Count)]) -> anyhow::Result<()> {
        let columns = counts.iter().map(|(kind, count)| {
            let name = kind.iter().map(ToString::to_string).collect::<Vec<_>>().join(".");
            bar(name, count)
        });
        let (series, palette) = (&AHEAD_EVEN_BEHIND, Palette::LIGHT);
        let chart = Chart { title: self.title, axis: self.axis, series, palette };
        files::write(path, chart.stacked(&columns.collect::<Vec<_>>()).as_bytes())
    }
}

/// The game, how far it is, and how large it is, in one line. `explored` says how far exploring is,
/// of a level and a step.
pub fn summary(
    game: &str,
    stage: Stage,
    statistics: &Statistics,
    explored: impl Fn(u16, u16) -> String,
) -> String {
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
            format!("not solved yet: {}", explored(rank.level, rank.step))
        }
        Stage::Settling(_) => format!("not solved yet: {settled} positions have their value"),
    };
    format!("{game}: {far}, {positions} positions in the store{depths}")
}

/// A bar of positions by the sign of their value.
pub fn bar(name: String, count: &Count) -> Column {
    let parts = [count.ahead, count.even, count.behind];
    Column { name, values: parts.map(|part| part as f64).into() }
}

/// The values of `--by`.
fn kinds() -> impl TypedValueParser<Value = By> {
    choices(&By::ALL, By::name, By::description)
}
