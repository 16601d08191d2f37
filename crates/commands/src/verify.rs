//! The command `verify`, and what verifying a store and a table have in common.

use std::collections::BTreeSet;

use game::{Game, Rank};
use indicatif::ProgressBar;
use solver::{Next, Progress, Report, Sample, SolveError, Store};
use tables::{
    Cell, Shape, Table,
    game::{FAULTS, fault},
};

use crate::{
    Notation,
    effort::Effort,
    exit::{Exit, Outcome, say},
    interrupt, progress,
    rows::Output,
    solve::located,
    stored::Stored,
};

/// Recompute the values of a solved game, and report any that is wrong or missing
///
/// Each row names a fault, such as a wrong or missing value. If everything is correct there are no
/// rows, and the exit code is 0. With --repair the damaged parts are solved again, and the exit code
/// is 0 if everything is correct afterwards.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    stored: Stored,
    #[command(flatten)]
    scope: Scope,
    #[command(flatten)]
    effort: Effort,
    #[command(flatten)]
    output: Output,
}

/// What is verified, and what happens to faults.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Scope {
    /// Check this many positions, chosen at random [default: all]
    #[arg(long, value_name = "N")]
    sample: Option<u64>,
    /// Random seed; the same seed gives the same result
    #[arg(long, value_name = "SEED", default_value_t = 0, requires = "sample")]
    seed: u64,
    /// Solve the damaged parts again, and verify once more
    #[arg(long, conflicts_with = "sample")]
    repair: bool,
}

impl Scope {
    /// Which positions are verified.
    pub fn sample(&self) -> Sample {
        match self.sample {
            None => Sample::All,
            Some(rows) => Sample::Some { rows, seed: self.seed },
        }
    }
}

/// The result of verifying a store or a table. `D` says which parts are damaged.
pub struct Verified<D> {
    /// Positions that were recomputed.
    pub checked: u64,
    /// Positions there are.
    pub all: u64,
    /// The number of faults.
    pub wrong: u64,
    /// A row for each fault that is listed.
    pub faults: Vec<[Cell<'static>; 9]>,
    /// The damaged parts.
    pub damage: D,
}

impl<D> Verified<D> {
    /// The same result, with other words for the damaged parts.
    pub fn with<E>(self, change: impl FnOnce(D) -> E) -> Verified<E> {
        let Verified { checked, all, wrong, faults, damage } = self;
        Verified { checked, all, wrong, faults, damage: change(damage) }
    }

    fn say(&self) {
        let Verified { checked, all, wrong, .. } = self;
        match wrong {
            0 => say(format_args!("{checked} of {all} positions recomputed, all correct")),
            _ => say(format_args!("{checked} of {all} positions recomputed, {wrong} wrong")),
        }
    }
}

/// Verifies the store of a solved game.
pub fn run<G: Notation>(args: &Args) -> Outcome {
    let once = || {
        let mut solved = args.stored.open::<G>()?;
        solved.check_finished()?;
        let (game, store) = (&solved.game, &mut *solved.store);
        let verified = verify_store(game, store, args.scope.sample(), args.effort, |found| {
            let position = |key| match game.unpack(key) {
                Some(position) => game.write(&position),
                None => format!("{:#x}", key.0),
            };
            let best = |key, mv| {
                let position = game.unpack(key);
                position.map(|position| game.name_move(&position, mv)).into()
            };
            fault(found, position, best)
        });
        verified.map_err(|error| located(game, error))
    };
    let mend = |ranks: &BTreeSet<Rank>| {
        // A reader keeps writers out.
        let game = args.stored.open::<G>()?.game;
        let mut store = args.stored.open_to_write(&game)?;
        mend_store(&game, &mut *store, ranks, args.effort)
    };
    report(&args.scope, args.output, &FAULTS, once, mend)
}

/// Prints the faults that `once` finds, and has them mended if that is asked for. Both return
/// nothing, or false, if they were interrupted.
pub fn report<D>(
    scope: &Scope,
    output: Output,
    table: &Table,
    mut once: impl FnMut() -> anyhow::Result<Option<Verified<D>>>,
    mend: impl FnOnce(&D) -> anyhow::Result<bool>,
) -> Outcome {
    output.check()?;
    let Some(verified) = once()? else { return Ok(Exit::Interrupted) };
    let mut rows = output.rows(table, Shape::Many)?;
    for fault in &verified.faults {
        rows.row(fault)?;
    }
    rows.finish()?;
    verified.say();
    if verified.wrong == 0 {
        return Ok(Exit::Fine);
    }
    if !scope.repair {
        return Ok(Exit::BadInput);
    }
    if !mend(&verified.damage)? {
        return Ok(Exit::Interrupted);
    }
    let Some(again) = once()? else { return Ok(Exit::Interrupted) };
    again.say();
    Ok(if again.wrong == 0 { Exit::Fine } else { Exit::BadInput })
}

/// Recomputes the values of a store; `None` if it was interrupted. `row` makes the row of a fault.
pub fn verify_store<G: Game>(
    game: &G,
    store: &mut dyn Store,
    sample: Sample,
    effort: Effort,
    row: impl Fn(&solver::Fault) -> [Cell<'static>; 9],
) -> anyhow::Result<Option<Verified<BTreeSet<Rank>>>> {
    let bar = progress::positions();
    let report = effort.run(|| {
        let watch = &mut |done, aim| show(&bar, done, aim);
        solver::verify(game, store, sample, &effort.limits(), watch)
    })?;
    bar.finish_and_clear();
    match report {
        Ok(Report { checked, rows: all, faults, wrong, damaged }) => {
            let faults = faults.iter().map(row).collect();
            Ok(Some(Verified { checked, all, wrong, faults, damage: damaged }))
        }
        Err(SolveError::Stopped) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Solves damaged ranks again; false if it was interrupted.
pub fn mend_store<G: Game>(
    game: &G,
    store: &mut dyn Store,
    ranks: &BTreeSet<Rank>,
    effort: Effort,
) -> anyhow::Result<bool> {
    mending(|bar| {
        let watch = &mut |progress: &Progress| show(bar, progress.done, progress.known);
        let limits = effort.limits();
        Ok(effort.run(|| solver::repair(game, store, ranks, &limits, watch))?.map(drop)?)
    })
}

/// Runs work that mends something, with a progress bar; false if it was interrupted.
pub fn mending(work: impl FnOnce(&ProgressBar) -> anyhow::Result<()>) -> anyhow::Result<bool> {
    interrupt::be_patient(60);
    let bar = progress::positions();
    let ended = work(&bar);
    bar.finish_and_clear();
    match ended {
        Ok(()) => Ok(true),
        Err(_) if interrupt::requested() => Ok(false),
        Err(error) => Err(error),
    }
}

/// Shows how far work is, and stops it after a signal.
pub fn show(bar: &ProgressBar, done: u64, aim: u64) -> Next {
    bar.set_length(aim);
    bar.set_position(done);
    if interrupt::requested() { Next::Stop } else { Next::Continue }
}
