//! The page of statements answers what the library answers.

mod client;

use std::{
    env, fs,
    path::PathBuf,
    sync::OnceLock,
    time::{Duration, Instant},
};

use arrow::{datatypes::SchemaRef, record_batch::RecordBatch};
use client::Page;
use serde_json::{Value, json};
use sql::{Engine, Settings};
use tables::{Format, Shape, Writer};
use tempfile::TempDir;
use web::{Config, Limits};

const GAMES: &str = "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 4. Qxf7# 1-0\n\n\
                     [White \"C\"]\n[Black \"D\"]\n[Result \"*\"]\n\n1. d4 Qh4 *\n";

/// The root of all tests, which is also the current directory: statements name files without a
/// path.
fn root() -> PathBuf {
    static ROOT: OnceLock<TempDir> = OnceLock::new();
    let root = ROOT.get_or_init(|| {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("games.pgn"), GAMES).unwrap();
        fs::write(root.path().join("a.csv"), "name,n\none,1\n\"\",2\n,3\n\"x, \"\"y\"\"\",4\n")
            .unwrap();
        env::set_current_dir(root.path()).unwrap();
        root
    });
    root.path().to_owned()
}

fn page() -> Page {
    Page::with(config(&Limits::default()))
}

fn config(limits: &Limits) -> Config {
    Config { limits: Limits { memory: 512 << 20, ..limits.clone() }, ..Config::new(root()) }
}

/// The last line but one: what came of a statement.
#[track_caller]
fn run(page: &Page, statement: &str) -> Value {
    let lines = page.post("/api/sql/run", &json!({ "statement": statement })).lines();
    assert_eq!(lines.last().unwrap(), &json!({ "done": true }), "{statement}: {lines:?}");
    lines[lines.len() - 2].clone()
}

/// The same answer from the library.
fn library(statement: &str) -> (SchemaRef, Vec<RecordBatch>) {
    root();
    let engine = Engine::new(Settings::default()).unwrap();
    let mut statements = engine.statements(statement).unwrap();
    let last = statements.pop().unwrap();
    for statement in statements {
        engine.execute(statement).unwrap().for_each(|batch| drop(batch.unwrap()));
    }
    let answer = engine.execute(last).unwrap();
    let schema = answer.schema().clone();
    (schema, answer.map(Result::unwrap).collect())
}

fn written((schema, batches): &(SchemaRef, Vec<RecordBatch>), format: Format) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), format, schema, Shape::Many).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
    }
    writer.finish().unwrap()
}

const STATEMENTS: [&str; 7] = [
    "select 1 as one",
    "select * from 'a.csv' order by n",
    "select value, value * 9007199254740993 as large from generate_series(1, 9) order by value",
    "select white, black, plies from 'games.pgn' order by white",
    "create view mates as select * from 'games.pgn' where result = '1-0'; select white from mates",
    "select uci, piece from chess_moves('start') order by uci",
    "select fen from chess_positions('games.pgn') where false",
];

#[test]
fn answers_are_those_of_the_library() {
    let page = page();
    for statement in STATEMENTS {
        let answer = run(&page, statement);
        let own = library(statement);
        let rows: usize = own.1.iter().map(RecordBatch::num_rows).sum();
        assert_eq!(answer["rows"], rows, "{statement}");
        let names: Vec<&str> = own.0.fields().iter().map(|field| field.name().as_str()).collect();
        let told: Vec<&str> = answer["columns"]
            .as_array()
            .unwrap()
            .iter()
            .map(|column| column["name"].as_str().unwrap())
            .collect();
        assert_eq!(told, names, "{statement}");
        let number = &answer["answer"];
        let window = page.get(&format!("/api/sql/rows?answer={number}&from=0&count=2000"));
        let csv = String::from_utf8(written(&own, Format::Csv)).unwrap();
        let (_, body) = csv.split_once('\n').unwrap();
        assert_eq!(window.text(), body, "{statement}");
        for format in [Format::Csv, Format::Jsonl, Format::Table, Format::Json] {
            let path = format!("/api/sql/export?answer={number}&format={}", format.name());
            let file = page.get(&path);
            assert_eq!(file.body, written(&own, format), "{statement}: {}", format.name());
        }
        let parquet = page.get(&format!("/api/sql/export?answer={number}&format=parquet"));
        assert!(parquet.body.starts_with(b"PAR1") && parquet.body.ends_with(b"PAR1"));
    }
}

#[test]
fn statements_that_fail_say_what_the_library_says() {
    let page = page();
    let engine = Engine::new(Settings::default()).unwrap();
    for statement in ["select nothing", "selec 1", "select * from nowhere", "select 1/0 as x"] {
        let lines = page.post("/api/sql/run", &json!({ "statement": statement })).lines();
        let told = lines.last().unwrap()["error"].as_str().unwrap().to_owned();
        let own = engine.sql(statement).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        assert_eq!(told, own.unwrap_err().to_string(), "{statement}");
    }
}

#[test]
fn every_run_has_a_session_of_its_own() {
    let page = page();
    run(&page, "create table t as select 1 as a");
    let lines = page.post("/api/sql/run", &json!({ "statement": "select * from t" })).lines();
    assert!(lines.last().unwrap()["error"].as_str().unwrap().contains('t'), "{lines:?}");
}

#[test]
fn bad_games_are_named() {
    let page = page();
    let answer = run(&page, "select count(*) as games from 'games.pgn'");
    assert_eq!(answer["bad"]["count"], 1, "{answer}");
    assert!(answer["bad"]["first"][0].as_str().unwrap().contains("games.pgn"), "{answer}");
}

#[test]
fn rows_beyond_the_limit_are_not_kept() {
    let page = Page::with(config(&Limits { rows: 10_000, ..Limits::default() }));
    let answer = run(&page, "select value from generate_series(1, 100000000)");
    assert_eq!(answer["rows"], 10_000);
    assert!(answer["cut"].as_str().unwrap().contains("10,000 rows"), "{answer}");
    let whole = run(&page, "select value from generate_series(1, 9999)");
    assert_eq!((&whole["rows"], &whole["cut"]), (&json!(9_999), &Value::Null));
}

#[test]
fn any_window_of_a_million_rows_is_there() {
    let page = page();
    let statement =
        "select value, value % 97 as rest from generate_series(1, 1000000) order by value";
    let answer = run(&page, statement);
    assert_eq!((&answer["rows"], &answer["cut"]), (&json!(1_000_000), &Value::Null));
    let mut slowest = Duration::ZERO;
    for from in [0, 1, 8_191, 499_999, 765_432, 999_900, 999_999, 1_000_000, 5_000_000] {
        let started = Instant::now();
        let path = format!("/api/sql/rows?answer={}&from={from}&count=200", answer["answer"]);
        let window = page.get(&path);
        slowest = slowest.max(started.elapsed());
        let rows = (from + 1..=1_000_000_u64).take(200);
        let expected: String = rows.map(|row| format!("{row},{}\n", row % 97)).collect();
        assert_eq!(window.text(), expected, "{from}");
    }
    println!("the slowest window took {slowest:?}");
    let gone = page.get("/api/sql/rows?answer=1&from=0&count=1");
    gone.refused(410);
}

#[test]
fn positions_and_puzzles_are_drawn() {
    let page = page();
    let position = chess::Position::default();
    let svg =
        page.get("/api/sql/drawing?text=rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR+w+KQkq+-+0+1");
    assert_eq!(svg.text(), chess::drawing::Drawing::of(&position).svg());
    assert_eq!(svg.header("content-type"), Some("image/svg+xml"));
    page.get("/api/sql/drawing?text=nonsense").refused(400);
    let answer = run(
        &page,
        "select fen, ply, '4:_a_7a4_a3,a4a5s1s1d2d2m4m6' as id from chess_positions('games.pgn')",
    );
    let pages: Vec<&Value> =
        answer["columns"].as_array().unwrap().iter().map(|column| &column["page"]).collect();
    assert_eq!(pages, [&json!("/chess?fen="), &Value::Null, &json!("/kenken#")]);
}

#[test]
fn charts_are_drawn_from_the_answer() {
    use pictures::chart::{Chart, Column, Palette, Series};
    let page = page();
    let answer =
        run(&page, "select value, -2 * value as y from generate_series(1, 3) order by value");
    let path = format!("/api/sql/chart?answer={}&kind=lines&x=0&y=1", answer["answer"]);
    let series = [Series { name: "y", color: "#2f9e8f" }];
    let chart = Chart { title: "", axis: "value", series: &series, palette: Palette::LIGHT };
    let column = |n: u32| Column { name: n.to_string(), values: vec![-2.0 * f64::from(n)] };
    let columns: Vec<Column> = (1..4).map(column).collect();
    assert_eq!(page.get(&path).text(), chart.lines(&columns));
    let dots = page.get(&path.replace("lines", "dots"));
    assert_eq!(dots.text(), chart.dots(&[1.0, 2.0, 3.0], &columns));
    page.get(&path.replace("y=1", "y=7")).refused(400);
    page.get(&path.replace("lines", "cakes")).refused(400);
    let words = run(&page, "select 'a' as word");
    let path = format!("/api/sql/chart?answer={}&kind=bars&x=0&y=0", words["answer"]);
    assert!(page.get(&path).refused(400).contains("no numbers"));
}

#[test]
fn the_shelf_lists_functions_tables_and_examples_that_run() {
    let page = page();
    let catalog = page.json("/api/sql/catalog");
    let own = library("select name from everyply.functions");
    let rows: usize = own.1.iter().map(RecordBatch::num_rows).sum();
    assert_eq!(catalog["functions"].as_array().unwrap().len(), rows);
    assert!(catalog["tables"].as_array().unwrap().contains(&json!("chess.patterns")));
    for example in catalog["examples"].as_array().unwrap() {
        run(&page, example["statement"].as_str().unwrap());
    }
}
