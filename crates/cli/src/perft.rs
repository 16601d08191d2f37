//! What counting move sequences has in common, whatever the game.

use std::time::Duration;

use crate::{exit::say, rows::Output, threads::Threads};

/// How far to count, and how to tell.
#[derive(Clone, Copy, clap::Args)]
pub(crate) struct Counting {
    /// Depth in plies
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=64))]
    pub(crate) depth: u32,
    /// Print the count below each legal move
    #[arg(long)]
    pub(crate) divide: bool,
    #[command(flatten)]
    pub(crate) threads: Threads,
    #[command(flatten)]
    pub(crate) output: Output,
}

impl Counting {
    /// The sum of the counts below each move. No move at all is one sequence.
    pub(crate) fn total<M>(&self, divided: &[(M, u64)]) -> u64 {
        if self.depth == 0 { 1 } else { divided.iter().map(|(_, nodes)| nodes).sum() }
    }

    /// Whether a row for each move is wanted, and there are moves.
    pub(crate) fn is_divided(&self) -> bool {
        self.divide && self.depth > 0
    }
}

/// Says how fast it went, where that took long enough to mean something.
pub(crate) fn say_rate(nodes: u64, took: Duration) {
    let seconds = took.as_secs_f64();
    if seconds > 0.5 {
        let rate = nodes as f64 / seconds / 1e6;
        say(format_args!("{nodes} nodes in {seconds:.2} s, {rate:.0} million a second"));
    }
}
