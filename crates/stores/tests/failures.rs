//! Servers behind a proxy that answers 429 and 503, cuts connections, is silent or slow: the work
//! ends right, or with a sentence, within a minute.

mod servers;

use std::time::{Duration, Instant};

use game::{Key, Rank};
use solver::{Access, FORMAT, Found, Header, Row, Stage, Store, StoreError, every_row};

use servers::proxy::{self, Mood, Proxy};

/// Names the control of the proxy in the process that works behind it.
const PROXIED: &str = "EVERYPLY_PROXIED";

const RANK: Rank = Rank { level: 1, step: 1 };

fn header() -> Header {
    Header { game: "any".to_owned(), key_bits: 40, format: FORMAT }
}

fn found(round: u64) -> Vec<Found> {
    (0..3000).map(|at| Found { key: Key(u128::from(at * 10 + round)), depth: 1 }).collect()
}

fn rows(store: &mut dyn Store) -> Vec<Row> {
    let mut rows = Vec::new();
    every_row(store, &mut |row| rows.push(*row)).expect("a store can be scanned");
    rows
}

/// Adds and commits something, and says how long that took.
fn work(store: &mut dyn Store, round: u64) -> (Result<(), StoreError>, Duration) {
    let start = Instant::now();
    let ended =
        store.add(RANK, &found(round)).and_then(|_| store.commit(Stage::Exploring(Some(RANK))));
    (ended, start.elapsed())
}

/// What a service that is asked again must withstand. The moods are set through a file, because the
/// store is opened in another process.
fn withstand(url: &str, control: &str) {
    let set = |mood: &str| {
        std::fs::write(control, mood).expect("the proxy is told");
        while std::fs::read(control).expect("the proxy answers") != b"set" {
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    let mut store = stores::open(url, Access::Create(header())).expect("a new store");
    for (round, mood) in ["fair", "busy", "down", "cut", "slow"].into_iter().enumerate() {
        set(mood);
        let (ended, time) = work(&mut *store, round as u64);
        ended.unwrap_or_else(|error| panic!("{url}, {mood}: {error}"));
        assert!(time < Duration::from_secs(60), "{url}, {mood}: {time:?}");
    }
    let committed = rows(&mut *store);
    assert_eq!(committed.len(), 5 * 3000);
    set("silent");
    let (ended, time) = work(&mut *store, 5);
    let error = ended.expect_err("nobody answers");
    assert!(matches!(&error, StoreError::Unavailable { .. }), "{error}");
    assert!(error.to_string().contains("answer"), "{error}");
    let start = Instant::now();
    drop(store);
    assert!(time + start.elapsed() < Duration::from_secs(60), "{time:?}");
    set("fair");
    let mut store = stores::open(url, Access::Read).expect("a store can be read");
    assert!(rows(&mut *store) == committed, "what was committed is there, and nothing else");
}

/// Runs this test in another process behind a proxy, and does to the proxy what it asks for.
fn run_behind(
    test: &str,
    address: &str,
    [busy, down]: [&'static [u8]; 2],
    variables: &dyn Fn(&str) -> Vec<(&'static str, String)>,
) {
    let proxy = Proxy::before(address);
    let directory = tempfile::tempdir().expect("a directory");
    let control = directory.path().join("control");
    let mut variables = variables(&proxy.address());
    variables.push((PROXIED, control.display().to_string()));
    let named: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let mut child = servers::child(test, &named).spawn().expect("this program can be run");
    let status = loop {
        if let Some(status) = child.try_wait().expect("a process of our own") {
            break status;
        }
        let mood = match std::fs::read_to_string(&control).unwrap_or_default().as_str() {
            "fair" => Some(Mood::Fair),
            "busy" => Some(Mood::Says(busy, 2)),
            "down" => Some(Mood::Says(down, 2)),
            "cut" => Some(Mood::Cut(2)),
            "slow" => Some(Mood::Slow),
            "silent" => Some(Mood::Silent),
            _ => None,
        };
        if let Some(mood) = mood {
            proxy.set(mood);
            std::fs::write(&control, "set").expect("the child reads it");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    assert!(status.success(), "{test} ended with {status}");
}

#[test]
fn d7_s3_withstands_a_proxy_that_fails() {
    if let Ok(control) = std::env::var(PROXIED) {
        return withstand("s3://games/failures", &control);
    }
    let Some(server) = servers::s3() else {
        servers::not_run("moto_server is missing");
        return;
    };
    let variables = |address: &str| {
        vec![
            ("AWS_ENDPOINT_URL", format!("http://{address}")),
            ("AWS_ACCESS_KEY_ID", "any".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "any".to_owned()),
            ("AWS_REGION", "us-east-1".to_owned()),
        ]
    };
    let test = "d7_s3_withstands_a_proxy_that_fails";
    run_behind(test, &server.address(), [proxy::BUSY, proxy::DOWN], &variables);
}

#[test]
fn d7_gs_withstands_a_proxy_that_fails() {
    if let Ok(control) = std::env::var(PROXIED) {
        return withstand("gs://games/failures", &control);
    }
    let Some(server) = servers::gs() else {
        servers::not_run("gcp-storage-emulator is missing");
        return;
    };
    let variables = |address: &str| vec![("STORAGE_EMULATOR_HOST", address.to_owned())];
    let test = "d7_gs_withstands_a_proxy_that_fails";
    run_behind(test, &server.address(), [proxy::BUSY, proxy::DOWN], &variables);
}

#[test]
fn d7_bigtable_withstands_a_proxy_that_fails() {
    if let Ok(control) = std::env::var(PROXIED) {
        return withstand("bigtable://project/instance/failures", &control);
    }
    let Some(server) = servers::bigtable() else {
        servers::not_run("cbtemulator is missing");
        return;
    };
    let variables = |address: &str| vec![("BIGTABLE_EMULATOR_HOST", address.to_owned())];
    let frames = [proxy::BUSY_FRAMES, proxy::DOWN_FRAMES];
    let test = "d7_bigtable_withstands_a_proxy_that_fails";
    run_behind(test, &server.address(), frames, &variables);
}

/// A lost connection of PostgreSQL undoes what was not committed, so nothing is done again by
/// itself: each failure is an error, after which the store can be resumed.
#[test]
fn d7_postgres_fails_with_a_sentence_and_can_be_resumed() {
    let Some(server) = servers::postgres() else {
        servers::not_run("PostgreSQL is missing");
        return;
    };
    let proxy = Proxy::before(&server.address());
    let url = format!("postgres://postgres@{}/postgres?sslmode=disable", proxy.address());
    let resume = || stores::open(&url, Access::Resume(header()));
    proxy.set(Mood::Says(proxy::TOO_MANY_CLIENTS, 1));
    let error = resume().err().expect("there is no room").to_string();
    assert!(error.contains("too many clients"), "{error}");
    let mut store = resume().expect("a new store");
    proxy.set(Mood::Slow);
    work(&mut *store, 0).0.expect("slow is not wrong");
    let committed = rows(&mut *store);
    for (mood, word) in [(Mood::Cut(1), "connection"), (Mood::Silent, "answer")] {
        proxy.set(mood);
        let (ended, time) = work(&mut *store, 1);
        let error = ended.expect_err("the server is gone");
        assert!(matches!(&error, StoreError::Unavailable { .. }), "{error}");
        assert!(error.to_string().contains(word), "{mood:?}: {error}");
        let start = Instant::now();
        drop(store);
        assert!(time + start.elapsed() < Duration::from_secs(60), "{mood:?}: {time:?}");
        proxy.set(Mood::Fair);
        store = loop {
            match resume() {
                // The server takes a moment to notice.
                Err(StoreError::Busy(_)) => std::thread::sleep(Duration::from_millis(100)),
                store => break store.expect("the store can be resumed"),
            }
        };
        assert!(rows(&mut *store) == committed, "what was committed is there");
    }
    drop(store);
    proxy.set(Mood::Silent);
    let start = Instant::now();
    let error = resume().err().expect("nobody answers").to_string();
    assert!(error.contains("answer"), "{error}");
    assert!(start.elapsed() < Duration::from_secs(60));
}
