//! Games solved by tasks that an engine runs, in this process and on a cluster of its threads: every
//! row is that of the solver.

#[path = "../../solver/examples/rows.rs"]
#[allow(dead_code, reason = "the example is a program")]
mod rows;

#[path = "../../games/tests/no_threads/mod.rs"]
mod no_threads;

use std::{
    net::{SocketAddr, TcpListener, TcpStream},
    num::NonZeroUsize,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use game::Game;
use kalah::{Kalah, Rules};
use no_threads::without_threads;
use rows::Rows;
use solver::{
    Access, Header, Limits, Memory, Next, Row, Store, every_row,
    tasks::{self, Split, Worker},
};
use sql::{
    Engine, Games, OpenGame, Settings, TaskRunner,
    cluster::{Address, Detail, Executor, Log, Scheduler},
};

/// Many small tasks.
const SPLIT: Split = Split { wide: 300, enough: 1000, tasks: 4, memory: usize::MAX, part: 3000 };

fn noughts_and_crosses(name: &str) -> Option<Box<dyn Worker>> {
    let game = Rows::new(3, 3, 3, false);
    (Game::name(&game) == name).then(|| Box::new(game) as Box<dyn Worker>)
}

fn kalah(name: &str) -> Option<Box<dyn Worker>> {
    name.parse::<Kalah>().ok().map(|game| Box::new(game) as Box<dyn Worker>)
}

fn games() -> Games {
    Games(Arc::new([noughts_and_crosses as OpenGame, kalah]))
}

/// Solves a game by tasks and in one process, and compares every row.
fn compare<G: Game + Send>(game: &G, engine: &Engine, directory: &Path) {
    let url = format!("file:{}", directory.join(game.name().replace(' ', "-")).display());
    let header = Header::of(game);
    let (mut desk, _) = stores::tasks::desk(&url, &Access::Create(header.clone())).unwrap();
    let mut runner = TaskRunner::new(engine, game, &url);
    tasks::solve(game, &mut *desk, &mut runner, SPLIT, &mut |_| Next::Continue).unwrap();
    drop(desk);
    let mut memory = Memory::new(header);
    solver::solve(game, &mut memory, &Limits::default(), &mut |_| Next::Continue).unwrap();
    let mut store = stores::open(&url, Access::Read).unwrap();
    assert!(all(&mut *store) == all(&mut memory), "{url}");
}

fn all(store: &mut dyn Store) -> Vec<Row> {
    let mut rows = Vec::new();
    every_row(store, &mut |row| rows.push(*row)).unwrap();
    rows
}

#[test]
fn an_engine_of_this_process_runs_tasks() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::new(Settings { games: games(), ..Settings::default() }).unwrap();
    compare(&Rows::new(3, 3, 3, false), &engine, directory.path());
    compare(&Kalah::new(3, 3, Rules::STD_EITHER).unwrap(), &engine, directory.path());
}

#[test]
fn a_game_that_nobody_registered_and_memory_that_is_not_there_are_told() {
    let directory = tempfile::tempdir().unwrap();
    let refusal = |settings: Settings, name: &str| {
        let game = Rows::new(3, 3, 3, false);
        let url = format!("file:{}", directory.path().join(name).display());
        let engine = Engine::new(settings).unwrap();
        let (mut desk, _) = stores::tasks::desk(&url, &Access::Create(Header::of(&game))).unwrap();
        let mut runner = TaskRunner::new(&engine, &game, &url);
        let solved = tasks::solve(&game, &mut *desk, &mut runner, SPLIT, &mut |_| Next::Continue);
        solved.unwrap_err().to_string()
    };
    let told = refusal(Settings::default(), "unknown");
    assert!(told.contains("this program cannot solve 'rows columns=3"), "{told}");
    let small = Settings { games: games(), memory_limit: 1 << 10, ..Settings::default() };
    let told = refusal(small, "small");
    assert!(told.contains("memory limit of 1024.0 B (TaskScan)"), "{told}");
}

#[test]
fn c3_tasks_that_no_thread_can_wait_for_are_told() {
    without_threads(
        "c3_tasks_that_no_thread_can_wait_for_are_told",
        || Engine::new(Settings { games: games(), ..Settings::default() }).unwrap(),
        |engine| {
            let directory = tempfile::tempdir().unwrap();
            let game = Rows::new(3, 3, 3, false);
            let url = format!("file:{}", directory.path().join("rows").display());
            let access = Access::Create(Header::of(&game));
            let (mut desk, _) = stores::tasks::desk(&url, &access).unwrap();
            let mut runner = TaskRunner::new(&engine, &game, &url);
            let solved =
                tasks::solve(&game, &mut *desk, &mut runner, SPLIT, &mut |_| Next::Continue);
            let told = solved.unwrap_err().to_string();
            assert!(told.contains("the system cannot start a thread"), "{told}");
        },
    );
}

static EXECUTORS_STOP: AtomicBool = AtomicBool::new(false);
static SCHEDULER_STOPS: AtomicBool = AtomicBool::new(false);

fn free() -> SocketAddr {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

fn wait_for(address: SocketAddr) {
    let begun = Instant::now();
    while TcpStream::connect(address).is_err() {
        assert!(begun.elapsed() < Duration::from_secs(30), "nobody listens at {address}");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_cluster_solves_any_game_that_its_executors_know() {
    let directory = tempfile::tempdir().unwrap();
    let log = Log { write: |line| eprintln!("{line}"), detail: Detail::Warnings };
    let bind = free();
    let scheduler = Scheduler {
        bind,
        advertise: bind.ip().to_string(),
        executor_timeout: Duration::from_secs(20),
        log,
        interrupted: || SCHEDULER_STOPS.load(Ordering::Relaxed),
    };
    let address: Address = bind.to_string().parse().unwrap();
    let scheduler = thread::spawn(move || scheduler.run());
    wait_for(bind);
    let mut running = Vec::new();
    for _ in 0..2 {
        let bind = free();
        let executor = Executor {
            scheduler: address.clone(),
            bind,
            advertise: None,
            work_directory: directory.path().to_owned(),
            slots: NonZeroUsize::MIN,
            memory_limit: 1 << 28,
            games: games(),
            log,
            interrupted: || EXECUTORS_STOP.load(Ordering::Relaxed),
        };
        running.push(thread::spawn(move || executor.run()));
        wait_for(bind);
    }
    let settings = Settings {
        cluster: Some(address),
        time_limit: Some(Duration::from_secs(60)),
        ..Settings::default()
    };
    let engine = Engine::new(settings).unwrap();
    compare(&Rows::new(3, 3, 3, false), &engine, directory.path());
    compare(&Kalah::new(3, 3, Rules::EMPTY_MOVER).unwrap(), &engine, directory.path());
    EXECUTORS_STOP.store(true, Ordering::Relaxed);
    for executor in running {
        executor.join().unwrap().unwrap();
    }
    SCHEDULER_STOPS.store(true, Ordering::Relaxed);
    scheduler.join().unwrap().unwrap();
}
