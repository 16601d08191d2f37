//! Clusters: the same plans on several machines.
//!
//! A cluster is one scheduler and any number of executors, all of them this very program, so that
//! functions, rules and codecs are the same everywhere. An [`Engine`](crate::Engine) whose
//! [`Settings::cluster`](crate::Settings::cluster) names a scheduler plans statements here and
//! has them computed there. docs/cluster.md is the guide.
//!
//! Without the feature `cluster` everything here is still to be called, and says that it is not
//! built in.

#[cfg(all(feature = "cluster", target_env = "gnu"))]
mod allocator;
#[cfg(all(feature = "cluster", not(target_env = "gnu")))]
#[path = "disabled/allocator.rs"]
mod allocator;
#[cfg(feature = "cluster")]
mod client;
#[cfg(feature = "cluster")]
mod codec;
#[cfg(not(feature = "cluster"))]
mod disabled;
#[cfg(feature = "cluster")]
mod enabled;
#[cfg(feature = "cluster")]
mod executor;
#[cfg(feature = "cluster")]
mod games;
#[cfg(feature = "cluster")]
mod job;
#[cfg(feature = "cluster")]
mod log;
#[cfg(feature = "cluster")]
mod losses;
#[cfg(feature = "cluster")]
mod node;
#[cfg(feature = "cluster")]
mod one_sided;
#[cfg(feature = "cluster")]
mod repeats;
#[cfg(feature = "cluster")]
mod scheduler;
#[cfg(feature = "cluster")]
mod text;
#[cfg(feature = "cluster")]
mod trouble;

use std::{fmt, net::SocketAddr, num::NonZeroUsize, path::PathBuf, str::FromStr, time::Duration};

#[cfg(not(feature = "cluster"))]
use self::disabled as built;
#[cfg(feature = "cluster")]
use self::enabled as built;

use crate::{Games, SqlError};

pub(crate) use self::built::session;

/// Where a scheduler listens: `df://host:port`, or without the `df://`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// A name or an IP address.
    pub host: String,
    /// A port.
    pub port: u16,
}

/// The default port of a scheduler.
pub const SCHEDULER_PORT: u16 = 50_050;

/// The text is not the address of a scheduler.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not the address of a scheduler, expected df://HOST:PORT")]
pub struct AddressError(String);

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Address, AddressError> {
        let wrong = || AddressError(sources::shown(text));
        let place = text.strip_prefix("df://").unwrap_or(text);
        let parsed = url::Url::parse(&format!("df://{place}")).map_err(|_| wrong())?;
        let host = parsed.host_str().filter(|host| !host.is_empty()).ok_or_else(wrong)?;
        let is_bare = parsed.path().is_empty() && parsed.query().is_none();
        if !is_bare
            || parsed.fragment().is_some()
            || !parsed.username().is_empty()
            || parsed.password().is_some()
        {
            return Err(wrong());
        }
        Ok(Address { host: host.to_owned(), port: parsed.port().unwrap_or(SCHEDULER_PORT) })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "df://{}:{}", self.host, self.port)
    }
}

/// The settings of a scheduler.
#[derive(Clone, Debug)]
pub struct Scheduler {
    /// Where it listens.
    pub bind: SocketAddr,
    /// The name or address by which executors reach it.
    pub advertise: String,
    /// An executor without a heartbeat for so long counts as lost; all running jobs are then
    /// cancelled, and their clients submit them again.
    pub executor_timeout: Duration,
    /// Where and how much it logs.
    pub log: Log,
    /// Whether to stop; asked several times a second.
    pub interrupted: fn() -> bool,
}

/// The settings of an executor.
#[derive(Clone, Debug)]
pub struct Executor {
    /// Where its scheduler listens.
    pub scheduler: Address,
    /// Where it serves its results to other executors and to clients.
    pub bind: SocketAddr,
    /// The name or address by which others reach it, if not the one that the scheduler sees.
    pub advertise: Option<String>,
    /// Directory for shuffle data and spill files. The executor creates a directory of its own in
    /// it, and removes that at the end.
    pub work_directory: PathBuf,
    /// Number of concurrent tasks.
    pub slots: NonZeroUsize,
    /// Memory limit in bytes; each slot gets an equal share.
    pub memory_limit: usize,
    /// The games that it can work on when they are solved.
    pub games: Games,
    /// Where and how much it logs.
    pub log: Log,
    /// Whether to stop; asked several times a second.
    pub interrupted: fn() -> bool,
}

/// Where a scheduler or an executor logs, and how much.
#[derive(Clone, Copy, Debug)]
pub struct Log {
    /// Writes a line.
    pub write: fn(fmt::Arguments<'_>),
    /// How much is logged.
    pub detail: Detail,
}

/// How much is logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// What went wrong.
    Warnings,
    /// Every job and every executor.
    Steps,
    /// Every task.
    Everything,
}

impl Scheduler {
    /// Works until it is interrupted.
    pub fn run(&self) -> Result<(), SqlError> {
        built::scheduler(self)
    }
}

impl Executor {
    /// Works until it is interrupted.
    pub fn run(&self) -> Result<(), SqlError> {
        built::executor(self)
    }
}

/// Whether clusters are built in.
pub fn is_built_in() -> bool {
    built::IS_BUILT_IN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_with_and_without_scheme_and_port() {
        let read = [
            ("df://localhost:1234", "df://localhost:1234"),
            ("localhost:1234", "df://localhost:1234"),
            ("df://10.0.0.7", "df://10.0.0.7:50050"),
            ("df://[::1]:7", "df://[::1]:7"),
        ];
        for (text, address) in read {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), address, "{text}");
        }
        for text in ["", "df://", "df://:1", "host:port", "df://h:1/x", "http://h:1", "df://u@h:1"]
        {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }
}
