//! PostgreSQL does what every store must, and a lost server is an error.

mod servers;
mod solved;

use std::process::Command;

use game::{Key, Rank};
use solver::conformance::{self, Lasting};
use solver::{Access, FORMAT, Found, Header, Stage, Store, StoreError};

#[test]
fn postgres_does_what_every_store_must() {
    let Some(server) = servers::postgres() else {
        println!("not run: PostgreSQL is missing");
        return;
    };
    let url = |name: &str| {
        let name = name.replace('-', "_");
        format!("postgres://postgres@{}/postgres?schema=game_{name}", server.address())
    };
    let open = |name: &str, access| stores::open(&url(name), access);
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
        println!("not run: PostgreSQL is missing");
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
fn a_lost_server_is_an_error_and_nothing_counts_as_committed() {
    let Some(mut server) = servers::postgres() else {
        println!("not run: PostgreSQL is missing");
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
