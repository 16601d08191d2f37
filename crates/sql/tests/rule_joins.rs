//! Plans of rules in an engine, whose joins are computed by an operator of its own, against the
//! same plans in a plain session, whose joins are hash joins: for the rules of chess, and for rule
//! files with random edits.

use std::{num::NonZeroUsize, sync::Arc};

use arrow::{
    array::{ArrayRef, BooleanArray, Int64Array, RecordBatch},
    compute::{concat_batches, nullif},
    datatypes::Schema,
};
use chess::{Position, Random};
use chess_relations::{Relations, Rules, Timeline, positions};
use datafusion::{
    error::DataFusionError,
    prelude::{DataFrame, SessionConfig, SessionContext},
};
use sql::{Engine, Settings};

const POSITIONS: &str = include_str!("../../../fixtures/chess/fens/positions.tsv");

/// Positions as rows, each with its number. The last few have no king that anybody could see.
fn table(step: usize, first: usize) -> RecordBatch {
    let fens = POSITIONS.lines().skip(first).step_by(step);
    let fens = fens.map(|line| line.split('\t').next().unwrap());
    let rows: Vec<positions::Row> =
        fens.map(|fen| positions::Row::of(&fen.parse::<Position>().unwrap())).collect();
    let ids: ArrayRef = Arc::new(Int64Array::from_iter_values(0..rows.len() as i64));
    let batch = positions::batch(&rows);
    let last = (0..rows.len()).map(|row| Some(row + 3 >= rows.len()));
    let last = last.collect::<BooleanArray>();
    let schema = batch.schema();
    let columns = schema.fields().iter().zip(batch.columns()).map(|(field, column)| {
        let column =
            if field.name() == "k" { nullif(column, &last).unwrap() } else { column.clone() };
        (field.name().clone(), column)
    });
    let columns: Vec<(String, ArrayRef)> = columns.chain([("id".to_owned(), ids)]).collect();
    RecordBatch::try_from_iter(columns).unwrap()
}

type Plan = fn(&Relations, DataFrame) -> Result<DataFrame, DataFusionError>;

/// Plans, and whether the order of their rows is that of their input.
const PLANS: [(&str, Plan, bool); 11] = [
    ("moves", Relations::legal_moves, true),
    ("children", Relations::children, true),
    ("candidates", Relations::candidates, true),
    ("threats", Relations::threats, true),
    ("perspectives", Relations::perspectives, true),
    ("outcomes", Relations::outcomes, false),
    ("perft", |relations, rows| relations.perft(rows, 2, false), false),
    ("merged perft", |relations, rows| relations.perft(rows, 2, true), false),
    ("every ply", |relations, rows| relations.timeline(rows, timeline(true, false)), true),
    ("last ply", |relations, rows| relations.timeline(rows, timeline(false, false)), true),
    ("merged plies", |relations, rows| relations.timeline(rows, timeline(true, true)), false),
];

const fn timeline(every_ply: bool, merge: bool) -> Timeline {
    Timeline { plies: 2, every_ply, merge }
}

fn engine(threads: usize) -> Engine {
    let threads = NonZeroUsize::new(threads).unwrap();
    Engine::new(Settings { threads, ..Settings::default() }).unwrap()
}

fn plain() -> SessionContext {
    let config = SessionConfig::new().with_target_partitions(1);
    SessionContext::new_with_config(config.set_bool("datafusion.optimizer.join_reordering", false))
}

/// The rows, each as text.
fn told(batches: &[RecordBatch]) -> Vec<String> {
    let Some(first) = batches.first() else { return Vec::new() };
    let schema = first.schema();
    // Sessions differ in what they know of NULL, never in what is there.
    let fields = schema.fields().iter().map(|field| field.as_ref().clone().with_nullable(true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let batches = batches.iter().map(|batch| batch.clone().with_schema(schema.clone()).unwrap());
    let all = concat_batches(&schema, &batches.collect::<Vec<_>>()).unwrap();
    let options = arrow::util::display::FormatOptions::default().with_null("NULL");
    let columns: Vec<_> = all
        .columns()
        .iter()
        .map(|column| {
            arrow::util::display::ArrayFormatter::try_new(column.as_ref(), &options).unwrap()
        })
        .collect();
    (0..all.num_rows())
        .map(|row| columns.iter().map(|column| format!("{},", column.value(row))).collect())
        .collect()
}

/// Compares every plan, and returns how many rows there were.
fn compare(rules: &Rules, table: &RecordBatch, engines: &[Engine]) -> usize {
    let relations = Relations::new(rules);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).build().unwrap();
    let mut count = 0;
    for (name, plan, is_in_order) in PLANS {
        let frame = plain().read_batch(table.clone()).unwrap();
        let frame = plan(&relations, frame).unwrap();
        let mut expected = told(&runtime.block_on(frame.collect()).unwrap());
        count += expected.len();
        for (at, engine) in engines.iter().enumerate() {
            let (relations, rows) = (relations.clone(), table.clone());
            let answer = engine.plan(move |context| plan(&relations, context.read_batch(rows)?));
            let batches: Vec<RecordBatch> = answer.unwrap().map(Result::unwrap).collect();
            let mut found = told(&batches);
            if !is_in_order || at > 0 {
                expected.sort();
                found.sort();
            }
            assert!(found == expected, "{name}: {} and {} rows", found.len(), expected.len());
        }
    }
    count
}

/// A rule file with some rows left out, and some with other steps or other pieces.
fn edited(random: &mut Random) -> Option<Rules> {
    let (header, rest) =
        include_str!("../../chess-relations/rules/standard.csv").split_once('\n')?;
    let mut text = format!("{header}\n");
    for line in rest.lines() {
        let mut fields: Vec<String> = line.split(',').map(str::to_owned).collect();
        match random.below(12) {
            0 => continue,
            1 => fields[3] = (random.below(5) as i64 - 2).to_string(),
            2 => fields[4] = (random.below(5) as i64 - 2).to_string(),
            3 => {
                let roles = ["knight", "bishop", "rook", "queen", "king"];
                let (one, other) = (roles[random.below(5)], roles[random.below(5)]);
                fields[1] = fields[1].replace(one, other);
            }
            4 => fields[2] = fields[2].replace("empty|foe", "foe"),
            _ => {}
        }
        text += &(fields.join(",") + "\n");
    }
    Rules::from_csv(&text).ok()
}

#[test]
fn rules_of_chess_have_the_rows_of_hash_joins() {
    let engines = [engine(1), engine(2)];
    for variant in ["standard", "chess960", "crowned-knights"] {
        let rules = Rules::named(variant).unwrap();
        assert!(compare(&rules, &table(250, 1), &engines) > 100_000, "{variant}");
    }
}

#[test]
fn edited_rules_have_the_rows_of_hash_joins() {
    let engines = [engine(1)];
    let (mut files, mut rows) = (0, 0);
    for seed in 0..40 {
        let Some(rules) = edited(&mut Random::new(seed)) else { continue };
        println!("seed {seed}");
        files += 1;
        rows += compare(&rules, &table(1_200, seed as usize), &engines);
    }
    println!("{files} rule files, {rows} rows");
    assert!(files >= 8 && rows > 100_000, "{files} rule files, {rows} rows");
}

#[test]
fn no_join_with_rules_is_left_to_a_hash_join() {
    let engine = engine(1);
    let explain = "explain select * from chess_perft('start', 3, false)";
    let batches: Vec<RecordBatch> = engine.sql(explain).unwrap().map(Result::unwrap).collect();
    let plan = told(&batches).join("\n");
    let physical = plan.split_once("physical_plan").unwrap().1;
    assert!(!physical.contains("HashJoinExec"), "{physical}");
    assert_eq!(physical.matches("RuleJoinExec").count(), 4 * 3, "{physical}");
    assert_eq!(physical.matches("then anti join checks").count(), 3, "{physical}");
}
