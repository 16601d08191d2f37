//! A table that has a whole game in it, compared with searches over a small one, and a search of a
//! larger game down to it. Every answer is asserted.
//!
//! ```text
//! cargo bench -p everyply-solver --bench complete -- [--units N] [--rules RULES] [--memory GIB] \
//!     [--sample N] [--searches N] [--below N] [--seeds N] [--no-build] [DIRECTORY]
//! ```
//!
//! With 36 units, which is every position of Kalah(6,3) and 27 GB, it takes most of an hour.
//! `--seeds 5` then searches Kalah(6,5) from its start.

use std::{
    path::PathBuf,
    time::{Duration, Instant},
};

use cpu_time::ProcessTime;
use game::{Cell, Game, Half, Numbered, Score, Sheet};
use kalah::{Kalah, Rules, Sheets};
use solver::{
    Next, Sample, mix,
    search::{SearchLimits, Searcher, search},
    table::{BuildLimits, Directory, Table, build, verify},
};

const PITS: usize = 6;

struct Options {
    units: u32,
    rules: Rules,
    memory: usize,
    sample: u64,
    searches: u64,
    below: u32,
    seeds: Option<u32>,
    build: bool,
    directory: PathBuf,
}

fn main() {
    let options = options();
    let sheets = Sheets::new(PITS, options.units, options.rules).expect("a size");
    let place = Directory::new(&options.directory);
    if options.build {
        built(&options, &sheets, &place);
    }
    verified(&options, &sheets, &place);
    searched(&options, &sheets, &place);
    if let Some(seeds) = options.seeds {
        answered(&options, &sheets, &place, seeds);
    }
}

fn options() -> Options {
    let mut options = Options {
        units: 24,
        rules: Rules::STD_EITHER,
        memory: 4 << 30,
        sample: 1_000_000,
        searches: 1_000,
        below: 18,
        seeds: None,
        build: true,
        directory: std::env::temp_dir().join("everyply-bench-complete"),
    };
    // `cargo bench` adds a flag of its own.
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    while let Some(word) = words.next() {
        if word == "--rules" {
            let name = words.next().expect("rules");
            options.rules = name.parse().expect("rules");
            continue;
        }
        let mut number = || -> u64 {
            words.next().and_then(|word| word.parse().ok()).expect("a number after an option")
        };
        match word.as_str() {
            "--units" => options.units = number() as u32,
            "--memory" => options.memory = (number() as usize) << 30,
            "--sample" => options.sample = number(),
            "--searches" => options.searches = number(),
            "--below" => options.below = number() as u32,
            "--seeds" => options.seeds = Some(number() as u32),
            "--no-build" => options.build = false,
            directory => options.directory = directory.into(),
        }
    }
    options
}

fn built(options: &Options, sheets: &Sheets, place: &Directory) {
    let (start, clock) = (ProcessTime::now(), Instant::now());
    let mut told = Duration::ZERO;
    let limits = BuildLimits { memory: options.memory };
    let built = build(sheets, place, &limits, &mut |progress| {
        if clock.elapsed() > told {
            let share = 100.0 * progress.done as f64 / progress.total as f64;
            let seconds = start.elapsed().as_secs_f64();
            println!("{share:5.1} % in {seconds:.0} s of CPU, {} MiB", progress.memory >> 20);
            told += Duration::from_secs(60);
        }
        Next::Continue
    });
    let built = built.expect("a table");
    let (cpu, seconds) = (start.elapsed(), clock.elapsed().as_secs_f64());
    let new = (built.positions - built.found) as f64;
    println!(
        "{}: {} positions, {} of them new, in {:.0} s of CPU, {seconds:.0} s of wall-clock time, \
         {:.1} ns each, {} bytes, {} MiB held, process {} MiB",
        sheets.name(),
        built.positions,
        built.positions - built.found,
        cpu.as_secs_f64(),
        cpu.as_nanos() as f64 / new,
        built.bytes,
        built.memory >> 20,
        peak_memory(),
    );
}

fn verified(options: &Options, sheets: &Sheets, place: &Directory) {
    let (start, clock) = (ProcessTime::now(), Instant::now());
    let sample = Sample::Some { rows: options.sample, seed: 3 };
    let report = verify(sheets, place, sample, options.memory / 2, &mut |_, _| Next::Continue);
    let report = report.expect("a report");
    assert_eq!(report.wrong, 0, "{:?}", report.faults);
    println!(
        "{} of {} positions recomputed: no fault; {:.0} s of CPU, {:.0} s of wall-clock time",
        report.checked,
        report.positions,
        start.elapsed().as_secs_f64(),
        clock.elapsed().as_secs_f64()
    );
}

/// Random positions that the small table does not have, searched down to it.
fn searched(options: &Options, sheets: &Sheets, place: &Directory) {
    let small = Sheets::new(PITS, options.below, options.rules).expect("a size");
    let below = Directory::new(options.directory.join("below"));
    let limits = BuildLimits { memory: options.memory };
    build(&small, &below, &limits, &mut |_| Next::Continue).expect("a small table");
    let small = Table::open(&small, &below, 1 << 30).expect("the small table");
    let limits = SearchLimits { memory: 1 << 30 };
    let mut searcher = Searcher::new(small, &limits).expect("memory");
    let mut table = Table::open(sheets, place, 1 << 30).expect("the table");
    let (start, mut seed, mut units) = (ProcessTime::now(), 6, 0);
    for _ in 0..options.searches {
        let mut random = |below: usize| {
            seed = mix(seed);
            (seed % below as u64) as usize
        };
        let cell = random_cell(sheets.halves(), options.below as usize + 1, &mut random);
        units += u64::from(cell.sheet.units());
        let position = sheets.position(cell);
        let found = searcher.bounds(&position, Score(0), &mut |_| Next::Continue);
        let found = found.expect("an answer").value().expect("a value");
        let value = table.value(&position).expect("a readable table").expect("a value");
        assert_eq!(value, found, "{position}");
    }
    println!(
        "{} positions of {:.1} seeds on average have the values that a search over a table of {} \
         seeds finds; {:.1} s of CPU",
        options.searches,
        units as f64 / options.searches.max(1) as f64,
        options.below,
        start.elapsed().as_secs_f64()
    );
}

/// A position with at least so many units. Each number of units is as likely as any other, and so is
/// each way to share them out between the sides.
fn random_cell(halves: &[Half], least: usize, random: &mut impl FnMut(usize) -> usize) -> Cell {
    let units = least + random(halves.len() - least);
    let own = random(units + 1);
    let sheet = Sheet { own: own as u16, other: (units - own) as u16 };
    let (rows, columns) = (halves[own].count(), halves[units - own].count());
    Cell { sheet, row: random(rows), column: random(columns) }
}

/// A game that begins with more seeds than the table has.
fn answered(options: &Options, sheets: &Sheets, place: &Directory, seeds: u32) {
    let kalah = Kalah::new(PITS, seeds, options.rules).expect("a size");
    let mut table = Table::open(sheets, place, options.memory).expect("the table");
    let limits = SearchLimits { memory: options.memory / 2 };
    let (start, clock) = (ProcessTime::now(), Instant::now());
    let mut told = Duration::ZERO;
    let found = search(&mut table, &kalah.start(), &limits, &mut |progress| {
        if clock.elapsed() > told {
            let (least, most) = (progress.at_least, progress.at_most);
            let seconds = start.elapsed().as_secs_f64();
            println!("{} nodes in {seconds:.0} s of CPU: {least} to {most}", progress.nodes);
            told += Duration::from_secs(60);
        }
        Next::Continue
    });
    let found = found.expect("an answer");
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{}: {}, best move {:?}, {} nodes for the value, {} with best move and line, \
         {seconds:.0} s of CPU, {:.0} s of wall-clock time, {:.2} M nodes/s, process {} MiB",
        kalah.name(),
        found.verdict.score,
        found.verdict.best,
        found.nodes,
        found.all_nodes,
        clock.elapsed().as_secs_f64(),
        found.all_nodes as f64 / seconds / 1e6,
        peak_memory(),
    );
}

/// The most memory that this process has had, in MiB.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("a peak");
    let kib: u64 = line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).expect("a number");
    kib >> 10
}
