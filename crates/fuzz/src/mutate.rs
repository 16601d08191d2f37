//! Inputs made of others by chance, as libFuzzer makes them, for tests without it.

use std::{env, fs, panic::catch_unwind, path::Path};

use chess::Random;

use crate::{Target, corpus};

/// One of the inputs with some bytes changed, cut out, doubled, or brought from another input.
pub fn mutated(inputs: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = inputs[random.below(inputs.len())].clone();
    for _ in 0..random.below(4) + 1 {
        let other = &inputs[random.below(inputs.len())];
        let (a, b) = (random.below(bytes.len() + 1), random.below(bytes.len() + 1));
        let (from, to) = (a.min(b), a.max(b));
        let near = to.min(from + 20);
        let byte = match other.get(random.below(other.len().max(1))) {
            Some(&byte) if random.below(2) == 0 => byte,
            _ => random.next() as u8,
        };
        match random.below(7) {
            0 if from < bytes.len() => bytes[from] = byte,
            1 if from < bytes.len() => bytes[from] ^= 1 << random.below(8),
            2 => bytes.insert(from, byte),
            3 => drop(bytes.drain(from..near)),
            4 => bytes.truncate(to),
            5 => {
                let doubled = bytes[from..near].to_vec();
                bytes.splice(from..from, doubled);
            }
            _ => {
                let start = random.below(other.len().max(1));
                let end = (start + 20).min(other.len());
                bytes.splice(from..near, other[start..end].iter().copied());
            }
        }
    }
    bytes
}

/// Runs a target on its corpus, a file in this directory, and on mutations of it: twenty times as
/// many under `EVERYPLY_SLOW=1`, others with another `EVERYPLY_SEED`.
///
/// # Panics
///
/// Where something does not hold. The input is printed as a line of the corpus.
pub fn test(target: &Target, directory: &Path) {
    let path = directory.join(target.name).with_extension("txt");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let inputs = corpus::parse(&text).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    assert!(!inputs.is_empty(), "{path:?} holds no input");
    inputs.iter().for_each(|input| run(target, input));
    let seed = env::var("EVERYPLY_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let slow = env::var("EVERYPLY_SLOW").is_ok_and(|value| value == "1");
    let mut random = Random::new(seed);
    for _ in 0..target.tried * if slow { 20 } else { 1 } {
        run(target, &mutated(&inputs, &mut random));
    }
}

/// Runs a target, and says which input it panicked on.
fn run(target: &Target, input: &[u8]) {
    if catch_unwind(|| (target.run)(input)).is_err() {
        panic!("{} panicked on the input\n{}", target.name, input.escape_ascii());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_says_everything_and_mutations_differ() {
        let inputs = [b"one two three".to_vec(), Vec::new()];
        let make = |seed| {
            let mut random = Random::new(seed);
            (0..1000).map(|_| mutated(&inputs, &mut random)).collect::<Vec<_>>()
        };
        assert_eq!(make(7), make(7));
        let mut found = make(7);
        found.sort();
        found.dedup();
        assert!(found.len() > 500, "{} different inputs", found.len());
    }
}
