//! Every table is the same as the command writes it, as SQL reads it and as docs/formats.md lists
//! it. The tests of the wheel compare that list with what Python returns.

mod everyply;

use std::{fs, io::Cursor, path::Path};

use arrow::{
    datatypes::{DataType, FieldRef, Schema, SchemaRef},
    ipc::reader::StreamReader,
    record_batch::RecordBatch,
};
use bytes::Bytes;
use chess_facts::{Definitions, Level, Selection};
use everyply::{run, stderr, stdout};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use sql::{Engine, Settings};
use tables::chess::facts_schema;

const PUZZLE: &str = "4:_a_7a4_a3,a4a5s1s1d2d2m4m6";
const GAMES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/chess/pgn/lichess_438_games.pgn");

const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../fourchess/tests/played.pgn4");

/// A command for each table; STORE, TABLE, RECORD, PGN, PGN4 and EPD stand for files.
const COMMANDS: &[&str] = &[
    "chess perft --depth 1",
    "chess perft --depth 1 --divide",
    "chess moves --from EPD",
    "chess moves start",
    "chess play start e4",
    "chess games PGN",
    "chess games PGN --positions",
    "chess rules",
    "chess facts EPD",
    "fourchess perft --depth 1",
    "fourchess perft --depth 1 --divide",
    "fourchess moves",
    "fourchess selfplay --max-plies 4",
    "fourchess games PGN4",
    "fourchess games PGN4 --positions",
    "fourchess bench --games 1 --steps 1",
    "kalah solve --pits 2 --seeds 1 --store STORE --resume",
    "kalah table --pits 3 --max-seeds 6 --out TABLE",
    "kalah search --pits 3 --seeds 1 --table TABLE",
    "kalah value 1,1/1,1 --store STORE",
    "kalah best 1,1/1,1 --store STORE",
    "kalah line 1,1/1,1 --store STORE",
    "kalah verify --store STORE",
    "kalah stats --store STORE --by seeds",
    "kalah stats --store STORE --by depth",
    "kalah stats --store STORE --by value",
    "kalah stats --store STORE --by moves",
    "kalah stats --store STORE --by rank",
    "kalah stats --store STORE --summary",
    "kalah review RECORD --store STORE",
    "kalah path 1,1/0,2 --seeds 1",
    "kalah export --store STORE",
    "kenken solve PUZZLE --timings",
    "kenken solve PUZZLE",
    "kenken solve PUZZLE --all",
    "kenken count PUZZLE",
    "kenken check PUZZLE",
    "kenken grade PUZZLE",
    "kenken explain PUZZLE",
    "kenken hint PUZZLE",
    "kenken generate --size 3",
    "doctor",
];

#[test]
fn commands_write_the_tables_of_the_list_and_sql_reads_the_same_columns() {
    let directory = tempfile::tempdir().expect("a directory");
    let place = |name: &str| directory.path().join(name).display().to_string();
    fs::write(place("positions.epd"), "4k3/8/8/8/8/8/8/4K2R w K - hmvc 0;\n").expect("a file");
    let text = fs::read_to_string(GAMES).expect("games");
    let end = text[1..].find("[Event ").expect("a second game") + 1;
    fs::write(place("games.pgn"), &text[..end]).expect("a file");
    let record = place("game.kalah");
    fs::write(&record, "rules std_either\nstart 1,1/1,1\nmoves 1\n").expect("a file");
    let store = format!("sqlite:{}", place("kalah.sqlite"));
    let (dense, pgn, epd) = (place("dense"), place("games.pgn"), place("positions.epd"));
    let given = |word: &'static str| match word {
        "STORE" => store.as_str(),
        "TABLE" => &dense,
        "RECORD" => &record,
        "PGN" => &pgn,
        "PGN4" => RECORDED,
        "EPD" => &epd,
        "PUZZLE" => PUZZLE,
        word => word,
    };
    let engine = Engine::new(Settings::default()).expect("an engine");
    let mut missing = all();
    let mut find = |found: &Schema, command: &str| {
        assert!(all().iter().any(|it| **it == *found), "{command} writes {}", listing(found));
        missing.retain(|it| **it != *found);
    };
    for command in COMMANDS {
        let words: Vec<&str> = command.split(' ').map(given).collect();
        let bytes = written(&words, "arrow");
        let schema = read_schema(&bytes);
        find(&schema, command);
        let parquet = Bytes::from(written(&words, "parquet"));
        let reader = ParquetRecordBatchReaderBuilder::try_new(parquet.clone()).expect("Parquet");
        assert_eq!(**reader.schema(), schema, "{command} --format parquet");
        let text = ["csv", "json", "jsonl"].map(|format| (format, written(&words, format)));
        let has_rows = !text[2].1.is_empty();
        let binary = [("arrow", bytes), ("parquet", parquet.into())];
        for (format, bytes) in binary.into_iter().chain(text) {
            let file = place(&format!("rows.{format}"));
            fs::write(&file, bytes).expect("a file");
            // JSON tells columns by rows only.
            if has_rows || !format.starts_with("json") {
                let read = read_by_sql(&engine, &file);
                assert_eq!(read, as_read(&schema), "{command} --format {format}");
            }
        }
    }
    let plies = place("plies.arrow");
    written(&["fourchess", "selfplay", "--max-plies", "4", "--plies", &plies], "csv");
    find(&read_schema(&fs::read(&plies).expect("a file")), "selfplay --plies");
    // Those of the demo are read by its own test, since it takes long.
    let missing: Vec<&str> = missing.iter().filter_map(|it| tables::name_of(it)).collect();
    assert_eq!(missing, ["demo.puzzle_steps", "demo.puzzles"]);
}

#[test]
fn the_page_of_formats_lists_every_table() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats.md");
    let page = fs::read_to_string(page).expect("a page");
    let (_, listed) = page.split_once("## Every table\n").expect("a heading");
    let listed = listed.split("```").nth(1).expect("a fence").trim_start_matches("text\n");
    let expected: String = all().iter().map(|schema| listing(schema)).collect();
    assert!(listed == expected, "docs/formats.md should list\n{expected}");
}

#[test]
fn sql_lists_every_table_and_its_version() {
    let listed = "select table_name, version, column_name, data_type from everyply.tables";
    let listed = stdout(&run(&["sql", listed, "--format", "csv"], ""));
    let mut expected = "table_name,version,column_name,data_type\n".to_owned();
    for table in tables::all() {
        let (name, version) = (table.name, table.version);
        for (column, data_type) in columns(&table.schema()) {
            let data_type = match data_type.contains('"') {
                true => format!("\"{}\"", data_type.replace('"', "\"\"")),
                false => data_type,
            };
            expected += &format!("{name},{version},{column},{data_type}\n");
        }
    }
    assert_eq!(listed, expected);
}

/// Every table, `chess.facts` as it is where no facts are chosen.
fn all() -> Vec<SchemaRef> {
    let facts = facts_schema(&Selection::counts(Level::Everything), Definitions::Std);
    let tables = tables::all().map(tables::Table::schema);
    let mut all: Vec<SchemaRef> = tables.chain([facts]).collect();
    all.sort_by_key(|schema| listing(schema));
    all
}

/// A table as the page lists it: a line with its name, its version and further notes, and lines of
/// columns with their types and how text formats show them.
fn listing(schema: &Schema) -> String {
    let note = |key: &str| schema.metadata()[key].as_str();
    let mut text = format!("{} {}", note("everyply.schema"), note("everyply.version"));
    if let Some(definitions) = schema.metadata().get("everyply.definitions") {
        text += &format!(" definitions={definitions}");
    }
    let mut line = String::new();
    for (at, field) in schema.fields().iter().enumerate() {
        let end = if at + 1 < schema.fields().len() { "," } else { "" };
        let shown = field.metadata().get("everyply.shown");
        let shown = shown.map_or_else(String::new, |how| format!(" {how}"));
        // Of a map Arrow says more than fits into a list.
        let kind = match field.data_type() {
            DataType::Map(..) => "Map(Utf8:Utf8)".to_owned(),
            other => other.to_string(),
        };
        let column = format!(" {} {kind}{shown}{end}", field.name());
        if line.len() + column.len() > 100 {
            text += &format!("\n {line}");
            line.clear();
        }
        line += &column;
    }
    text + "\n " + &line + "\n"
}

fn columns(schema: &Schema) -> Vec<(String, String)> {
    let column = |field: &FieldRef| (field.name().clone(), field.data_type().to_string());
    schema.fields().iter().map(column).collect()
}

/// What a command writes to standard output in a format.
fn written(words: &[&str], format: &str) -> Vec<u8> {
    let output = run(&[words, &["--format", format]].concat(), "");
    assert_eq!(output.status.code(), Some(0), "{words:?}: {}", stderr(&output));
    output.stdout
}

fn read_schema(bytes: &[u8]) -> Schema {
    let reader = StreamReader::try_new(Cursor::new(bytes), None).expect("a stream of Arrow");
    reader.schema().as_ref().clone()
}

/// The columns of a file as a statement sees them.
fn read_by_sql(engine: &Engine, file: &str) -> Schema {
    let answer = engine.sql(&format!("select * from '{file}'"));
    let answer = answer.unwrap_or_else(|error| panic!("{file}: {error}"));
    let schema = answer.schema().as_ref().clone();
    let rows: Result<Vec<RecordBatch>, _> = answer.collect();
    rows.unwrap_or_else(|error| panic!("{file}: {error}"));
    schema
}

/// The columns of a table as a statement answers with them: shown, and of no table in particular.
fn as_read(schema: &Schema) -> Schema {
    let shown = |field: &FieldRef| tables::narrow(field.as_ref().clone()).with_nullable(true);
    Schema::new(schema.fields().iter().map(shown).collect::<Vec<_>>())
}
