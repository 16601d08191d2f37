//! `everyply kalah stats`

use std::path::PathBuf;

use clap::ValueEnum;
use game::Score;
use solver::{Count, statistics};

use super::known::Stored;
use crate::{
    exit::{Exit, Outcome, bad_command},
    files,
    plot::{AHEAD_EVEN_BEHIND, Chart, Column},
    rows::{Output, Rows, Shape, Table, count, number, real},
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
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = By::Seeds)]
    by: By,
    /// Also draw the counts, as SVG
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    output: Output,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum By {
    /// The seeds that are not in a store yet
    Seeds,
    /// The fewest moves from the start
    Depth,
    /// What the position is worth to the side to move
    Value,
    /// The order of work: seeds in play, then their steps to the stores
    Rank,
}

const COUNTS: [crate::rows::Column; 5] =
    [count("positions"), count("ahead"), count("even"), count("behind"), real("mean_value")];

macro_rules! columns {
    ($($first:expr),+) => { &[$($first,)+ COUNTS[0], COUNTS[1], COUNTS[2], COUNTS[3], COUNTS[4]] };
}

static BY_SEEDS: Table =
    Table { name: "kalah.stats_by_seeds", columns: columns!(count("seeds_in_play")) };
static BY_DEPTH: Table = Table { name: "kalah.stats_by_depth", columns: columns!(count("depth")) };
static BY_VALUE: Table = Table { name: "kalah.stats_by_value", columns: columns!(number("value")) };
static BY_RANK: Table = Table {
    name: "kalah.stats_by_rank",
    columns: columns!(count("seeds_in_play"), count("steps")),
};

pub(crate) fn run(args: &Args) -> Outcome {
    if args.plot.as_deref().is_some_and(files::is_stream) {
        return Err(bad_command("--plot -: standard output is used for the rows; name a file"));
    }
    let mut known = args.place.open()?;
    let statistics = statistics(&mut *known.store)?;
    // What a count is of: one number, or two for a rank.
    let kinds: Vec<(Vec<i64>, Count)> = match args.by {
        By::Seeds => single(statistics.by_level),
        By::Depth => single(statistics.by_depth),
        By::Value => single(statistics.by_score.into_iter().map(|(Score(n), count)| (n, count))),
        By::Rank => {
            let ranks = statistics.by_rank.into_iter();
            ranks.map(|(rank, n)| (vec![rank.level.into(), rank.step.into()], n)).collect()
        }
    };
    let (table, axis) = match args.by {
        By::Seeds => (&BY_SEEDS, "seeds in play"),
        By::Depth => (&BY_DEPTH, "fewest moves from the start"),
        By::Value => (&BY_VALUE, "value for the side to move"),
        By::Rank => (&BY_RANK, "rank"),
    };
    if let Some(path) = &args.plot {
        let columns = kinds.iter().map(|(kind, count)| {
            let name = kind.iter().map(ToString::to_string).collect::<Vec<_>>().join(".");
            bar(name, count)
        });
        let title = game::Game::name(&known.kalah);
        let chart = Chart { title: &title, axis, series: &AHEAD_EVEN_BEHIND };
        files::write(path, chart.stacked(&columns.collect::<Vec<_>>()).as_bytes())?;
    }
    let mut rows = Rows::to_stdout(args.output, table, Shape::Many)?;
    for (kind, count) in kinds {
        let signed = args.by == By::Value;
        let mut cells: Vec<crate::rows::Cell<'_>> = kind
            .into_iter()
            .map(|kind| if signed { kind.into() } else { (kind as u64).into() })
            .collect();
        let mean = (count.settled() > 0).then(|| mean(&count));
        cells.extend([count.positions, count.ahead, count.even, count.behind].map(Into::into));
        cells.push(mean.into());
        rows.row(&cells)?;
    }
    rows.finish()?;
    Ok(Exit::Fine)
}

fn single<K: Into<i64>>(counts: impl IntoIterator<Item = (K, Count)>) -> Vec<(Vec<i64>, Count)> {
    counts.into_iter().map(|(kind, count)| (vec![kind.into()], count)).collect()
}

/// How many positions are good for the side to move, as a bar.
pub(crate) fn bar(name: String, count: &Count) -> Column {
    let parts = [count.ahead, count.even, count.behind];
    Column { name, values: parts.map(|part| part as f64).into() }
}

/// The mean value, to four places: what follows tells nothing.
fn mean(count: &Count) -> f64 {
    (count.total as f64 / count.settled() as f64 * 1e4).round() / 1e4
}
