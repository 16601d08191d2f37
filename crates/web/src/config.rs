//! What is shown, to whom, and how much it may use.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    num::NonZeroUsize,
    path::PathBuf,
    thread,
    time::Duration,
};

/// What a server shows, and to whom.
#[derive(Clone, Debug)]
pub struct Config {
    /// Only files below this directory are read.
    pub root: PathBuf,
    /// URLs of solved games that the page of Kalah offers.
    pub stores: Vec<String>,
    /// Files that the start page offers first. They lie below the root.
    pub opened: Vec<PathBuf>,
    /// Where tables are kept and built that the search of Kalah needs; the directory that the
    /// system has for caches if it is `None`.
    pub cache: Option<PathBuf>,
    /// The port; 0 takes a free one.
    pub port: u16,
    /// The addresses to listen on; this machine alone by default.
    pub addresses: Vec<IpAddr>,
    /// Names by which browsers may call the server, besides those of this machine.
    pub allowed_hosts: Vec<String>,
    /// How much requests may use.
    pub limits: Limits,
}

impl Config {
    /// A server for this machine alone that shows the files below a directory.
    pub fn new(root: impl Into<PathBuf>) -> Config {
        Config {
            root: root.into(),
            stores: Vec::new(),
            opened: Vec::new(),
            cache: None,
            port: DEFAULT_PORT,
            addresses: vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()],
            allowed_hosts: Vec::new(),
            limits: Limits::default(),
        }
    }
}

const DEFAULT_PORT: u16 = 0;

/// How much requests may use, all together.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Connections at a time; further ones are refused.
    pub connections: usize,
    /// How long a client may take to send the head of a request, and a connection may be idle.
    pub head_time: Duration,
    /// How long a client may take to send the body of a request, or to take a piece of an answer.
    pub body_time: Duration,
    /// Bytes of the body of a request.
    pub body: usize,
    /// Bytes of games in the body of a request.
    pub games: usize,
    /// Computations and streams at a time.
    pub threads: NonZeroUsize,
    /// Computations that may wait for a thread; further ones are refused.
    pub waiting: usize,
    /// Statements at a time.
    pub statements: NonZeroUsize,
    /// Statements that may wait; further ones are refused.
    pub waiting_statements: usize,
    /// Bytes of memory of all statements together, and of the answers that are kept.
    pub memory: usize,
    /// Bytes of spill files of all statements together.
    pub spill: u64,
    /// How long a statement may take.
    pub statement_time: Duration,
    /// Rows of an answer that are kept; further ones are not computed.
    pub rows: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        let threads = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Limits {
            connections: 256,
            head_time: Duration::from_secs(30),
            body_time: Duration::from_secs(30),
            body: 1 << 20,
            games: 32 << 20,
            threads: threads.saturating_mul(const { NonZeroUsize::new(2).expect("two") }),
            waiting: 64,
            statements: const { NonZeroUsize::new(2).expect("two") },
            waiting_statements: 8,
            memory: 1 << 30,
            spill: 4 << 30,
            statement_time: Duration::from_secs(60),
            rows: 1_000_000,
        }
    }
}
