//! `everyply kalah verify`

use std::collections::BTreeSet;

use commands::{
    effort::Effort,
    verify::{Scope, Verified, mend_store, mending, report, show, verify_store},
};
use game::{Rank, Sheet};
use kalah_answers::{Answers, DenseTable};
use solver::table::{self, BuildLimits, BuildProgress, TableError, TableReport};
use tables::kalah::{FAULTS, fault, table_fault};

use super::known::{Place, unanswered};
use crate::{exit::Outcome, progress, rows::Output};

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
    #[command(flatten)]
    scope: Scope,
    #[command(flatten)]
    effort: Effort,
    #[command(flatten)]
    output: Output,
}

pub(crate) fn run(args: &Args) -> Outcome {
    report(&args.scope, args.output, &FAULTS, || verify_once(args), |damage| mend(args, damage))
}

/// The damaged parts.
enum Damage {
    Ranks(BTreeSet<Rank>),
    Sheets(BTreeSet<Sheet>),
}

fn verify_once(args: &Args) -> anyhow::Result<Option<Verified<Damage>>> {
    match args.place.open(0)? {
        Answers::Solved(mut solved) => {
            solved.check_finished().map_err(unanswered)?;
            let (kalah, sample) = (solved.kalah, args.scope.sample());
            let row = |found: &_| fault(&kalah, found);
            let verified = verify_store(&kalah, &mut *solved.store, sample, args.effort, row)?;
            Ok(verified.map(|verified| verified.with(Damage::Ranks)))
        }
        Answers::Table(table) => verify_table(args, &table),
    }
}

/// Solves the damaged parts again; false if it was interrupted.
fn mend(args: &Args, damage: &Damage) -> anyhow::Result<bool> {
    match (args.place.open(0)?, damage) {
        (Answers::Solved(solved), Damage::Ranks(ranks)) => {
            let kalah = solved.kalah;
            // A reader keeps writers out.
            drop(solved);
            let mut store = args.place.open_to_write(&kalah)?;
            mend_store(&kalah, &mut *store, ranks, args.effort)
        }
        (Answers::Table(dense), Damage::Sheets(damaged)) => mending(|bar| {
            let limits = BuildLimits { memory: args.effort.memory_limit };
            let watch = &mut |progress: &BuildProgress| show(bar, progress.done, progress.total);
            let (sheets, directory) = (dense.numbered(), dense.place());
            let repair = || table::repair(sheets, directory, damaged, &limits, watch);
            Ok(args.effort.run(repair)?.map(drop)?)
        }),
        _ => unreachable!("it is the same place"),
    }
}

fn verify_table(args: &Args, dense: &DenseTable) -> anyhow::Result<Option<Verified<Damage>>> {
    let bar = progress::positions();
    let found = args.effort.run(|| {
        let (sample, memory) = (args.scope.sample(), args.effort.memory_limit);
        let watch = &mut |done, aim| show(&bar, done, aim);
        table::verify(dense.numbered(), dense.place(), sample, memory, watch)
    })?;
    bar.finish_and_clear();
    match found {
        Ok(TableReport { checked, positions: all, faults, wrong, damaged }) => {
            let faults = faults.iter().map(table_fault).collect();
            Ok(Some(Verified { checked, all, wrong, faults, damage: Damage::Sheets(damaged) }))
        }
        Err(TableError::Stopped) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
