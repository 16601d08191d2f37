//! Perft from the start position, one thread: `cargo xtask bench fourchess`.

use std::time::Duration;

use cpu_time::ProcessTime;
use fourchess::{Position, Rules, perft};

const DEPTH: u32 = 6;
const NODES: u64 = 77_430_383;

fn main() {
    let rules = &Rules::TEAMS;
    let start = Position::start(rules);
    let best = (0..5).map(|_| time(|| assert_eq!(perft(&start, rules, DEPTH), NODES))).min();
    let seconds = best.expect("five runs").as_secs_f64();
    let rate = NODES as f64 / seconds / 1e6;
    println!("perft({DEPTH}) of the start position, teams: {NODES} nodes");
    println!("{seconds:>8.3} s of CPU time, best of five; {rate:.1} million nodes/s");
}

fn time(work: impl FnOnce()) -> Duration {
    let start = ProcessTime::now();
    work();
    start.elapsed()
}
