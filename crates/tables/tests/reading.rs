//! Text read as rows, against what was written.

use std::{
    io::{self, Read},
    sync::Arc,
};

use arrow::{
    array::{Array, ArrayRef, StringArray},
    compute::concat_batches,
    datatypes::{DataType, Field, Schema, SchemaRef},
    record_batch::RecordBatch,
};
use tables::{Absent, Format, Notation, Shape, Survey, TextError, TextReader, Writer};

const CSV: Notation = Notation::Separated { separator: b',', has_header: true };

/// Brings a few bytes at a time, as a pipe does.
struct Trickle<'a>(&'a [u8], usize);

impl Read for Trickle<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let amount = self.1.min(self.0.len()).min(into.len());
        into[..amount].copy_from_slice(&self.0[..amount]);
        self.0 = &self.0[amount..];
        Ok(amount)
    }
}

fn surveyed(text: &[u8], notation: Notation) -> Result<SchemaRef, TextError> {
    let mut survey = Survey::default();
    survey.look(text, notation, || true)?;
    Ok(survey.schema())
}

fn read(
    text: impl Read,
    notation: Notation,
    schema: &SchemaRef,
    batch_rows: usize,
) -> Result<RecordBatch, TextError> {
    let all: Vec<usize> = (0..schema.fields().len()).collect();
    let mut reader = TextReader::new(text, notation, schema, &all, batch_rows, Absent::Null)?;
    let mut batches = Vec::new();
    while let Some(batch) = reader.next_batch()? {
        batches.push(batch);
    }
    Ok(concat_batches(schema, &batches).unwrap())
}

/// The rows as `{a:?}` of each value, with the types of the columns.
fn shown(text: &str, notation: Notation) -> String {
    let schema = match surveyed(text.as_bytes(), notation) {
        Ok(schema) => schema,
        Err(error) => return error.to_string(),
    };
    let columns: Vec<String> =
        schema.fields().iter().map(|f| format!("{}:{}", f.name(), f.data_type())).collect();
    match read(text.as_bytes(), notation, &schema, 2) {
        Ok(rows) => {
            let mut out = Vec::new();
            let mut writer = Writer::new(&mut out, Format::Jsonl, &schema, Shape::Many).unwrap();
            writer.write(&rows).unwrap();
            writer.finish().unwrap();
            format!("{} {}", columns.join(","), String::from_utf8(out).unwrap().replace('\n', ""))
        }
        Err(error) => error.to_string(),
    }
}

#[test]
fn separated_values_are_read_as_rfc_4180_has_them() {
    for (text, expected) in [
        ("a,b\n1,x\n", r#"a:Int64,b:Utf8 {"a":1,"b":"x"}"#),
        ("a,b\r\n1,x\r\n", r#"a:Int64,b:Utf8 {"a":1,"b":"x"}"#),
        ("a,b\r1,x\r", r#"a:Int64,b:Utf8 {"a":1,"b":"x"}"#),
        ("a,b\n1,x", r#"a:Int64,b:Utf8 {"a":1,"b":"x"}"#),
        ("a,b\n,\n", r#"a:Utf8,b:Utf8 {"a":null,"b":null}"#),
        ("a,b\n,\"\"", r#"a:Utf8,b:Utf8 {"a":null,"b":""}"#),
        ("a,b\n1,\"\"\n\"\",2\n", r#"a:Int64,b:Int64 {"a":1,"b":null}{"a":null,"b":2}"#),
        ("a\n\"x \"\"y\"\" \r\n,z\"\n", r#"a:Utf8 {"a":"x \"y\" \r\n,z"}"#),
        ("a\nx\"y\n", r#"a:Utf8 {"a":"x\"y"}"#),
        ("a\n\n\"\"\n", r#"a:Utf8 {"a":null}{"a":""}"#),
        ("\n\na,b\n\n1,2\n\n\n", r#"a:Int64,b:Int64 {"a":1,"b":2}"#),
        ("a,b\n", "a:Utf8,b:Utf8 "),
        ("", " "),
        ("a,b\n1\n", "line 2 has 1 values, expected 2"),
        ("a,b\n1,2\n\n1,2,3\n", "line 4 has 3 values, expected 2"),
    ] {
        assert_eq!(shown(text, CSV), expected, "{text:?}");
    }
}

#[test]
fn json_is_read_as_rfc_8259_has_it() {
    for (text, expected) in [
        (r#"{"a":1}{"a":2}"#, r#"a:Int64 {"a":1}{"a":2}"#),
        ("[\n{\"a\":1}\n,{\"a\":2}]\n", r#"a:Int64 {"a":1}{"a":2}"#),
        ("[]", " "),
        ("", " "),
        (r#"{"a":null}"#, r#"a:Utf8 {"a":null}"#),
        (r#"{"a":"\u00fc\ud83d\ude42\n\/\"\\"}"#, "a:Utf8 {\"a\":\"ü🙂\\n/\\\"\\\\\"}"),
        (r#"{"a":"\ud83d"}"#, "line 1, byte 7: not a valid JSON escape"),
        (r#"{"a":"}{"}"#, r#"a:Utf8 {"a":"}{"}"#),
        (r#"{"a":[1,2.5]}{"a":[]}{}"#, r#"a:List(Float64) {"a":[1.0,2.5]}{"a":[]}{"a":null}"#),
        (
            r#"{"a":{"b":1}}{"a":{"c":"x"}}"#,
            r#"a:Struct("b": Int64, "c": Utf8) {"a":{"b":1,"c":null}}{"a":{"b":null,"c":"x"}}"#,
        ),
        (
            r#"{"a":1}{"a":"x"}{"a":[1, {}]}{"a":true}"#,
            r#"a:Utf8 {"a":"1"}{"a":"x"}{"a":"[1, {}]"}{"a":"true"}"#,
        ),
        (r#"{"a":1.50}{"a":"x"}"#, r#"a:Utf8 {"a":"1.50"}{"a":"x"}"#),
        (r#"{"a":{}}"#, r#"a:Utf8 {"a":"{}"}"#),
        (r#"{"a":01}"#, "line 1, byte 6: not a valid JSON number"),
        (r#"{"a":1,}"#, "line 1, byte 8: expected a key in quotation marks"),
        (r#"{"a" 1}"#, "line 1, byte 6: expected ':'"),
        ("{\"a\":1}\n[1]", "line 2: expected an object, found '[1]'"),
        ("[{\"a\":1}", "line 1: the array is not closed"),
        ("[{\"a\":1}]x", "line 1: text after the end of the array, found 'x'"),
        ("[{\"a\":1},]", "line 1: expected an object, found ']'"),
        ("{\"a\":\"", "line 1: the object is not closed, found '{\"a\":\"'"),
    ] {
        assert_eq!(shown(text, Notation::Json), expected, "{text:?}");
    }
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(100), "]".repeat(100));
    assert_eq!(shown(&deep, Notation::Json), "line 1, byte 70: nested more than 64 deep");
}

#[test]
fn random_text_comes_back_however_it_is_cut() {
    let pieces =
        ["\"", "\"\"", ",", "\n", "\r", "\r\n", "a", "7", "ü", "🙂", "\\", "{", "}", " ", "\t"];
    let mut random = chess::Random::new(13);
    for round in 0..300 {
        let columns = 1 + random.below(3);
        let rows = random.below(12);
        let mut text = || -> Option<String> {
            let length = random.below(6);
            let piece = |_| pieces[random.below(pieces.len())];
            (length > 0).then(|| (1..length).map(piece).collect())
        };
        let column = |_| Arc::new((0..rows).map(|_| text()).collect::<StringArray>()) as ArrayRef;
        let arrays: Vec<ArrayRef> = (0..columns).map(column).collect();
        let fields: Vec<Field> =
            (0..columns).map(|n| Field::new(format!("c{n}"), DataType::Utf8, true)).collect();
        let schema = Arc::new(Schema::new(fields));
        let batch = RecordBatch::try_new(schema.clone(), arrays).unwrap();
        for (format, notation) in
            [(Format::Csv, CSV), (Format::Jsonl, Notation::Json), (Format::Json, Notation::Json)]
        {
            let mut out = Vec::new();
            let mut writer = Writer::new(&mut out, format, &schema, Shape::Many).unwrap();
            writer.write(&batch).unwrap();
            writer.finish().unwrap();
            for step in [1, 3, out.len().max(1)] {
                let found = read(Trickle(&out, step), notation, &schema, 5).unwrap();
                let text = String::from_utf8_lossy(&out);
                assert_eq!(found, batch, "round {round}, {format:?}: {text:?}");
            }
        }
    }
}

#[test]
fn a_row_may_be_longer_than_what_is_read_at_once() {
    let long = "x\"\n".repeat(400_000);
    let column: ArrayRef =
        Arc::new(StringArray::from(vec![Some("a"), Some(&long), None, Some("b")]));
    let batch = RecordBatch::try_from_iter_with_nullable([("c", column, true)]).unwrap();
    let schema = batch.schema();
    for (format, notation) in [(Format::Csv, CSV), (Format::Jsonl, Notation::Json)] {
        let mut out = Vec::new();
        let mut writer = Writer::new(&mut out, format, &schema, Shape::Many).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        assert_eq!(read(&out[..], notation, &schema, 100).unwrap(), batch);
    }
    let endless = read(io::repeat(b'x'), CSV, &schema, 100).unwrap_err();
    assert!(matches!(endless, TextError::Long { line: 1 }), "{endless}");
}

#[test]
fn an_unwanted_survey_ends() {
    let text = "a\n1\n".to_owned() + &"2\n".repeat(100_000);
    let ended = Survey::default().look(text.as_bytes(), CSV, || false);
    assert!(matches!(ended, Err(TextError::GivenUp)));
}

#[test]
fn some_columns_are_read_by_name_or_by_place() {
    let field = |name: &str, kind: DataType| Field::new(name, kind, true);
    let table = Schema::new(vec![
        field("a", DataType::Int64),
        field("b", DataType::Utf8),
        field("day", DataType::Date32),
    ]);
    let text = "b,x,a\nq,1,2\n";
    let mut reader =
        TextReader::new(text.as_bytes(), CSV, &table, &[2, 0], 10, Absent::Null).unwrap();
    let batch = reader.next_batch().unwrap().unwrap();
    assert_eq!((batch.num_columns(), batch.column(0).null_count()), (2, 1));
    let refused = TextReader::new(text.as_bytes(), CSV, &table, &[2], 10, Absent::Refused);
    let refused = refused.err().unwrap().to_string();
    assert_eq!(refused, "there is no column 'day'; the columns are b, x, a");
    let places = Notation::Separated { separator: b';', has_header: false };
    let text = "1;x;2026-11-15\n2;y;2026-11-31\n";
    let mut reader =
        TextReader::new(text.as_bytes(), places, &table, &[2], 10, Absent::Refused).unwrap();
    let misfit = reader.next_batch().unwrap_err().to_string();
    assert_eq!(misfit, "line 2, column day: '2026-11-31' is not of type Date32");
}
