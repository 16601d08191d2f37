//! Steps and bytes a second, by the device's own clock: the median of 20.

use std::time::Instant;

use fourchess::Rules;
use fourchess_cuda::{CudaBatch, Error, Number, Options, Which, source::Shape};
use fourchess_env::{Autoreset, Config, Illegal, Outputs, Player};

const SAMPLES: usize = 20;
const RANDOM: [Option<Player>; 4] = [Some(Player::Random); 4];

pub(crate) fn config(games: usize, bits: bool, bytes: bool, planes: bool) -> Config {
    Config {
        outputs: Outputs { legal_bits: bits, legal_bytes: bytes, observation: planes },
        autoreset: Autoreset::SameStep,
        illegal: Illegal::Noop,
        seed: 1,
        ..Config::new(&Rules::FFA, games)
    }
}

/// A batch whose games are of mixed age.
fn batch(config: Config, options: &Options) -> Result<CudaBatch, Error> {
    let mut batch = CudaBatch::new(config, options)?;
    for _ in 0..15 {
        batch.play([Player::Random; 4], 100)?;
    }
    batch.synchronize()?;
    Ok(batch)
}

/// The median of milliseconds for one of `repeats` pieces of work.
fn median(
    batch: &mut CudaBatch,
    repeats: u32,
    mut work: impl FnMut(&mut CudaBatch) -> Result<(), Error>,
) -> Result<f64, Error> {
    let mut times = Vec::with_capacity(SAMPLES);
    for sample in 0..SAMPLES + 3 {
        let time = batch.time(|batch| (0..repeats).try_for_each(|_| work(batch)))?;
        if sample >= 3 {
            times.push(f64::from(time) / f64::from(repeats));
        }
    }
    times.sort_by(f64::total_cmp);
    Ok((times[SAMPLES / 2 - 1] + times[SAMPLES / 2]) / 2.0)
}

fn choose_and_step(batch: &mut CudaBatch) -> Result<(), Error> {
    batch.choose_own(RANDOM)?;
    batch.step_own()
}

fn rate(games: usize, milliseconds: f64) -> f64 {
    games as f64 / milliseconds / 1e3
}

/// Lanes, threads and blocks that are tried.
const SHAPES: [(u32, u32, u32); 9] = [
    (32, 64, 0),
    (32, 128, 0),
    (32, 128, 10),
    (32, 128, 12),
    (32, 128, 16),
    (32, 256, 0),
    (16, 128, 0),
    (16, 128, 10),
    (16, 256, 0),
];

/// Tries shapes of the kernels.
pub(crate) fn tune(options: &Options) -> Result<(), Error> {
    println!(
        "lanes threads blocks registers local shared seconds  M steps/s at 1024, 8192, 32768, \
         131072 games (bit mask, bit planes, choose+step)"
    );
    for (lanes, threads, blocks) in SHAPES {
        let options = Options { shape: Some(Shape { lanes, threads, blocks }), ..options.clone() };
        let start = Instant::now();
        let made = CudaBatch::new(config(1, true, false, true), &options)?;
        let seconds = start.elapsed().as_secs_f64();
        let [registers, local, shared] = made.step_costs()?;
        print!(
            "{lanes:5} {threads:7} {blocks:6} {registers:9} {local:5} {shared:6} {seconds:7.1} "
        );
        for games in [1024, 8192, 32_768, 131_072] {
            let mut batch = batch(config(games, true, false, true), &options)?;
            let repeats = (1_000_000 / games).clamp(5, 100) as u32;
            let time = median(&mut batch, repeats, choose_and_step)?;
            print!(" {:8.1}", rate(games, time));
        }
        println!();
    }
    Ok(())
}

/// Prints the table of measurements.
pub(crate) fn run(options: &Options) -> Result<(), Error> {
    println!("shape {:?}; none is the best known for the number of games", options.shape);
    println!(
        "games   outputs                     M steps/s: choose+step  step alone  play(1)  play(64)   bytes a game"
    );
    let choices = [
        ("list only", false, false, false),
        ("bit mask, bit planes", true, false, true),
        ("byte mask, bit planes", false, true, true),
    ];
    for games in [1024, 8192, 32_768, 131_072] {
        for (name, bits, bytes, planes) in choices {
            let mut batch = batch(config(games, bits, bytes, planes), options)?;
            let repeats = (2_000_000 / games).clamp(10, 200) as u32;
            let both = median(&mut batch, repeats, choose_and_step)?;
            let choose = median(&mut batch, repeats, |batch| batch.choose_own(RANDOM))?;
            let one = median(&mut batch, repeats, |batch| batch.play([Player::Random; 4], 1))?;
            let many = median(&mut batch, repeats.div_ceil(20), |batch| {
                batch.play([Player::Random; 4], 64)
            })?;
            println!(
                "{games:6}  {name:24} {:22.1} {:11.1} {:8.1} {:9.1} {:14}",
                rate(games, both),
                rate(games, both - choose),
                rate(games, one),
                64.0 * rate(games, many),
                batch.bytes() / games,
            );
        }
    }
    greedy(options)?;
    expansions(options)
}

fn greedy(options: &Options) -> Result<(), Error> {
    let games = 8192;
    let mut batch = batch(config(games, true, false, true), options)?;
    let time = median(&mut batch, 1, |batch| {
        batch.choose_own([Some(Player::Greedy); 4])?;
        batch.step_own()
    })?;
    println!("{games:6}  greedy players, choose+step: {:.2} M steps/s", rate(games, time));
    Ok(())
}

/// Planes to numbers, beside a copy of as many bytes.
fn expansions(options: &Options) -> Result<(), Error> {
    let games = 32_768;
    let mut batch = batch(config(games, false, false, true), options)?;
    let bytes = games * 40 * 196 * 4;
    let (to, from) = (batch.scratch(bytes)?, batch.scratch(bytes)?);
    let copy = median(&mut batch, 5, |batch| batch.copy_bytes(&to, &from))?;
    let copy = 2.0 * bytes as f64 / copy / 1e9;
    println!("copy of {bytes} bytes: {copy:.2} TB/s read and written");
    for number in Number::ALL {
        let goal = batch.scratch(games * 40 * 196 * number.bytes())?;
        let time = median(&mut batch, 5, |batch| batch.expand(Which::Current, number, &goal))?;
        // Planes and scalars are read, numbers are written.
        let moved = games as f64 * (620.0 + (40 * 196 * number.bytes()) as f64);
        let speed = moved / time / 1e9;
        println!(
            "{games} observations to {}: {:.1} M/s, {speed:.2} TB/s, {:.0} % of the copy",
            number.name(),
            rate(games, time),
            100.0 * speed / copy,
        );
    }
    Ok(())
}
