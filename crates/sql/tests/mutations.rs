//! Statements and files with parts changed at random: whatever comes of them is an answer or an
//! error, in time, and the engine goes on. An abort would end this process.
//!
//! `EVERYPLY_SLOW=1` runs 10,000 statements and 2,000 files, `EVERYPLY_SEED` other ones.

mod data;

use std::{
    env, fs, mem,
    num::NonZeroUsize,
    ops::AddAssign,
    panic,
    path::{Path, PathBuf},
    sync::{
        Mutex, MutexGuard, Once, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use sql::{Engine, MemoryWatch, Settings, SqlError, quiet_panics};

/// SplitMix64, so that a seed says everything.
struct Random(u64);

impl Random {
    fn new() -> Random {
        let seed = env::var("EVERYPLY_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
        println!("seed {seed}");
        Random(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

fn runs(quick: usize, slow: usize) -> usize {
    if env::var_os("EVERYPLY_SLOW").is_some() { slow } else { quick }
}

/// How much longer than its limit of time a statement may take on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(10);
/// How many statements a session runs.
const SESSION: usize = 100;

/// What panicked, and where. A panic becomes the error of its statement, which looks like any other,
/// so it is written down when it happens.
static PANICS: Mutex<Vec<Panic>> = Mutex::new(Vec::new());

#[derive(Debug)]
struct Panic {
    /// A file of the code, and a line of it.
    place: String,
    message: String,
}

impl Panic {
    /// Whether it is one of these, by a part of the path of the code and of the message.
    fn is_among(&self, known: &[(&str, &str)]) -> bool {
        known.iter().any(|(file, says)| self.place.contains(file) && self.message.contains(says))
    }
}

/// Panics of statements that have an error with a name, which docs/sql.md has: a column of texts or
/// lists with more than 2 GiB.
const TOO_LARGE: &[(&str, &str)] =
    &[("/arrow-", "offset overflow"), ("/arrow-", "capacity overflow")];

/// Readers, whose panics become the error that a file is damaged, with its name.
const READERS: &[(&str, &str)] = &[("/parquet-", ""), ("/arrow-", ""), ("/flatbuffers-", "")];

/// Only one test at a time may make others panic.
static ONE: Mutex<()> = Mutex::new(());

/// Begins to write panics down.
fn watched() -> MutexGuard<'static, ()> {
    static ONCE: Once = Once::new();
    let alone = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    quiet_panics();
    ONCE.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            // What a test itself says is no news.
            if !thread::current().name().is_some_and(|name| name.contains("_an_error")) {
                let message = info.payload_as_str().unwrap_or_default().to_owned();
                let place = info.location().map(ToString::to_string).unwrap_or_default();
                let panic = Panic { place, message };
                println!("a panic: {panic:?}");
                PANICS.lock().unwrap_or_else(PoisonError::into_inner).push(panic);
            }
            usual(info);
        }));
    });
    panics();
    alone
}

/// What has panicked since this was asked last.
fn panics() -> Vec<Panic> {
    mem::take(&mut *PANICS.lock().unwrap_or_else(PoisonError::into_inner))
}

/// The tests below would not notice a panic if this were not so.
#[test]
fn a_panic_is_an_error_and_is_written_down() {
    let _alone = watched();
    let engine = engine(Duration::from_secs(60));
    let ended = engine.plan(|_| panic!("a panic of this test"));
    assert!(matches!(ended.err(), Some(SqlError::Engine(what)) if what == "a panic of this test"));
    let panics = panics();
    assert_eq!(panics.len(), 1, "{panics:#?}");
    assert!(panics[0].is_among(&[("mutations.rs", "a panic of this test")]), "{panics:#?}");
    assert!(!panics[0].is_among(TOO_LARGE) && !panics[0].is_among(READERS));
}

fn engine(time_limit: Duration) -> Engine {
    let settings = Settings {
        memory_limit: 64 << 20,
        spill_limit: 64 << 20,
        threads: NonZeroUsize::new(2).unwrap(),
        time_limit: Some(time_limit),
        memory_watch: MemoryWatch::Process,
        ..Settings::default()
    };
    Engine::new(settings).unwrap()
}

/// How the statements of a test ended, and how long they took together.
#[derive(Debug, Default)]
struct Tally {
    answered: Ended,
    refused: Ended,
    over_limits: Ended,
    broken: Ended,
}

#[derive(Debug, Default)]
struct Ended {
    count: usize,
    time: Duration,
}

impl AddAssign for Ended {
    fn add_assign(&mut self, other: Ended) {
        self.count += other.count;
        self.time += other.time;
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.answered += other.answered;
        self.refused += other.refused;
        self.over_limits += other.over_limits;
        self.broken += other.broken;
    }
}

impl Tally {
    /// Runs a statement to its end.
    fn run(&mut self, engine: &Engine, text: &str, time_limit: Duration) {
        let started = Instant::now();
        let ended = engine.statements(text).and_then(|statements| {
            for statement in statements {
                for batch in engine.execute(statement)? {
                    batch?;
                }
            }
            Ok(())
        });
        let took = started.elapsed();
        // Each statement of a text has the time to itself, and so has reading it.
        let texts = text.matches(';').count() as u32 + 1;
        assert!(took < time_limit * (texts + 1) + PATIENCE, "{took:?}: {text}");
        let place = match ended {
            Ok(()) => &mut self.answered,
            Err(SqlError::Engine(what)) => {
                println!("broken: {what}: {}", text.chars().take(300).collect::<String>());
                &mut self.broken
            }
            Err(SqlError::Time(_) | SqlError::Memory { .. } | SqlError::Disk(_)) => {
                &mut self.over_limits
            }
            Err(_) => &mut self.refused,
        };
        *place += Ended { count: 1, time: took };
    }
}

/// Every statement of the other tests, and those of the faults that limits were made for.
fn statements() -> Vec<String> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/statements");
    let mut files: Vec<PathBuf> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut statements = Vec::new();
    for file in files {
        let text = fs::read_to_string(file).unwrap();
        for block in text.split("\n\n") {
            let lines = block.lines().skip_while(|line| line.starts_with('#')).skip(1);
            let statement: Vec<&str> = lines.take_while(|line| *line != "----").collect();
            if !statement.is_empty() {
                statements.push(statement.join("\n"));
            }
        }
    }
    let more = [
        "select unnest(generate_series(1, 1000)) as a, repeat('ab', 30) as b",
        "select lpad(cast(x as varchar), 30, 'ab') || rpad('a', 3) from generate_series(1, 9) t(x)",
        "select array_repeat([1, 2], 3), array_resize([1], 9), range(1, 9, 2), [1, 2][1]",
        "select arrow_cast([1, 2], 'List(Int64)'), cast(1 as decimal(9, 2)), 1 is null is null",
        "select cast(null as struct<a int, b array<int>>), {a: 1, b: {c: 2}}['b']['c']",
        "select x, sum(x) over (order by x rows 3 preceding) from generate_series(1, 99) t(x)",
        "select date_trunc('month', d), count(*) from (select unnest(generate_series(date \
         '2026-01-01', date '2026-12-31', interval '1 day')) as d) group by 1 order by 1",
        "select case when x % 2 = 0 or x between 3 and 5 then 'a' else null end, x in (1, 2) \
         from generate_series(1, 9) t(x) union all select 'b', true",
        "select * from (values (1, 'a'), (2, null)) a(i, t) full join (values (1)) b(i) using (i)",
        "select regexp_replace('aXbX', 'X(.)', '[\\1]', 'g'), replace('abc', 'b', 'xx'), to_hex(9)",
    ];
    statements.extend(more.map(str::to_owned));
    statements
}

/// Words that change what a statement does most.
const WORDS: &[&str] = &[
    "null",
    "-1",
    "0",
    "9223372036854775807",
    "1000000000",
    "''",
    "'\u{feff}'",
    "*",
    "(",
    ")",
    "[",
    "]",
    ",",
    ";",
    "||",
    "::",
    "is null",
    "not",
    "or",
    "and",
    "between 1 and 2",
    "union all",
    "join",
    "cross join",
    "lateral",
    "select",
    "from",
    "where",
    "group by",
    "order by",
    "limit",
    "distinct",
    "unnest(",
    "repeat('a', 1000000)",
    "array_agg(",
    "with recursive t as (",
    "interval '1 month'",
    "generate_series(1, 1000000)",
    "struct<a ",
    "case when",
    "exists (",
    "explain",
    "explain analyze",
    "set",
    "reset",
    "copy",
    "create table t as",
    "prepare p as",
    "execute p",
    "try_cast(",
    "$1",
    "?",
];

fn mutated(random: &mut Random, corpus: &[String]) -> String {
    let pick = |random: &mut Random| corpus[random.below(corpus.len())].clone();
    let text = pick(random);
    let mut words: Vec<String> =
        text.split_inclusive([' ', ',', '(', ')', '\n']).map(str::to_owned).collect();
    for _ in 0..=random.below(4) {
        let at = random.below(words.len().max(1)).min(words.len().saturating_sub(1));
        match random.below(7) {
            0 if !words.is_empty() => drop(words.remove(at)),
            1 if !words.is_empty() => words.insert(at, words[at].clone()),
            2 => words.insert(at, format!(" {} ", WORDS[random.below(WORDS.len())])),
            3 if !words.is_empty() => words[at] = format!(" {} ", WORDS[random.below(WORDS.len())]),
            4 if !words.is_empty() => {
                let other = random.below(words.len());
                words.swap(at, other);
            }
            5 => {
                let word = format!(" {} ", WORDS[random.below(WORDS.len())]);
                words.insert(at, word.repeat(1 + random.below(600)));
            }
            _ => words.insert(at, format!("({})", pick(random))),
        }
    }
    words.concat()
}

/// Every statement has a number, from which it is made, so that any of them can be run again alone.
#[test]
fn mutated_statements_have_an_answer_or_an_error() {
    let _alone = watched();
    let (runs, time_limit) = (runs(300, 10_000), Duration::from_millis(100));
    let corpus = statements();
    assert!(corpus.len() > 100);
    let data = data::write();
    let (seed, next) = (Random::new().next(), AtomicUsize::new(0));
    let work = || {
        let mut tally = Tally::default();
        loop {
            // What the statements create ends with the session.
            let first = next.fetch_add(SESSION, Ordering::Relaxed);
            if first >= runs {
                return tally;
            }
            let session = engine(time_limit);
            for run in first..(first + SESSION).min(runs) {
                let mut random = Random(seed.wrapping_add(run as u64));
                let text = mutated(&mut random, &corpus);
                let text = text.replace("$DATA", data.path().to_str().unwrap());
                tally.run(&session, &text, time_limit);
            }
        }
    };
    let mut tally = Tally::default();
    thread::scope(|scope| {
        let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let workers: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        for worker in workers {
            tally += worker.join().unwrap();
        }
    });
    println!("{runs} statements: {tally:?}");
    let mut panics = panics();
    panics.retain(|panic| !panic.is_among(TOO_LARGE));
    assert!(panics.is_empty(), "statements make these panic: {panics:#?}");
    let mut fresh = Tally::default();
    fresh.run(&engine(Duration::from_secs(9)), "select 1", Duration::from_secs(9));
    assert_eq!(fresh.answered.count, 1);
}

/// A file as others would write it.
fn without_checksums(file: &[u8]) -> Vec<u8> {
    let end = file.windows(8).rposition(|bytes| bytes == b"evplysum").unwrap() + 8;
    let before = u64::from_le_bytes(file[end - 28..end - 20].try_into().unwrap()) as usize;
    let mut file = [&file[..before], &file[end..]].concat();
    let writer = sinks::CREATED_BY.as_bytes();
    if let Some(at) = file.windows(writer.len()).rposition(|bytes| bytes == writer) {
        file[at..at + 8].copy_from_slice(b"somebody");
    }
    file
}

#[test]
fn mutated_files_have_rows_or_an_error() {
    let _alone = watched();
    let (runs, time_limit) = (runs(120, 2_000), Duration::from_secs(5));
    let data = data::write();
    let originals = ["positions.parquet", "positions.arrow", "facts/part-00000.parquet"];
    let originals = originals.map(|name| (name, fs::read(data.path().join(name)).unwrap()));
    // Without checksums, damage reaches the readers.
    let bare = originals.clone().map(|(name, bytes)| (name, without_checksums(&bytes)));
    let originals = [originals, bare].concat();
    let mut random = Random::new();
    let mut tally = Tally::default();
    let session = engine(time_limit);
    for run in 0..runs {
        let (name, bytes) = &originals[run % originals.len()];
        let mut bytes = bytes.clone();
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len());
            match random.below(5) {
                0 => bytes[at] ^= 1 << random.below(8),
                1 => bytes[at] = random.next() as u8,
                2 => bytes[at] = 0xff,
                3 => bytes.truncate(at + 1),
                _ => {
                    // Lengths and offsets are most of what stands at the end.
                    let end = bytes.len().saturating_sub(1 + random.below(600.min(bytes.len())));
                    bytes[end] = random.next() as u8;
                }
            }
        }
        let ending = name.rsplit_once('.').unwrap().1;
        let path = data.path().join(format!("mutated-{run}.{ending}"));
        fs::write(&path, bytes).unwrap();
        tally.run(&session, &format!("select * from '{}'", path.display()), time_limit);
        fs::remove_file(&path).unwrap();
    }
    println!("{runs} files: {tally:?}");
    assert_eq!(tally.broken.count, 0, "a reader that breaks down is the file's fault, and says so");
    let mut panics = panics();
    panics.retain(|panic| !panic.is_among(READERS));
    assert!(panics.is_empty(), "files make others than their readers panic: {panics:#?}");
    tally.run(&session, "select 1", time_limit);
}
