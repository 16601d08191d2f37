//! Every count of every suite, for as long as one cares to wait: what has been counted is
//! written down after each position, and the next run goes on from there.
//!
//! Takes a number of minutes (default 60) and, optionally, threads (default all).

use std::{
    collections::HashSet,
    fs,
    io::Write,
    path::Path,
    sync::Mutex,
    time::{Duration, Instant},
};

use chess::{Epd, perft};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
const SUITES: [&str; 4] = ["tricky", "perftsuite", "chess960", "random"];

fn main() {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let minutes = numbers.first().copied().unwrap_or(60);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = numbers.get(1).map_or(cores, |&threads| threads as usize);
    let deadline = Instant::now() + Duration::from_secs(60 * minutes);

    let record = Record::open(&Path::new(ROOT).join("target/perft-all.txt"));
    let mut counts = Vec::new();
    for suite in SUITES {
        counts.extend(read_suite(suite));
    }
    // The cheap ones first, so that the record says "complete up to this size".
    counts.sort_by_key(|count| count.nodes);
    let total = counts.len();
    counts.retain(|count| !record.done.contains(&count.key));
    counts.reverse();
    let work = Mutex::new((counts, record));

    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while Instant::now() < deadline {
                    let Some(count) = work.lock().expect("no thread panics").0.pop() else { break };
                    let found = perft(&count.position, count.depth);
                    assert_eq!(found, count.nodes, "{}", count.key);
                    work.lock().expect("no thread panics").1.add(&count);
                }
            });
        }
    });

    let (left, record) = work.into_inner().expect("no thread panics");
    println!("{} of {total} counts agree, {} to go", record.done.len(), left.len());
    if let Some(next) = left.last() {
        println!("every count below {} nodes is done", next.nodes);
    }
    println!("recorded in target/perft-all.txt");
}

struct Count {
    key: String,
    position: chess::Position,
    depth: u32,
    nodes: u64,
}

fn read_suite(name: &str) -> Vec<Count> {
    let path = Path::new(ROOT).join(format!("fixtures/chess/perft/{name}.epd"));
    let text = fs::read_to_string(&path).expect("a suite");
    let mut counts = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let epd: Epd = line.parse().expect("a legal position");
        for operation in &epd.operations {
            let depth = operation.opcode[1..].parse().expect("D and a depth");
            let nodes = operation.operands[0].as_str().parse().expect("a count");
            let key = format!("{name}:{} D{depth}", index + 1);
            counts.push(Count { key, position: epd.position, depth, nodes });
        }
    }
    counts
}

/// A text file with a line for each count that agreed, added to as they come.
struct Record {
    file: fs::File,
    done: HashSet<String>,
}

impl Record {
    fn open(path: &Path) -> Record {
        let text = fs::read_to_string(path).unwrap_or_default();
        // A line cut off by a kill has no newline and is not believed.
        let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        let done = whole.lines().map(str::to_owned).collect();
        fs::write(path, whole).expect("write the record");
        let file = fs::OpenOptions::new().append(true).open(path).expect("open the record");
        Record { file, done }
    }

    fn add(&mut self, count: &Count) {
        writeln!(self.file, "{}", count.key).expect("write the record");
        self.done.insert(count.key.clone());
    }
}
