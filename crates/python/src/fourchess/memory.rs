//! Whether a batch fits into the memory that is left.
//!
//! Linux grants memory that it does not have, and kills the process that uses it. So a batch that
//! cannot fit is refused before its memory is asked for.

use std::fs;

use fourchess_env::{Config, Error};

/// An error if a batch needs more memory than there is.
pub(super) fn check(config: &Config) -> Result<(), Error> {
    let (games, bytes) = (config.games, config.bytes());
    match available() {
        Some(available) if bytes as u64 > available => Err(Error::TooLarge { games, bytes }),
        _ => Ok(()),
    }
}

/// The memory that is left, of the machine or of the container. `None` where nothing says it.
fn available() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| of_machine(&text));
    let read =
        |name| fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?.trim().parse().ok();
    let container = read("memory.max").zip(read("memory.current"));
    let container = container.map(|(most, used): (u64, u64)| most.saturating_sub(used));
    machine.into_iter().chain(container).min()
}

fn of_machine(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
