//! Kalah solved on every store gives the same rows, also when the solver is killed on its way.

mod servers;

use std::{
    process::Stdio,
    time::{Duration, Instant},
};

use kalah::{Kalah, Rules};
use solver::{
    Access, Header, Limits, Memory, Next, Row, Stage, Store, StoreError, every_row, solve,
};

/// Names the store that this program, run once more, is to solve Kalah(4,2) into.
const VARIABLE: &str = "EVERYPLY_SOLVE";

/// How often solvers are killed on each store.
const KILLS: usize = 17;

#[test]
fn killed_solvers_go_on_to_the_same_rows() {
    if let Ok(url) = std::env::var(VARIABLE) {
        solve_into(&url);
        return;
    }
    let mut expected = Memory::new(Header::of(&game()));
    solve(&game(), &mut expected, &Limits::default(), &mut |_| Next::Continue).unwrap();
    let expected = rows(&mut expected);
    let directory = tempfile::tempdir().expect("a directory for the stores");
    let path = |name: &str| directory.path().join(name).display().to_string();
    let mut random = Random(20_260_115);
    kill(&|at| format!("sqlite:{}", path(&format!("{at}.db"))), &expected, &mut random);
    kill(&|at| format!("file:{}", path(&format!("{at}.parts"))), &expected, &mut random);
    let Some(server) = servers::postgres() else {
        servers::not_run("PostgreSQL is missing");
        return;
    };
    let url = |at| format!("postgres://postgres@{}/postgres?schema=at{at}", server.address());
    kill(&url, &expected, &mut random);
}

fn game() -> Kalah {
    Kalah::new(4, 2, Rules::STD_EITHER).expect("a size that fits")
}

/// Goes on with the game; the lock of a killed connection may take a moment to go.
fn solve_into(url: &str) {
    let start = Instant::now();
    let mut store = loop {
        match stores::open(url, Access::Resume(Header::of(&game()))) {
            Err(StoreError::Busy(_)) if start.elapsed() < Duration::from_secs(20) => {
                std::thread::sleep(Duration::from_millis(20));
            }
            store => break store.expect("a killed store can be opened"),
        }
    };
    // Many commits make for many states to be killed in. Each also hands over what waits, which
    // PostgreSQL, made for whole ranks, takes slowly.
    let commit_every = Duration::from_millis(if url.starts_with("postgres") { 400 } else { 20 });
    let limits = Limits { memory: 1 << 22, commit_every };
    solve(&game(), &mut *store, &limits, &mut |_| Next::Continue).expect("Kalah can be solved");
}

/// Solves into fresh stores, killing solvers at random moments, and compares what comes out.
fn kill(url: &dyn Fn(usize) -> String, expected: &[Row], random: &mut Random) {
    let (mut kills, mut stages) = (0, [0, 0, 0]);
    let full = Instant::now();
    assert!(!run(&url(0), None), "nothing kills this one");
    let full = full.elapsed();
    check(&url(0), expected);
    for at in 1.. {
        // Over and over on the same store, until it is solved all the same.
        while run(&url(at), Some(full.mul_f64(random.fraction()))) {
            kills += 1;
            match stores::open(&url(at), Access::Read).map(|store| store.state().stage) {
                Ok(Stage::Settling(_)) => stages[1] += 1,
                Ok(Stage::Solved) => stages[2] += 1,
                _ => stages[0] += 1,
            }
        }
        check(&url(at), expected);
        if kills >= KILLS {
            break;
        }
    }
    println!("{}: {kills} kills, while exploring, settling, done: {stages:?}", url(0));
}

/// Runs a solver, for so long; true if it was killed.
fn run(url: &str, patience: Option<Duration>) -> bool {
    let mut command = servers::child("killed_solvers_go_on_to_the_same_rows", &[(VARIABLE, url)]);
    let mut solver = command.stdout(Stdio::null()).spawn().expect("this program can be run");
    if let Some(patience) = patience {
        std::thread::sleep(patience);
        solver.kill().expect("a process of our own");
    }
    let status = solver.wait().expect("a process of our own");
    assert!(status.success() || status.code().is_none(), "{url}: {status}");
    !status.success()
}

fn check(url: &str, expected: &[Row]) {
    let mut store = stores::open(url, Access::Read).expect("a solved store can be read");
    assert_eq!(store.state().stage, Stage::Solved, "{url}");
    assert!(rows(&mut *store) == expected, "{url} has other rows");
}

fn rows(store: &mut dyn Store) -> Vec<Row> {
    let mut rows = Vec::new();
    every_row(store, &mut |row| rows.push(*row)).expect("a store can be scanned");
    rows
}

/// A linear congruential generator; its seed is fixed, the moments are the system's.
struct Random(u64);

impl Random {
    fn fraction(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 32) as f64 / f64::from(u32::MAX)
    }
}
