//! Us and cozy-chess in one process: perft, FEN and PGN. Every answer is checked; times are
//! CPU time of one thread, best of five.
//!
//! `table` times perft with a table of counts, and on two threads, whose times are also those of
//! the clock. `pgn` times PGN alone; `pgn FILE` and `finals FILE` serve the comparison with python-chess, which is a
//! script.

use std::{
    fs,
    hint::black_box,
    io::Read,
    path::Path,
    sync::atomic::{AtomicU64, AtomicUsize, Ordering},
    thread,
    time::Instant,
};

use chess::{PerftTable, Position, perft, pgn};
use cpu_time::{ProcessTime, ThreadTime};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/chess");
const KIWIPETE: &str = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["pgn", file] => time_file(file),
        ["pgn"] => bench_pgn(),
        ["table"] => bench_table(),
        ["finals", file] => print_finals(file),
        _ => {
            println!(
                "{:<28} {:>14} {:>14} {:>7}",
                "chess, one thread", "everyply", "cozy-chess", "ratio"
            );
            bench_perft("start", &Position::default().to_string(), 6, 119_060_324);
            bench_perft("kiwipete", KIWIPETE, 5, 193_690_690);
            bench_fen();
            bench_pgn();
        }
    }
}

fn bench_perft(name: &str, fen: &str, depth: u32, nodes: u64) {
    let ours: Position = fen.parse().expect("a legal FEN");
    let theirs: cozy_chess::Board = fen.parse().expect("a legal FEN");
    let us = best_of_five(|| assert_eq!(perft(&ours, depth), nodes));
    let them = best_of_five(|| assert_eq!(cozy_perft(&theirs, depth), nodes));
    let rate = |seconds: f64| format!("{:.0} Mn/s", nodes as f64 / seconds / 1e6);
    report(&format!("perft {name} depth {depth}"), &rate(us), &rate(them), them / us);
}

/// Tables that hold everything depths 7 and 8 of the start position keep. Larger ones cost more to
/// clear than they gain.
const TABLES: [usize; 2] = [64 << 20, 512 << 20];

fn bench_table() {
    let start = Position::default();
    let [smaller, larger] = TABLES;
    let fresh = |bytes| PerftTable::new(bytes).expect("enough memory");
    let (seventh, eighth) = (3_195_901_860, 84_998_978_956);
    let plain = best_of(3, || assert_eq!(perft(&start, 7), seventh));
    let kept = best_of(3, || assert_eq!(fresh(smaller).perft(&start, 7), seventh));
    let deeper = best_of(2, || assert_eq!(fresh(larger).perft(&start, 8), eighth));
    println!("start depth 7, one thread: {plain:.2} s, {kept:.2} s with a table");
    println!("start depth 8, one thread: {deeper:.2} s with a table");
    for threads in [1, 2] {
        let plain = best_shared(|| assert_eq!(shared(threads, 7, &perft), seventh));
        let kept = best_shared(|| {
            let table = fresh(larger);
            let count = |position: &Position, depth| table.perft(position, depth);
            assert_eq!(shared(threads, 8, &count), eighth);
        });
        println!("{threads} threads: depth 7 {plain}, depth 8 with a table {kept}");
    }
}

/// Threads take the positions two plies ahead one after the other.
fn shared(threads: usize, depth: u32, perft: &(impl Fn(&Position, u32) -> u64 + Sync)) -> u64 {
    let after = |position: &Position| -> Vec<Position> {
        position.legal_moves().iter().map(|mv| position.play(mv)).collect()
    };
    let pieces: Vec<Position> = after(&Position::default()).iter().flat_map(after).collect();
    let (next, nodes) = (AtomicUsize::new(0), AtomicU64::new(0));
    let work = || {
        while let Some(position) = pieces.get(next.fetch_add(1, Ordering::Relaxed)) {
            nodes.fetch_add(perft(position, depth - 2), Ordering::Relaxed);
        }
    };
    thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    nodes.into_inner()
}

fn bench_fen() {
    let text = fs::read_to_string(Path::new(FIXTURES).join("perft/random.epd")).expect("fixture");
    let fens: Vec<&str> =
        text.lines().map(|line| line.split(" ;").next().unwrap_or(line)).collect();
    let rounds = 50;
    let us = best_of_five(|| {
        for fen in fens.iter().cycle().take(rounds * fens.len()) {
            black_box(Position::from_fen(black_box(fen.as_bytes())).expect("a legal FEN"));
        }
    });
    let them = best_of_five(|| {
        for fen in fens.iter().cycle().take(rounds * fens.len()) {
            black_box(black_box(fen).parse::<cozy_chess::Board>().expect("a legal FEN"));
        }
    });
    let each = |seconds: f64| format!("{:.0} ns", seconds / (rounds * fens.len()) as f64 * 1e9);
    report("FEN parse", &each(us), &each(them), them / us);
}

fn bench_pgn() {
    let sample = fs::read(Path::new(FIXTURES).join("pgn/lichess_438_games.pgn")).expect("fixture");
    let repeats = 100_000_000 / sample.len() + 1;
    let bytes = (sample.len() * repeats) as f64;
    let mut plies = 0;
    let seconds = best_of_five(|| {
        let counts = read_all(Repeated { text: &sample, at: 0, left: repeats });
        assert_eq!(counts.0, 438 * repeats as u64);
        plies = counts.1;
    });
    let rate = format!("{:.0} MB/s", bytes / seconds / 1e6);
    report("PGN with legal play", &rate, "-", f64::NAN);
    println!("{:<28} {:>11.2} M/s", "  plies", plies as f64 / seconds / 1e6);
    for threads in [1, 2] {
        let read = || {
            let counts = read_all(Repeated { text: &sample, at: 0, left: repeats });
            assert_eq!(counts.1, plies);
        };
        let both = best_shared(|| {
            thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(read))));
        });
        println!("  {threads} threads, each the whole: {both}");
    }
}

/// The same text again and again, so that a large file need not be on the disk.
struct Repeated<'a> {
    text: &'a [u8],
    at: usize,
    left: usize,
}

impl Read for Repeated<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if self.left == 0 {
            return Ok(0);
        }
        let read = (&self.text[self.at..]).read(buffer)?;
        self.at += read;
        if self.at == self.text.len() {
            self.at = 0;
            self.left -= 1;
        }
        Ok(read)
    }
}

fn read_all(input: impl Read) -> (u64, u64) {
    let mut reader = pgn::Reader::new(input);
    let mut game = pgn::Mainline::default();
    let (mut games, mut plies) = (0, 0);
    while game.read(&mut reader).expect("good games") {
        games += 1;
        plies += game.moves.len() as u64;
    }
    (games, plies)
}

fn time_file(file: &str) {
    let open = || fs::File::open(file).expect("a file to read");
    let mut counts = (0, 0);
    let seconds = best_of_five(|| counts = read_all(open()));
    println!("{seconds} {} {}", counts.0, counts.1);
}

fn print_finals(file: &str) {
    let mut reader = pgn::Reader::new(fs::File::open(file).expect("a file to read"));
    let mut game = pgn::Mainline::default();
    while game.read(&mut reader).expect("good games") {
        println!("{}", game.positions.last().expect("a game has a start"));
    }
}

fn cozy_perft(board: &cozy_chess::Board, depth: u32) -> u64 {
    let mut nodes = 0;
    board.generate_moves(|moves| {
        if depth == 1 {
            nodes += moves.len() as u64;
        } else {
            for mv in moves {
                let mut next = board.clone();
                next.play_unchecked(mv);
                nodes += cozy_perft(&next, depth - 1);
            }
        }
        false
    });
    nodes
}

fn best_of_five(work: impl FnMut()) -> f64 {
    best_of(5, work)
}

/// CPU time of this thread.
fn best_of(runs: usize, mut work: impl FnMut()) -> f64 {
    let timed = |_| {
        let start = ThreadTime::now();
        work();
        start.elapsed().as_secs_f64()
    };
    (0..runs).map(timed).fold(f64::INFINITY, f64::min)
}

/// The time of the clock, and the CPU time of all threads.
fn best_shared(mut work: impl FnMut()) -> String {
    let timed = |_| {
        let (clock, cpu) = (Instant::now(), ProcessTime::now());
        work();
        [clock.elapsed(), cpu.elapsed()].map(|time| time.as_secs_f64())
    };
    let best = |best: [f64; 2], run: [f64; 2]| [best[0].min(run[0]), best[1].min(run[1])];
    let [clock, cpu] = (0..3).map(timed).fold([f64::INFINITY; 2], best);
    format!("in {clock:.2} s ({cpu:.2} s of CPU)")
}

fn report(what: &str, us: &str, them: &str, ratio: f64) {
    let ratio = if ratio.is_nan() { "-".into() } else { format!("{ratio:.2}") };
    println!("{what:<28} {us:>14} {them:>14} {ratio:>7}");
}
