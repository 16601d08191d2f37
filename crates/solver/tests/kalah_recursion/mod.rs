//! What rows, tables and searches are compared with.

use std::collections::HashMap;

use game::{Score, judge};
use kalah::{Kalah, Position, Rules};

/// True if slow tests are to run too.
pub(crate) fn slow() -> bool {
    std::env::var_os("EVERYPLY_SLOW").is_some_and(|value| value == "1")
}

/// Plain recursion that remembers.
pub(crate) fn recursion(
    kalah: &Kalah,
    position: &Position,
    known: &mut HashMap<Position, Score>,
) -> Score {
    if let Some(score) = known.get(position) {
        return *score;
    }
    let verdict = judge(kalah, position, |to| Some(recursion(kalah, to, known)));
    let score = verdict.expect("few seeds").expect("a value").score;
    known.insert(*position, score);
    score
}

/// A line of the file of known values.
pub(crate) struct Known {
    pub(crate) pits: usize,
    pub(crate) seeds: u32,
    pub(crate) rules: Rules,
    pub(crate) value: i16,
}

impl Known {
    pub(crate) fn start_seeds(&self) -> u32 {
        2 * self.pits as u32 * self.seeds
    }
}

/// Every line of the file of known values.
pub(crate) fn known_values() -> Vec<Known> {
    let lines = include_str!("../../../../fixtures/kalah/values.csv").lines().skip(1);
    let known: Vec<_> = lines
        .map(|line| {
            let fields: Vec<_> = line.split(',').collect();
            Known {
                pits: fields[0].parse().expect("pits"),
                seeds: fields[1].parse().expect("seeds"),
                rules: fields[2].parse().expect("rules"),
                value: fields[3].parse().expect("a value"),
            }
        })
        .collect();
    assert_eq!(known.len(), 48);
    known
}
