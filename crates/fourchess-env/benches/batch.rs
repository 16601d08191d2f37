//! Steps of a batch over games of mixed age, one thread: `cargo xtask bench fourchess`.

use std::time::Duration;

use cpu_time::ProcessTime;
use fourchess::Rules;
use fourchess_env::{Batch, Config, Outputs, Player};

const GAMES: usize = 4096;
const STEPS: usize = 200;
/// Games are started one after the other over so many steps, so that their ages are mixed.
const AGES: usize = 1000;

fn main() {
    let list = Outputs::default();
    let bits = Outputs { legal_bits: true, ..list };
    let bytes = Outputs { legal_bytes: true, ..list };
    let observation = Outputs { observation: true, ..list };
    let both = Outputs { observation: true, ..bits };
    println!("million steps/s of CPU time, best of five: the step alone, and with a random choice");
    let wanted = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    let is_wanted = |rules: &&&Rules| wanted.as_deref().is_none_or(|name| name == rules.name);
    for rules in Rules::PRESETS.iter().filter(is_wanted) {
        for (name, outputs) in [
            ("legal list", list),
            ("and bit mask", bits),
            ("and byte mask", bytes),
            ("and observation", observation),
            ("and bit mask, observation", both),
        ] {
            let mut batch = aged(rules, outputs);
            let runs: Vec<_> = (0..5).map(|_| run(&mut batch)).collect();
            let best = |time: fn(&Run) -> Duration| runs.iter().map(time).min().expect("five");
            let rate = |time: Duration| (GAMES * STEPS) as f64 / time.as_secs_f64() / 1e6;
            let (step, all) = (rate(best(|run| run.step)), rate(best(|run| run.all)));
            println!("{:<6} {name:<26} {step:>6.2} {all:>6.2}", rules.name);
        }
    }
}

struct Run {
    step: Duration,
    all: Duration,
}

fn run(batch: &mut Batch) -> Run {
    let mut actions = vec![0; GAMES];
    let mut step = Duration::ZERO;
    let start = ProcessTime::now();
    for _ in 0..STEPS {
        batch.choose(Player::Random, &mut actions).expect("as many actions as games");
        let before = ProcessTime::now();
        batch.step(&actions).expect("legal actions");
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
