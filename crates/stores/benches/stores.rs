//! Rows a second of every store for adding, settling, scanning and looking up, through the trait.
//!
//! The rows are those of a game like Kalah(4,3): as many, in as many ranks, with keys as long.
//! Times are of the clock, since a store's work is done by other processes and by disks too; the
//! best of three. Servers are started here, on this machine, and stand-ins are named as such.

#[path = "../tests/servers/mod.rs"]
mod servers;

use std::{
    io::Write,
    ops::ControlFlow,
    process::Command,
    time::{Duration, Instant},
};

use game::{Key, MoveId, Rank, Score, Verdict};
use solver::{Access, FORMAT, Found, Header, Row, Settled, Stage, Store};

const RANKS: u64 = 400;
const ROWS: u64 = 849_460;
/// Ranks between commits, as when a commit comes every few seconds.
const COMMIT: usize = 50;
const ROUNDS: usize = 3;

/// In a process that is to measure one store, its URL.
const VARIABLE: &str = "EVERYPLY_BENCH_STORE";

fn main() {
    if let Ok(url) = std::env::var(VARIABLE) {
        measure(&url);
        return;
    }
    println!("{ROWS} rows in {RANKS} ranks, a commit every {COMMIT}; million rows a second");
    println!("{:<36} {:>7} {:>7} {:>7} {:>7}", "store", "add", "settle", "scan", "find");
    let directory = tempfile::tempdir().expect("a directory for the stores");
    let path = |name: &str| directory.path().join(name).display().to_string();
    run("memory", "memory:", &[]);
    run("sqlite", &format!("sqlite:{}", path("bench")), &[]);
    run("file", &format!("file:{}", path("parts")), &[]);
    if let Some(server) = servers::postgres() {
        let url = format!("postgres://postgres@{}/postgres?schema=bench", server.address());
        run("postgres", &url, &[]);
    } else {
        println!("not run: PostgreSQL is missing");
    }
    if let Some(server) = servers::s3() {
        let endpoint = format!("http://{}", server.address());
        let keys = [("AWS_ACCESS_KEY_ID", "any"), ("AWS_SECRET_ACCESS_KEY", "any")];
        let place = [("AWS_ENDPOINT_URL", endpoint.as_str()), ("AWS_REGION", "us-east-1")];
        run("s3 (moto_server, local)", "s3://games/bench", &[keys, place].concat());
    } else {
        println!("not run: moto_server is missing");
    }
    if let Some(server) = servers::gs() {
        let address = server.address();
        let place = [("STORAGE_EMULATOR_HOST", address.as_str())];
        run("gs (gcp-storage-emulator, local)", "gs://games/bench", &place);
    } else {
        println!("not run: gcp-storage-emulator is missing");
    }
    if let Some(server) = servers::bigtable() {
        let address = server.address();
        let place = [("BIGTABLE_EMULATOR_HOST", address.as_str())];
        run("bigtable (cbtemulator, local)", "bigtable://project/instance/bench", &place);
    } else {
        println!("not run: cbtemulator or cbt is missing");
    }
}

/// Measures a store in a process of its own, where clients find these variables.
fn run(name: &str, url: &str, variables: &[(&str, &str)]) {
    print!("{name:<36} ");
    std::io::stdout().flush().expect("the child's figures come after the name");
    let mut command = Command::new(std::env::current_exe().expect("this program has a place"));
    command.env(VARIABLE, url).envs(variables.iter().copied());
    let status = command.status().expect("this program can be run");
    assert!(status.success(), "{name} ended with {status}");
}

fn measure(url: &str) {
    let ranks = positions();
    let mut best = [Duration::MAX; 4];
    for round in 0..ROUNDS {
        let separator = if url.ends_with(':') { "" } else { &format!("{round}") };
        let header = Header { game: "bench".to_owned(), key_bits: 40, format: FORMAT };
        let url = format!("{url}{separator}");
        let store = &mut *stores::open(&url, Access::Create(header)).expect("a new store");
        let times = [add(store, &ranks), settle(store, &ranks), scan(store), find(store, &ranks)];
        best = std::array::from_fn(|at| best[at].min(times[at]));
    }
    let rate = |time: Duration| ROWS as f64 / time.as_secs_f64() / 1e6;
    let [add, settle, scan, find] = best.map(rate);
    println!("{add:>7.3} {settle:>7.3} {scan:>7.3} {find:>7.3}");
}

/// Made-up positions, ranks ascending.
fn positions() -> Vec<(Rank, Vec<Found>)> {
    let mut state = 1_u64;
    let mut random = move |end: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) % end
    };
    let rank = |at: u64| Rank { level: 2 + (at / 20) as u16, step: (at % 20) as u16 };
    let mut ranks = Vec::new();
    for at in 0..RANKS {
        let rows = ROWS / RANKS + u64::from(at < ROWS % RANKS);
        let mut key = 0;
        let found = (0..rows).map(|_| {
            key += 1 + u128::from(random(1 << 28));
            Found { key: Key(key), depth: random(40) as u16 }
        });
        ranks.push((rank(at), found.collect()));
    }
    ranks
}

fn verdict(found: &Found) -> Verdict {
    let score = Score((found.key.0 % 49) as i16 - 24);
    let best = Some(MoveId(1 + (found.key.0 % 4) as u16));
    Verdict { score, best, remoteness: Some((found.key.0 % 23) as u16) }
}

/// From the highest rank down, as when exploring.
fn add(store: &mut dyn Store, ranks: &[(Rank, Vec<Found>)]) -> Duration {
    let start = Instant::now();
    let mut new = 0;
    for (at, (rank, found)) in ranks.iter().rev().enumerate() {
        new += store.add(*rank, found).expect("positions are added");
        if at % COMMIT == 0 {
            store.commit(Stage::Exploring(Some(*rank))).expect("a commit");
        }
    }
    store.commit(Stage::Settling(None)).expect("a commit");
    assert_eq!(new, ROWS);
    start.elapsed()
}

/// From the lowest rank up.
fn settle(store: &mut dyn Store, ranks: &[(Rank, Vec<Found>)]) -> Duration {
    let start = Instant::now();
    let mut settled = Vec::new();
    for (at, (rank, found)) in ranks.iter().enumerate() {
        settled.clear();
        settled
            .extend(found.iter().map(|found| Settled { key: found.key, verdict: verdict(found) }));
        store.settle(*rank, &settled).expect("positions are settled");
        if at % COMMIT == 0 {
            store.commit(Stage::Settling(Some(*rank))).expect("a commit");
        }
    }
    store.commit(Stage::Solved).expect("a commit");
    start.elapsed()
}

fn scan(store: &mut dyn Store) -> Duration {
    let start = Instant::now();
    let mut settled = 0;
    let visit = &mut |rows: &[Row]| {
        settled += rows.iter().filter(|row| row.verdict.is_some()).count() as u64;
        ControlFlow::Continue(())
    };
    store.scan(Rank::default()..=Rank::MAX, visit).expect("a scan");
    assert_eq!(settled, ROWS);
    start.elapsed()
}

/// Every position, a third of a rank at a time.
fn find(store: &mut dyn Store, ranks: &[(Rank, Vec<Found>)]) -> Duration {
    let start = Instant::now();
    let (mut keys, mut rows) = (Vec::new(), Vec::new());
    for (rank, found) in ranks {
        for first in 0..3 {
            keys.clear();
            keys.extend(found.iter().skip(first).step_by(3).map(|found| found.key));
            rows.clear();
            store.find(*rank, &keys, &mut rows).expect("look-ups");
            assert!(rows.iter().all(Option::is_some));
        }
    }
    start.elapsed()
}
