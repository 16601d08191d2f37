//! Relational chess: nodes a CPU second, planning, memory, threads, and a table of positions.
//!
//! Also writes plans of several plies as SQL, with the rules as Parquet, to `target/relations`, `relations_peers.py` gives them to other engines. Answers are asserted, times are not.

mod text;

use std::{
    fs,
    num::NonZeroUsize,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

use arrow::{
    array::{ArrayRef, AsArray, Int64Array, RecordBatch, StringArray, UInt64Array},
    datatypes::{DataType, UInt64Type},
};
use chess::Position;
use chess_relations::{Relation, Relations, Rules, positions};
use cpu_time::ProcessTime;
use datafusion::prelude::{SessionConfig, SessionContext};
use sql::{Engine, Settings};
use tables::{Format, Shape, Writer};

const ROUNDS: usize = 5;
/// Tells a process of its own to count, so that its memory can be told.
const CHILD: &str = "EVERYPLY_BENCH_DEPTH";

/// A position that every engine counts.
struct Counted {
    name: &'static str,
    fen: &'static str,
    depth: u32,
    nodes: u64,
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The start position, and two middlegames of the chess programming wiki, its positions 2 and 6.
const COUNTED: [Counted; 4] = [
    Counted { name: "start4", fen: START, depth: 4, nodes: 197_281 },
    Counted { name: "start5", fen: START, depth: 5, nodes: 4_865_609 },
    Counted {
        name: "kiwipete4",
        fen: "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        depth: 4,
        nodes: 4_085_603,
    },
    Counted {
        name: "position6",
        fen: "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        depth: 4,
        nodes: 3_894_594,
    },
];

fn main() {
    if let Ok(depth) = std::env::var(CHILD) {
        let engine = engine(1);
        perft(&engine, START, depth.parse().expect("a depth"), false);
        println!("{}", peak_memory());
        return;
    }
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/relations");
    fs::create_dir_all(&directory).expect("target can be written");
    let one = engine(1);
    println!("one thread, CPU time with planning, best of {ROUNDS}");
    let mut ours = Vec::new();
    for counted in &COUNTED {
        for merge in [false, true] {
            let cpu = count(&one, counted, merge);
            if !merge {
                ours.push(format!("\"{}\": {}", counted.name, cpu.as_secs_f64()));
            }
        }
        let Counted { fen, depth, .. } = counted;
        let explain = format!("explain select * from chess_perft('{fen}', {depth}, false)");
        let (cpu, _) = best(|| drop(rows(&one, &explain)));
        println!("its plan: {:.1} ms", cpu.as_secs_f64() * 1e3);
    }
    let text = format!("{{{}}}\n", ours.join(", "));
    fs::write(directory.join("ours.json"), text).expect("target can be written");
    let (cpu, _) =
        best(|| drop(rows(&one, "explain select * from chess_perft('start', 8, false)")));
    println!("planning depth 8: {:.0} ms", cpu.as_secs_f64() * 1e3);
    println!("peak memory of a process that counts depth 5: {} MB", child(5));
    threads();
    table(&directory);
    write_rules(&directory);
    COUNTED.iter().for_each(|counted| write_plan(&directory, counted));
}

fn count(engine: &Engine, counted: &Counted, merge: bool) -> Duration {
    let Counted { name, fen, depth, nodes } = *counted;
    let (cpu, _) = best(|| assert_eq!(perft(engine, fen, depth, merge), nodes));
    let rate = nodes as f64 / cpu.as_secs_f64() / 1e6;
    let how = if merge { "equal positions merged" } else { "every way on its own" };
    println!(
        "{name}, depth {depth}, {how}: {:.3} s, {rate:.2} million nodes a second",
        cpu.as_secs_f64()
    );
    cpu
}

fn engine(threads: usize) -> Engine {
    let threads = NonZeroUsize::new(threads).expect("more than none");
    Engine::new(Settings { threads, ..Settings::default() }).expect("an engine")
}

fn rows(engine: &Engine, statement: &str) -> Vec<RecordBatch> {
    let answer = engine.sql(statement).expect("a statement");
    answer.collect::<Result<_, _>>().expect("rows")
}

fn perft(engine: &Engine, fen: &str, depth: u32, merge: bool) -> u64 {
    let rows = rows(engine, &format!("select nodes from chess_perft('{fen}', {depth}, {merge})"));
    rows[0].column(0).as_primitive::<UInt64Type>().value(0)
}

fn best(mut work: impl FnMut()) -> (Duration, Duration) {
    let mut best = (Duration::MAX, Duration::MAX);
    for _ in 0..ROUNDS {
        let (cpu, clock) = (ProcessTime::now(), Instant::now());
        work();
        best = (best.0.min(cpu.elapsed()), best.1.min(clock.elapsed()));
    }
    best
}

fn child(depth: u32) -> u64 {
    let program = std::env::current_exe().expect("this program has a place");
    let output = Command::new(program).env(CHILD, depth.to_string()).output().expect("it runs");
    String::from_utf8_lossy(&output.stdout).trim().parse().expect("it prints its memory")
}

/// In millions of bytes, as the system has it.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
    kib.unwrap_or_default() * 1024 / 1_000_000
}

/// Two threads on one count, beside two counts with a thread each at the same time.
fn threads() {
    let two = engine(2);
    let (_, together) = best(|| assert_eq!(perft(&two, START, 5, false), 4_865_609));
    let engines = [engine(1), engine(1)];
    let (_, apart) = best(|| {
        std::thread::scope(|scope| {
            for engine in &engines {
                scope.spawn(|| assert_eq!(perft(engine, START, 5, false), 4_865_609));
            }
        });
    });
    let (together, apart) = (together.as_secs_f64(), apart.as_secs_f64());
    println!(
        "two threads: {together:.3} s; one thread each for two counts side by side: {apart:.3} s; {:.2} times faster",
        apart / together
    );
}

/// All legal moves of a file of positions, and its mates in one.
fn table(directory: &Path) {
    let text = include_str!("../../../../fixtures/chess/fens/positions.tsv");
    let fens: Vec<&str> = text.lines().map(|line| line.split('\t').next().unwrap_or("")).collect();
    let path = directory.join("positions.parquet");
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..fens.len() as i64));
    let column: ArrayRef = Arc::new(StringArray::from(fens.clone()));
    write(&path, &RecordBatch::try_from_iter([("id", ids), ("fen", column)]).expect("a table"));
    let two = engine(2);
    let path = path.display();
    let statement = format!("select count(*) as n from chess_moves('{path}', 'fen')");
    let expected: i64 = fens
        .iter()
        .map(|fen| fen.parse::<Position>().expect("a position").legal_moves().len() as i64)
        .sum();
    let count = |rows: &[RecordBatch]| {
        rows[0].column(0).as_primitive::<arrow::datatypes::Int64Type>().value(0)
    };
    let (cpu, clock) = best(|| assert_eq!(count(&rows(&two, &statement)), expected));
    println!(
        "{expected} legal moves of {} positions of a Parquet file, one statement: {:.3} s, {:.3} s of CPU",
        fens.len(),
        clock.as_secs_f64(),
        cpu.as_secs_f64()
    );
    let statement = format!(
        "create or replace view children as select id, uci, child from chess_children('{path}', 'fen')"
    );
    drop(rows(&two, &statement));
    let statement =
        "select count(*) as n from chess_outcomes('children', 'child') where ending = 'checkmate'";
    let expected: i64 = fens
        .iter()
        .map(|fen| {
            let position = fen.parse::<Position>().expect("a position");
            let moves = position.legal_moves();
            moves.iter().filter(|mv| position.play(*mv).is_checkmate()).count() as i64
        })
        .sum();
    let (cpu, clock) = best(|| assert_eq!(count(&rows(&two, statement)), expected));
    println!(
        "{expected} mates in one among them, one statement: {:.3} s, {:.3} s of CPU",
        clock.as_secs_f64(),
        cpu.as_secs_f64()
    );
}

fn relations() -> Relations {
    Relations::new(&Rules::named("chess960").expect("rules that come along"))
}

/// The rules that plans read.
fn write_rules(directory: &Path) {
    let relations = relations();
    for relation in [Relation::Paths, Relation::Checks, Relation::Alarms, Relation::Shields] {
        write_both(directory, relation.name(), relations.table(relation).rows());
    }
}

/// The plan that counts, as text, and the position it begins with.
fn write_plan(directory: &Path, counted: &Counted) {
    let Counted { name, fen, depth, .. } = *counted;
    let position = fen.parse::<Position>().expect("a position");
    let root = positions::batch(&[positions::Row::of(&position)]);
    let context = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(1));
    context.register_batch(name, root.clone()).expect("a table");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let table = runtime.block_on(context.table(name)).expect("the table");
    let plan = relations().perft(table, depth, false).expect("a plan");
    fs::write(directory.join(format!("{name}.sql")), text::sql(plan.logical_plan()))
        .expect("target can be written");
    write_both(directory, name, &root);
}

/// A table, and for engines without unsigned numbers the same bits with a sign.
fn write_both(directory: &Path, name: &str, batch: &RecordBatch) {
    write(&directory.join(format!("{name}.parquet")), batch);
    write(&directory.join(format!("{name}.signed.parquet")), &signed(batch));
}

fn signed(batch: &RecordBatch) -> RecordBatch {
    let schema = batch.schema();
    let columns = batch.columns().iter().zip(schema.fields()).map(|(column, field)| {
        let column: ArrayRef = match column.data_type() {
            DataType::UInt64 => {
                let column: &UInt64Array = column.as_primitive();
                Arc::new(Int64Array::from_iter_values(
                    column.values().iter().map(|bits| *bits as i64),
                ))
            }
            DataType::UInt8 => {
                arrow::compute::cast(column, &DataType::Int64).expect("small numbers")
            }
            _ => Arc::clone(column),
        };
        (field.name().clone(), column)
    });
    RecordBatch::try_from_iter(columns.collect::<Vec<_>>()).expect("the same table")
}

fn write(path: &PathBuf, batch: &RecordBatch) {
    let file = fs::File::create(path).expect("target can be written");
    let mut writer =
        Writer::new(file, Format::Parquet, &batch.schema(), Shape::Many).expect("a writer");
    writer.write(batch).expect("rows");
    writer.finish().expect("an end");
}
