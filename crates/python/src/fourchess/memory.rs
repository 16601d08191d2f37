//! Memory that may be missing: for a batch, and for arrays with an entry for each of its games.
//!
//! Linux grants memory that it does not have, and kills the process that uses it. So a batch that
//! cannot fit is refused before its memory is asked for. Vectors abort the process where memory is
//! refused, so those that grow with the number of games are made here.

use std::fs;

use fourchess_env::{Config, Error};
use pyo3::{exceptions::PyMemoryError, prelude::*};

/// Batches that need less are not worth a look.
const SMALL: usize = 1 << 26;

/// Room for so many entries, or a MemoryError.
pub(crate) fn room<T>(entries: usize) -> PyResult<Vec<T>> {
    let mut room = Vec::new();
    match room.try_reserve_exact(entries) {
        Ok(()) => Ok(room),
        Err(_) => {
            let bytes = entries.saturating_mul(size_of::<T>());
            let words = "bytes of memory, which cannot be allocated";
            Err(PyMemoryError::new_err(format!("{entries} entries need {bytes} {words}")))
        }
    }
}

/// So many copies of an entry, or a MemoryError.
pub(crate) fn filled<T: Clone>(entry: T, count: usize) -> PyResult<Vec<T>> {
    let mut entries = room(count)?;
    entries.resize(count, entry);
    Ok(entries)
}

/// The entries of an iterator, which knows how many there are, or a MemoryError.
pub(crate) fn collected<T>(entries: impl ExactSizeIterator<Item = T>) -> PyResult<Vec<T>> {
    let mut collected = room(entries.len())?;
    collected.extend(entries);
    Ok(collected)
}

/// The same where an entry may be an error.
pub(crate) fn tried<T>(entries: impl ExactSizeIterator<Item = PyResult<T>>) -> PyResult<Vec<T>> {
    let mut collected = room(entries.len())?;
    for entry in entries {
        collected.push(entry?);
    }
    Ok(collected)
}

/// An error if a batch needs more memory than there is.
pub(crate) fn check(config: &Config) -> Result<(), Error> {
    let (games, bytes) = (config.games, config.bytes());
    if bytes < SMALL {
        return Ok(());
    }
    match available() {
        Some(available) if bytes as u64 > available => Err(Error::TooLarge { games, bytes }),
        _ => Ok(()),
    }
}

/// The memory that is left, of the machine or of the container. `None` where nothing says it.
fn available() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| of_machine(&text));
    machine.into_iter().chain(of_container()).min()
}

/// What is left of the limit of a control group. Pages of files count as used there, although they
/// give way to anything else.
fn of_container() -> Option<u64> {
    let read = |name| fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok();
    let number = |text: String| text.trim().parse::<u64>().ok();
    let (most, used) = (number(read("memory.max")?)?, number(read("memory.current")?)?);
    let files =
        read("memory.stat")?.lines().find_map(|line| line.strip_prefix("file ")?.parse().ok());
    Some(most.saturating_sub(used.saturating_sub(files.unwrap_or(0))))
}

fn of_machine(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
