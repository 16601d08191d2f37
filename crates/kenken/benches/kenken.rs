//! Measurements of the solver, the grader and the generator. Every answer is asserted.
//!
//! Times of single puzzles are the best of five, so a run that was interrupted does not count;
//! longer times are CPU time of the thread.

use std::{
    fs,
    path::PathBuf,
    process::Command,
    time::{Duration, Instant},
};

use cpu_time::ThreadTime;
use kenken::{
    Engine, Fixpoint, Level, Limits, OperatorMix, Puzzle, Recipe, RuleSet, Schedule, Size, Solver,
    ValueOrder, generate_batch, grade, json, keen,
};

fn main() {
    // Words choose parts: `cargo xtask bench kenken generation`.
    let words: Vec<String> =
        std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    if words.iter().any(|word| word == "generation") {
        return generation();
    }
    let keen: Vec<(usize, Vec<String>)> = (4..=9).map(|side| (side, keen_ids(side))).collect();
    uniqueness(&keen);
    queues(&keen);
    value_order(&keen);
    large();
    generation();
}

fn fixture(name: &str) -> String {
    let path: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "..", "..", "fixtures", "kenken", name].iter().collect();
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Every shared game ID of a size.
fn keen_ids(side: usize) -> Vec<String> {
    let mut ids = Vec::new();
    for level in ["e", "n", "h", "x", "u"] {
        for kind in ["", "m"] {
            let name = format!("keen_{side}{level}{kind}.txt");
            let path: PathBuf =
                [env!("CARGO_MANIFEST_DIR"), "..", "..", "fixtures", "kenken", &name]
                    .iter()
                    .collect();
            if path.exists() {
                ids.extend(fixture(&name).lines().map(str::to_owned));
            }
        }
    }
    ids
}

/// The best of five times, and what came out.
fn best_of_five<T>(mut work: impl FnMut() -> T) -> (Duration, T) {
    let mut best: Option<(Duration, T)> = None;
    for _ in 0..5 {
        let start = Instant::now();
        let result = work();
        let time = start.elapsed();
        if best.as_ref().is_none_or(|(least, _)| time < *least) {
            best = Some((time, result));
        }
    }
    best.expect("five times is at least once")
}

fn quantile(times: &mut [Duration], at: f64) -> f64 {
    times.sort();
    times[((times.len() - 1) as f64 * at) as usize].as_secs_f64() * 1e6
}

fn uniqueness(keen: &[(usize, Vec<String>)]) {
    println!("Uniqueness of every shared Keen puzzle, parsing included, one thread, us");
    println!("size  puzzles  median     p99     max  parse  nodes p99  us a node");
    let mut solver = Solver::new();
    for (side, ids) in keen {
        let (mut times, mut parsing, mut nodes) = (Vec::new(), Vec::new(), Vec::new());
        let (mut guessing, mut guesses) = (Duration::ZERO, 0);
        for id in ids {
            let (time, count) = best_of_five(|| {
                solver.count(&keen::parse(id).expect("the fixtures are good"), 2, &Limits::NONE)
            });
            assert_eq!((count.solutions, count.complete), (1, true), "{id}");
            // The same up to the first guess: what is left is what the guesses cost.
            let none = Limits { nodes: Some(0), deadline: None };
            let (root, _) = best_of_five(|| {
                solver.count(&keen::parse(id).expect("the fixtures are good"), 2, &none)
            });
            if count.statistics.nodes > 0 {
                guessing += time.saturating_sub(root);
                guesses += count.statistics.nodes;
            }
            parsing.push(best_of_five(|| keen::parse(id)).0);
            times.push(time);
            nodes.push(Duration::from_micros(count.statistics.nodes));
        }
        println!(
            "{side:4}  {:7}  {:6.1}  {:6.1}  {:6.1}  {:5.2}  {:9.0}  {:9.2}",
            ids.len(),
            quantile(&mut times, 0.5),
            quantile(&mut times, 0.99),
            quantile(&mut times, 1.0),
            quantile(&mut parsing, 0.5),
            quantile(&mut nodes, 0.99),
            guessing.as_secs_f64() * 1e6 / guesses.max(1) as f64,
        );
    }
}

fn queues(keen: &[(usize, Vec<String>)]) {
    println!("\nWhat the queues save: looks at lines and cages, and time, against a full rescan");
    println!("size  rules    queued looks  rescan looks  saved  queued us  rescan us");
    for (side, ids) in keen.iter().filter(|(side, _)| [6, 9].contains(side)) {
        for (name, rules) in [("search", RuleSet::SEARCH), ("extreme", Level::Extreme.rules())] {
            let mut looks = [0; 2];
            let mut times = [Duration::ZERO; 2];
            for id in ids {
                let puzzle = keen::parse(id).expect("the fixtures are good");
                let both = [Schedule::Queues, Schedule::Rescan]
                    .map(|schedule| best_of_five(|| Fixpoint::of(&puzzle, rules, schedule)));
                assert_eq!(both[0].1.candidates, both[1].1.candidates, "{id}");
                for (place, (time, fixpoint)) in both.iter().enumerate() {
                    looks[place] += fixpoint.statistics.propagations;
                    times[place] += *time;
                }
            }
            let mean = |time: Duration| time.as_secs_f64() * 1e6 / ids.len() as f64;
            println!(
                "{side:4}  {name:7}  {:12}  {:12}  {:4.0} %  {:9.1}  {:9.1}",
                looks[0],
                looks[1],
                100.0 - 100.0 * looks[0] as f64 / looks[1] as f64,
                mean(times[0]),
                mean(times[1])
            );
        }
    }
}

fn value_order(keen: &[(usize, Vec<String>)]) {
    println!("\nWhich digit first: guesses and mean time of one solution and of uniqueness, 9x9");
    println!("asked  order               guesses  mean us");
    let ids = &keen.last().expect("there are sizes").1;
    for asked in [1, 2] {
        for order in [ValueOrder::Ascending, ValueOrder::LeastConstraining] {
            let mut solver = Solver::new().trying(order);
            let (mut guesses, mut time) = (0, Duration::ZERO);
            for id in ids {
                let puzzle = keen::parse(id).expect("the fixtures are good");
                let (best, count) = best_of_five(|| solver.count(&puzzle, asked, &Limits::NONE));
                assert_eq!(count.solutions, 1, "{id}");
                guesses += count.statistics.nodes;
                time += best;
            }
            let mean = time.as_secs_f64() * 1e6 / ids.len() as f64;
            println!("{asked:5}  {:18}  {guesses:7}  {mean:7.1}", format!("{order:?}"));
        }
    }
}

/// Seconds each large puzzle may take; `EVERYPLY_SLOW=1` gives them a minute.
fn patience() -> Duration {
    let slow = std::env::var_os("EVERYPLY_SLOW").is_some_and(|value| value == "1");
    Duration::from_secs(if slow { 60 } else { 3 })
}

fn large() {
    println!("\nLarge puzzles: uniqueness, at most {} s each, CPU ms", patience().as_secs());
    println!("set                 puzzles  answered  median ms      max ms  conflicts");
    for (set, file, prefix) in [
        ("unique, all", "big_unique.jsonl", "uniq_"),
        ("unique, 20x20 small", "big_unique.jsonl", "uniq_20_small"),
        ("20x20 small", "big_random.jsonl", "big_20_small"),
        ("10x10 big", "big_random.jsonl", "big_10_big"),
        ("12x12 big", "big_random.jsonl", "big_12_big"),
        ("16x16 mid", "big_random.jsonl", "big_16_mid"),
        ("16x16 big", "big_random.jsonl", "big_16_big"),
        ("20x20 mid", "big_random.jsonl", "big_20_mid"),
    ] {
        let (mut times, mut answered, mut conflicts) = (Vec::new(), 0, 0);
        for line in fixture(file).lines() {
            let document = json::parse(line).expect("the fixtures are good");
            let name = document.id.expect("the fixtures have names");
            if !name.starts_with(prefix) {
                continue;
            }
            let start = ThreadTime::now();
            let deadline = Some(Instant::now() + patience());
            let count = Solver::new().count(&document.puzzle, 2, &Limits { nodes: None, deadline });
            times.push(start.elapsed());
            answered += u32::from(count.complete);
            conflicts += count.statistics.conflicts;
            if file == "big_unique.jsonl" {
                assert_eq!((count.solutions, count.complete), (1, true), "{name}");
            }
        }
        println!(
            "{set:19} {:7}  {answered:8}  {:9.2}  {:10.2}  {conflicts:9}",
            times.len(),
            quantile(&mut times, 0.5) / 1e3,
            quantile(&mut times, 1.0) / 1e3,
        );
    }
    learning();
}

/// Clause learning alone on puzzles that search does in no time.
fn learning() {
    let ids = keen_ids(9);
    let mut times: Vec<Duration> = ids
        .iter()
        .map(|id| {
            let puzzle: Puzzle = keen::parse(id).expect("the fixtures are good");
            let mut solver = Solver::new().with_engine(Engine::Clauses);
            let start = ThreadTime::now();
            let count = solver.count(&puzzle, 2, &Limits::NONE);
            assert_eq!(count.solutions, 1, "{id}");
            start.elapsed()
        })
        .collect();
    println!(
        "clause learning alone on {} 9x9 puzzles: median {:.0} us, p99 {:.0} us",
        ids.len(),
        quantile(&mut times, 0.5),
        quantile(&mut times, 0.99)
    );
}

fn generation() {
    println!(
        "\nGenerated puzzles a CPU second, each unique and of its level; Keen in the same run"
    );
    println!("size  level         all operators    Keen   ratio  products only");
    for side in [6, 9] {
        for (level, letter) in Level::ALL.into_iter().zip(["e", "n", "h", "x", "u"]) {
            let mut recipe = Recipe::new(Size::new(side).expect("a small size"), Some(level));
            // In turn, so that both are disturbed alike. Seeds differ in what they take, so the
            // rates are those of all puzzles together.
            let (mut all, mut keen) = (Made::default(), Some(Made::default()));
            for round in 0..3 {
                all = all.and(made(&recipe, level, round));
                let more = keen_made(&format!("{side}d{letter}#{round}"));
                keen = keen.zip(more).map(|(keen, more)| keen.and(more));
            }
            let (all, keen) = (all.rate(), keen.map(Made::rate));
            recipe.operators = OperatorMix::MULTIPLY;
            let products = made(&recipe, level, 0).rate();
            let or_none = |number: Option<f64>| match number {
                Some(number) => format!("{number:.1}"),
                None => "not run".to_owned(),
            };
            println!(
                "{side:4}  {:12}  {all:13.0}  {:>7}  {:>7}  {products:13.0}",
                level.name(),
                or_none(keen),
                or_none(keen.map(|keen| all / keen)),
            );
        }
    }
}

/// Puzzles, and the seconds of the processor that making them took.
#[derive(Clone, Copy, Default)]
struct Made {
    puzzles: u64,
    seconds: f64,
}

impl Made {
    fn and(self, more: Made) -> Made {
        Made { puzzles: self.puzzles + more.puzzles, seconds: self.seconds + more.seconds }
    }

    fn rate(self) -> f64 {
        self.puzzles as f64 / self.seconds
    }
}

/// Puzzles that Keen makes, Debian's package `sgt-puzzles`; `None` if it is not there.
fn keen_made(recipe: &str) -> Option<Made> {
    let mut count = 10;
    loop {
        let (made, seconds) = keen_time(recipe, count)?;
        assert_eq!(made, count, "{recipe}");
        if seconds >= 0.8 {
            return Some(Made { puzzles: made as u64, seconds });
        }
        count *= 4;
    }
}

/// How many lines Keen printed, and how many seconds it took of the processor. The shell counts
/// what its children took.
fn keen_time(recipe: &str, count: usize) -> Option<(usize, f64)> {
    let script = format!("PATH=$PATH:/usr/games sgt-keen --generate {count} '{recipe}'; times");
    let output = Command::new("sh").arg("-c").arg(script).output().ok()?;
    let text = String::from_utf8(output.stdout).expect("Keen prints text");
    let lines: Vec<&str> = text.lines().collect();
    // Two lines of times: those of the shell, and those of its children.
    let (puzzles, times) = lines.split_at(lines.len().checked_sub(2)?);
    let seconds = |time: &str| {
        let (minutes, seconds) = time.trim_end_matches('s').split_once('m')?;
        Some(60.0 * minutes.parse::<f64>().ok()? + seconds.parse::<f64>().ok()?)
    };
    let time: Option<f64> = times[1].split_whitespace().map(seconds).sum();
    (!puzzles.is_empty()).then_some((puzzles.len(), time?))
}

/// A batch of puzzles, made by one thread as Keen makes them: by one program that goes on until it
/// has them all.
fn made(recipe: &Recipe, level: Level, seed: u64) -> Made {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread starts");
    let mut puzzles = 64;
    loop {
        let (batch, time) = pool.install(|| {
            let start = ThreadTime::now();
            let batch = generate_batch(recipe, seed, 0..puzzles);
            (batch, start.elapsed())
        });
        if time >= Duration::from_millis(800) {
            for made in batch {
                let puzzle = made.expect("there are such puzzles").puzzle;
                assert_eq!(grade(&puzzle, &Limits::NONE), kenken::Grade::Level(level));
            }
            return Made { puzzles, seconds: time.as_secs_f64() };
        }
        puzzles *= 4;
    }
}
