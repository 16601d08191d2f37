//! Measurements of the page: requests a second, how long they take under load, rows of large
//! answers, stopping, and what a browser sees. Every answer is checked.
//!
//! ```text
//! cargo xtask bench page [--binary PATH] [--seconds N] [--no-browser]
//! ```

mod browser;
mod http;
mod load;
mod server;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use self::{
    http::{Place, Request},
    load::{Pace, Report},
    server::Server,
};

struct Options {
    binary: PathBuf,
    duration: Duration,
    browser: bool,
}

fn options() -> Options {
    let binary = root().join("target/release/everyply");
    let mut options = Options { binary, duration: Duration::from_secs(60), browser: true };
    // `cargo bench` adds a flag of its own.
    let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
    while let Some(word) = words.next() {
        match word.as_str() {
            "--binary" => options.binary = words.next().expect("a path").into(),
            "--seconds" => {
                let seconds = words.next().and_then(|word| word.parse().ok());
                options.duration = Duration::from_secs(seconds.expect("a number"));
            }
            "--no-browser" => options.browser = false,
            word => panic!("unknown word {word}"),
        }
    }
    options
}

/// The root of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("a crate of ours").to_owned()
}

fn main() {
    let options = options();
    let directory = tempfile::tempdir().expect("room for a directory");
    fs::write(directory.path().join("game.pgn"), GAME).expect("the game can be written");
    sizes(&options.binary);
    let server = Server::start(&options.binary, directory.path());
    positions(&server.place, options.duration);
    windows(&server.place);
    stops(&server);
    mixed(&server, options.duration);
    hostile(&server, options.duration);
    if options.browser {
        browser::measure(&server.url);
    }
}

/// How large things are.
fn sizes(binary: &Path) {
    let bytes = |path: &Path| fs::metadata(path).map_or(0, |data| data.len());
    let assets = fs::read_dir(root().join("crates/web/assets")).expect("the assets are there");
    let assets: u64 = assets.flatten().map(|entry| bytes(&entry.path())).sum();
    println!("assets, as they are written: {:.1} kB", assets as f64 / 1e3);
    println!("binary: {:.1} MB", bytes(binary) as f64 / 1e6);
}

/// A game to step through.
const GAME: &str = "[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 \
                    5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. h3 Nb8 10. d4 Nbd7 *\n";

const FENS: &[&str] = &[
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
];

fn position(place: &Place, fen: &str) -> Request {
    let fen = fen.replace(' ', "%20");
    place.get("chess", &format!("/api/chess/position?fen={fen}"))
}

/// Facts of positions, as many as 64 connections get.
fn positions(place: &Place, duration: Duration) {
    let requests: Vec<Request> = FENS.iter().map(|fen| position(place, fen)).collect();
    check(place, &requests);
    let alone = load::run(place, &requests, 1, Pace::Full, duration.min(Duration::from_secs(5)));
    say("positions, one connection", &alone);
    let report = load::run(place, &requests, 64, Pace::Full, duration);
    say("positions, 64 connections", &report);
    cross_check(place);
}

/// Asks once before anything is measured, so that only what works is.
fn check(place: &Place, requests: &[Request]) {
    for request in requests {
        let answer = place.ask(request).expect("the server answers");
        let text = String::from_utf8_lossy(&answer.body);
        assert_eq!(answer.status, 200, "{}: {text}", request.name);
        assert!(!text.is_empty(), "{}", request.name);
    }
}

fn say(what: &str, report: &Report) {
    println!(
        "{what}: {:.0} requests/s, p50 {:.2} ms, p95 {:.2} ms, p99 {:.2} ms, slowest {:.1} ms ({}), \
         {} of {} failed",
        report.each_second(),
        report.part(0.5),
        report.part(0.95),
        report.part(0.99),
        report.part(1.0),
        report.slowest,
        report.failed,
        report.times.len() + report.failed,
    );
}

/// The same by wrk, where it is installed.
fn cross_check(place: &Place) {
    let fen = FENS[1].replace(' ', "%20");
    let url = format!("http://{}/api/chess/position?fen={fen}", place.address);
    let key = format!("X-Everyply-Key: {}", place.key);
    let wrk =
        Command::new("wrk").args(["-t1", "-c64", "-d10s", "--latency", "-H", &key, &url]).output();
    match wrk {
        Ok(output) if output.status.success() => {
            println!("wrk, one position, 64 connections, 10 s:");
            let text = String::from_utf8_lossy(&output.stdout);
            let lines = text.lines().map(str::trim).filter(|line| {
                ["50%", "99%", "Requests/sec", "Non-2xx"]
                    .iter()
                    .any(|start| line.starts_with(start))
            });
            lines.for_each(|line| println!("    {line}"));
        }
        _ => println!("not run: wrk, which is missing here"),
    }
}

/// Runs a statement and returns the number of its answer.
fn answered(place: &Place, statement: &str) -> u64 {
    let body = serde_json::json!({ "statement": statement }).to_string();
    let answer = place.ask(&place.post("sql", "/api/sql/run", &body)).expect("the server answers");
    let text = String::from_utf8_lossy(&answer.body);
    let lines = text.lines().filter_map(|line| serde_json::from_str(line).ok());
    let number = lines.into_iter().find_map(|line: serde_json::Value| line["answer"].as_u64());
    number.unwrap_or_else(|| panic!("no answer in {text}"))
}

/// Windows of a million rows, anywhere.
fn windows(place: &Place) {
    let rows = 1_000_000;
    let statement = format!(
        "select value, value * 2 as twice, 'row ' || value as name from generate_series(1, {rows}) \
         order by value"
    );
    let start = Instant::now();
    let answer = answered(place, &statement);
    println!("a statement of a million rows: {:.2} s", start.elapsed().as_secs_f64());
    let mut times = Vec::new();
    let mut connection = place.connect().expect("a connection");
    for index in 0..500_u64 {
        // Steps that visit the whole answer in no order.
        let from = index * 611_953 % (rows - 200);
        let path = format!("/api/sql/rows?answer={answer}&from={from}&count=200");
        let start = Instant::now();
        let page = connection.ask(&place.get("rows", &path)).expect("rows");
        times.push(start.elapsed());
        let text = String::from_utf8_lossy(&page.body);
        let first = format!("{},{},row {}", from + 1, 2 * (from + 1), from + 1);
        assert_eq!(text.lines().next(), Some(first.as_str()));
        assert_eq!(text.lines().count(), 200);
    }
    times.sort_unstable();
    let [middle, last] =
        [times[times.len() / 2], times[times.len() - 1]].map(|t| t.as_secs_f64() * 1e3);
    println!("200 rows of a million, 500 times: p50 {middle:.2} ms, slowest {last:.2} ms");
}

/// Statements that would run for long.
const ENDLESS: &[&str] = &[
    "select count(*) from generate_series(1, 3000000) a, generate_series(1, 3000000) b \
     where a.value + b.value = 7",
    "with recursive r as (select 1 as n union all select n + 1 from r) select max(n) from r",
    "select a.value % 1000 as k, count(distinct b.value) from generate_series(1, 3000000) a, \
     generate_series(1, 3000) b group by k order by k",
];

/// From a closed connection to an idle processor.
fn stops(server: &Server) {
    let mut times = Vec::new();
    for index in 0..9 {
        let body = serde_json::json!({ "statement": ENDLESS[index % ENDLESS.len()] }).to_string();
        let mut connection = server.place.connect().expect("a connection");
        let before = server.spent();
        connection.send(&server.place.post("sql", "/api/sql/run", &body)).expect("it is sent");
        while server.spent() < before + Duration::from_millis(500) {
            thread::sleep(Duration::from_millis(10));
        }
        drop(connection);
        times.push(server.until_idle().expect("it ends before its time"));
    }
    let slowest = times.iter().max().expect("several").as_secs_f64() * 1e3;
    println!("closed connection to idle processor, 9 times: slowest {slowest:.0} ms");
}

const PUZZLE: &str = "4:_a_7a4_a3,a4a5s1s1d2d2m4m6";

/// What visitors of all pages ask for.
fn mixture(place: &Place) -> Vec<Request> {
    let mut requests: Vec<Request> = FENS.iter().map(|fen| position(place, fen)).collect();
    requests.extend([
        place.get("page", "/chess"),
        place.get("module", "/assets/app.js"),
        place.get("four players", "/api/fourchess/position"),
        place.get("puzzle", &format!("/api/kenken/puzzle?id={PUZZLE}")),
        place.get("solution", &format!("/api/kenken/solution?id={PUZZLE}")),
        place.get("Kalah", "/api/kalah/places"),
        place.get("hello", "/api/hello"),
        place.get("files", "/api/files"),
    ]);
    requests
}

fn mixed(server: &Server, duration: Duration) {
    let requests = mixture(&server.place);
    check(&server.place, &requests);
    let report = load::run(&server.place, &requests, 64, Pace::Steady(1000.0), duration);
    say("mixed, 1000 requests/s", &report);
    println!("most memory so far: {:.0} MB", server.most_memory() as f64 / 1e6);
}

/// The same while 50 clients send statements that would run for long.
fn hostile(server: &Server, duration: Duration) {
    let requests = mixture(&server.place);
    let (stop, refused, run) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicUsize::new(0));
    let report = thread::scope(|scope| {
        for client in 0..50 {
            let (stop, refused, run, place) = (&stop, &refused, &run, &server.place);
            scope.spawn(move || {
                let statement = ENDLESS[client % ENDLESS.len()];
                let body = serde_json::json!({ "statement": statement }).to_string();
                while !stop.load(Ordering::Relaxed) {
                    let answer = place.ask(&place.post("sql", "/api/sql/run", &body));
                    match answer.map(|answer| answer.status) {
                        Ok(503) => refused.fetch_add(1, Ordering::Relaxed),
                        _ => run.fetch_add(1, Ordering::Relaxed),
                    };
                    thread::sleep(Duration::from_millis(20));
                }
            });
        }
        let report = load::run(&server.place, &requests, 64, Pace::Steady(1000.0), duration);
        stop.store(true, Ordering::Relaxed);
        report
    });
    say("mixed, with 50 hostile clients of SQL", &report);
    let [run, refused] = [&run, &refused].map(|count| count.load(Ordering::Relaxed));
    println!("hostile statements: {run} begun, {refused} refused");
    println!("most memory: {:.0} MB", server.most_memory() as f64 / 1e6);
}
