//! What plans look like: lazy, linear, with rules as build sides.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use chess::Position;
use chess_relations::{RuleScan, Timeline, positions};
use datafusion::{
    arrow::array::RecordBatch,
    catalog::streaming::StreamingTable,
    common::tree_node::{TreeNode, TreeNodeRecursion},
    execution::{SendableRecordBatchStream, TaskContext},
    logical_expr::LogicalPlan,
    physical_plan::{
        ExecutionPlan,
        joins::{HashJoinExec, PartitionMode},
        memory::MemoryStream,
        streaming::PartitionStream,
    },
    prelude::DataFrame,
};

use super::{context, numbered, relations};

/// Counts how often somebody asks for its rows.
#[derive(Debug)]
struct Counting {
    asked: Arc<AtomicUsize>,
}

impl PartitionStream for Counting {
    fn schema(&self) -> &datafusion::arrow::datatypes::SchemaRef {
        static SCHEMA: std::sync::LazyLock<datafusion::arrow::datatypes::SchemaRef> =
            std::sync::LazyLock::new(positions::schema);
        &SCHEMA
    }

    fn execute(&self, _context: Arc<TaskContext>) -> SendableRecordBatchStream {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let rows = positions::batch(&[positions::Row::of(&Position::default())]);
        Box::pin(MemoryStream::try_new(vec![rows], positions::schema(), None).unwrap())
    }
}

#[tokio::test]
async fn a_plan_is_run_once_and_not_before_it_is_collected() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counting = || {
        let partition = Counting { asked: Arc::clone(&asked) };
        let table =
            StreamingTable::try_new(positions::schema(), vec![Arc::new(partition)]).unwrap();
        context(2).read_table(Arc::new(table)).unwrap()
    };
    let standard = relations("standard");
    let every_ply = Timeline { plies: 3, every_ply: true, merge: false };
    let plans: Vec<(DataFrame, usize)> = vec![
        (standard.perft(counting(), 3, false).unwrap(), 1),
        (standard.perft(counting(), 3, true).unwrap(), 1),
        (standard.timeline(counting(), every_ply).unwrap(), 9_323),
        (standard.outcomes(counting()).unwrap(), 1),
        (standard.legal_moves(counting()).unwrap(), 20),
        (standard.children(counting()).unwrap(), 20),
        (standard.candidates(counting()).unwrap(), 20),
    ];
    assert_eq!(asked.load(Ordering::Relaxed), 0, "making plans reads nothing");
    for (done, (plan, rows)) in plans.into_iter().enumerate() {
        let batches = plan.collect().await.unwrap();
        assert_eq!(batches.iter().map(RecordBatch::num_rows).sum::<usize>(), rows);
        assert_eq!(asked.load(Ordering::Relaxed), done + 1, "each plan reads its positions once");
    }
}

#[test]
fn the_crate_neither_collects_nor_makes_a_context() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
    for file in std::fs::read_dir(directory).unwrap() {
        let path = file.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        for line in code {
            let words = [
                "SessionContext",
                ".collect().await",
                ".cache(",
                "execute_stream",
                "block_on",
                ".await",
            ];
            for word in words {
                assert!(!line.contains(word), "{}: {line}", path.display());
            }
            let text = path.file_name().is_some_and(|name| name == "positions.rs");
            // What a piece is called is shared; how it moves is not.
            let is_allowed = text || line == "use chess::Role;" || !line.contains("chess::");
            assert!(is_allowed, "only text needs bitboards: {line}");
        }
    }
}

fn optimised(plan: DataFrame) -> LogicalPlan {
    plan.into_optimized_plan().unwrap()
}

/// Operators of a plan, without those of the prefilter: the table of alarms, its join, the
/// projection after it, and the same for the look at the king.
fn operators(plan: &LogicalPlan) -> (usize, usize) {
    let (mut all, mut alarms) = (0, 0);
    plan.apply(|node| {
        all += 1;
        if let LogicalPlan::TableScan(scan) = node {
            alarms += usize::from(scan.table_name.table() == "alarms");
        }
        Ok(TreeNodeRecursion::Continue)
    })
    .unwrap();
    (all, all - 6 * alarms)
}

#[tokio::test]
async fn a_plan_grows_by_the_same_few_operators_a_ply() {
    let standard = relations("standard");
    let start = || numbered(&context(1), &[Position::default()]);
    let perft = |plies: u32| operators(&optimised(standard.perft(start(), plies, false).unwrap()));
    let timeline = |plies: u32| {
        let asked = Timeline { plies, every_ply: true, merge: false };
        operators(&optimised(standard.timeline(start(), asked).unwrap()))
    };
    for count in [&perft as &dyn Fn(u32) -> (usize, usize), &timeline] {
        let sizes: Vec<(usize, usize)> = (2..=8).map(count).collect();
        println!("operators at 2 to 8 plies, all and without the prefilter: {sizes:?}");
        for pair in sizes.windows(2) {
            assert_eq!(pair[1].0 - pair[0].0, sizes[1].0 - sizes[0].0, "linear: {sizes:?}");
            assert!(pair[1].1 - pair[0].1 <= 12, "at most 12 a ply: {sizes:?}");
        }
    }
}

#[tokio::test]
async fn joins_build_on_the_rules() {
    let standard = relations("standard");
    for threads in [1, 2] {
        let start = numbered(&context(threads), &[Position::default()]);
        let asked = Timeline { plies: 4, every_ply: true, merge: true };
        let plan = standard.timeline(start, asked).unwrap().create_physical_plan().await.unwrap();
        let mut joins = 0;
        check_build_sides(&plan, &mut joins);
        assert_eq!(joins, 4 * 9, "five joins a ply, and two for each way to take en passant");
    }
}

fn check_build_sides(plan: &Arc<dyn ExecutionPlan>, joins: &mut usize) {
    let any: &dyn std::any::Any = plan.as_ref();
    if let Some(join) = any.downcast_ref::<HashJoinExec>() {
        *joins += 1;
        let build: &dyn std::any::Any = join.left().as_ref();
        assert!(build.is::<RuleScan>(), "the build side of {}", join.name());
        assert_eq!(join.mode, PartitionMode::CollectLeft);
    } else {
        assert!(!plan.name().contains("Join"), "{} is no hash join", plan.name());
    }
    for child in plan.children() {
        check_build_sides(child, joins);
    }
}

#[tokio::test]
async fn names_that_clash_and_columns_that_lack_are_errors() {
    let standard = relations("standard");
    let start = || numbered(&context(1), &[Position::default()]);
    let renamed = start().with_column_renamed("id", "uci").unwrap();
    let error = standard.legal_moves(renamed).unwrap_err().to_string();
    assert!(error.contains("already have a column uci"), "{error}");
    let cut = start().drop_columns(&["ep"]).unwrap();
    let error = standard.legal_moves(cut).unwrap_err().to_string();
    assert!(error.contains("no column ep"), "{error}");
    // A column named like one of a rule table is nobody's business.
    let keep = start().with_column_renamed("id", "keep").unwrap();
    assert_eq!(standard.legal_moves(keep).unwrap().count().await.unwrap(), 20);
}

#[tokio::test]
async fn plans_can_be_put_on_top_of_each_other() {
    let standard = relations("standard");
    let start = numbered(&context(1), &[Position::default()]);
    let children = standard.children(start).unwrap();
    let children = children.with_column_renamed("uci", "first").unwrap();
    let kept: Vec<&str> = [&positions::COLUMNS[..], &["first"]].concat();
    let moves = standard.legal_moves(children.select_columns(&kept).unwrap()).unwrap();
    assert_eq!(moves.count().await.unwrap(), 400);
}
