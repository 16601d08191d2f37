//! What counting move sequences has in common, whatever the game.

use std::time::Duration;

use rayon::prelude::*;

use crate::{exit::say, interrupt, progress, rows::Output, threads::Threads};

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
    /// Counts below each legal move, the work cut into pieces of two plies and shared among
    /// threads. An interrupt leaves the rest uncounted.
    pub(crate) fn divide<P: Send + Sync, M: Copy>(
        &self,
        start: &P,
        legal: impl Fn(&P) -> Vec<M>,
        play: impl Fn(&P, M) -> P,
        perft: impl Fn(&P, u32) -> u64 + Sync,
    ) -> anyhow::Result<Vec<(M, u64)>> {
        let mut divided: Vec<(M, u64)> = legal(start).into_iter().map(|mv| (mv, 0)).collect();
        let mut pieces = Vec::new();
        for (index, (mv, _)) in divided.iter().enumerate() {
            let next = play(start, *mv);
            match self.depth {
                0 => {}
                1 => pieces.push((index, next, 0)),
                _ => pieces.extend(
                    legal(&next).into_iter().map(|mv| (index, play(&next, mv), self.depth - 2)),
                ),
            }
        }
        let bar = progress::pieces("perft", pieces.len() as u64);
        let count = |(index, position, depth): &(usize, P, u32)| {
            let nodes = if interrupt::requested() { 0 } else { perft(position, *depth) };
            bar.inc(1);
            (*index, nodes)
        };
        let count_all = || pieces.par_iter().with_max_len(1).map(count).collect();
        let counts: Vec<(usize, u64)> = self.threads.pool()?.install(count_all);
        bar.finish_and_clear();
        for (index, nodes) in counts {
            divided[index].1 += nodes;
        }
        Ok(divided)
    }

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
