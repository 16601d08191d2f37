//! The operator against the hash join that it stands for: random conditions, keys, columns with
//! NULL, and projections.

use std::sync::Arc;

use ::chess::Random;
use arrow::{
    array::{ArrayRef, BooleanArray, RecordBatch, StringArray, UInt64Array},
    compute::concat_batches,
    datatypes::{DataType, Field, Schema, SchemaRef},
    util::display::{ArrayFormatter, FormatOptions},
};
use chess_relations::{Relation, RuleTable, Rules};
use datafusion::{
    catalog::memory::MemorySourceConfig,
    common::{JoinSide, JoinType, NullEquality},
    execution::TaskContext,
    logical_expr::Operator,
    physical_expr::{
        PhysicalExpr,
        expressions::{BinaryExpr, CaseExpr, Column, IsNotNullExpr, IsNullExpr, NotExpr, lit},
    },
    physical_optimizer::PhysicalOptimizerRule,
    physical_plan::{
        ExecutionPlan, collect, displayable,
        joins::{
            HashJoinExec, PartitionMode,
            utils::{ColumnIndex, JoinFilter},
        },
        projection::{ProjectionExec, ProjectionExpr},
    },
    prelude::SessionConfig,
    scalar::ScalarValue,
};

use super::{RuleJoinExec, RuleJoins};

type Expr = Arc<dyn PhysicalExpr>;

/// Columns of the rows that are streamed: whether they are numbers, truths or text.
const COLUMNS: [(&str, DataType); 7] = [
    ("side", DataType::UInt64),
    ("key", DataType::UInt64),
    ("a", DataType::UInt64),
    ("b", DataType::UInt64),
    ("truth", DataType::Boolean),
    ("maybe", DataType::Boolean),
    ("text", DataType::Utf8),
];

fn schema() -> SchemaRef {
    let fields = COLUMNS.iter().map(|(name, data_type)| Field::new(*name, data_type.clone(), true));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// Rows of which some fit the keys of a rule table. Some batches have NULL, others have none.
fn batches(random: &mut Random, keys: &[Vec<u64>]) -> Vec<RecordBatch> {
    let mut batches = Vec::new();
    for nulls in [0, 3, 0] {
        let count = random.below(400);
        let mut number = |of: &dyn Fn(&mut Random) -> u64| -> ArrayRef {
            let values = (0..count).map(|_| {
                let is_null = nulls > 0 && random.below(10) < nulls;
                let value = of(random);
                (!is_null).then_some(value)
            });
            Arc::new(values.collect::<UInt64Array>())
        };
        let key = |at: usize| {
            move |random: &mut Random| match random.below(5) {
                0 => random.next(),
                _ => keys[random.below(keys.len())][at],
            }
        };
        let sparse = |random: &mut Random| random.next() & random.next();
        let last = keys[0].len() - 1;
        let numbers = [number(&key(0)), number(&key(last)), number(&sparse), number(&Random::next)];
        let mut truth = |nulls: usize| -> ArrayRef {
            let values = (0..count).map(|_| {
                let value = random.below(2) == 0;
                (random.below(10) >= nulls).then_some(value)
            });
            Arc::new(values.collect::<BooleanArray>())
        };
        let truths = [truth(0), truth(nulls)];
        let texts = (0..count).map(|row| (row % 7 > 0).then(|| format!("row {row}")));
        let texts: ArrayRef = Arc::new(texts.collect::<StringArray>());
        let columns = numbers.into_iter().chain(truths).chain([texts]).collect();
        batches.push(RecordBatch::try_new(schema(), columns).unwrap());
    }
    batches
}

/// Makes expressions over the columns of a schema.
struct Maker<'a> {
    random: &'a mut Random,
    schema: SchemaRef,
}

impl Maker<'_> {
    fn column(&mut self, data_type: &DataType) -> Option<Expr> {
        let fields = self.schema.fields().iter().enumerate();
        let fit: Vec<usize> =
            fields.filter(|(_, field)| field.data_type() == data_type).map(|(at, _)| at).collect();
        let at = *fit.get(self.random.below(fit.len().max(1)))?;
        Some(Arc::new(Column::new(self.schema.field(at).name(), at)))
    }

    fn number(&mut self, depth: usize) -> Expr {
        let ops = [
            Operator::BitwiseAnd,
            Operator::BitwiseAnd,
            Operator::BitwiseOr,
            Operator::BitwiseXor,
            Operator::Plus,
            Operator::Minus,
            Operator::Multiply,
            Operator::BitwiseShiftRight,
        ];
        match self.random.below(if depth == 0 { 3 } else { 8 }) {
            0 => {
                let literals = [Some(0), Some(1), Some(7), Some(u64::MAX), None];
                lit(ScalarValue::UInt64(literals[self.random.below(5)]))
            }
            1 | 2 => self.column(&DataType::UInt64).unwrap(),
            3 => self.case(&DataType::UInt64, depth),
            4 => {
                let (one, other) = (self.number(depth - 1), self.number(depth - 1));
                let there = binary(one.clone(), Operator::BitwiseAnd, other);
                binary(one, Operator::Minus, there)
            }
            _ => {
                let op = ops[self.random.below(ops.len())];
                binary(self.number(depth - 1), op, self.number(depth - 1))
            }
        }
    }

    fn truth(&mut self, depth: usize) -> Expr {
        let compared = [
            Operator::Eq,
            Operator::NotEq,
            Operator::Lt,
            Operator::LtEq,
            Operator::Gt,
            Operator::GtEq,
            Operator::IsDistinctFrom,
            Operator::IsNotDistinctFrom,
        ];
        if depth == 0 {
            return match (self.random.below(3), self.column(&DataType::Boolean)) {
                (0, Some(column)) => column,
                _ => {
                    lit(ScalarValue::Boolean([Some(true), Some(false), None][self.random.below(3)]))
                }
            };
        }
        match self.random.below(9) {
            0 => binary(self.truth(depth - 1), Operator::And, self.truth(depth - 1)),
            1 => binary(self.truth(depth - 1), Operator::Or, self.truth(depth - 1)),
            2 => Arc::new(NotExpr::new(self.truth(depth - 1))),
            3 => Arc::new(IsNullExpr::new(self.number(depth - 1))),
            4 => {
                let texts = self.column(&DataType::Utf8);
                Arc::new(IsNotNullExpr::new(texts.unwrap_or_else(|| lit(true))))
            }
            5 => self.case(&DataType::Boolean, depth),
            // What rules of chess ask for.
            6 | 7 => {
                let op = [Operator::Eq, Operator::NotEq][self.random.below(2)];
                let sets = binary(self.number(depth), Operator::BitwiseAnd, self.number(depth));
                binary(sets, op, lit(0_u64))
            }
            _ => {
                let op = compared[self.random.below(compared.len())];
                binary(self.number(depth - 1), op, self.number(depth - 1))
            }
        }
    }

    fn case(&mut self, data_type: &DataType, depth: usize) -> Expr {
        let value = |maker: &mut Self| match data_type {
            DataType::Boolean => maker.truth(depth - 1),
            _ => maker.number(depth - 1),
        };
        let whens = (0..1 + self.random.below(2)).map(|_| (self.truth(depth - 1), value(self)));
        let whens: Vec<(Expr, Expr)> = whens.collect();
        let otherwise = (self.random.below(2) == 0).then(|| value(self));
        Arc::new(CaseExpr::try_new(None, whens, otherwise).unwrap())
    }
}

fn binary(a: Expr, op: Operator, b: Expr) -> Expr {
    Arc::new(BinaryExpr::new(a, op, b))
}

/// Conjunctions of conditions over a row and a rule.
fn filter(random: &mut Random, rules: &SchemaRef, rows: &SchemaRef) -> Option<JoinFilter> {
    let parts = random.below(4);
    let side = |side: JoinSide, schema: &SchemaRef| {
        let fields = schema.fields().iter().enumerate();
        fields
            .map(|(index, field)| (ColumnIndex { index, side }, field.as_ref().clone()))
            .collect::<Vec<_>>()
    };
    let both = [side(JoinSide::Left, rules), side(JoinSide::Right, rows)].concat();
    let (indices, fields): (Vec<ColumnIndex>, Vec<Field>) = both.into_iter().unzip();
    let schema: SchemaRef = Arc::new(Schema::new(fields));
    let mut maker = Maker { random, schema: schema.clone() };
    let parts = (0..parts).map(|_| maker.truth(3)).collect::<Vec<Expr>>();
    let condition = parts.into_iter().reduce(|a, b| binary(a, Operator::And, b))?;
    Some(JoinFilter::new(condition, indices, schema))
}

fn joined(
    table: &RuleTable,
    key: &[(&str, &str)],
    rows: Arc<dyn ExecutionPlan>,
    how: JoinType,
    random: &mut Random,
) -> Arc<dyn ExecutionPlan> {
    let rules = table.read(None).unwrap().schema();
    let filter = filter(random, &rules, &rows.schema());
    joined_by(table, key, rows, how, filter)
}

fn joined_by(
    table: &RuleTable,
    key: &[(&str, &str)],
    rows: Arc<dyn ExecutionPlan>,
    how: JoinType,
    filter: Option<JoinFilter>,
) -> Arc<dyn ExecutionPlan> {
    let rules = Arc::new(table.read(None).unwrap());
    let column = |schema: &SchemaRef, name: &str| -> Expr {
        Arc::new(Column::new(name, schema.index_of(name).unwrap()))
    };
    let on =
        key.iter().map(|(rule, row)| (column(&rules.schema(), rule), column(&rows.schema(), row)));
    let on = on.collect();
    let mode = PartitionMode::CollectLeft;
    let nulls = NullEquality::NullEqualsNothing;
    let join = HashJoinExec::try_new(rules, rows, on, filter, &how, None, mode, nulls, false);
    Arc::new(join.unwrap())
}

/// Some columns under their names, and some that are computed.
fn projected(plan: Arc<dyn ExecutionPlan>, random: &mut Random) -> Arc<dyn ExecutionPlan> {
    let schema = plan.schema();
    let named = COLUMNS.iter().map(|(name, _)| {
        // Names of rules may be the same; the rows stand after them.
        let at = schema.fields().iter().rposition(|field| field.name() == name).unwrap();
        let expr: Expr = Arc::new(Column::new(name, at));
        ProjectionExpr { expr, alias: (*name).to_owned() }
    });
    let mut columns: Vec<ProjectionExpr> = named.collect();
    let mut maker = Maker { random, schema };
    for at in [1, 2, 3] {
        columns[at].expr = maker.number(2);
    }
    // The key of the next join is a number or nothing.
    let key = columns[1].expr.clone();
    let asks = maker.truth(2);
    columns[1].expr = Arc::new(CaseExpr::try_new(None, vec![(asks, key)], None).unwrap());
    columns[4].expr = maker.truth(2);
    Arc::new(ProjectionExec::try_new(columns, plan).unwrap())
}

async fn rows(plan: Arc<dyn ExecutionPlan>, batch: usize) -> RecordBatch {
    let config = SessionConfig::new().with_batch_size(batch);
    let context = Arc::new(TaskContext::default().with_session_config(config));
    let schema = plan.schema();
    concat_batches(&schema, &collect(plan, context).await.unwrap()).unwrap()
}

/// Rows as text.
fn told(batch: &RecordBatch) -> Vec<String> {
    let options = FormatOptions::default().with_null("NULL");
    let formatted = |column| ArrayFormatter::try_new(column, &options).unwrap();
    let columns: Vec<_> = batch.columns().iter().map(|column| formatted(column.as_ref())).collect();
    let row = |row| columns.iter().map(|column| format!("{},", column.value(row))).collect();
    (0..batch.num_rows()).map(row).collect()
}

/// The first row that is not the same, and how many there are.
fn difference(found: &RecordBatch, expected: &RecordBatch, in_order: bool) -> Option<String> {
    let (mut found, mut expected) = (told(found), told(expected));
    if !in_order {
        found.sort();
        expected.sort();
    }
    let count = format!("{} rows, expected {}", found.len(), expected.len());
    let first = found.iter().zip(&expected).find(|(found, expected)| found != expected);
    (found != expected).then(|| format!("{count}: {first:?}"))
}

/// How many joins are ours, and how many are left that should be: an outer join whose condition is
/// not made of sets stays what it was.
fn operators(plan: &Arc<dyn ExecutionPlan>) -> (usize, usize) {
    let hashed = plan.downcast_ref::<HashJoinExec>();
    let is_left = hashed.is_some_and(|join| *join.join_type() != JoinType::Right);
    let own = (plan.is::<RuleJoinExec>(), is_left);
    plan.children()
        .into_iter()
        .map(operators)
        .fold((usize::from(own.0), usize::from(own.1)), |(ours, others), (more, rest)| {
            (ours + more, others + rest)
        })
}

/// The tables of rules, with the columns by which rows find them.
fn tables() -> Vec<(RuleTable, Vec<(&'static str, &'static str)>)> {
    let rules = Rules::named("standard").unwrap();
    let table = |relation| RuleTable::new(&rules, relation);
    vec![
        (table(Relation::Checks), vec![("side", "side"), ("cells", "key")]),
        (table(Relation::Paths), vec![("man", "key")]),
        (table(Relation::PathsOrWait), vec![("man", "key")]),
        (table(Relation::ShieldsOrWait), vec![("king", "key")]),
        (table(Relation::Alarms), vec![("king", "key")]),
        (table(Relation::Takes), vec![("side", "side"), ("passed", "key")]),
    ]
}

fn keys(table: &RuleTable, key: &[(&str, &str)]) -> Vec<Vec<u64>> {
    let columns: Vec<&UInt64Array> = key
        .iter()
        .map(|(name, _)| {
            let column = table.rows().column_by_name(name).unwrap();
            column.as_any().downcast_ref().unwrap()
        })
        .collect();
    (0..table.rows().num_rows())
        .map(|row| columns.iter().map(|column| column.value(row)).collect())
        .collect()
}

#[tokio::test]
async fn the_operator_gives_the_rows_of_the_hash_joins_it_stands_for() {
    let tables = tables();
    let mut seen = (0, 0);
    for seed in 0..150 {
        let mut random = Random::new(seed);
        let (table, key) = &tables[random.below(tables.len())];
        let batches = batches(&mut random, &keys(table, key));
        let input = MemorySourceConfig::try_new_exec(&[batches], schema(), None).unwrap();
        let hows = [
            JoinType::Inner,
            JoinType::Right,
            JoinType::RightSemi,
            JoinType::RightAnti,
            JoinType::RightMark,
        ];
        let mut plan: Arc<dyn ExecutionPlan> = input;
        // A hash join puts rows without a rule after the others of their batch.
        let mut in_order = true;
        for _ in 0..1 + random.below(3) {
            let how = hows[random.below(hows.len())];
            in_order &= how != JoinType::Right;
            plan = joined(table, key, plan, how, &mut random);
            plan = projected(plan, &mut random);
        }
        let expected = rows(plan.clone(), 8192).await;
        let ours = RuleJoins.optimize(plan, &datafusion::config::ConfigOptions::new()).unwrap();
        let (replaced, left) = operators(&ours);
        assert_eq!(left, 0, "only outer joins stay hash joins");
        seen = (seen.0 + replaced, seen.1 + usize::from(expected.num_rows() > 0));
        for batch in [8192, 100, 1] {
            let found = rows(ours.clone().reset_state().unwrap(), batch).await;
            let plan = || displayable(ours.as_ref()).indent(false).to_string();
            let difference = difference(&found, &expected, in_order);
            assert!(difference.is_none(), "seed {seed}: {difference:?}\n{}", plan());
        }
    }
    assert!(seen.0 > 150 && seen.1 > 75, "most plans have rows: {seen:?}");
}

/// Without NULL, `a - a` is left of this condition, which an outer join cannot have.
#[tokio::test]
async fn a_condition_may_simplify_where_nothing_is_null() {
    let (table, key) = &tables()[1];
    let mut random = Random::new(3);
    let batches = batches(&mut random, &keys(table, key));
    let input = MemorySourceConfig::try_new_exec(&[batches], schema(), None).unwrap();
    let rules = table.read(None).unwrap().schema();
    let empty = rules.index_of("empty").unwrap();
    let sides = [(JoinSide::Left, empty), (JoinSide::Right, 2), (JoinSide::Right, 3)];
    let indices = sides.map(|(side, index)| ColumnIndex { index, side }).to_vec();
    let fields = ["empty", "a", "b"].map(|name| Field::new(name, DataType::UInt64, true));
    let column = |at: usize| -> Expr { Arc::new(Column::new(fields[at].name(), at)) };
    let both = binary(column(0), Operator::BitwiseAnd, column(1));
    let asks: Expr = Arc::new(IsNotNullExpr::new(column(2)));
    let same: Expr = Arc::new(CaseExpr::try_new(None, vec![(asks, both.clone())], None).unwrap());
    let condition = binary(binary(both, Operator::Minus, same), Operator::Eq, lit(0_u64));
    let filter = JoinFilter::new(condition, indices, Arc::new(Schema::new(fields.to_vec())));
    let plan = joined_by(table, key, input, JoinType::Right, Some(filter));
    let expected = rows(plan.clone(), 8192).await;
    let ours = RuleJoins.optimize(plan, &datafusion::config::ConfigOptions::new()).unwrap();
    assert_eq!(operators(&ours), (1, 0));
    let found = rows(ours, 100).await;
    assert_eq!(difference(&found, &expected, false), None);
}
