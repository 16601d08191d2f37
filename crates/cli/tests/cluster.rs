//! Clusters: a scheduler and executors as processes of their own, on this machine.

#[path = "../../sql/tests/driver/mod.rs"]
mod driver;
#[path = "../../stores/tests/servers/missing.rs"]
mod missing;
#[path = "cluster/processes.rs"]
mod processes;
#[path = "../../stores/tests/servers/proxy.rs"]
#[expect(dead_code, reason = "only stores speak to PostgreSQL")]
mod proxy;

use std::{
    fs,
    net::TcpListener,
    process::{Command, Output},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use arrow::{
    array::AsArray, compute::concat_batches, datatypes::UInt64Type, record_batch::RecordBatch,
    util::pretty::pretty_format_batches,
};
use chess::Position;
use chess_relations::{Relations, Rules, positions};
use sql::{Engine, Settings, SqlError};
use tempfile::TempDir;

use self::{
    processes::{Cluster, Node, everyply, free_port},
    proxy::{BUSY, BUSY_FRAMES, DOWN, DOWN_FRAMES, Mood, Proxy},
};

/// Positions five plies from the start.
const START_5: u64 = 4_865_609;
const START_6: u64 = 119_060_324;
/// Whatever goes wrong, a client knows within this time.
const SOON: Duration = Duration::from_secs(60);
/// The sample of games, so many times in so many files.
const COPIES: u64 = 6;
const FILES: u64 = 20;
/// An executor that has worked for so long on a query is in the middle of it.
const WORKING: Duration = Duration::from_millis(700);

#[test]
fn both_executors_count_positions_exactly() {
    let cluster = Cluster::start(2);
    let engine = engine(&cluster);
    let idle = cpu_times(&cluster);
    let begun = Instant::now();
    assert_eq!(perft(&engine, 5, false).unwrap(), START_5, "{}", cluster.told());
    eprintln!("start depth 5 on two executors: {:.1} s", begun.elapsed().as_secs_f64());
    let worked = cpu_times(&cluster);
    let worked: Vec<Duration> = worked.iter().zip(&idle).map(|(now, then)| *now - *then).collect();
    eprintln!("CPU time of the executors: {worked:.1?}");
    let all: Duration = worked.iter().sum();
    assert!(worked.iter().all(|&time| time > all / 5), "uneven work: {worked:?}");
    let begun = Instant::now();
    assert_eq!(perft(&engine, 5, true).unwrap(), START_5, "{}", cluster.told());
    eprintln!("merged: {:.1} s", begun.elapsed().as_secs_f64());
}

#[test]
fn a_query_outlives_an_executor() {
    // On a machine with other work a query may end before its executor is seen to work.
    let is_killed = (0..3).any(|_| kills_an_executor_in_the_middle());
    assert!(is_killed, "the query is still to be killed in the middle");
}

/// The answer of a thread, which is not waited for without end.
fn answer<T>(asked: JoinHandle<T>, cluster: &Cluster) -> T {
    let begun = Instant::now();
    while !asked.is_finished() {
        assert!(begun.elapsed() < 5 * SOON, "no answer: {}", cluster.told());
        thread::sleep(Duration::from_millis(10));
    }
    asked.join().unwrap()
}

/// Counts while an executor is killed; false if the count ended before.
fn kills_an_executor_in_the_middle() -> bool {
    let mut cluster = Cluster::start(2);
    let address = cluster.address();
    let idle = cluster.executors[0].cpu_time();
    let counting = thread::spawn(move || {
        let engine = engine_at(&address);
        let begun = Instant::now();
        (perft(&engine, 6, false), begun.elapsed())
    });
    wait_until("it works", || {
        counting.is_finished() || cluster.executors[0].cpu_time() > idle + WORKING
    });
    if counting.is_finished() {
        assert_eq!(counting.join().unwrap().0.unwrap(), START_6, "{}", cluster.told());
        return false;
    }
    cluster.executors[0].kill();
    let killed = Instant::now();
    let (nodes, took) = answer(counting, &cluster);
    assert_eq!(nodes.unwrap(), START_6, "{}", cluster.told());
    let after = killed.elapsed().as_secs_f64();
    eprintln!("start depth 6: {:.1} s, of them {after:.1} s after the loss", took.as_secs_f64());
    // Who comes later is not troubled by the loss.
    assert_eq!(perft(&engine(&cluster), 4, false).unwrap(), 197_281, "{}", cluster.told());
    true
}

#[test]
fn rows_of_an_executor_that_is_stopped_come_once() {
    // The only stage is the last one: what a task writes is a part of the answer.
    let files = copies_of_the_sample();
    let statement = format!(
        "select source, game, ply, fen, legal_moves, white_fork_moves from chess_positions('{}') \
         where (ply + white_fork_moves) % 13 = 0",
        files.path().display()
    );
    let rows = |engine: &Engine, statement: &str| -> Result<Vec<String>, SqlError> {
        let batches = engine.sql(statement)?.collect::<Result<Vec<_>, _>>()?;
        let text = pretty_format_batches(&batches).expect("a table").to_string();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        Ok(lines)
    };
    let expected = rows(&Engine::new(Settings::default()).unwrap(), &statement).unwrap();
    assert!(expected.len() as u64 > 100 * FILES * COPIES, "{}", expected.len());
    let mut cluster = Cluster::start(2);
    let address = cluster.address();
    let asking = thread::spawn(move || rows(&engine_at(&address), &statement));
    wait_until("a task has ended", || {
        asking.is_finished() || cluster.executors[0].told().contains("Finished task")
    });
    assert!(!asking.is_finished(), "the executor is still to be stopped in the middle");
    cluster.executors[0].stop("-TERM");
    let found = answer(asking, &cluster).unwrap();
    assert_eq!(found.len(), expected.len(), "{}", cluster.told());
    assert!(found == expected, "{}", cluster.told());
    let cancelled = "is cancelled, its client retries it";
    assert!(cluster.scheduler.told().contains(cancelled), "{}", cluster.told());
}

#[test]
fn rows_that_cannot_be_fetched_for_a_while_are_counted_once() {
    // Two executors that cannot fetch from each other: one reads what it has written itself, and
    // ends tasks of a stage of which the other can read nothing.
    let mut cluster = Cluster::start(0);
    let proxies: Vec<Proxy> = (2..=3).map(|host| behind_proxy(&mut cluster, host)).collect();
    assert_eq!(perft(&engine(&cluster), 4, false).unwrap(), 197_281, "{}", cluster.told());
    let set = |mood| proxies.iter().for_each(|proxy| proxy.set(mood));
    set(Mood::Cut(usize::MAX));
    let address = cluster.address();
    let counting = thread::spawn(move || perft(&engine_at(&address), 6, false));
    let failed = "Shuffle fetch partition error";
    wait_until("a fetch fails", || {
        cluster.executors.iter().any(|executor| executor.told().contains(failed))
    });
    set(Mood::Fair);
    let nodes = answer(counting, &cluster);
    assert_eq!(nodes.unwrap(), START_6, "{}", cluster.told());
}

const SAMPLE: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/chess/pgn/lichess_438_games.pgn");

fn copies_of_the_sample() -> TempDir {
    let text = fs::read_to_string(SAMPLE).unwrap();
    let directory = tempfile::tempdir().unwrap();
    for file in 0..FILES {
        let path = directory.path().join(format!("{file}.pgn"));
        fs::write(path, text.repeat(COPIES as usize)).unwrap();
    }
    directory
}

#[test]
fn games_are_shared_out_to_executors_and_outlive_one() {
    let directory = copies_of_the_sample();
    let rows = |engine: &Engine, statement: &str| -> Result<RecordBatch, SqlError> {
        let answer = engine.sql(statement)?;
        let schema = answer.schema().clone();
        let batches = answer.collect::<Result<Vec<_>, _>>()?;
        Ok(concat_batches(&schema, &batches).expect("one schema"))
    };
    let here = Engine::new(Settings::default()).unwrap();
    let mut cluster = Cluster::start(2);
    // All that is known of a position, in every row: all under EVERYPLY_SLOW=1, else one in so many.
    let slow = std::env::var_os("EVERYPLY_SLOW").is_some_and(|value| value == "1");
    let every = if slow { 1 } else { 29 };
    let all = format!("select * from chess_positions('{SAMPLE}', {every}) order by game, ply");
    let there = engine(&cluster);
    assert!(rows(&there, &all).unwrap() == rows(&here, &all).unwrap(), "{}", cluster.told());

    // Facts of all positions decide which rows there are.
    let place = directory.path().display();
    let some = format!(
        "select source, game, ply, fen, san, legal_moves, white_fork_moves, white_mobility \
         from chess_positions('{place}') where (ply + white_fork_moves + white_mobility) % 97 = 0 \
         order by source, game, ply"
    );
    let expected = rows(&here, &some).unwrap();
    assert!(expected.num_rows() as u64 > 100 * FILES * COPIES, "{}", expected.num_rows());
    let address = cluster.address();
    let idle = cpu_times(&cluster);
    let asking = thread::spawn(move || rows(&engine_at(&address), &some));
    wait_until("both work", || {
        let worked = cpu_times(&cluster);
        worked.iter().zip(&idle).all(|(now, then)| *now > *then + WORKING / 3)
    });
    assert!(!asking.is_finished(), "the statement is still to be killed in the middle");
    cluster.executors[0].kill();
    let found = answer(asking, &cluster).unwrap();
    assert!(found == expected, "{}", cluster.told());
}

#[test]
fn rows_of_several_text_files_come_once() {
    let directory = tempfile::tempdir().unwrap();
    let place = |name: &str| directory.path().join(name).display().to_string();
    for kind in ["csv", "jsonl"] {
        fs::create_dir(place(kind)).unwrap();
    }
    for file in 1..=5 {
        fs::write(place(&format!("csv/{file}.csv")), format!("a\n{file}\n{file}\n")).unwrap();
        fs::write(place(&format!("jsonl/{file}.jsonl")), format!("{{\"a\":{file}}}\n")).unwrap();
    }
    let cluster = Cluster::start(2);
    for (kind, expected) in [("csv", "10,30"), ("jsonl", "5,15")] {
        let statement = format!("select count(*) as n, sum(a) as a from '{}'", place(kind));
        let output = sql(&cluster.address(), &statement);
        assert_eq!(text(&output), format!("n,a\n{expected}\n"), "{kind}: {}", stderr(&output));
    }
}

#[test]
fn joins_of_every_kind_answer_as_in_one_process() {
    let directory = tempfile::tempdir().unwrap();
    // Parts of Parquet are read by different tasks.
    for (table, factor) in [("a", 2), ("b", 3)] {
        fs::create_dir(directory.path().join(table)).unwrap();
        for part in 0..4 {
            let path = directory.path().join(format!("{table}/{part}.parquet"));
            let rows = format!("generate_series({}, {})", part * 500, part * 500 + 499);
            let copy = format!(
                "copy (select x * {factor} as {table} from {rows} g(x)) to '{}'",
                path.display()
            );
            let output = everyply().args(["sql", "--writable", &copy]).output().unwrap();
            assert!(output.status.success(), "{}", stderr(&output));
        }
    }
    let place = |table: &str| format!("'{}'", directory.path().join(table).display());
    let (left, right) = (place("a"), place("b"));
    let mut statements = Vec::new();
    for join in ["join", "left join", "right join", "full join"] {
        for on in ["a = b", "a < b and b < a + 4", "b = 3"] {
            let from = format!("{left} l {join} {right} r on {on}");
            statements.push(format!("select count(*) as n, sum(a) as a, sum(b) as b from {from}"));
        }
    }
    for no in ["", "not "] {
        for condition in [
            format!("a {no}in (select b from {right})"),
            format!("a = 1 or a {no}in (select b from {right})"),
            format!("{no}exists (select 1 from {right} where b = a)"),
            format!("{no}exists (select 1 from {right} where a < b and b < a + 3)"),
            format!("{no}exists (select 1 from {right} where b = 3)"),
            format!("a = 1 or {no}exists (select 1 from {right} where b = 4)"),
        ] {
            statements
                .push(format!("select count(*) as n, sum(a) as a from {left} where {condition}"));
        }
    }
    for set in ["union", "except all", "intersect all"] {
        let rows = format!("select a % 7 as x from {left} {set} select b % 7 from {right}");
        statements.push(format!("select count(*) as n, sum(x) as x from ({rows})"));
    }
    let cluster = Cluster::start(2);
    for statement in statements {
        let here = everyply().args(["sql", &statement, "--format", "csv"]).output().unwrap();
        let there = sql(&cluster.address(), &statement);
        assert_eq!(text(&there), text(&here), "{statement}: {}", stderr(&there));
    }
}

#[test]
fn without_executors_a_query_ends_with_an_error() {
    let mut cluster = Cluster::start(1);
    let engine = engine(&cluster);
    assert_eq!(perft(&engine, 2, false).unwrap(), 400);
    let address = cluster.address();
    let counting = thread::spawn(move || {
        let engine = engine_at(&address);
        perft(&engine, 6, false)
    });
    let idle = cluster.executors[0].cpu_time();
    wait_until("it works", || cluster.executors[0].cpu_time() > idle + WORKING);
    cluster.executors[0].kill();
    let killed = Instant::now();
    let error = answer(counting, &cluster).unwrap_err();
    assert!(error.to_string().contains("lost"), "{error}");
    assert!(killed.elapsed() < SOON, "{:?}", killed.elapsed());
}

#[test]
fn a_wrong_address_is_told() {
    let begun = Instant::now();
    let address = format!("df://127.0.0.1:{}", free_port());
    let output = sql(&address, "select 1");
    assert_eq!(output.status.code(), Some(3));
    let error = stderr(&output);
    let expected = format!("everyply: no scheduler answers at {address}: ");
    assert!(error.starts_with(&expected), "{error}");
    assert!(begun.elapsed() < SOON);

    let output = sql("df://no-such-machine.invalid:50050", "select 1");
    assert_eq!(output.status.code(), Some(3));
    let error = stderr(&output);
    assert!(
        error.contains("no scheduler answers at df://no-such-machine.invalid:50050"),
        "{error}"
    );

    let output = sql("http://127.0.0.1:50050", "select 1");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("expected df://HOST:PORT"), "{}", stderr(&output));
}

#[test]
fn a_listener_that_is_no_scheduler_is_told() {
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let begun = Instant::now();
    let output = sql(&format!("df://{}", silent.local_addr().unwrap()), "select 1");
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(begun.elapsed() < SOON, "{:?}", begun.elapsed());
}

#[test]
fn a_scheduler_that_dies_is_told() {
    let mut cluster = Cluster::start(1);
    let address = cluster.address();
    let counting = thread::spawn(move || {
        let engine = engine_at(&address);
        perft(&engine, 6, false)
    });
    let idle = cluster.executors[0].cpu_time();
    wait_until("it works", || cluster.executors[0].cpu_time() > idle + WORKING);
    cluster.scheduler.kill();
    let killed = Instant::now();
    let error = answer(counting, &cluster).unwrap_err().to_string();
    let expected = format!("the scheduler at {} is gone", cluster.address());
    assert!(error.starts_with(&expected), "{error}");
    assert!(killed.elapsed() < SOON, "{:?}", killed.elapsed());
}

/// What a proxy may do, and whether a statement still has an answer. A scheduler that is cut off or
/// says that it is busy is asked three times in all.
const MOODS: &[(Mood, bool)] = &[
    (Mood::Fair, true),
    (Mood::Slow, true),
    (Mood::Cut(1), true),
    (Mood::Cut(usize::MAX), false),
    (Mood::Says(BUSY, 1), true),
    (Mood::Says(BUSY, usize::MAX), false),
    (Mood::Says(DOWN, usize::MAX), false),
    (Mood::Says(BUSY_FRAMES, 1), true),
    (Mood::Says(DOWN_FRAMES, 1), true),
    (Mood::Says(DOWN_FRAMES, usize::MAX), false),
    (Mood::Silent, false),
];

#[test]
fn a_proxy_that_fails_before_a_scheduler_is_withstood_or_told() {
    let cluster = Cluster::start(1);
    let proxy = Proxy::before(&cluster.place());
    let address = format!("df://{}", proxy.address());
    for &(mood, has_answer) in MOODS {
        proxy.set(mood);
        let begun = Instant::now();
        let ended = perft(&engine_at(&address), 2, false);
        eprintln!("{mood:?}: {ended:?} in {:.1} s", begun.elapsed().as_secs_f64());
        assert!(begun.elapsed() < SOON, "{mood:?}: {:?}", begun.elapsed());
        match ended {
            Ok(nodes) => assert!(has_answer && nodes == 400, "{mood:?}: {nodes}"),
            Err(SqlError::Io(told)) => {
                assert!(!has_answer && told.contains(&address), "{mood:?}: {told}");
            }
            Err(error) => panic!("{mood:?}: {error:?}"),
        }
    }
    // In the middle of a statement.
    for mood in [Mood::Cut(usize::MAX), Mood::Says(DOWN_FRAMES, usize::MAX), Mood::Silent] {
        proxy.set(Mood::Fair);
        let (idle, asked) = (cluster.executors[0].cpu_time(), address.clone());
        let counting = thread::spawn(move || perft(&engine_at(&asked), 7, false));
        wait_until("it works", || cluster.executors[0].cpu_time() > idle + WORKING);
        proxy.set(mood);
        let begun = Instant::now();
        let error = answer(counting, &cluster).unwrap_err();
        eprintln!("{mood:?} in the middle: {error:?} in {:.1} s", begun.elapsed().as_secs_f64());
        assert!(begun.elapsed() < SOON, "{mood:?}: {:?}", begun.elapsed());
        let SqlError::Io(told) = &error else { panic!("{mood:?}: {error:?}") };
        assert!(told.contains(&address), "{mood:?}: {told}");
    }
}

#[test]
fn a_proxy_that_fails_before_an_executor_is_withstood_or_told() {
    let mut cluster = Cluster::start(0);
    let proxy = Proxy::before(&cluster.place());
    let work = cluster.directory().join("work");
    std::fs::create_dir(&work).unwrap();
    cluster.add_executor_of(&proxy.address(), everyply(), &work);
    let is_slow = std::env::var_os("EVERYPLY_SLOW").is_some();
    if !is_slow {
        println!("not run: a scheduler that fails for ever, except in silence (EVERYPLY_SLOW=1)");
    }
    let fails = |mood| matches!(mood, Mood::Cut(usize::MAX) | Mood::Says(_, usize::MAX));
    for &(mood, _) in MOODS.iter().filter(|&&(mood, _)| is_slow || !fails(mood)) {
        proxy.set(mood);
        let begun = Instant::now();
        let ended = perft(&engine(&cluster), 2, false);
        eprintln!("{mood:?}: {ended:?} in {:.1} s", begun.elapsed().as_secs_f64());
        assert!(begun.elapsed() < SOON, "{mood:?}: {:?}", begun.elapsed());
        match ended {
            Ok(nodes) => assert_eq!(nodes, 400, "{mood:?}"),
            Err(SqlError::Io(told)) => assert!(told.contains("executors"), "{mood:?}: {told}"),
            Err(error) => panic!("{mood:?}: {error:?}"),
        }
        // It comes back.
        proxy.set(Mood::Fair);
        wait_until("it comes back", || perft(&engine(&cluster), 2, false).is_ok());
    }
}

#[test]
fn a_full_disk_is_told() {
    let mut cluster = Cluster::start(0);
    let work = cluster.directory().join("small");
    std::fs::create_dir(&work).unwrap();
    // A disk of its own, which is gone with the executor.
    let script = "mount -t tmpfs -o size=3m tmpfs \"$0\" && exec \"$@\"";
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", script]).arg(&work);
    if !command.arg("true").status().is_ok_and(|status| status.success()) {
        missing::not_run("a full disk needs unshare and the right to mount a tmpfs");
        return;
    }
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", script]).arg(&work);
    command.arg(env!("CARGO_BIN_EXE_everyply"));
    cluster.add_executor(command, &work);
    let begun = Instant::now();
    let engine = engine(&cluster);
    assert_eq!(perft(&engine, 1, false).unwrap(), 20, "{}", cluster.told());
    let error = perft(&engine, 5, true).unwrap_err().to_string();
    assert!(error.starts_with("the disk of an executor is full"), "{error}");
    assert!(begun.elapsed() < 2 * SOON, "{:?}", begun.elapsed());
}

#[test]
fn a_statement_that_is_given_up_stops_on_the_cluster() {
    let cluster = Cluster::start(1);
    let cluster_address = Some(cluster.address().parse().unwrap());
    let limit = Duration::from_secs(4);
    let settings =
        Settings { cluster: cluster_address, time_limit: Some(limit), ..Settings::default() };
    let error = perft(&Engine::new(settings).unwrap(), 7, false).unwrap_err();
    assert!(matches!(error, SqlError::Time(met) if met == limit), "{error}");
    // What has been handed out runs to its end; nothing follows it.
    let mut last = Duration::ZERO;
    wait_until("it rests", || {
        thread::sleep(Duration::from_secs(2));
        let now = cluster.executors[0].cpu_time();
        let rests = now < last + Duration::from_millis(200);
        last = now;
        rests
    });
}

#[test]
fn processes_end_when_told_to_and_leave_nothing_behind() {
    let mut cluster = Cluster::start(1);
    assert_eq!(perft(&engine(&cluster), 3, false).unwrap(), 8902);
    let work = cluster.directory().join("work-0");
    assert_eq!(std::fs::read_dir(&work).unwrap().count(), 1, "its directory is in use");
    assert_eq!(cluster.executors[0].stop("-TERM").code(), Some(0), "{}", cluster.told());
    assert_eq!(std::fs::read_dir(&work).unwrap().count(), 0, "its directory is gone");
    assert_eq!(cluster.scheduler.stop("-INT").code(), Some(130), "{}", cluster.told());
}

#[test]
fn the_command_answers_the_same_here_and_there() {
    let cluster = Cluster::start(2);
    let fixture = format!("{}/../../fixtures/chess/fens/positions.tsv", env!("CARGO_MANIFEST_DIR"));
    let rows = std::fs::read_to_string(fixture).unwrap();
    let table = cluster.directory().join("positions.tsv");
    std::fs::write(&table, format!("fen\tsource\n{rows}")).unwrap();
    let statement = format!(
        "select chess_is_check(fen) as in_check, count(*) as n, sum(chess_move_count(fen)) as moves
         from '{}' group by 1 order by 1",
        table.display()
    );
    let there = sql(&cluster.address(), &statement);
    assert!(there.status.success(), "{}\n{}", stderr(&there), cluster.told());
    let here = everyply().args(["sql", "--format", "csv", &statement]).output().unwrap();
    assert_eq!(text(&there), text(&here));
    assert_eq!(text(&there).lines().count(), 3, "{}", text(&there));
}

#[test]
fn statements_answer_on_a_cluster_as_they_do_here() {
    let cluster = Cluster::start(2);
    let wrong = driver::differences(Some(&cluster.address().parse().unwrap()));
    assert!(wrong.is_empty(), "{wrong}");
}

fn engine(cluster: &Cluster) -> Engine {
    engine_at(&cluster.address())
}

/// An engine that ends what hangs.
fn engine_at(address: &str) -> Engine {
    let cluster = Some(address.parse().unwrap());
    let time_limit = Some(2 * SOON);
    Engine::new(Settings { cluster, time_limit, ..Settings::default() }).unwrap()
}

/// Counts positions by joins, where the engine computes.
fn perft(engine: &Engine, depth: u32, merge: bool) -> Result<u64, SqlError> {
    let relations = Relations::new(&Rules::named("standard").unwrap());
    let start = positions::batch(&[positions::Row::of(&Position::default())]);
    let answer =
        engine.plan(move |context| relations.perft(context.read_batch(start)?, depth, merge))?;
    let mut nodes = 0;
    for batch in answer {
        nodes += batch?.column(0).as_primitive::<UInt64Type>().values().iter().sum::<u64>();
    }
    Ok(nodes)
}

/// Adds an executor whose rows others fetch through a proxy, at this host of 127.0.0.0.
fn behind_proxy(cluster: &mut Cluster, host: u8) -> Proxy {
    let host = format!("127.0.0.{host}");
    let work = cluster.directory().join(&host);
    fs::create_dir(&work).unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", "exec \"$@\" --advertise \"$0\"", &host]);
    command.arg(env!("CARGO_BIN_EXE_everyply"));
    let port = cluster.add_executor(command, &work);
    Proxy::between(&format!("{host}:{port}"), &format!("127.0.0.1:{port}"))
}

fn cpu_times(cluster: &Cluster) -> Vec<Duration> {
    cluster.executors.iter().map(Node::cpu_time).collect()
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        // What was handed out before takes its time on a machine that does other things too.
        assert!(begun.elapsed() < 4 * SOON, "waited in vain: {what}");
        thread::sleep(Duration::from_millis(20));
    }
}

fn sql(address: &str, statement: &str) -> Output {
    let arguments = ["sql", "--cluster", address, "--format", "csv", statement];
    everyply().args(arguments).output().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}
