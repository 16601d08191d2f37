//! `everyply kalah verify`

use std::collections::BTreeSet;

use game::{Rank, Sheet};
use indicatif::ProgressBar;
use kalah_answers::{Answers, DenseTable, Solved};
use solver::{
    Next, Progress, Report, Sample, SolveError, repair,
    table::{self, BuildLimits, BuildProgress, TableError, TableReport},
    verify,
};
use tables::{
    Cell, Shape,
    kalah::{FAULTS, fault, table_fault},
};

use super::{
    Effort,
    known::{Place, unanswered},
};
use crate::{
    exit::{Exit, Outcome, say},
    interrupt, progress,
    rows::Output,
};

/// Recompute the values of a solved game, and report any that is wrong or missing
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kalah verify --store sqlite:kalah-4x3-std_either.sqlite
  everyply kalah verify --store sqlite:k43.sqlite --sample 10000 --seed 7 --format json
  everyply kalah verify --table kalah6 --sample 1000000
  everyply kalah verify --store file:kalah44 --repair

Each row names a fault, such as a wrong or missing value. If everything is correct there are no
rows, and the exit code is 0. With --repair the damaged parts are solved again, and the exit code is
0 if everything is correct afterwards.")]
pub(crate) struct Args {
    #[command(flatten)]
    place: Place,
    /// Check this many positions, chosen at random [default: all]
    #[arg(long, value_name = "N")]
    sample: Option<u64>,
    /// Random seed; the same seed gives the same result
    #[arg(long, value_name = "SEED", default_value_t = 0, requires = "sample")]
    seed: u64,
    /// Solve the damaged parts again, and verify once more
    #[arg(long, conflicts_with = "sample")]
    repair: bool,
    #[command(flatten)]
    effort: Effort,
    #[command(flatten)]
    output: Output,
}

pub(crate) fn run(args: &Args) -> Outcome {
    args.output.check()?;
    let sample = match args.sample {
        None => Sample::All,
        Some(rows) => Sample::Some { rows, seed: args.seed },
    };
    let Some(verified) = verify_once(args, sample)? else { return Ok(Exit::Interrupted) };
    let mut rows = args.output.rows(&FAULTS, Shape::Many)?;
    for fault in &verified.faults {
        rows.row(fault)?;
    }
    rows.finish()?;
    verified.say();
    if verified.wrong == 0 {
        return Ok(Exit::Fine);
    }
    if !args.repair {
        return Ok(Exit::BadInput);
    }
    if !mend(args, &verified.damage)? {
        return Ok(Exit::Interrupted);
    }
    let Some(again) = verify_once(args, sample)? else { return Ok(Exit::Interrupted) };
    again.say();
    Ok(if again.wrong == 0 { Exit::Fine } else { Exit::BadInput })
}

fn verify_once(args: &Args, sample: Sample) -> anyhow::Result<Option<Verified>> {
    match args.place.open(0)? {
        Answers::Solved(mut solved) => verify_store(args, &mut solved, sample),
        Answers::Table(table) => verify_table(args, &table, sample),
    }
}

/// Solves the damaged parts again; false if it was interrupted.
fn mend(args: &Args, damage: &Damage) -> anyhow::Result<bool> {
    interrupt::be_patient(60);
    let bar = progress::positions();
    let ended = match (args.place.open(0)?, damage) {
        (Answers::Solved(solved), Damage::Ranks(ranks)) => {
            let (kalah, limits) = (solved.kalah, args.effort.limits());
            // A reader keeps writers out.
            drop(solved);
            let mut store = args.place.open_to_write(&kalah)?;
            let watch = &mut |progress: &Progress| show(&bar, progress.done, progress.known);
            let ended = args.effort.run(|| repair(&kalah, &mut *store, ranks, &limits, watch))?;
            ended.map(drop).map_err(anyhow::Error::from)
        }
        (Answers::Table(dense), Damage::Sheets(damaged)) => {
            let limits = BuildLimits { memory: args.effort.memory_limit };
            let watch = &mut |progress: &BuildProgress| show(&bar, progress.done, progress.total);
            let (sheets, directory) = (dense.numbered(), dense.place());
            let ended =
                args.effort.run(|| table::repair(sheets, directory, damaged, &limits, watch))?;
            ended.map(drop).map_err(anyhow::Error::from)
        }
        _ => unreachable!("it is the same place"),
    };
    bar.finish_and_clear();
    match ended {
        Ok(()) => Ok(true),
        Err(_) if interrupt::requested() => Ok(false),
        Err(error) => Err(error),
    }
}

/// The result of verifying a store or a table.
struct Verified {
    checked: u64,
    all: u64,
    wrong: u64,
    faults: Vec<[Cell<'static>; 9]>,
    damage: Damage,
}

/// The damaged parts.
enum Damage {
    Ranks(BTreeSet<Rank>),
    Sheets(BTreeSet<Sheet>),
}

impl Verified {
    fn say(&self) {
        let Verified { checked, all, wrong, .. } = self;
        match wrong {
            0 => say(format_args!("{checked} of {all} positions recomputed, all correct")),
            _ => say(format_args!("{checked} of {all} positions recomputed, {wrong} wrong")),
        }
    }
}

fn verify_store(
    args: &Args,
    solved: &mut Solved,
    sample: Sample,
) -> anyhow::Result<Option<Verified>> {
    let (kalah, limits) = (solved.kalah, args.effort.limits());
    solved.check_finished().map_err(unanswered)?;
    let bar = progress::positions();
    let report = args.effort.run(|| {
        verify(&kalah, &mut *solved.store, sample, &limits, &mut |done, aim| show(&bar, done, aim))
    })?;
    bar.finish_and_clear();
    match report {
        Ok(Report { checked, rows: all, faults, wrong, damaged }) => {
            let faults = faults.iter().map(|found| fault(&kalah, found)).collect();
            Ok(Some(Verified { checked, all, wrong, faults, damage: Damage::Ranks(damaged) }))
        }
        Err(SolveError::Stopped) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn verify_table(
    args: &Args,
    dense: &DenseTable,
    sample: Sample,
) -> anyhow::Result<Option<Verified>> {
    let bar = progress::positions();
    let report = args.effort.run(|| {
        let memory = args.effort.memory_limit;
        let watch = &mut |done, aim| show(&bar, done, aim);
        table::verify(dense.numbered(), dense.place(), sample, memory, watch)
    })?;
    bar.finish_and_clear();
    match report {
        Ok(TableReport { checked, positions: all, faults, wrong, damaged }) => {
            let faults = faults.iter().map(table_fault).collect();
            Ok(Some(Verified { checked, all, wrong, faults, damage: Damage::Sheets(damaged) }))
        }
        Err(TableError::Stopped) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn show(bar: &ProgressBar, done: u64, aim: u64) -> Next {
    bar.set_length(aim);
    bar.set_position(done);
    if interrupt::requested() { Next::Stop } else { Next::Continue }
}
