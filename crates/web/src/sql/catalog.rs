//! What a statement can use: functions, tables, and examples.

use arrow::{array::AsArray, compute::concat_batches, record_batch::RecordBatch};
use serde_json::{Value, json};
use sql::{Engine, Interrupt, SqlError};

use super::running;
use crate::{app::App, files::Files, questions::QUESTIONS, refusal::Refusal};

/// Functions and tables, as statements find them.
pub(super) fn functions(app: &App) -> Result<Value, Refusal> {
    let told = |error: SqlError| Refusal::bad(running::shown(app, &error.to_string()));
    let engine = Engine::new(running::settings(app, Interrupt::never())).map_err(told)?;
    let ask = |text: &str| -> Result<RecordBatch, SqlError> {
        let answer = engine.sql(text)?;
        let schema = answer.schema().clone();
        let batches = answer.collect::<Result<Vec<_>, _>>()?;
        concat_batches(&schema, &batches).map_err(|error| SqlError::Engine(error.to_string()))
    };
    let functions = "select name, syntax, gives, description, example from everyply.functions";
    let functions = ask(functions).map_err(told)?;
    let tables = "select table_name, column_name, data_type from everyply.tables";
    let tables = ask(tables).map_err(told)?;
    let rules = "select table_schema || '.' || table_name from information_schema.tables \
                 where table_schema = 'chess' order by 1";
    let rules = ask(rules).map_err(told)?;
    Ok(json!({
        "functions": objects(&functions, &["name", "syntax", "gives", "description", "example"]),
        "columns": objects(&tables, &["table", "column", "type"]),
        "tables": texts(&rules, 0).collect::<Vec<_>>(),
    }))
}

fn texts(batch: &RecordBatch, column: usize) -> impl Iterator<Item = &str> {
    batch.column(column).as_string::<i32>().iter().flatten()
}

/// A row as an object.
fn objects(batch: &RecordBatch, names: &[&str]) -> Vec<Value> {
    let columns: Vec<Vec<&str>> =
        (0..names.len()).map(|column| texts(batch, column).collect()).collect();
    let row = |row: usize| {
        let cells = names.iter().zip(&columns).map(|(name, column)| {
            ((*name).to_owned(), Value::from(column.get(row).copied().unwrap_or_default()))
        });
        Value::Object(cells.collect())
    };
    (0..batch.num_rows()).map(row).collect()
}

/// Examples that need no files.
const ALWAYS: [(&str, &str); 5] = [
    (
        "The first moves of chess, and how many answers each has",
        "select uci, chess_move_count(child) as answers, child as fen\n\
         from chess_children('start')\norder by answers desc, uci",
    ),
    ("How many games there are of four plies", "select * from chess_perft('start', 4)"),
    ("Every position after one move of each side", "select * from chess_timeline('start', 2)"),
    ("All functions", "select name, syntax, description from everyply.functions"),
    ("The rules of chess, as rows", "select * from chess.patterns"),
];

/// Examples: the questions of the demo where its files are, and others.
pub(super) fn examples(files: &Files) -> Value {
    let mut examples = Vec::new();
    if let Some(prefix) = demo(files) {
        for question in QUESTIONS {
            let statement = question.statement.replace("DEMO/", &prefix);
            examples.push(json!({ "title": question.words, "statement": statement.trim() }));
        }
    }
    let always = ALWAYS.iter().map(|(title, text)| json!({ "title": title, "statement": text }));
    examples.extend(always);
    Value::from(examples)
}

/// Where the files of the demo are, with a slash.
fn demo(files: &Files) -> Option<String> {
    let is_demo = |prefix: &str| {
        ["facts.parquet", "kalah.sqlite", "moves.parquet", "games.csv"]
            .iter()
            .all(|name| files.find(&format!("{prefix}{name}")).is_ok())
    };
    let found = ["", "everyply-demo/"].into_iter().find(|prefix| is_demo(prefix));
    found.map(str::to_owned)
}
