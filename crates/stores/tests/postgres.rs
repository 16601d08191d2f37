//! PostgreSQL does what every store must, and a lost server is an error.

mod readers;
mod servers;
mod solved;

use std::{ops::ControlFlow, process::Command};

use game::{Key, Rank, Score, Verdict};
use solver::{
    Access, FORMAT, Found, Header, Settled, Stage, Store, StoreError,
    conformance::{self, Lasting},
};

#[test]
fn postgres_does_what_every_store_must() {
    let Some(server) = servers::postgres() else {
        servers::not_run("PostgreSQL is missing");
        return;
    };
    let url = |name: &str| {
        let name = name.replace('-', "_");
        format!("postgres://postgres@{}/postgres?schema=game_{name}", server.address())
    };
    let open = |name: &str, access| readers::admitted(&url(name), access);
    conformance::run(Lasting::BeyondItsHandle, &open);
    solved::has_the_rows_of_memory(&open);
}

const RANK: Rank = Rank { level: 1, step: 1 };

fn header() -> Header {
    Header { game: "any".to_owned(), key_bits: 40, format: FORMAT }
}

/// A store with ten positions that are committed and 990 that are not, and all of them.
fn begun(url: &str) -> (Box<dyn Store>, Vec<Found>) {
    let found: Vec<Found> = (0..1000).map(|key| Found { key: Key(key), depth: 1 }).collect();
    let mut store = stores::open(url, Access::Create(header())).unwrap();
    store.add(RANK, &found[..10]).unwrap();
    store.commit(Stage::Exploring(Some(RANK))).unwrap();
    store.add(RANK, &found[10..]).unwrap();
    (store, found)
}

#[test]
fn work_goes_on_after_a_lost_connection() {
    let Some(server) = servers::postgres() else {
        servers::not_run("PostgreSQL is missing");
        return;
    };
    let url = format!("postgres://postgres@{}/postgres", server.address());
    let (mut store, found) = begun(&url);
    let others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                  WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'";
    let ended = Command::new("psql").args([&url, "-c", others]).output().expect("psql runs");
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
    let error = store.commit(Stage::Solved).unwrap_err();
    assert!(matches!(&error, StoreError::Unavailable { .. }), "{error}");
    drop(store);
    let mut store = stores::open(&url, Access::Resume(header())).unwrap();
    assert_eq!(store.state().stage, Stage::Exploring(Some(RANK)));
    assert_eq!(store.ranks().unwrap(), [(RANK, 10)], "what was committed, and no more");
    assert_eq!(store.add(RANK, &found).unwrap(), 990);
    store.commit(Stage::Solved).unwrap();
}

#[test]
fn a16_a_changed_and_a_lost_row_of_postgres_are_named_by_a_look_up() {
    let Some(server) = servers::postgres() else {
        servers::not_run("PostgreSQL is missing");
        return;
    };
    let changes = [
        "UPDATE positions SET value = value + 2 WHERE key = 3",
        "UPDATE positions SET depth = depth + 65536 WHERE key = 3",
        "DELETE FROM positions WHERE key = 3; DELETE FROM found WHERE key = 3",
        "UPDATE positions SET key = 1003 WHERE key = 3; DELETE FROM found WHERE key = 3",
        "UPDATE found SET depth = depth + 1 WHERE key = 13",
        "DELETE FROM found WHERE key = 13",
    ];
    for (number, change) in changes.iter().enumerate() {
        let url = format!("postgres://postgres@{}/postgres", server.address());
        let (mut store, _) = begun(&format!("{url}?schema=changed{number}"));
        let verdict = Verdict { score: Score(5), best: None, remoteness: Some(3) };
        let settled: Vec<_> = (0..10).map(|key| Settled { key: Key(key), verdict }).collect();
        store.settle(RANK, &settled).unwrap();
        store.commit(Stage::Settling(None)).unwrap();
        drop(store);
        let change = format!("SET search_path TO changed{number}; {change}");
        let changed = Command::new("psql").args([&url, "-c", &change]).output().expect("psql runs");
        assert!(changed.status.success(), "{}", String::from_utf8_lossy(&changed.stderr));
        let url = format!("{url}?schema=changed{number}");
        let mut store = stores::open(&url, Access::Read).unwrap();
        let error = store.find(RANK, &[Key(3), Key(13)], &mut Vec::new()).expect_err(&change);
        assert!(matches!(&error, StoreError::Corrupt { .. }), "{change}: {error}");
        let said = error.to_string();
        assert!(said.contains("rank 1.1") || said.contains("out of its range"), "{change}: {said}");
        let scan = store.scan(RANK..=RANK, &mut |_| ControlFlow::Continue(()));
        assert!(matches!(&scan, Err(StoreError::Corrupt { .. })), "{change}: {scan:?}");
    }
}

#[test]
fn d7_connections_are_encrypted_as_the_url_says() {
    let Some((server, trusted)) = servers::postgres_encrypted() else {
        servers::not_run("PostgreSQL or openssl is missing");
        return;
    };
    let port = server.address().split_once(':').expect("a host and a port").1.to_owned();
    let trusted = format!("&sslrootcert={}", trusted.display());
    let open = |host: &str, security: &str| {
        let url = format!("postgres://postgres@{host}:{port}/postgres?schema=tls&{security}");
        stores::open(&url, Access::Resume(header())).map(drop).map_err(|error| error.to_string())
    };
    let encrypted = || {
        let url = format!("postgres://postgres@127.0.0.1:{port}/postgres?sslmode=disable");
        let count = "SELECT count(*) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
                     WHERE ssl AND application_name = 'everyply'";
        let output = Command::new("psql").args([&url, "-Atc", count]).output().expect("psql runs");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    for security in ["sslmode=prefer", "sslmode=require", &format!("sslmode=verify-ca{trusted}")] {
        open("127.0.0.1", security).unwrap_or_else(|error| panic!("{security}: {error}"));
    }
    open("localhost", &format!("sslmode=verify-full{trusted}")).expect("the name is right");
    let error = open("127.0.0.1", &format!("sslmode=verify-full{trusted}")).expect_err("it is not");
    assert!(error.contains("certificate"), "{error}");
    let error = open("localhost", "sslmode=verify-full").expect_err("nobody trusts it");
    assert!(error.contains("certificate"), "{error}");
    let error = open("localhost", "sslmode=perhaps").expect_err("there is no such mode");
    assert!(error.contains("verify-full"), "{error}");
    for (security, count) in [("sslmode=disable", "0"), ("sslmode=prefer", "1")] {
        let url = format!("postgres://postgres@127.0.0.1:{port}/postgres?schema=tls&{security}");
        let store = stores::open(&url, Access::Read).expect("a store");
        assert_eq!(encrypted(), count, "{security}");
        drop(store);
    }
}

#[test]
fn a_lost_server_is_an_error_and_nothing_counts_as_committed() {
    let Some(mut server) = servers::postgres() else {
        servers::not_run("PostgreSQL is missing");
        return;
    };
    let url = format!("postgres://postgres@{}/postgres", server.address());
    let (mut store, _) = begun(&url);
    server.kill();
    let error = store.commit(Stage::Solved).unwrap_err();
    assert!(matches!(&error, StoreError::Unavailable { .. }), "{error}");
    assert!(error.to_string().contains("connection"), "{error}");
    assert_eq!(store.state().stage, Stage::Exploring(Some(RANK)));
    drop(store);
    let error = stores::open(&url, Access::Resume(header())).err().unwrap();
    assert!(matches!(&error, StoreError::Unavailable { .. }), "{error}");
}
