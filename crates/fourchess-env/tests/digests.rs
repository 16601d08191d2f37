//! Same seed, same actions, same bytes: on every machine, for any number of threads, and from
//! Python, whose tests read the same file.
//!
//! A digest that changes means that [`fourchess_env::ENCODING_VERSION`] or
//! [`fourchess_env::RULES_VERSION`] must be raised.

use std::{fmt::Write, fs, path::Path};

use crc32fast::Hasher;
use fourchess::Rules;
use fourchess_env::{Autoreset, Batch, Config, ENCODING_VERSION, Outputs, RULES_VERSION};

const GAMES: usize = 128;
const STEPS: usize = 400;
const SEED: u64 = 11;

#[test]
fn bytes_are_those_of_the_fixture() {
    let mut table = "version,rules,games,steps,seed,digest\n".to_owned();
    for rules in Rules::PRESETS {
        let [one, two] = [1, 2].map(|threads| digest(rules, threads));
        assert_eq!(one, two, "{}: threads leave a trace", rules.name);
        let name = rules.name;
        writeln!(
            table,
            "{ENCODING_VERSION}.{RULES_VERSION},{name},{GAMES},{STEPS},{SEED},{one:08x}"
        )
        .expect("a string");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/fourchess/digests.csv");
    let found = fs::read_to_string(&path).expect("the fixture");
    assert!(found == table, "raise a version and make {} say\n{table}", path.display());
}

fn digest(rules: &Rules, threads: usize) -> u32 {
    let outputs = Outputs { legal_bits: true, legal_bytes: true, observation: true };
    let autoreset = Autoreset::SameStep;
    let config = Config { outputs, autoreset, seed: SEED, threads, ..Config::new(rules, GAMES) };
    let mut batch = Batch::new(config).expect("a batch");
    let mut hasher = Hasher::new();
    for step in 0..STEPS {
        let choose = |game: usize| match batch.legal_of(game) {
            [] => 0,
            legal => legal[(step * 7919 + game * 104_729) % legal.len()],
        };
        let actions: Vec<u16> = (0..GAMES).map(choose).collect();
        batch.step(&actions).expect("legal actions");
        add(&mut hasher, &batch);
    }
    hasher.finalize()
}

/// Adds every array, in little-endian order.
fn add(hasher: &mut Hasher, batch: &Batch) {
    hasher.update(batch.current_player());
    add_all(hasher, batch.legal(), u16::to_le_bytes);
    add_all(hasher, batch.legal_counts(), u16::to_le_bytes);
    add_all(hasher, batch.legal_bits(), u64::to_le_bytes);
    hasher.update(batch.legal_bytes());
    add_all(hasher, batch.rewards(), f32::to_le_bytes);
    for flags in [batch.terminated(), batch.truncated(), batch.move_valid()] {
        add_all(hasher, flags, |flag| [u8::from(flag)]);
    }
    add_all(hasher, batch.planes(), u32::to_le_bytes);
    add_all(hasher, batch.scalars(), i16::to_le_bytes);
    add_all(hasher, batch.final_planes(), u32::to_le_bytes);
    add_all(hasher, batch.final_scalars(), i16::to_le_bytes);
    add_all(hasher, batch.final_points(), i16::to_le_bytes);
    hasher.update(batch.endings());
}

fn add_all<T: Copy, const N: usize>(hasher: &mut Hasher, entries: &[T], bytes: fn(T) -> [u8; N]) {
    let bytes: Vec<u8> = entries.iter().flat_map(|&entry| bytes(entry)).collect();
    hasher.update(&bytes);
}
