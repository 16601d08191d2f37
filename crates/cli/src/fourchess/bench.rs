//! `everyply fourchess bench`

use std::{num::NonZeroUsize, time::Instant};

use fourchess_env::{Batch, Config, Outputs, Player};
use tables::{
    Shape,
    fourchess::{self, BENCH},
};

use super::{
    Place, Preset,
    device::{self, Device},
};
use crate::{
    exit::{Exit, Outcome, bad_command},
    interrupt, progress,
    rows::Output,
    threads,
};

/// Measure the speed of the batched environment in steps per second
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply fourchess bench
  everyply fourchess bench --games 16384 --steps 100 --threads 2 --rules jax --format json
  everyply fourchess bench --device cuda --games 32768

Random players play all games of the batch. A game that ends is reset. The time is wall-clock time
and includes choosing the actions.")]
pub(crate) struct Args {
    #[command(flatten)]
    preset: Preset,
    /// Number of games in the batch
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    games: u32,
    /// Number of steps for each game
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..))]
    steps: u32,
    /// Number of threads
    #[arg(long, value_name = "T", default_value_t = NonZeroUsize::MIN, value_parser = threads::number)]
    threads: NonZeroUsize,
    #[command(flatten)]
    place: Place,
    #[command(flatten)]
    output: Output,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let rules = args.preset.rules();
    let list = Outputs::default();
    let bits = Outputs { legal_bits: true, ..list };
    let bytes = Outputs { legal_bytes: true, ..list };
    let everything = Outputs { observation: true, ..bits };
    let kinds = [
        ("legal list", list),
        ("list, bit mask", bits),
        ("list, byte mask", bytes),
        ("list, bit mask, observation", everything),
    ];
    let mut rows = args.output.rows(&BENCH, Shape::Many)?;
    for (name, outputs) in kinds {
        let config = Config {
            outputs,
            threads: args.threads.get(),
            ..Config::new(&rules, args.games as usize)
        };
        let measured = match args.place.device {
            Device::Cpu => {
                let mut batch = Batch::new(config).map_err(bad_command)?;
                measure(&mut batch, name, args.steps)?
            }
            Device::Cuda(ordinal) => device::measure(&config, ordinal, name, args.steps)?,
        };
        let Some(seconds) = measured else {
            return Ok(Exit::Interrupted);
        };
        let steps = u64::from(args.games) * u64::from(args.steps);
        rows.row(&fourchess::bench(
            &rules,
            name,
            args.games.into(),
            args.threads.get() as u64,
            steps,
            seconds,
        ))?;
    }
    rows.finish()?;
    Ok(Exit::Fine)
}

/// The seconds it takes; `None` if it was interrupted.
fn measure(batch: &mut Batch, name: &str, steps: u32) -> anyhow::Result<Option<f64>> {
    let bar = progress::pieces(name, u64::from(steps));
    let mut actions = vec![0; batch.len()];
    let start = Instant::now();
    for _ in 0..steps {
        batch.choose(Player::Random, &mut actions)?;
        batch.step(&actions)?;
        bar.inc(1);
        if interrupt::requested() {
            return Ok(None);
        }
    }
    bar.finish_and_clear();
    Ok(Some(start.elapsed().as_secs_f64()))
}
