//! The directory in which tables are kept that were built because a question needed them.

use std::{env, path::PathBuf};

use kalah::{Layouts, Rules};

/// The environment variable that names the directory of the cache.
pub const CACHE: &str = "EVERYPLY_CACHE";

/// The most positions of a table that is built without being asked for by name: up to 22 seeds
/// with six pits, which make the start of the usual game a matter of seconds.
const MOST_POSITIONS: u64 = 550_000_000;

/// So many positions are built in a moment.
const FEW_POSITIONS: u64 = 700_000;

/// What a table costs. Bytes and seconds are estimates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// The pits of a side.
    pub pits: usize,
    /// The rules.
    pub rules: Rules,
    /// The most seeds in play.
    pub seeds: u32,
    /// The positions that the table will have.
    pub positions: u64,
    /// Bytes on disk.
    pub bytes: u64,
    /// Seconds, if nothing else keeps the machine busy.
    pub seconds: u64,
    /// Where the table is built.
    pub directory: PathBuf,
}

impl Cost {
    pub(crate) fn new(pits: usize, rules: Rules, seeds: u32, directory: PathBuf) -> Cost {
        let positions = Layouts::total(2 * pits, seeds).unwrap_or(u64::MAX);
        let threads = rayon::current_num_threads().max(1) as f64;
        // Measured: 11 to 14 ns of CPU time and 0.37 to 0.39 bytes a position, six pits.
        let seconds = (positions as f64 * 14e-9 / threads).ceil() as u64;
        let bytes = bytes_on_disk(positions);
        Cost { pits, rules, seeds, positions, bytes, seconds, directory }
    }
}

/// About how many bytes a table of so many positions takes on disk.
pub fn bytes_on_disk(positions: u64) -> u64 {
    (positions as f64 * 0.4) as u64
}

/// The directory of the cache: `EVERYPLY_CACHE`, or `everyply` in the directory that the system
/// has for caches. `None` if the environment names neither.
pub fn cache_directory() -> Option<PathBuf> {
    let variable = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(directory) = variable(CACHE) {
        return Some(directory);
    }
    // The specification says that relative paths are ignored.
    let system = variable("XDG_CACHE_HOME").filter(|path| path.is_absolute());
    let system = system.or_else(|| {
        if cfg!(windows) {
            variable("LOCALAPPDATA")
        } else if cfg!(target_os = "macos") {
            variable("HOME").map(|home| home.join("Library/Caches"))
        } else {
            variable("HOME").map(|home| home.join(".cache"))
        }
    });
    Some(system?.join("everyply"))
}

/// The name of a table in the cache.
pub(crate) fn table_name(pits: usize, rules: Rules) -> String {
    format!("kalah-{pits}-{rules}")
}

/// The seeds of the table that a question about so many seeds is searched down to. A search halves
/// the seeds at most, except where the table would be too large.
pub(crate) fn table_seeds(pits: usize, seeds: u32) -> u32 {
    let most = |positions| {
        let fits =
            |seeds: &u32| Layouts::total(2 * pits, *seeds).is_some_and(|total| total <= positions);
        (0..=kalah::Sheets::MOST_SEEDS).take_while(fits).last().unwrap_or(0)
    };
    seeds.div_ceil(2).max(most(FEW_POSITIONS)).min(most(MOST_POSITIONS)).min(seeds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_as_large_as_the_question_needs() {
        let cases =
            [(6, 48, 22), (6, 72, 22), (6, 36, 18), (6, 12, 10), (6, 4, 4), (3, 18, 18), (1, 9, 9)];
        for (pits, seeds, expected) in cases {
            assert_eq!(table_seeds(pits, seeds), expected, "{pits} pits, {seeds} seeds");
        }
    }
}
