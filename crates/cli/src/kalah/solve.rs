//! `everyply kalah solve`

use indicatif::{HumanBytes, ProgressBar};
use kalah::{Kalah, pie};
use solver::{Header, Next, Pass, Progress, Solution, SolveError, Store, lookup, solve};
use stores::Access;
use tables::{
    Shape,
    kalah::{self as table, SOLUTION},
};

use super::{Effort, Size, known::refused};
use crate::{
    exit::{Exit, Outcome, say},
    interrupt, progress,
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

The value is the final difference of the stores with best play, from the view of the side that moves
first. --resume continues work that was interrupted or killed. If the game is already solved, it
prints the result.")]
pub(crate) struct Args {
    #[command(flatten)]
    size: Size,
    /// Store for positions and values [default: sqlite:kalah-MxN-RULES.sqlite]
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// Resume work on an existing store
    #[arg(long)]
    resume: bool,
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
    let mut store = stores::open(&url, access).map_err(refused)?;
    let Some(solution) = solve_watched(&kalah, &mut *store, args.effort)? else {
        if url != "memory:" {
            say(format_args!("stopped; resume {} with --resume", stores::shown(&url)));
        }
        return Ok(Exit::Interrupted);
    };
    let opening = if args.pie { Some(pie_opening(&kalah, &mut *store)?) } else { None };
    let mut rows = args.output.rows(&SOLUTION, Shape::One)?;
    rows.row(&table::solution(&kalah, &solution, opening.as_ref(), &stores::shown(&url)))?;
    rows.finish()?;
    Ok(Exit::Fine)
}

/// Solves with a progress bar on the terminal; `None` if it was interrupted.
fn solve_watched(
    kalah: &Kalah,
    store: &mut dyn Store,
    effort: Effort,
) -> anyhow::Result<Option<Solution>> {
    // A large commit takes longer than a second.
    interrupt::be_patient(30);
    // The number of positions is unknown until all are enumerated, so there is no estimate.
    let mut bar = progress::search();
    let mut pass = Pass::Explore;
    let solved = effort.run(|| {
        solve(kalah, store, &effort.limits(), &mut |progress| {
            if pass != progress.pass {
                pass = progress.pass;
                bar.finish_and_clear();
                bar = progress::positions();
            }
            show(&bar, progress);
            if interrupt::requested() { Next::Stop } else { Next::Continue }
        })
    })?;
    bar.finish_and_clear();
    match solved {
        Ok(solution) => Ok(Some(solution)),
        Err(SolveError::Stopped) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn show(bar: &ProgressBar, progress: &Progress) {
    let pass = match progress.pass {
        Pass::Explore => "exploring",
        Pass::Settle => "settling",
    };
    let memory = HumanBytes(progress.memory as u64);
    let message = format!("{pass} rank {}, {memory} held", progress.rank);
    if bar.message() != message {
        bar.set_message(message);
    }
    if progress.pass == Pass::Settle {
        bar.set_length(progress.known);
    }
    bar.set_position(progress.done);
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
