//! Relational chess: nodes a CPU second, planning, memory, threads, and a table of positions.
//!
//! Also writes the plan of four plies as SQL, with the rules as Parquet, to `target/relations`,
//! where `relations_peers.py` gives them to other engines. Answers are asserted, times are not.

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

fn main() {
    if let Ok(depth) = std::env::var(CHILD) {
        let engine = engine(1);
        perft(&engine, depth.parse().expect("a depth"), false);
        println!("{}", peak_memory());
        return;
    }
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/relations");
    fs::create_dir_all(&directory).expect("target can be written");
    let one = engine(1);
    println!("one thread, CPU time with planning, best of {ROUNDS}");
    for (depth, nodes, merge) in [(4, 197_281, false), (5, 4_865_609, false), (5, 4_865_609, true)]
    {
        let (cpu, _) = best(|| assert_eq!(perft(&one, depth, merge), nodes));
        let rate = nodes as f64 / cpu.as_secs_f64() / 1e6;
        let how = if merge { "equal positions merged" } else { "every way on its own" };
        println!(
            "start, depth {depth}, {how}: {:.3} s, {rate:.2} million nodes a second",
            cpu.as_secs_f64()
        );
        if depth == 4 {
            let text = format!("{{\"cpu\": {}}}\n", cpu.as_secs_f64());
            fs::write(directory.join("ours.json"), text).expect("target can be written");
        }
    }
    let (cpu, _) =
        best(|| drop(rows(&one, "explain select * from chess_perft('start', 8, false)")));
    println!("planning depth 8: {:.0} ms", cpu.as_secs_f64() * 1e3);
    println!("peak memory of a process that counts depth 5: {} MB", child(5));
    threads();
    table(&directory);
    write_plan(&directory, 4);
}

fn engine(threads: usize) -> Engine {
    let threads = NonZeroUsize::new(threads).expect("more than none");
    Engine::new(Settings { threads, ..Settings::default() }).expect("an engine")
}

fn rows(engine: &Engine, statement: &str) -> Vec<RecordBatch> {
    let answer = engine.sql(statement).expect("a statement");
    answer.collect::<Result<_, _>>().expect("rows")
}

fn perft(engine: &Engine, depth: u32, merge: bool) -> u64 {
    let rows = rows(engine, &format!("select nodes from chess_perft('start', {depth}, {merge})"));
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
    let (_, together) = best(|| assert_eq!(perft(&two, 5, false), 4_865_609));
    let engines = [engine(1), engine(1)];
    let (_, apart) = best(|| {
        std::thread::scope(|scope| {
            for engine in &engines {
                scope.spawn(|| assert_eq!(perft(engine, 5, false), 4_865_609));
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
        "select count(*) as n from chess_outcomes('children', 'child') where outcome = 'mate'";
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

/// The plan that counts, as text, and the tables it reads, for engines without unsigned numbers
/// as the same bits with a sign.
fn write_plan(directory: &Path, depth: u32) {
    let relations = Relations::new(&Rules::named("chess960").expect("rules that come along"));
    let root = positions::batch(&[positions::Row::of(&Position::default())]);
    let context = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(1));
    context.register_batch("root", root.clone()).expect("a table");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let table = runtime.block_on(context.table("root")).expect("the table");
    let plan = relations.perft(table, depth, false).expect("a plan");
    fs::write(directory.join("perft.sql"), text::sql(plan.logical_plan()))
        .expect("target can be written");
    let mut tables: Vec<(&str, RecordBatch)> = vec![("root", root)];
    for relation in [Relation::Paths, Relation::Checks, Relation::Alarms, Relation::Shields] {
        tables.push((relation.name(), relations.table(relation).rows().clone()));
    }
    for (name, batch) in tables {
        write(&directory.join(format!("{name}.parquet")), &batch);
        write(&directory.join(format!("{name}.signed.parquet")), &signed(&batch));
    }
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
