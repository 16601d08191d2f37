//! Everything that we write is read back as it was: every table, in every format, packed or not.

use std::{fs, io::Write, path::Path};

use arrow::{array::Array, record_batch::RecordBatch};
use chess_facts::{Definitions, Selection, facts};
use sql::Engine;
use tables::{Format, Shape, Writer, chess::FactRows};

use super::{answered, directory, engine};

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

/// Writes rows in every format, and reads them again.
fn come_back(engine: &Engine, name: &str, rows: &RecordBatch) {
    let directory = directory(&[]);
    let formats = [
        ("csv", Format::Csv),
        ("jsonl", Format::Jsonl),
        ("json", Format::Json),
        ("parquet", Format::Parquet),
        ("arrow", Format::Arrow),
    ];
    for (ending, format) in formats {
        let bytes = written(format, rows);
        let mut files = vec![(ending.to_owned(), bytes.clone())];
        if !matches!(format, Format::Parquet | Format::Arrow) {
            let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            gzip.write_all(&bytes).unwrap();
            files.push((format!("{ending}.gz"), gzip.finish().unwrap()));
            files.push((format!("{ending}.zst"), zstd::encode_all(&bytes[..], 1).unwrap()));
        }
        for (ending, bytes) in files {
            let path = directory.path().join(format!("rows.{ending}"));
            fs::write(&path, bytes).unwrap();
            compare(engine, &format!("{name} as {ending}"), &path, rows);
        }
    }
}

fn written(format: Format, rows: &RecordBatch) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = Writer::new(&mut out, format, rows.schema_ref(), Shape::Many).unwrap();
    for start in (0..rows.num_rows()).step_by(500) {
        writer.write(&rows.slice(start, (rows.num_rows() - start).min(500))).unwrap();
    }
    writer.finish().unwrap();
    out
}

fn compare(engine: &Engine, what: &str, path: &Path, rows: &RecordBatch) {
    let read = answered(engine, &format!("select * from '{}'", path.display()));
    let read = read.unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(read.num_rows(), rows.num_rows(), "{what}");
    assert_eq!(read.num_columns(), rows.num_columns(), "{what}");
    for (index, field) in rows.schema_ref().fields().iter().enumerate() {
        let (found, expected) = (read.column(index), rows.column(index));
        assert_eq!(found.data_type(), expected.data_type(), "{what}, column {}", field.name());
        if found == expected {
            continue;
        }
        for row in 0..rows.num_rows() {
            let (found, expected) = (found.slice(row, 1), expected.slice(row, 1));
            assert_eq!(&found, &expected, "{what}, column {}, row {row}", field.name());
        }
    }
}
