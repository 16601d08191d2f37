//! The flag `--seed` of commands that make puzzles.

use std::hash::{BuildHasher, RandomState};

use crate::exit::say;

/// A seed, or the wish for a new one.
#[derive(Clone, Copy)]
pub(super) enum Seed {
    Given(u64),
    Random,
}

impl Seed {
    /// The seed. A new one is printed, because nobody could make the same puzzles again without it.
    pub(super) fn take(self) -> u64 {
        match self {
            Seed::Given(seed) => seed,
            Seed::Random => {
                // The keys of a hash map are the random numbers of the system that std offers. A
                // short seed is easier to type.
                let seed = RandomState::new().hash_one(0) >> 32;
                say(format_args!("--seed {seed}"));
                seed
            }
        }
    }
}

/// Reads a number or the word `random`.
pub(super) fn seed(text: &str) -> Result<Seed, String> {
    match text {
        "random" => Ok(Seed::Random),
        number => number
            .parse()
            .map(Seed::Given)
            .map_err(|_| "expected a whole number below 2^64, or 'random'".to_owned()),
    }
}
