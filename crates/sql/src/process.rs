//! The memory of the whole process, where the system tells it.

use std::fs;

/// Watches the memory of the process. Operators count what they hold, but functions and readers do
/// not, and neither does an allocator that cannot give back what it has.
#[derive(Debug)]
pub(crate) struct Watch {
    most: usize,
}

/// What a process needs besides the limit: threads, plans and batches on their way.
const ALLOWANCE: usize = 96 << 20;

impl Watch {
    /// Begins to watch. From now on the process may grow by twice the limit and an allowance; an
    /// operator that doubles its table holds the old one and the new one for a moment.
    pub(crate) fn new(limit: usize) -> Option<Watch> {
        let grows = limit.saturating_mul(2).saturating_add(ALLOWANCE);
        Some(Watch { most: memory()?.saturating_add(grows) })
    }

    pub(crate) fn is_over(&self) -> bool {
        memory().is_some_and(|memory| memory > self.most)
    }
}

/// Bytes in memory that no file on disk stands for.
fn memory() -> Option<usize> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    let kilobytes: usize = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}
