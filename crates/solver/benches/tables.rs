//! Measurements of dense tables and of searches down to them. Every answer is asserted.
//!
//! ```text
//! cargo bench -p everyply-solver --bench tables [-- [--units N] [--rounds N] [--no-build] [--no-search] [DIRECTORY]]
//! ```
//!
//! Times are CPU time of the process, the best of the rounds. What two threads gain is told from
//! the time that two builds with one thread each take side by side, so that what the two share,
//! caches and memory, does not count as a loss.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use cpu_time::ProcessTime;
use game::Game;
use kalah::{Capture, Kalah, Layouts, Rules, Sheets};
use solver::{
    Next,
    search::{SearchLimits, search},
    table::{BuildLimits, Built, Directory, Table, build},
};

const PITS: usize = 6;

struct Options {
    units: u32,
    rounds: usize,
    /// Otherwise searches use the tables of an earlier run.
    build: bool,
    search: bool,
    directory: PathBuf,
}

fn main() {
    let options = options();
    let positions = Layouts::total(2 * PITS, options.units).expect("a count");
    println!("tables of {PITS} pits a side, {} seeds, {positions} positions", options.units);
    if options.build {
        one_thread(&options);
        two_threads(&options);
    }
    if options.search {
        searches(&options);
    }
}

fn options() -> Options {
    let directory = std::env::temp_dir().join("everyply-bench-tables");
    let mut options = Options { units: 22, rounds: 5, build: true, search: true, directory };
    // `cargo bench` adds a flag of its own.
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    while let Some(word) = words.next() {
        let mut number = || words.next().and_then(|word| word.parse().ok()).expect("a number");
        match word.as_str() {
            "--units" => options.units = number(),
            "--rounds" => options.rounds = number() as usize,
            "--no-build" => options.build = false,
            "--no-search" => options.search = false,
            directory => options.directory = directory.into(),
        }
    }
    options
}

/// Builds a table with so many threads, from nothing.
fn built(sheets: &Sheets, directory: &Path, threads: usize) -> Built {
    let _ = std::fs::remove_dir_all(directory);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    let place = Directory::new(directory);
    let limits = BuildLimits { memory: 2 << 30 };
    pool.install(|| build(sheets, &place, &limits, &mut |_| Next::Continue)).expect("a table")
}

fn best(rounds: usize, time: impl FnMut() -> Duration) -> Duration {
    std::iter::repeat_with(time).take(rounds).min().expect("a round")
}

fn one_thread(options: &Options) {
    for rules in Rules::ALL {
        let directory = options.directory.join(rules.name());
        let mut last = None;
        let time = best(options.rounds, || {
            let start = ProcessTime::now();
            // The tables of the moves are part of the work.
            let sheets = Sheets::new(PITS, options.units, rules).expect("a size");
            last = Some(built(&sheets, &directory, 1));
            start.elapsed()
        });
        let built = last.expect("a round");
        let positions = built.positions as f64;
        println!(
            "{:12} one thread: {:.2} s of CPU, {:.1} ns a position, {:.3} bytes a position, \
             {} MiB held",
            rules.name(),
            time.as_secs_f64(),
            time.as_nanos() as f64 / positions,
            built.bytes as f64 / positions,
            built.memory >> 20,
        );
    }
}

fn two_threads(options: &Options) {
    let rules = Rules::STD_EITHER;
    let sheets = Sheets::new(PITS, options.units, rules).expect("a size");
    let directory = |name: &str| options.directory.join(name);
    let (mut copies, mut shared) = (Duration::MAX, Duration::MAX);
    // In turns, so that both see the same machine.
    for _ in 0..options.rounds {
        let start = Instant::now();
        std::thread::scope(|scope| {
            scope.spawn(|| built(&sheets, &directory("copy-1"), 1));
            scope.spawn(|| built(&sheets, &directory("copy-2"), 1));
        });
        copies = copies.min(start.elapsed());
        let start = Instant::now();
        built(&sheets, &directory("copy-1"), 2);
        shared = shared.min(start.elapsed());
    }
    for copy in ["copy-1", "copy-2"] {
        let _ = std::fs::remove_dir_all(directory(copy));
    }
    println!(
        "{:12} two threads: {:.2} s; two tables side by side with one each: {:.2} s; \
         {:.2} times faster",
        rules.name(),
        shared.as_secs_f64(),
        copies.as_secs_f64(),
        copies.as_secs_f64() / shared.as_secs_f64(),
    );
}

/// Kalah(6,4) from the start. The values of either way to capture are published (Irving, Donkers,
/// Uiterwijk 2000); that the end of the game changes nothing here was found by this search.
fn searches(options: &Options) {
    for rules in Rules::ALL {
        let sheets = Sheets::new(PITS, options.units, rules).expect("a size");
        let place = Directory::new(options.directory.join(rules.name()));
        let kalah = Kalah::new(PITS, 4, rules).expect("a size");
        let mut table = Table::open(&sheets, &place, 1 << 30).expect("a table");
        let limits = SearchLimits { memory: 512 << 20 };
        let mut last = None;
        let mut time = || {
            let start = ProcessTime::now();
            let found = search(&mut table, &kalah.start(), &limits, &mut |_| Next::Continue);
            last = Some(found.expect("an answer"));
            start.elapsed()
        };
        // The first search reads the table, the others have it in memory.
        let first = time();
        let time = best(options.rounds, time);
        let found = last.expect("a round");
        let expected = if rules.capture == Capture::Std { 8 } else { 10 };
        assert_eq!(found.verdict.score.0, expected, "{}", kalah.name());
        println!(
            "{}: {} in {:.1} s of CPU (reading the table, {:.1}), {} nodes for the value, {} with \
             best move and line, {:.2} M nodes/s",
            kalah.name(),
            found.verdict.score,
            time.as_secs_f64(),
            first.as_secs_f64(),
            found.nodes,
            found.all_nodes,
            found.all_nodes as f64 / time.as_secs_f64() / 1e6,
        );
    }
}
