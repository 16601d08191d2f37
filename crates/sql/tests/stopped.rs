//! Statements that are stopped leave the processor idle, whatever they were computing. This file has
//! one test, because it looks at what the whole process spends.

use std::{
    num::NonZeroUsize,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use cpu_time::ProcessTime;
use sql::{Engine, Interrupt, Settings, SqlError};

/// Each would take minutes at least, most of them without a row to return.
const STATEMENTS: &[&str] = &[
    "select count(*) from a join b on x * 2 > y * 3 + 7000000",
    "select count(*) from a left join b on x * 2 > y * 3 + 7000000",
    "select count(*) from a full join b on x * 2 > y * 3 + 7000000",
    "select count(*) from a join b on x < y",
    "select count(*) from a where exists (select 1 from b where y > x + 7000000)",
    "select count(*) from a where not exists (select 1 from b where y > x + 7000000)",
    "select count(*) from a join b on x % 2 = y % 2 and x + y < 0",
    "select count(*) from a left join b on x % 2 = y % 2 and x + y < 0",
    "select count(*) from a where x % 2 in (select y % 2 from b)",
    "select count(*) from a where x % 2 not in (select y % 2 from b)",
    "select count(*) from a, b where x + y < 0",
    "select x, y from a, b order by x + y, y limit 3",
    "select count(*) from chess.paths p join (select arrow_cast(value % 1, 'UInt64') as k, \
     arrow_cast(value, 'UInt64') as z from generate_series(1, 20000000)) t \
     on p.pawn = t.k and p.man + t.z < 2",
    "with recursive t as (select 1 as n union all select n + 1 from t) select max(n) from t",
];
/// The same, where joins sort.
const SORTED: &[&str] = &[
    "select count(*) from a join b on x % 2 = y % 2 and x + y < 0",
    "select count(*) from a left join b on x % 2 = y % 2 and x + y < 0",
    "select count(*) from a where exists (select 1 from b where x % 2 = y % 2 and x + y < 0)",
];
/// Until here a statement builds what it then works with.
const BUSY: Duration = Duration::from_millis(600);
/// When the processor has to be idle, how long it is looked at, and how often on a machine that does
/// much else beside.
const IDLE_AFTER: Duration = Duration::from_millis(500);
const LOOK: Duration = Duration::from_millis(100);
const LOOKS: usize = 20;

#[test]
fn a_stopped_statement_leaves_the_processor_idle() {
    let is_stopped = Arc::new(AtomicBool::new(false));
    let asked = is_stopped.clone();
    let settings = Settings {
        threads: NonZeroUsize::new(2).expect("not zero"),
        memory_limit: 512 << 20,
        interrupt: Interrupt::when(move || asked.load(Ordering::Relaxed)),
        ..Settings::default()
    };
    let engine = Engine::new(settings).unwrap();
    for (name, column) in [("a", "x"), ("b", "y")] {
        let create = format!(
            "create view {name} as select value as {column} from generate_series(1, 200000)"
        );
        engine.sql(&create).unwrap().for_each(|batch| drop(batch.unwrap()));
    }
    let mut wrong = Vec::new();
    let prefers = |hash_joins| {
        let set = format!("set datafusion.optimizer.prefer_hash_join = {hash_joins}");
        engine.sql(&set).unwrap().for_each(|batch| drop(batch.unwrap()));
    };
    let sorted = SORTED.iter().map(|statement| (statement, false));
    for (statement, prefers_hash_joins) in STATEMENTS.iter().map(|it| (it, true)).chain(sorted) {
        is_stopped.store(false, Ordering::Relaxed);
        prefers(prefers_hash_joins);
        let stopper = is_stopped.clone();
        let stops = thread::spawn(move || {
            thread::sleep(BUSY);
            stopper.store(true, Ordering::Relaxed);
            Instant::now()
        });
        let ended =
            engine.sql(statement).and_then(|mut rows| rows.try_for_each(|batch| batch.map(drop)));
        assert!(matches!(ended, Err(SqlError::Interrupted)), "{statement}: {ended:?}");
        let stopped = stops.join().unwrap();
        thread::sleep(IDLE_AFTER.saturating_sub(stopped.elapsed()));
        let is_idle = (0..LOOKS).any(|_| {
            let (start, spent) = (Instant::now(), ProcessTime::now());
            thread::sleep(LOOK);
            let part = spent.elapsed().as_secs_f64() / start.elapsed().as_secs_f64();
            println!("{:3.0} % busy after {:.1?}: {statement}", part * 100.0, stopped.elapsed());
            part <= 0.2
        });
        if !is_idle {
            wrong.push(statement);
            // What still runs must not be taken for the next one.
            thread::sleep(Duration::from_secs(5));
        }
    }
    assert!(wrong.is_empty(), "still busy: {wrong:#?}");
}
