//! Servers behind a proxy that answers 429 and 503, cuts connections and answers, is silent or slow:
//! the work ends right, or with a sentence, within a minute.

mod servers;

use std::{
    collections::BTreeSet,
    net::TcpListener,
    path::{Path, PathBuf},
    process::Command,
    sync::{Mutex, mpsc},
    time::{Duration, Instant},
};

use game::{Key, Rank};
use solver::{Access, FORMAT, Found, Header, Row, Stage, Store, StoreError, every_row};

use servers::{
    Server,
    proxy::{self, Mood, Proxy},
};

/// Names the control of the proxy in the process that works behind it.
const PROXIED: &str = "EVERYPLY_PROXIED";

/// Names the store there.
const STORE: &str = "EVERYPLY_PROXIED_STORE";

/// Whatever goes wrong, it is known within this time.
const SOON: Duration = Duration::from_secs(60);

const RANK: Rank = Rank { level: 1, step: 1 };

fn header() -> Header {
    Header { game: "any".to_owned(), key_bits: 40, format: FORMAT }
}

fn found(round: u64) -> Vec<Found> {
    (0..3000).map(|at| Found { key: Key(u128::from(at * 10 + round)), depth: 1 }).collect()
}

/// Positions whose part is large, because their keys and depths cannot be compressed.
fn many() -> Vec<Found> {
    let mut state = 1_u64;
    let mut random = || {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        state >> 24
    };
    let keys: BTreeSet<u64> = (0..600_000).map(|_| random()).collect();
    keys.into_iter().map(|key| Found { key: Key(key.into()), depth: random() as u16 }).collect()
}

fn rows(store: &mut dyn Store) -> Vec<Row> {
    try_rows(store).expect("a store can be scanned")
}

fn try_rows(store: &mut dyn Store) -> Result<Vec<Row>, StoreError> {
    let mut rows = Vec::new();
    every_row(store, &mut |row| rows.push(*row))?;
    Ok(rows)
}

/// Adds and commits something, and says how long that took.
fn work(store: &mut dyn Store, round: u64) -> (Result<(), StoreError>, Duration) {
    let start = Instant::now();
    (add(store, &found(round)), start.elapsed())
}

fn add(store: &mut dyn Store, found: &[Found]) -> Result<(), StoreError> {
    store.add(RANK, found)?;
    store.commit(Stage::Exploring(Some(RANK)))
}

/// Sets the mood of the proxy through a file, because the store is opened in another process.
fn set(control: &str, mood: &str) {
    std::fs::write(control, mood).expect("the proxy is told");
    while std::fs::read(control).expect("the proxy answers") != b"set" {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// What a service that is asked again must withstand.
fn withstand(url: &str, control: &str) {
    let set = |mood: &str| set(control, mood);
    let mut store = stores::open(url, Access::Create(header())).expect("a new store");
    let moods = ["fair", "busy", "down", "cut", "answer cut early", "slow"];
    for (round, mood) in moods.into_iter().enumerate() {
        set(mood);
        let (ended, time) = work(&mut *store, round as u64);
        ended.unwrap_or_else(|error| panic!("{url}, {mood}: {error}"));
        assert!(time < SOON, "{url}, {mood}: {time:?}");
    }
    let committed = rows(&mut *store);
    assert_eq!(committed.len(), moods.len() * 3000);
    for mood in ["busy", "down", "cut", "answer cut early", "answer cut", "slow"] {
        set(mood);
        let start = Instant::now();
        let store = stores::open(url, Access::Read);
        let mut store = store.unwrap_or_else(|error| panic!("{url}, {mood}: {error}"));
        let read = try_rows(&mut *store);
        let read = read.unwrap_or_else(|error| panic!("{url}, {mood}: {error}"));
        assert!(read == committed, "{url}, {mood}: what is read is what was committed");
        assert!(start.elapsed() < SOON, "{url}, {mood}: {:?}", start.elapsed());
    }
    set("silent");
    let (ended, time) = work(&mut *store, moods.len() as u64);
    let error = ended.expect_err("nobody answers");
    assert!(matches!(&error, StoreError::Unavailable { .. }), "{error}");
    assert!(error.to_string().contains("answer"), "{error}");
    let start = Instant::now();
    drop(store);
    assert!(time + start.elapsed() < SOON, "{time:?}");
    set("fair");
    let mut store = stores::open(url, Access::Read).expect("a store can be read");
    assert!(rows(&mut *store) == committed, "what was committed is there, and nothing else");
}

/// Failures that do not stop. With each, whatever is asked ends with a sentence.
const LASTING: &[&str] =
    &["busy for ever", "down for ever", "cut for ever", "answer cut for ever", "silent"];

/// What is asked at the same time, once the failures have begun.
const ASKED: &[&str] = &["open", "scan", "find", "write"];

/// A store behind a proxy whose failures do not stop.
fn give_up(url: &str, control: &str) {
    let all = found(0);
    let mut store = stores::open(url, Access::Create(header())).expect("a new store");
    add(&mut *store, &all).expect("the proxy is fair");
    drop(store);
    // They are opened before, and then asked at the same time: each takes most of a minute.
    let gate = Mutex::new(());
    let (opened, all_opened) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let closed = gate.lock().expect("nobody has it yet");
        for asked in ASKED {
            let (gate, all, opened) = (&gate, &all, opened.clone());
            scope.spawn(move || {
                let mut store = match *asked {
                    "open" => None,
                    "write" => Some(stores::open(url, Access::Resume(header())).expect("a store")),
                    _ => Some(stores::open(url, Access::Read).expect("a store")),
                };
                drop(opened);
                drop(gate.lock().expect("it is opened"));
                let start = Instant::now();
                let ended = match (&mut store, *asked) {
                    (None, _) => stores::open(url, Access::Read).map(drop),
                    (Some(store), "scan") => try_rows(&mut **store).map(drop),
                    (Some(store), "find") => store.find(RANK, &[all[7].key], &mut Vec::new()),
                    (Some(store), _) => work(&mut **store, 1).0,
                };
                drop(store);
                let error = ended.expect_err(asked);
                println!("{url}, {asked}, {:.0?}: {error}", start.elapsed());
                assert!(matches!(&error, StoreError::Unavailable { .. }), "{asked}: {error}");
                assert!(start.elapsed() < SOON, "{url}, {asked}: {:?}", start.elapsed());
            });
        }
        drop(opened);
        all_opened.recv().expect_err("everybody only hangs up");
        set(control, "lasting");
        drop(closed);
    });
    set(control, "fair");
    let mut store = stores::open(url, Access::Read).expect("a store can be read");
    assert_eq!(rows(&mut *store).len(), all.len(), "what was committed is there");
}

/// A part that takes more than half a minute on a slow connection.
fn crawl(url: &str, control: &str) {
    let mut store = stores::open(url, Access::Create(header())).expect("a new store");
    let many = many();
    set(control, "crawling");
    let start = Instant::now();
    add(&mut *store, &many).expect("slow is not wrong");
    let written = start.elapsed();
    assert!(written > Duration::from_secs(27), "it is not slow enough: {written:?}");
    drop(store);
    let start = Instant::now();
    let mut store = stores::open(url, Access::Read).expect("slow is not wrong");
    assert_eq!(rows(&mut *store).len(), many.len());
    println!("{url}: written in {written:.0?}, read in {:.0?}", start.elapsed());
}

/// A server, and how a process finds it.
struct Service {
    /// What the store's URL begins with.
    scheme: &'static str,
    address: String,
    /// Answers that say 429 and 503.
    answers: [&'static [u8]; 2],
    variables: fn(&str) -> Vec<(&'static str, String)>,
}

/// Runs this test in another process behind a proxy, and does to the proxy what it asks for.
fn run_behind(test: &str, service: &Service, lasting: &str) {
    let proxy = Proxy::before(&service.address);
    let directory = tempfile::tempdir().expect("a directory");
    let control = directory.path().join("control");
    let mut variables = (service.variables)(&proxy.address());
    variables.push((PROXIED, control.display().to_string()));
    variables.push((STORE, format!("{}/{}", service.scheme, lasting.replace(' ', "-"))));
    let named: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let mut child = servers::child(test, &named).spawn().expect("this program can be run");
    let status = loop {
        if let Some(status) = child.try_wait().expect("a process of our own") {
            break status;
        }
        let asked = std::fs::read_to_string(&control).unwrap_or_default();
        let asked = if asked == "lasting" { lasting } else { &asked };
        if let Some(mood) = mood(asked, service.answers) {
            proxy.set(mood);
            std::fs::write(&control, "set").expect("the child reads it");
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    assert!(status.success(), "{test}, {lasting}: ended with {status}");
}

fn mood(name: &str, [busy, down]: [&'static [u8]; 2]) -> Option<Mood> {
    Some(match name {
        "fair" => Mood::Fair,
        "busy" => Mood::Says(busy, 2),
        "busy for ever" => Mood::Says(busy, usize::MAX),
        "down" => Mood::Says(down, 2),
        "down for ever" => Mood::Says(down, usize::MAX),
        "cut" => Mood::Cut(2),
        "cut for ever" => Mood::Cut(usize::MAX),
        // In its headers, and in its content.
        "answer cut early" => Mood::CutAfter(50, 2),
        "answer cut" => Mood::CutAfter(2000, 2),
        "answer cut for ever" => Mood::CutAfter(50, usize::MAX),
        "slow" => Mood::Slow,
        "crawling" => Mood::Crawling,
        "silent" => Mood::Silent,
        _ => return None,
    })
}

/// The same with every failure that does not stop, at the same time. Each has a server of its own:
/// who waits for somebody silent has no time for others.
fn run_behind_each(test: &str, start: fn() -> Option<Server>, service: fn(&Server) -> Service) {
    std::thread::scope(|scope| {
        for lasting in LASTING {
            scope.spawn(move || match start() {
                Some(server) => run_behind(test, &service(&server), lasting),
                None => servers::not_run(&format!("the server of {test} is missing")),
            });
        }
    });
}

/// In a process behind a proxy: the URL of its store, and the control.
fn behind() -> Option<(String, String)> {
    let variable = |name| std::env::var(name).ok();
    Some((variable(STORE)?, variable(PROXIED)?))
}

fn s3(server: &Server) -> Service {
    Service {
        scheme: "s3://games",
        address: server.address(),
        answers: [proxy::BUSY, proxy::DOWN],
        variables: |address| {
            vec![
                ("AWS_ENDPOINT_URL", format!("http://{address}")),
                ("AWS_ACCESS_KEY_ID", "any".to_owned()),
                ("AWS_SECRET_ACCESS_KEY", "any".to_owned()),
                ("AWS_REGION", "us-east-1".to_owned()),
            ]
        },
    }
}

fn gs(server: &Server) -> Service {
    Service {
        scheme: "gs://games",
        address: server.address(),
        answers: [proxy::BUSY, proxy::DOWN],
        variables: |address| vec![("STORAGE_EMULATOR_HOST", address.to_owned())],
    }
}

fn bigtable(server: &Server) -> Service {
    Service {
        scheme: "bigtable://project/instance",
        address: server.address(),
        answers: [proxy::BUSY_FRAMES, proxy::DOWN_FRAMES],
        variables: |address| vec![("BIGTABLE_EMULATOR_HOST", address.to_owned())],
    }
}

#[test]
fn d7_s3_withstands_a_proxy_that_fails() {
    if let Some((url, control)) = behind() {
        return withstand(&url, &control);
    }
    let Some(server) = servers::s3() else {
        servers::not_run("moto_server is missing");
        return;
    };
    let (test, service) = ("d7_s3_withstands_a_proxy_that_fails", s3(&server));
    run_behind(test, &service, "fair");
}

#[test]
fn d7_s3_gives_up_where_failures_do_not_stop() {
    if let Some((url, control)) = behind() {
        return give_up(&url, &control);
    }
    run_behind_each("d7_s3_gives_up_where_failures_do_not_stop", servers::s3, s3);
}

#[test]
fn d7_s3_takes_large_parts_over_slow_connections() {
    if let Some((url, control)) = behind() {
        return crawl(&url, &control);
    }
    let Some(server) = servers::s3() else {
        servers::not_run("moto_server is missing");
        return;
    };
    let (test, service) = ("d7_s3_takes_large_parts_over_slow_connections", s3(&server));
    run_behind(test, &service, "fair");
}

#[test]
fn d7_gs_withstands_a_proxy_that_fails() {
    if let Some((url, control)) = behind() {
        return withstand(&url, &control);
    }
    let Some(server) = servers::gs() else {
        servers::not_run("gcp-storage-emulator is missing");
        return;
    };
    let (test, service) = ("d7_gs_withstands_a_proxy_that_fails", gs(&server));
    run_behind(test, &service, "fair");
}

#[test]
fn d7_gs_gives_up_where_failures_do_not_stop() {
    if let Some((url, control)) = behind() {
        return give_up(&url, &control);
    }
    run_behind_each("d7_gs_gives_up_where_failures_do_not_stop", servers::gs, gs);
}

#[test]
fn d7_gs_takes_large_parts_over_slow_connections() {
    if let Some((url, control)) = behind() {
        return crawl(&url, &control);
    }
    let Some(server) = servers::gs() else {
        servers::not_run("gcp-storage-emulator is missing");
        return;
    };
    let (test, service) = ("d7_gs_takes_large_parts_over_slow_connections", gs(&server));
    run_behind(test, &service, "fair");
}

#[test]
fn d7_bigtable_withstands_a_proxy_that_fails() {
    if let Some((url, control)) = behind() {
        return withstand(&url, &control);
    }
    let Some(server) = servers::bigtable() else {
        servers::not_run("cbtemulator is missing");
        return;
    };
    let (test, service) = ("d7_bigtable_withstands_a_proxy_that_fails", bigtable(&server));
    run_behind(test, &service, "fair");
}

#[test]
fn d7_bigtable_gives_up_where_failures_do_not_stop() {
    if let Some((url, control)) = behind() {
        return give_up(&url, &control);
    }
    run_behind_each("d7_bigtable_gives_up_where_failures_do_not_stop", servers::bigtable, bigtable);
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
        assert!(time + start.elapsed() < SOON, "{mood:?}: {time:?}");
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
    assert!(start.elapsed() < SOON);
}

/// What PostgreSQL was told in the silence is lost, and so is what it would have answered. Nobody
/// may wait for it for ever.
#[test]
fn d7_postgres_does_not_wait_for_what_a_silence_has_lost() {
    let Some(server) = servers::postgres() else {
        servers::not_run("PostgreSQL is missing");
        return;
    };
    let (ended, end) = mpsc::channel();
    for asked in ["scan", "write"] {
        let (proxy, ended) = (Proxy::before(&server.address()), ended.clone());
        let url = format!("postgres://postgres@{}/postgres?sslmode=disable", proxy.address());
        let url = format!("{url}&schema={asked}");
        let open = move || stores::open(&url, Access::Resume(header())).expect("a store");
        // Whoever waits for ever must not keep the test.
        std::thread::spawn(move || {
            let mut store = open();
            work(&mut *store, 0).0.expect("nothing is lost yet");
            let committed = rows(&mut *store);
            proxy.set(Mood::Silent);
            let start = Instant::now();
            let passing = std::thread::spawn(move || {
                std::thread::sleep(Duration::from_secs(3));
                proxy.set(Mood::Fair);
                proxy
            });
            let done = match asked {
                "scan" => try_rows(&mut *store).map(drop),
                _ => work(&mut *store, 1).0,
            };
            drop(store);
            let time = start.elapsed();
            let _proxy = passing.join().expect("it only sleeps");
            let resumed = rows(&mut *open()) == committed;
            ended.send((asked, done, time, resumed)).expect("somebody waits");
        });
    }
    for _ in 0..2 {
        let patience = SOON + Duration::from_secs(20);
        let (asked, done, time, resumed) = end.recv_timeout(patience).expect("nobody waits longer");
        let error = done.expect_err(asked);
        assert!(matches!(&error, StoreError::Unavailable { .. }), "{asked}: {error}");
        assert!(error.to_string().contains("connection was lost"), "{asked}: {error}");
        assert!(time < SOON, "{asked}: {time:?}");
        assert!(resumed, "{asked}: what was committed is there");
    }
}

/// A statement may take longer than any silence that is suspicious.
#[test]
fn d7_postgres_is_waited_for_while_it_works() {
    let Some(server) = servers::postgres() else {
        servers::not_run("PostgreSQL is missing");
        return;
    };
    let url = format!("postgres://postgres@{}/postgres", server.address());
    let mut store = stores::open(&url, Access::Create(header())).expect("a new store");
    work(&mut *store, 0).0.expect("nothing is wrong");
    drop(store);
    let hold = "BEGIN; LOCK TABLE everyply.found IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(65)";
    let mut holder = Command::new("psql");
    let mut holder = holder.args(["-q", &url, "-c", hold]).spawn().expect("psql is there");
    std::thread::sleep(Duration::from_secs(2));
    let start = Instant::now();
    let mut store = stores::open(&url, Access::Read).expect("it is waited for");
    assert!(start.elapsed() > SOON, "nothing held it up: {:?}", start.elapsed());
    assert_eq!(rows(&mut *store).len(), 3000);
    assert!(holder.wait().expect("a process of our own").success());
}

/// Credentials whose tokens come from this address.
fn credentials(directory: &Path, tokens: &str) -> PathBuf {
    let mut openssl = Command::new("openssl");
    openssl.args(["genpkey", "-algorithm", "RSA"]);
    let key = openssl.output().expect("openssl makes a key").stdout;
    let key = String::from_utf8(key).expect("a text").replace('\n', "\\n");
    let path = directory.join("credentials.json");
    let text = format!(
        r#"{{"type": "service_account", "client_email": "me@project", "project_id": "project",
            "private_key": "{key}", "token_uri": "http://{tokens}/token"}}"#
    );
    std::fs::write(&path, text).expect("a file");
    path
}

#[test]
fn d7_google_gives_up_where_nobody_gives_tokens() {
    let test = "d7_google_gives_up_where_nobody_gives_tokens";
    if let Ok(url) = std::env::var(STORE) {
        let start = Instant::now();
        let error = stores::open(&url, Access::Create(header())).err().expect("no token, no store");
        println!("{url}, {:.0?}: {error}", start.elapsed());
        assert!(matches!(&error, StoreError::Unavailable { .. }), "{url}: {error}");
        assert!(start.elapsed() < SOON, "{url}: {:?}", start.elapsed());
        return;
    }
    if servers::on_path("openssl").is_none() {
        servers::not_run("openssl is missing");
        return;
    }
    // What is behind the proxy never answers.
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("it is bound").to_string();
    std::thread::scope(|scope| {
        for lasting in LASTING {
            for url in ["gs://games/kalah", "bigtable://project/instance/table"] {
                let address = &address;
                scope.spawn(move || {
                    let proxy = Proxy::before(address);
                    let answers = [proxy::BUSY, proxy::DOWN];
                    proxy.set(mood(lasting, answers).expect("a mood of the proxy"));
                    let directory = tempfile::tempdir().expect("a directory");
                    let path = credentials(directory.path(), &proxy.address());
                    let path = path.to_str().expect("a text");
                    let named = [(STORE, url), ("GOOGLE_APPLICATION_CREDENTIALS", path)];
                    let status = servers::child(test, &named).status().expect("it can be run");
                    assert!(status.success(), "{url}, {lasting}: ended with {status}");
                });
            }
        }
    });
}
