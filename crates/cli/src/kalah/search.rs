//! `everyply kalah search`

use std::path::PathBuf;

use game::Numbered;
use kalah::{Kalah, Position, Rules, Standing};
use kalah_answers::{check_pits, check_rules, open_table};
use solver::{
    Next,
    search::{SearchLimits, search},
    table::TableError,
};
use tables::{
    Shape,
    kalah::{self as table, SEARCH},
};

use super::known::unanswered;
use crate::{
    exit::{Exit, Outcome, bad_command, bad_input},
    interrupt, limits, progress,
    rows::Output,
};

/// Solve one position exactly by searching down to a dense table
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kalah search --pits 6 --seeds 4 --table kalah6
  everyply kalah search --position 6,6,6,6,6/6,6,6,6,6 --table kalah5 --format json

The search uses the rules of the table. The more seeds the table has, the faster the search is.")]
pub(crate) struct Args {
    /// Number of pits on each side
    #[arg(long, value_name = "M", requires = "seeds", required_unless_present = "position")]
    pits: Option<usize>,
    /// Number of seeds in each pit at the start
    #[arg(long, value_name = "N", requires = "pits")]
    seeds: Option<u32>,
    /// Position to solve, in place of --pits and --seeds
    #[arg(long, value_name = "POSITION", conflicts_with = "pits")]
    position: Option<String>,
    /// Directory of a dense table
    #[arg(long, value_name = "DIR")]
    table: PathBuf,
    /// Rules that the table must have [default: any]
    #[arg(long, value_name = "RULES")]
    rules: Option<Rules>,
    /// RAM for table values and the transposition table, half for each, such as 2GiB
    #[arg(long, value_name = "SIZE", default_value = "2GiB", value_parser = limits::memory)]
    memory_limit: usize,
    #[command(flatten)]
    output: Output,
}

pub(crate) fn run(args: &Args) -> Outcome {
    args.output.check()?;
    let half = args.memory_limit / 2;
    let mut table = open_table(&args.table, half).map_err(unanswered)?;
    let rules = table.numbered().rules();
    check_rules(&args.table.display().to_string(), rules, args.rules).map_err(unanswered)?;
    let start = start(args, rules)?;
    check_pits(table.numbered().game(), &start).map_err(unanswered)?;
    let bar = progress::search();
    let found = search(&mut table, &start, &SearchLimits { memory: half }, &mut |progress| {
        let (least, most) = (progress.at_least, progress.at_most);
        bar.set_message(format!("the value is between {least} and {most}"));
        bar.set_position(progress.nodes);
        if interrupt::requested() { Next::Stop } else { Next::Continue }
    });
    bar.finish_and_clear();
    let found = match found {
        Ok(found) => found,
        Err(TableError::Stopped) => return Ok(Exit::Interrupted),
        Err(error @ TableError::NoMemory(_)) => {
            return Err(bad_command(format_args!("{error}; lower it with --memory-limit")));
        }
        Err(error) => return Err(error.into()),
    };
    let mut rows = args.output.rows(&SEARCH, Shape::One)?;
    rows.row(&table::search(table.numbered(), &start, &found))?;
    rows.finish()?;
    Ok(Exit::Fine)
}

fn start(args: &Args, rules: Rules) -> anyhow::Result<Position> {
    if let Some(text) = &args.position {
        return Ok(text.parse::<Standing>().map_err(bad_input)?.position);
    }
    let (pits, seeds) = args.pits.zip(args.seeds).expect("clap asks for both");
    Ok(game::Game::start(&Kalah::new(pits, seeds, rules).map_err(bad_command)?))
}
