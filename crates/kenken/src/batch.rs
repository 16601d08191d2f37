//! Puzzles of a seed, one after the other, none of them twice.

use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash, Hasher},
    ops::ControlFlow,
};

use rayon::prelude::*;

use crate::{
    generate::{GenerateError, Generated, Maker, Recipe, generate_item},
    puzzle::Puzzle,
};

/// The puzzles of a seed in the order of their numbers.
///
/// A puzzle that was made before is replaced by another one, so a batch repeats a puzzle only if
/// [`MOST_REPEATS`] attempts in a row found no new one. That happens with the smallest sizes, which
/// have few puzzles. A puzzle depends only on the settings, the seed, its number and the number of
/// the first puzzle.
#[derive(Clone, Debug)]
pub struct Batch<'a> {
    recipe: &'a Recipe,
    seed: u64,
    number: u64,
    /// The hashes of the puzzles so far. They take less memory than puzzles; if two puzzles had the
    /// same hash, the second would be replaced without need.
    seen: HashSet<u64>,
    repeats: u64,
}

/// The most attempts to replace a puzzle that was made before. After that, puzzles are repeated.
pub const MOST_REPEATS: u64 = 1_000;

impl<'a> Batch<'a> {
    /// The puzzles from this number on.
    pub fn new(recipe: &'a Recipe, seed: u64, first: u64) -> Batch<'a> {
        Batch { recipe, seed, number: first, seen: HashSet::new(), repeats: 0 }
    }

    /// The next puzzles, made in parallel.
    pub fn next(&mut self, count: u64) -> Vec<Result<Generated, GenerateError>> {
        let numbers = self.number..self.number.saturating_add(count);
        self.number = numbers.end;
        let first = numbers.start;
        let made: Vec<_> = numbers
            .into_par_iter()
            .map_init(Maker::new, |maker, number| {
                make(maker, self.recipe, Attempted { seed: self.seed, number, attempt: 0 })
            })
            .collect();
        let mut maker = Maker::new();
        (first..).zip(made).map(|(number, made)| self.replace(&mut maker, number, made?)).collect()
    }

    /// How many puzzles had to be repeated, because no other was found.
    pub fn repeats(&self) -> u64 {
        self.repeats
    }

    /// The puzzle itself if it is new, else another one.
    fn replace(
        &mut self,
        maker: &mut Maker,
        number: u64,
        made: Generated,
    ) -> Result<Generated, GenerateError> {
        if self.seen.insert(hash(&made.puzzle)) {
            return Ok(made);
        }
        // Where nothing new was found once, searching again for each further puzzle would only
        // take time.
        let attempts = if self.repeats == 0 { 1..=MOST_REPEATS } else { 1..=1 };
        for attempt in attempts {
            let other = make(maker, self.recipe, Attempted { seed: self.seed, number, attempt });
            match other {
                Ok(other) if self.seen.insert(hash(&other.puzzle)) => return Ok(other),
                Ok(_) => {}
                Err(_) => break,
            }
        }
        self.repeats += 1;
        Ok(made)
    }
}

/// Which random numbers to use.
#[derive(Clone, Copy)]
struct Attempted {
    seed: u64,
    number: u64,
    attempt: u64,
}

fn make(maker: &mut Maker, recipe: &Recipe, at: Attempted) -> Result<Generated, GenerateError> {
    // An odd factor gives every attempt a seed of its own.
    let seed = at.seed.wrapping_add(at.attempt.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    generate_item(maker, recipe, seed, at.number, &mut |_| ControlFlow::Continue(()))
}

fn hash(puzzle: &Puzzle) -> u64 {
    let mut hasher = DefaultHasher::new();
    puzzle.hash(&mut hasher);
    hasher.finish()
}
