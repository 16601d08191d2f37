//! Games and lines that statements have skipped.

use std::{
    collections::BTreeSet,
    sync::{Mutex, MutexGuard, PoisonError},
};

use games::{Placed, RecordError};

/// The bad games and lines that statements have skipped, each once however often it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BadGames {
    /// How many there are. Beyond 10,000 those that were read twice count twice.
    pub count: u64,
    /// Their files and places with the causes: the first 10,000 that were met, by file, line and
    /// game.
    pub first: Vec<String>,
}

/// Bad records that are kept: a file that holds nothing else must not fill the memory.
const KEPT: usize = 10_000;

/// The bad records of a session. It is an extension of the session's options, which every operator
/// is given.
#[derive(Debug, Default)]
pub(crate) struct Skipped(Mutex<SoFar>);

#[derive(Debug, Default)]
struct SoFar {
    kept: BTreeSet<(String, Option<u64>, Option<u64>, String)>,
    others: u64,
}

impl Skipped {
    pub(crate) fn add(&self, source: &str, error: &RecordError) {
        let Placed { game, line, .. } = error.place();
        let mut so_far = self.so_far();
        let key = (source.to_owned(), line, game, error.to_string());
        if so_far.kept.len() < KEPT {
            so_far.kept.insert(key);
        } else if !so_far.kept.contains(&key) {
            so_far.others += 1;
        }
    }

    /// What was skipped since it was asked last.
    pub(crate) fn take(&self) -> BadGames {
        let SoFar { kept, others } = std::mem::take(&mut *self.so_far());
        let count = kept.len() as u64 + others;
        BadGames { count, first: kept.into_iter().map(|(.., text)| text).collect() }
    }

    fn so_far(&self) -> MutexGuard<'_, SoFar> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
