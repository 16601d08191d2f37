//! Tables written and read back.

use std::{
    fs::{self, File},
    io::Cursor,
    sync::Arc,
};

use arrow::{
    array::{
        ArrayRef, BooleanArray, Float64Array, ListBuilder, StringArray, StringBuilder, UInt8Array,
        UInt64Array,
    },
    datatypes::{DataType, Field, SchemaRef},
    ipc::reader::StreamReader,
    record_batch::RecordBatch,
};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use tables::{Encoder, Format, Parts, Shape, Version, Writer, check};

const VERSION: Version = Version { major: 1, minor: 2 };

fn schema() -> SchemaRef {
    let list = Field::new("pins", DataType::new_list(DataType::Utf8, true), true);
    let fields = [
        tables::text("fen").into(),
        tables::hash("zobrist").into(),
        tables::small("pieces").into(),
        tables::real("mean").into(),
        tables::flag("check").wide().into(),
        list,
    ];
    tables::schema("test.rows", VERSION, fields, &[("definitions", "std")])
}

fn batch(first: u64, rows: u64) -> RecordBatch {
    let numbers = || first..first + rows;
    let mut pins = ListBuilder::new(StringBuilder::new());
    for number in numbers() {
        if number % 3 == 0 {
            pins.values().append_value("g5 f6 \"d8\"");
        }
        pins.append(number % 5 != 0);
    }
    let fens: StringArray =
        numbers().map(|n| (n % 7 != 0).then(|| format!("row {n}, a\tb"))).collect();
    let hashes: UInt64Array = numbers().map(|n| n.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    let pieces: UInt8Array = numbers().map(|n| (n % 4 != 0).then_some((n % 33) as u8)).collect();
    let means: Float64Array = numbers().map(|n| n as f64 / 4.0).collect();
    let checks: BooleanArray = numbers().map(|n| Some(n % 2 == 0)).collect();
    let columns: Vec<ArrayRef> = vec![
        Arc::new(fens),
        Arc::new(hashes),
        Arc::new(pieces),
        Arc::new(means),
        Arc::new(checks),
        Arc::new(pins.finish()),
    ];
    RecordBatch::try_new(schema(), columns).unwrap()
}

fn written(format: Format, batches: &[RecordBatch]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = Writer::new(&mut out, format, &schema(), Shape::Many).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
    }
    writer.finish().unwrap();
    out
}

#[test]
fn json_lines_are_what_a_json_reader_expects() {
    let text = String::from_utf8(written(Format::Jsonl, &[batch(0, 40)])).unwrap();
    let rows: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 40);
    assert_eq!(rows[0]["fen"], serde_json::Value::Null);
    assert_eq!(rows[1]["fen"], "row 1, a\tb");
    assert_eq!(rows[1]["zobrist"], "9e3779b97f4a7c15");
    assert_eq!(rows[3]["pins"][0], "g5 f6 \"d8\"");
    assert_eq!(rows[5]["pins"], serde_json::Value::Null);
    assert_eq!(rows[6]["mean"], 1.5);
    let document = written(Format::Json, &[batch(0, 3), batch(3, 37)]);
    let array: Vec<serde_json::Value> = serde_json::from_slice(&document).unwrap();
    assert_eq!(array, rows);
}

#[test]
fn csv_is_what_a_csv_reader_expects() {
    let text = written(Format::Csv, &[batch(0, 10)]);
    let text = String::from_utf8(text).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("fen,zobrist,pieces,mean,check,pins"));
    assert_eq!(lines.next(), Some(",0000000000000000,,0.0,true,"));
    assert_eq!(lines.next(), Some("\"row 1, a\tb\",9e3779b97f4a7c15,1,0.25,false,[]"));
    assert_eq!(
        lines.nth(1).unwrap(),
        "\"row 3, a\tb\",daa66d2c7ddf743f,3,0.75,false,\"[\"\"g5 f6 \\\"\"d8\\\"\"\"\"]\""
    );
}

#[test]
fn aligned_text_leaves_out_what_is_wide() {
    let text = String::from_utf8(written(Format::Table, &[batch(1, 2)])).unwrap();
    let expected = "\
fen         zobrist           pieces  mean  pins
row 1, a\u{fffd}b  9e3779b97f4a7c15       1  0.25  []
row 2, a\u{fffd}b  3c6ef372fe94f82a       2   0.5  []
";
    assert_eq!(text, expected);
}

#[test]
fn parquet_and_arrow_are_read_back_as_they_were() {
    let batches: Vec<RecordBatch> = (0..40).map(|n| batch(n * 5_000, 5_000)).collect();
    let bytes = written(Format::Parquet, &batches);
    assert_eq!(bytes, written(Format::Parquet, &batches), "the same bytes every time");
    let reader = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes)).unwrap();
    assert_eq!(check(reader.schema().metadata(), "test.rows", VERSION), Ok(VERSION));
    assert_eq!(reader.metadata().num_row_groups(), 3);
    let read: Vec<RecordBatch> = reader.build().unwrap().map(Result::unwrap).collect();
    let whole =
        |batches: &[RecordBatch]| arrow::compute::concat_batches(&schema(), batches).unwrap();
    assert_eq!(whole(&read), whole(&batches));

    let bytes = written(Format::Arrow, &batches);
    let reader = StreamReader::try_new(Cursor::new(bytes), None).unwrap();
    let read: Vec<RecordBatch> = reader.map(Result::unwrap).collect();
    assert_eq!(whole(&read), whole(&batches));
}

#[test]
fn parts_appear_only_when_they_are_finished() {
    let directory = tempfile::tempdir().unwrap();
    let encoder = Encoder::new(Format::Parquet, &schema()).unwrap();
    let group = |first| {
        let chunk = encoder.encode(vec![batch(first, 100)]).unwrap();
        chunk.into_row_group().unwrap()
    };
    let notes = |last: u64| [("last_game", last.to_string())];
    let mut parts = Parts::open(directory.path(), &schema(), 250).unwrap();
    for number in 0..4 {
        parts.append(group(number * 100), &notes(number)).unwrap();
    }
    let read = parts.finished().unwrap();
    assert_eq!(read.len(), 1, "the second part is not finished");
    assert_eq!((read[0].rows, &*read[0].metadata["everyply.last_game"]), (300, "2"));
    // What was not finished is gone, and so is what a killed writer left.
    drop(parts);
    fs::write(directory.path().join("part-00001.parquet.unfinished"), "PAR1").unwrap();
    let mut parts = Parts::open(directory.path(), &schema(), 250).unwrap();
    parts.append(group(300), &notes(3)).unwrap();
    parts.finish(&notes(3)).unwrap();
    let read = parts.finished().unwrap();
    assert_eq!(read.iter().map(|part| part.rows).collect::<Vec<_>>(), [300, 100]);
    let file = File::open(&read[1].path).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap();
    let batches: Vec<RecordBatch> = reader.map(Result::unwrap).collect();
    assert_eq!(arrow::compute::concat_batches(&schema(), &batches).unwrap(), batch(300, 100));
}

/// A column of each type that no table of ours has, with one value and one that is missing.
fn other_types() -> RecordBatch {
    use arrow::{
        array::{
            BinaryArray, Date32Array, Decimal128Array, DictionaryArray, DurationSecondArray,
            FixedSizeListBuilder, Float32Array, Int8Array, Int32Array, Int32Builder,
            IntervalMonthDayNanoArray, LargeListBuilder, LargeStringArray, MapBuilder, NullArray,
            StringViewArray, StructArray, TimestampMillisecondArray,
        },
        datatypes::{Int8Type, IntervalMonthDayNano},
    };
    let mut equal = FixedSizeListBuilder::new(Int32Builder::new(), 2);
    equal.values().append_slice(&[1, 2, 0, 0]);
    equal.append(true);
    equal.append(false);
    let mut long = LargeListBuilder::new(StringBuilder::new());
    long.append_value([Some("a\"b"), None]);
    long.append_null();
    let mut map = MapBuilder::new(None, Int32Builder::new(), StringBuilder::new());
    map.keys().append_value(7);
    map.values().append_value("x");
    map.append(true).unwrap();
    map.append(false).unwrap();
    let coded: DictionaryArray<Int8Type> = [Some("white"), None].into_iter().collect();
    let dates: ArrayRef = Arc::new(Date32Array::from(vec![Some(20_000), None]));
    let nested = StructArray::from(vec![(
        Arc::new(Field::new("day", DataType::Date32, true)),
        dates.clone(),
    )]);
    let decimals = Decimal128Array::from(vec![Some(-12_345), None]);
    let span = IntervalMonthDayNano::new(1, 2, 3_000_000_000);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("i8", Arc::new(Int8Array::from(vec![Some(-8), None]))),
        ("i32", Arc::new(Int32Array::from(vec![Some(-32), None]))),
        ("f32", Arc::new(Float32Array::from(vec![Some(0.1), Some(f32::NAN)]))),
        ("decimal", Arc::new(decimals.with_precision_and_scale(10, 2).unwrap())),
        ("view", Arc::new(StringViewArray::from(vec![Some("viewed, and more than twelve"), None]))),
        ("long", Arc::new(LargeStringArray::from(vec![Some("long"), None]))),
        ("coded", Arc::new(coded)),
        ("date", dates),
        ("time", Arc::new(TimestampMillisecondArray::from(vec![Some(1_500), None]))),
        ("span", Arc::new(DurationSecondArray::from(vec![Some(61), None]))),
        ("interval", Arc::new(IntervalMonthDayNanoArray::from(vec![Some(span), None]))),
        ("bytes", Arc::new(BinaryArray::from_opt_vec(vec![Some(b"\x00\xff"), None]))),
        ("nothing", Arc::new(NullArray::new(2))),
        ("equal", Arc::new(equal.finish())),
        ("list", Arc::new(long.finish())),
        ("map", Arc::new(map.finish())),
        ("nested, too", Arc::new(nested)),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(n, c)| (n, c, true)))
        .unwrap()
}

fn written_once(format: Format, batch: &RecordBatch) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = Writer::new(&mut out, format, &batch.schema(), Shape::Many).unwrap();
    writer.write(batch).unwrap();
    writer.finish().unwrap();
    out
}

#[test]
fn every_type_has_a_text_form() {
    let text = String::from_utf8(written_once(Format::Jsonl, &other_types())).unwrap();
    let rows: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let expected = serde_json::json!({
        "i8": -8, "i32": -32, "f32": 0.1, "decimal": -123.45,
        "view": "viewed, and more than twelve", "long": "long", "coded": "white",
        "date": "2024-10-04", "time": "1970-01-01T00:00:01.500", "span": "PT61S",
        "interval": "1 mons 2 days 3.000000000 secs", "bytes": "00ff", "nothing": null,
        "equal": [1, 2], "list": ["a\"b", null], "map": {"7": "x"},
        "nested, too": {"day": "2024-10-04"},
    });
    assert_eq!(rows[0], expected);
    for (name, value) in rows[1].as_object().unwrap() {
        let nothing = matches!(name.as_str(), "nested, too");
        let expected =
            if nothing { serde_json::json!({"day": null}) } else { serde_json::Value::Null };
        assert_eq!(*value, expected, "{name}");
    }
    let text = String::from_utf8(written_once(Format::Csv, &other_types())).unwrap();
    let mut lines = text.lines();
    assert!(lines.next().unwrap().ends_with(",map,\"nested, too\""));
    assert!(
        lines.next().unwrap().starts_with("-8,-32,0.1,-123.45,\"viewed, and more than twelve\"")
    );
    assert_eq!(lines.next(), Some(",,NaN,,,,,,,,,,,,,,\"{\"\"day\"\":null}\""));
}

#[test]
fn every_type_can_be_stored() {
    let batch = other_types();
    let bytes = written_once(Format::Parquet, &batch);
    let reader = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes)).unwrap();
    let read: Vec<RecordBatch> = reader.build().unwrap().map(Result::unwrap).collect();
    assert_eq!((read.len(), read[0].num_rows()), (1, 2));
    for (index, field) in batch.schema().fields().iter().enumerate() {
        // Parquet has no type for a span of months, days and nanoseconds.
        if field.name() != "interval" {
            assert_eq!(read[0].column(index).to_data(), batch.column(index).to_data(), "{field}");
        }
    }
    let bytes = written_once(Format::Arrow, &batch);
    let reader = StreamReader::try_new(Cursor::new(bytes), None).unwrap();
    assert_eq!(reader.map(Result::unwrap).collect::<Vec<_>>(), [batch]);
}

#[test]
fn a_value_of_several_lines_goes_on_below_itself() {
    let plan: ArrayRef = Arc::new(StringArray::from(vec!["Sort\n  Scan", "one"]));
    let kind: ArrayRef = Arc::new(StringArray::from(vec!["plan", "other"]));
    let batch = RecordBatch::try_from_iter([("kind", kind), ("plan", plan)]).unwrap();
    let text = String::from_utf8(written_once(Format::Table, &batch)).unwrap();
    assert_eq!(text, "kind   plan\nplan   Sort\n         Scan\nother  one\n");
}
