//! Steps of a batch over games of mixed age, one thread: `cargo xtask bench fourchess`.
//!
//! The name of a preset as argument leaves the others out.

use std::time::Duration;

use cpu_time::ProcessTime;
use fourchess::Rules;
use fourchess_env::{Batch, Config, Observation, Outputs, Player};

const GAMES: usize = 4096;
const STEPS: usize = 100;
/// Games are started one after the other over so many steps, so that their ages are mixed.
const AGES: usize = 1000;

const LIST: Outputs = Outputs { legal_bits: false, legal_bytes: false, observation: false };

const CASES: [(&str, Outputs, Floats); 6] = [
    ("legal list", LIST, Floats::No),
    ("bit mask", Outputs { legal_bits: true, ..LIST }, Floats::No),
    ("byte mask", Outputs { legal_bytes: true, ..LIST }, Floats::No),
    ("bit mask, planes", Outputs { legal_bits: true, observation: true, ..LIST }, Floats::No),
    ("byte mask, planes", Outputs { legal_bytes: true, observation: true, ..LIST }, Floats::No),
    ("byte mask, floats", Outputs { legal_bytes: true, observation: true, ..LIST }, Floats::Yes),
];

/// Whether planes are expanded to floats in every step.
#[derive(Clone, Copy, PartialEq)]
enum Floats {
    No,
    Yes,
}

fn main() {
    let wanted = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    let is_wanted = |rules: &&&Rules| wanted.as_deref().is_none_or(|name| name == rules.name);
    println!("million steps/s of CPU time, {GAMES} games, best of five:");
    println!("{:<26} {:>6} {:>18}", "with the list and", "step", "and random choice");
    for rules in Rules::PRESETS.iter().filter(is_wanted) {
        for (name, outputs, floats) in CASES {
            let mut batch = aged(rules, outputs);
            let runs: Vec<_> = (0..5).map(|_| run(&mut batch, floats)).collect();
            let best = |time: fn(&Run) -> Duration| runs.iter().map(time).min().expect("five");
            let rate = |time: Duration| (GAMES * STEPS) as f64 / time.as_secs_f64() / 1e6;
            let (step, all) = (rate(best(|run| run.step)), rate(best(|run| run.all)));
            println!("{:<6} {name:<19} {step:>6.2} {all:>18.2}", rules.name);
        }
    }
}

struct Run {
    step: Duration,
    all: Duration,
}

fn run(batch: &mut Batch, floats: Floats) -> Run {
    let size = Observation::FLOAT_PLANES * Observation::CELLS;
    let mut expanded = vec![0.0; if floats == Floats::Yes { GAMES * size } else { 0 }];
    let mut actions = vec![0; GAMES];
    let mut step = Duration::ZERO;
    let start = ProcessTime::now();
    for _ in 0..STEPS {
        batch.choose(Player::Random, &mut actions).expect("as many actions as games");
        let before = ProcessTime::now();
        batch.step(&actions).expect("legal actions");
        if floats == Floats::Yes {
            batch.expand_observations(&mut expanded).expect("as many floats as planes");
        }
        step += before.elapsed();
        assert!(batch.move_valid().iter().all(|&valid| valid));
    }
    Run { step, all: start.elapsed() }
}

fn aged(rules: &Rules, outputs: Outputs) -> Batch {
    let mut batch = Batch::new(Config { outputs, ..Config::new(rules, GAMES) }).expect("a batch");
    let mut actions = vec![0; GAMES];
    for age in 0..AGES {
        batch.choose(Player::Random, &mut actions).expect("as many actions as games");
        batch.step(&actions).expect("legal actions");
        let due: Vec<usize> = (GAMES * age / AGES..GAMES * (age + 1) / AGES).collect();
        let seeds: Vec<u64> = due.iter().map(|&game| game as u64).collect();
        batch.reset(&due, &seeds).expect("games of the batch");
    }
    batch
}
