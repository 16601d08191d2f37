//! What an engine may use.

use std::{fmt, fs, num::NonZeroUsize, path::PathBuf, sync::Arc, thread, time::Duration};

use chess_relations::Rules;

use crate::{Games, Guard, SharedMemory, Supplier, cluster, functions};

/// Which memory is watched, besides the memory that operators reserve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryWatch {
    /// No memory is watched, because the process has other work, too.
    Off,
    /// The memory of the process. A statement fails when the process has grown by more than twice
    /// the memory limit plus 96 MiB. This works on Linux only.
    Process,
}

/// What an engine may use and do.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Bytes that sorts, joins, aggregates and tables in memory may use together.
    pub memory_limit: usize,
    /// Directory for spill files; `None` is the system's temporary directory. An engine makes a
    /// directory of its own there and removes it.
    pub spill_directory: Option<PathBuf>,
    /// Maximum size of all spill files together, in bytes.
    pub spill_limit: u64,
    /// Number of threads, and the maximum number of partitions of a plan.
    pub threads: NonZeroUsize,
    /// How many rows a batch has at most.
    pub batch_rows: NonZeroUsize,
    /// How long a statement may take.
    pub time_limit: Option<Duration>,
    /// Which statements are allowed, and which files and servers they may use.
    pub guard: Guard,
    /// Which memory is watched.
    pub memory_watch: MemoryWatch,
    /// The rules of chess that tables of moves follow.
    pub rules: Rules,
    /// The scheduler of the cluster that runs statements; `None` runs them in this process. The
    /// limits of a cluster are those of its executors.
    pub cluster: Option<cluster::Address>,
    /// Table functions; `kalah_store` by default.
    pub suppliers: Vec<Supplier>,
    /// The games that can be solved by tasks; Kalah by default.
    pub games: Games,
    /// Asked several times a second; a statement stops when it says so.
    pub interrupt: Interrupt,
    /// Memory that engines share; `None` gives an engine the memory limit for itself.
    pub shared_memory: Option<SharedMemory>,
}

/// Says whether statements are to stop. Each engine has its own, so that a program that runs many
/// can stop one of them.
#[derive(Clone)]
pub struct Interrupt(Arc<dyn Fn() -> bool + Send + Sync>);

impl Interrupt {
    /// Stops statements when `is_requested` returns true.
    pub fn when(is_requested: impl Fn() -> bool + Send + Sync + 'static) -> Interrupt {
        Interrupt(Arc::new(is_requested))
    }

    /// Stops nothing.
    pub fn never() -> Interrupt {
        Interrupt::when(|| false)
    }

    pub(crate) fn is_requested(&self) -> bool {
        (self.0)()
    }
}

impl fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Interrupt(..)")
    }
}

/// The rows of Chess960 are exact for positions of any game: where king and rook stand as usual,
/// its castling is the usual one.
const RULES: &str = "chess960";

const GIB: usize = 1 << 30;

impl Default for Settings {
    /// Half the memory of the machine, all cores, read-only, no time limit.
    fn default() -> Settings {
        Settings {
            memory_limit: memory().map_or(4 * GIB, |memory| memory / 2),
            spill_directory: None,
            spill_limit: 16 * GIB as u64,
            threads: thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            batch_rows: NonZeroUsize::new(8192).expect("more than none"),
            time_limit: None,
            guard: Guard::default(),
            memory_watch: MemoryWatch::Off,
            rules: Rules::named(RULES).expect("these rules come along"),
            cluster: None,
            suppliers: vec![functions::kalah::supplier()],
            games: Games(Arc::new([kalah_answers::worker])),
            interrupt: Interrupt::never(),
            shared_memory: None,
        }
    }
}

/// The memory of the machine, or what a container may have of it, where the system says so.
fn memory() -> Option<usize> {
    let machine = fs::read_to_string("/proc/meminfo").ok()?;
    let line = machine.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kilobytes: usize = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    let container = fs::read_to_string("/sys/fs/cgroup/memory.max").ok();
    let container = container.and_then(|text| text.trim().parse().ok()).unwrap_or(usize::MAX);
    Some(container.min(kilobytes << 10))
}
