//! Everything that we write is read back as it was: every table, in every format, packed or not.

use std::{fs, io::Write, path::Path, sync::Arc};

use arrow::{
    array::{
        Array, ArrayRef, AsArray, BooleanArray, Float64Array, Int64Array, ListArray, MapArray,
        StringArray, StructArray, UInt8Array, UInt64Array,
    },
    buffer::{NullBuffer, OffsetBuffer},
    datatypes::{DataType, Field, Float64Type, Schema, SchemaRef},
    record_batch::RecordBatch,
};
use chess_facts::{Definitions, Selection, facts};
use sql::{Access, Engine, Guard, Settings};
use tables::{
    Encoder, Format, Parts, Shape, Table, Writer,
    chess::{FactRows, facts_schema},
};

use super::{answered, directory, engine};

/// Rows without any value that come first: as many as readers like to look at before they choose
/// a type, and one more.
const EMPTY: usize = 1_001;
/// Rows with values behind them.
const FILLED: usize = 60;

const FORMATS: [(&str, Format); 5] = [
    ("csv", Format::Csv),
    ("jsonl", Format::Jsonl),
    ("json", Format::Json),
    ("parquet", Format::Parquet),
    ("arrow", Format::Arrow),
];

/// Texts that readers of text like to take for something else.
const TEXTS: &[&str] = &[
    "",
    "plain",
    "a \"quoted\" word",
    "\"",
    "\"\"",
    "comma, semicolon; tab\tbar|",
    "two\nlines",
    "two\r\nlines",
    "\r",
    "\n",
    " spaces around ",
    "\\N",
    "\\\\u0041\\",
    "null",
    "NULL",
    "NaN",
    "true",
    "007",
    "-0",
    "1e5",
    "18446744073709551616",
    "2026-11-16",
    "2026-11-16T01:02:03Z",
    "#2",
    "{\"a\":[1,null]}",
    "[]",
    "\u{feff}mark",
    "\0\u{1}\u{1b}\u{7f}\u{85}",
    "naïve Čeština Ελληνικά עברית 漢字 ♔♚",
    "👩‍👩‍👧‍👦 e\u{301} \u{2028}\u{2029}\u{202e}",
    "\u{ffff}\u{10ffff}\u{d7ff}\u{e000}",
];

const REALS: &[f64] = &[
    0.0,
    -0.0,
    1.0,
    -1.5,
    0.1,
    1.0 / 3.0,
    1e16,
    9_007_199_254_740_993.0,
    -123_456_789.125,
    f64::MAX,
    f64::MIN,
    f64::MIN_POSITIVE,
    5e-324,
    f64::EPSILON,
    f64::NAN,
    f64::INFINITY,
    f64::NEG_INFINITY,
];

/// Values of a type, each at least once where there are rows enough. The first ones are empty, and
/// among the others some are missing if they may be.
fn values(field: &Field, empty: usize, rows: usize, shift: usize) -> ArrayRef {
    let may_miss = field.is_nullable();
    // Which of so many values a row has.
    let choice = |row: usize, count: usize| match row.checked_sub(empty) {
        None => (!may_miss).then_some(0),
        Some(row) => (!may_miss || (row + shift) % 7 != 3).then(|| (row + shift) % count),
    };
    macro_rules! chosen {
        ($array:ty, $values:expr) => {{
            let values = $values;
            let chosen = (0..rows).map(|row| choice(row, values.len()).map(|at| values[at]));
            Arc::new(chosen.collect::<$array>())
        }};
    }
    match field.data_type() {
        DataType::Utf8 => chosen!(StringArray, TEXTS),
        DataType::Boolean => chosen!(BooleanArray, [false, true]),
        DataType::UInt8 => chosen!(UInt8Array, [0_u8, 1, 7, 127, 128, u8::MAX]),
        DataType::Int64 => {
            chosen!(Int64Array, [0_i64, 1, -1, 1 << 53, (1 << 53) + 1, i64::MAX, i64::MIN])
        }
        DataType::UInt64 => {
            let signed = i64::MAX as u64;
            chosen!(UInt64Array, [0_u64, 1, 10, (1 << 53) + 1, signed, signed + 1, u64::MAX])
        }
        DataType::Float64 => chosen!(Float64Array, REALS),
        DataType::List(item) => {
            let lengths: Vec<usize> = (0..rows).map(|row| choice(row, 4).unwrap_or(0)).collect();
            let items = values(item, 0, lengths.iter().sum(), shift + 1);
            let missing = (0..rows).map(|row| choice(row, 4).is_some());
            let missing = may_miss.then(|| missing.collect::<NullBuffer>());
            let offsets = OffsetBuffer::from_lengths(lengths);
            Arc::new(ListArray::new(item.clone(), offsets, items, missing))
        }
        DataType::Struct(fields) => {
            let missing: NullBuffer = (0..rows).map(|row| choice(row, 1).is_some()).collect();
            let parts = fields.iter().enumerate();
            let parts = parts.map(|(index, field)| {
                let part = values(field, empty, rows, shift + 2 * index);
                // Of an object that is missing, all parts are.
                arrow::compute::nullif(&part, &missing_rows(&missing)).unwrap()
            });
            let parts = parts.collect();
            Arc::new(StructArray::new(fields.clone(), parts, may_miss.then_some(missing)))
        }
        DataType::Map(entry, is_sorted) => {
            let DataType::Struct(fields) = entry.data_type() else { panic!("an entry has parts") };
            let lengths: Vec<usize> = (0..rows).map(|row| choice(row, 4).unwrap_or(0)).collect();
            let count = lengths.iter().sum();
            // Keys that follow each other are different.
            let parts = fields.iter().enumerate();
            let parts = parts.map(|(index, field)| values(field, 0, count, shift + index + 1));
            let entries = StructArray::new(fields.clone(), parts.collect(), None);
            let missing = (0..rows).map(|row| choice(row, 4).is_some());
            let missing = may_miss.then(|| missing.collect::<NullBuffer>());
            let offsets = OffsetBuffer::from_lengths(lengths);
            Arc::new(MapArray::new(entry.clone(), offsets, entries, missing, *is_sorted))
        }
        other => panic!("{}: no values are known of type {other}", field.name()),
    }
}

fn missing_rows(rows: &NullBuffer) -> BooleanArray {
    rows.iter().map(|is_there| Some(!is_there)).collect()
}

/// Rows of a table: empty ones, then others.
fn rows(schema: &SchemaRef, empty: usize, filled: usize) -> RecordBatch {
    let fields = schema.fields().iter().enumerate();
    let column = |(index, field): (usize, &Arc<Field>)| values(field, empty, empty + filled, index);
    RecordBatch::try_new(schema.clone(), fields.map(column).collect()).unwrap()
}

/// Every table, and `chess.facts` with every fact there is.
fn every_table() -> Vec<SchemaRef> {
    let facts = |choice: &[&str]| {
        let selection = Selection::parse(choice.iter().copied()).unwrap();
        facts_schema(&selection, Definitions::Std)
    };
    let facts = [facts(&["everything"]), facts(&["everything", "masks", "lists"])];
    tables::all().map(Table::schema).chain(facts).collect()
}

#[test]
fn every_table_comes_back_from_every_format() {
    let engine = engine(2);
    let tables = every_table();
    assert!(tables.len() > 35, "{}", tables.len());
    for schema in tables {
        let rows = rows(&schema, EMPTY, FILLED);
        for column in rows.columns() {
            assert!(column.null_count() < rows.num_rows(), "every column has values");
        }
        come_back(&engine, tables::name_of(&schema).unwrap(), &rows);
    }
}

#[test]
fn c5_facts_come_back_from_every_format() {
    let fens = [
        "r2qk2r/ppp2ppp/2np1n2/2b1p1B1/2B1P1b1/3P1N2/PPP2PPP/RN1QK2R w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    ];
    let selection = Selection::parse(["everything", "masks", "lists"]).unwrap();
    let mut rows = FactRows::new(&selection, Definitions::Std);
    for (ply, fen) in fens.iter().enumerate() {
        let position = fen.parse().unwrap();
        let facts = facts(&position, selection.level());
        rows.push("a \"b\".epd", 1, ply as u64, &position, &facts);
    }
    come_back(&engine(2), "chess.facts", &rows.finish().unwrap());
}

#[test]
fn every_table_comes_back_from_a_directory_of_parts() {
    // One thread reads the parts in order.
    let engine = engine(1);
    for schema in every_table() {
        let name = tables::name_of(&schema).unwrap();
        let directory = directory(&[]);
        let rows = rows(&schema, 10, FILLED);
        let encoder = Encoder::new(Format::Parquet, &schema).unwrap();
        let mut parts = Parts::open(directory.path(), &schema, 30).unwrap();
        for start in [0, 35] {
            let chunk = encoder.encode(vec![rows.slice(start, 35)]).unwrap();
            parts.append(chunk.into_row_group().unwrap(), &[]).unwrap();
        }
        parts.finish(&[]).unwrap();
        assert_eq!(parts.count().unwrap(), 2);
        compare(&engine, &format!("{name} in parts"), directory.path(), &rows);
    }
}

#[test]
fn every_table_comes_back_from_what_copy_writes() {
    let guard = Guard { access: Access::Writable, ..Guard::default() };
    let engine = Engine::new(Settings { guard, ..Settings::default() }).unwrap();
    for schema in every_table() {
        let name = tables::name_of(&schema).unwrap();
        let directory = directory(&[]);
        let rows = rows(&schema, 10, FILLED);
        let first = directory.path().join("rows.parquet");
        fs::write(&first, written(Format::Parquet, &rows, Shape::Many)).unwrap();
        for ending in ["csv", "json", "parquet", "arrow"] {
            let path = directory.path().join(format!("copy.{ending}"));
            let [from, to] = [&first, &path].map(|path| path.display().to_string());
            let copy = format!("copy (select * from '{from}') to '{to}'");
            answered(&engine, &copy).unwrap_or_else(|error| panic!("{name}: {error}"));
            let rows = if ending == "json" { carried_by_json(&rows) } else { rows.clone() };
            compare(&engine, &format!("{name} copied as {ending}"), &path, &rows);
        }
    }
}

#[test]
fn a_table_without_rows_keeps_its_columns_except_in_json() {
    let engine = engine(1);
    for schema in every_table() {
        let rows = RecordBatch::new_empty(schema.clone());
        let name = tables::name_of(&schema).unwrap();
        let directory = directory(&[]);
        for (ending, format) in FORMATS {
            let path = directory.path().join(format!("rows.{ending}"));
            fs::write(&path, written(format, &rows, Shape::Many)).unwrap();
            let statement = format!("select * from '{}'", path.display());
            match ending {
                "json" => assert_eq!(answered(&engine, &statement).unwrap().num_columns(), 0),
                "jsonl" => {
                    let error = answered(&engine, &statement).unwrap_err().to_string();
                    assert_eq!(error, format!("{}: the file is empty", path.display()));
                }
                _ => compare(&engine, &format!("{name} as {ending}"), &path, &rows),
            }
        }
    }
}

/// Writes rows in every format, and reads them again.
fn come_back(engine: &Engine, name: &str, rows: &RecordBatch) {
    let directory = directory(&[]);
    let keep = |ending: &str, bytes: &[u8]| {
        let path = directory.path().join(format!("rows.{ending}"));
        fs::write(&path, bytes).unwrap();
        path
    };
    for (ending, format) in FORMATS {
        let bytes = written(format, rows, Shape::Many);
        let mut files = vec![keep(ending, &bytes)];
        if !format.is_binary() {
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            gzip.write_all(&bytes).unwrap();
            files.push(keep(&format!("{ending}.gz"), &gzip.finish().unwrap()));
            let zstd = zstd::encode_all(&bytes[..], 1).unwrap();
            files.push(keep(&format!("{ending}.zst"), &zstd));
        }
        let is_json = matches!(format, Format::Json | Format::Jsonl);
        let carried = if is_json { carried_by_json(rows) } else { rows.clone() };
        for path in files {
            compare(engine, &format!("{name} in {}", path.display()), &path, &carried);
        }
    }
    // A single result is an object, not an array.
    let last = rows.slice(rows.num_rows() - 1, 1);
    let path = keep("json", &written(Format::Json, &last, Shape::One));
    compare(engine, &format!("{name} as one object"), &path, &carried_by_json(&last));
}

/// The rows with NULL where JSON has no number: it knows no `NaN` and no infinity.
fn carried_by_json(rows: &RecordBatch) -> RecordBatch {
    let columns = rows.columns().iter().map(|column| match column.data_type() {
        DataType::Float64 => {
            let reals = column.as_primitive::<Float64Type>().iter();
            let finite = reals.map(|real| real.filter(|real| real.is_finite()));
            Arc::new(finite.collect::<Float64Array>()) as ArrayRef
        }
        _ => column.clone(),
    });
    RecordBatch::try_new(rows.schema(), columns.collect()).unwrap()
}

fn written(format: Format, rows: &RecordBatch, shape: Shape) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = Writer::new(&mut out, format, rows.schema_ref(), shape).unwrap();
    for start in (0..rows.num_rows()).step_by(500) {
        writer.write(&rows.slice(start, (rows.num_rows() - start).min(500))).unwrap();
    }
    writer.finish().unwrap();
    out
}

/// Reads a file or a directory, and compares names, types, how they are shown, and every value.
fn compare(engine: &Engine, what: &str, path: &Path, rows: &RecordBatch) {
    let read = answered(engine, &format!("select * from '{}'", path.display()));
    let read = read.unwrap_or_else(|error| panic!("{what}: {error}"));
    // A column that was asked for is shown, and nothing promises that it has no NULL.
    let as_read = |field: &Arc<Field>| tables::narrow(field.as_ref().clone()).with_nullable(true);
    let fields: Vec<Field> = rows.schema_ref().fields().iter().map(as_read).collect();
    assert_eq!(read.schema_ref().as_ref(), &Schema::new(fields), "{what}");
    assert_eq!(read.num_rows(), rows.num_rows(), "{what}");
    for (index, field) in rows.schema_ref().fields().iter().enumerate() {
        let (found, expected) = (read.column(index), rows.column(index));
        if found == expected {
            continue;
        }
        for row in 0..rows.num_rows() {
            let (found, expected) = (found.slice(row, 1), expected.slice(row, 1));
            assert_eq!(&found, &expected, "{what}, column {}, row {row}", field.name());
        }
    }
}
