//! A thousand steps with masks and observations: what `crates/python/benches/fourchess.py` does
//! from Python, done from Rust. Prints a line for each choice of outputs: its name, a million
//! steps in a second of CPU time, and a digest of what the last step left.

use cpu_time::ProcessTime;
use crc32fast::Hasher;
use fourchess::Rules;
use fourchess_env::{Batch, Config, Outputs, Player};

const GAMES: usize = 4096;
const STEPS: usize = 1000;

fn main() {
    let observation = Outputs { observation: true, ..Outputs::default() };
    let bits = Outputs { legal_bits: true, ..observation };
    let bytes = Outputs { legal_bytes: true, ..observation };
    for (name, outputs) in [("legal_bits", bits), ("legal_bytes", bytes)] {
        let config = Config { outputs, ..Config::new(&Rules::FFA, GAMES) };
        let mut batch = Batch::new(config).expect("a batch");
        let mut actions = vec![0; GAMES];
        let start = ProcessTime::now();
        for _ in 0..STEPS {
            batch.choose(Player::Random, &mut actions).expect("as many actions as games");
            batch.step(&actions).expect("legal actions");
        }
        let rate = (GAMES * STEPS) as f64 / start.elapsed().as_secs_f64() / 1e6;
        println!("{name} {rate:.3} {:08x}", digest(&batch));
    }
}

fn digest(batch: &Batch) -> u32 {
    let mut hasher = Hasher::new();
    let bits = batch.legal_bits().iter().flat_map(|word| word.to_le_bytes());
    hasher.update(&bits.collect::<Vec<u8>>());
    hasher.update(batch.legal_bytes());
    let planes = batch.planes().iter().flat_map(|word| word.to_le_bytes());
    hasher.update(&planes.collect::<Vec<u8>>());
    let scalars = batch.scalars().iter().flat_map(|number| number.to_le_bytes());
    hasher.update(&scalars.collect::<Vec<u8>>());
    let rewards = batch.rewards().iter().flat_map(|reward| reward.to_le_bytes());
    hasher.update(&rewards.collect::<Vec<u8>>());
    hasher.finalize()
}
