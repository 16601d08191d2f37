//! `everyply kalah solve`

mod cluster;

use commands::{
    effort::Effort,
    solve::{say_stopped, watched},
    stored::refused,
};
use kalah::{Kalah, pie};
use solver::{Header, Store, lookup};
use sql::cluster::Address;
use stores::Access;
use tables::{
    Shape,
    kalah::{self as table, SOLUTION},
};

use super::Size;
use crate::{
    exit::{Exit, Outcome},
    rows::Output,
};

/// Solve a game completely: find the value and best move of every reachable position
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kalah solve --pits 4 --seeds 3
  everyply kalah solve --pits 3 --seeds 3 --rules empty_either --store memory: --format json
  everyply kalah solve --pits 4 --seeds 4 --store file:kalah44 --resume
  everyply kalah solve --pits 4 --seeds 3 --store postgres://user@host/games?schema=kalah43
  everyply kalah solve --pits 5 --seeds 4 --store s3://bucket/kalah54 --cluster df://sched:50050

The value is the final difference of the stores with best play, from the view of the side that moves
first. --resume continues work that was interrupted or killed. If the game is already solved, it
prints the result. With --cluster the executors do the work (docs/cluster.md), and the store is the
same afterwards; --store is required, --threads has no effect, and --memory-limit bounds how many
regions a task combines.")]
pub(crate) struct Args {
    #[command(flatten)]
    size: Size,
    /// Store for positions and values [default: sqlite:kalah-MxN-RULES.sqlite]
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// Resume work on an existing store
    #[arg(long)]
    resume: bool,
    /// Solve on the cluster with this scheduler, df://HOST:PORT, into a directory (file:) or bucket
    /// that all its machines share
    #[arg(long, value_name = "URL")]
    cluster: Option<Address>,
    /// Also print the value under the pie rule: after the first turn the second player may swap
    /// sides
    #[arg(long)]
    pie: bool,
    #[command(flatten)]
    effort: Effort,
    #[command(flatten)]
    output: Output,
}

pub(crate) fn run(args: &Args) -> Outcome {
    args.output.check()?;
    let kalah = args.size.kalah()?;
    let Size { pits, seeds, rules } = args.size;
    let url = args.store.clone();
    let url = url.unwrap_or_else(|| format!("sqlite:kalah-{pits}x{seeds}-{rules}.sqlite"));
    let header = Header::of(&kalah);
    let access = if args.resume { Access::Resume(header) } else { Access::Create(header) };
    let stopped = || {
        say_stopped(&url);
        Ok(Exit::Interrupted)
    };
    let access = match &args.cluster {
        None => access,
        Some(address) => {
            if !cluster::solve(&kalah, &url, &access, address, args.effort)? {
                return stopped();
            }
            // What is left to do is to look at the result.
            Access::Read
        }
    };
    let mut store = stores::open(&url, access).map_err(refused)?;
    let Some(solution) = watched(&kalah, &mut *store, args.effort)? else {
        return stopped();
    };
    let opening = if args.pie { Some(pie_opening(&kalah, &mut *store)?) } else { None };
    let mut rows = args.output.rows(&SOLUTION, Shape::One)?;
    rows.row(&table::solution(&kalah, &solution, opening.as_ref(), &stores::shown(&url)))?;
    rows.finish()?;
    Ok(Exit::Fine)
}

fn pie_opening(kalah: &Kalah, store: &mut dyn Store) -> anyhow::Result<pie::Opening> {
    let mut failed = None;
    let openings = pie::openings(kalah, |position| match lookup(kalah, store, position) {
        Ok(row) => row?.verdict.map(|verdict| verdict.score),
        Err(error) => {
            failed = Some(error);
            None
        }
    });
    if let Some(error) = failed {
        return Err(error.into());
    }
    let openings = openings.ok_or_else(|| anyhow::anyhow!("a first move has no value"))?;
    let best = pie::best(&openings).ok_or_else(|| anyhow::anyhow!("there is no first move"))?;
    Ok(best.clone())
}
