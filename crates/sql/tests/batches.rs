//! Rows in memory as tables.

use std::sync::Arc;

use arrow::{
    array::{AsArray, Int64Array, RecordBatch, StringArray},
    datatypes::{DataType, Field, Int64Type, Schema, SchemaRef},
};
use sql::{Engine, Settings, SqlError};

fn schema() -> SchemaRef {
    let fields =
        [Field::new("id", DataType::Int64, false), Field::new("fen", DataType::Utf8, true)];
    Arc::new(Schema::new(fields.to_vec()))
}

fn batch(ids: Vec<i64>, fens: Vec<Option<&str>>) -> RecordBatch {
    let columns: (Int64Array, StringArray) = (ids.into(), fens.into());
    RecordBatch::try_new(schema(), vec![Arc::new(columns.0), Arc::new(columns.1)]).unwrap()
}

fn numbers(engine: &Engine, statement: &str) -> Vec<i64> {
    let batches = engine.sql(statement).unwrap().map(Result::unwrap);
    batches
        .flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().values().to_vec())
        .collect()
}

#[test]
fn batches_are_one_table_that_functions_take() {
    let engine = Engine::new(Settings::default()).unwrap();
    let mate = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";
    let batches =
        vec![batch(vec![1, 2], vec![Some("start"), None]), batch(vec![3], vec![Some(mate)])];
    engine.add_batches("positions", schema(), batches).unwrap();
    assert_eq!(numbers(&engine, "select id from positions order by id"), [1, 2, 3]);
    assert_eq!(numbers(&engine, "select id from positions where chess_is_mate(fen)"), [3]);
    let moves = "select id from chess_moves('positions', 'fen')";
    assert_eq!(numbers(&engine, moves), [1; 20]);
}

#[test]
fn no_rows_are_a_table_too() {
    let engine = Engine::new(Settings::default()).unwrap();
    engine.add_batches("Empty", schema(), Vec::new()).unwrap();
    assert_eq!(numbers(&engine, "select count(*) from \"Empty\""), [0]);
}

#[test]
fn a_name_is_given_once_and_columns_must_fit() {
    let engine = Engine::new(Settings::default()).unwrap();
    engine.add_batches("t", schema(), Vec::new()).unwrap();
    let taken = engine.add_batches("t", schema(), Vec::new()).unwrap_err();
    assert!(taken.to_string().contains("already exists"), "{taken}");
    let other = Arc::new(Schema::new(vec![Field::new("id", DataType::Utf8, false)]));
    let misfit = engine.add_batches("u", other, vec![batch(vec![1], vec![None])]).unwrap_err();
    assert!(matches!(misfit, SqlError::Statement(_)), "{misfit:?}");
}
