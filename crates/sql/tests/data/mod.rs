//! The files that statements read, written by `tables` as the commands do.

use std::{
    fs::{self, File},
    io::Write,
    path::Path,
    sync::Arc,
};

use arrow::{
    array::{ArrayRef, BooleanArray, Float64Array, StringArray, UInt64Array},
    record_batch::RecordBatch,
};
use chess::Position;
use chess_facts::{Definitions, Selection};
use tables::{
    Encoder, Format, Parts, Shape, Version, Writer,
    chess::{FactRows, facts_schema},
    count, flag, hash, real, schema, text,
};
use tempfile::TempDir;

/// Positions of the table `positions` and of the directory `facts`.
const FENS: [&str; 4] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r2qk2r/ppp2ppp/2np1n2/2b1p1B1/2B1P1b1/3P1N2/PPP2PPP/RN1QK2R w KQkq - 0 1",
    "R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1",
    "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
];

/// Writes everything into a directory of its own.
pub(crate) fn write() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    positions(directory.path());
    facts(directory.path());
    fs::write(directory.path().join("bad.csv"), "fen\nstart\nnonsense\n").unwrap();
    fs::write(directory.path().join("lines.csv"), "name,note\na,\"one\ntwo\"\nb,\n").unwrap();
    fs::write(directory.path().join("empty.parquet"), "").unwrap();
    fs::write(directory.path().join("broken.parquet"), "PAR1 and nothing else").unwrap();
    fs::write(directory.path().join("games.doc"), "*\n").unwrap();
    games(directory.path());
    fs::create_dir(directory.path().join("nothing")).unwrap();
    fs::write(directory.path().join("nothing/notes.txt"), "no table").unwrap();
    let mixed = directory.path().join("mixed");
    fs::create_dir(&mixed).unwrap();
    for name in ["positions.csv", "positions.jsonl"] {
        fs::copy(directory.path().join(name), mixed.join(name)).unwrap();
    }
    directory
}

/// Games and positions, good and bad.
fn games(directory: &Path) {
    let directory = directory.join("chess");
    fs::create_dir(&directory).unwrap();
    let games =
        b"[White \"A\"]\n[Annotator \"J\xf6rg\"]\n\n1. e4 {b\xc3\xa9st} e5 (1... c5) 1-0\n\n\
        [White \"B\"]\n\n1. e5 *\n\n[White \"C\"]\n\n1. d4 d5 2. c4 *\n";
    fs::write(directory.join("bad.pgn"), games).unwrap();
    let lines = "nonsense\n8/8/8/8/8/4k3/8/4K2R w - - 7 40\n8/8 w - -\n4k3/8/8/8/8/8/8/4K2R b K - id \"x\";\n";
    fs::write(directory.join("bad.epd"), lines).unwrap();
    fs::write(directory.join("readme.txt"), "about these games").unwrap();
    let notes = "[White \"D\"]\n[TimeControl \"180+2\"]\n\n1. e4 {[%clk 0:03:00] [%eval 0.25]} e5 {[%clk 0:02:59]} \
        2. Qh5 {[%clk 0:02:58.5] [%eval #-3]} Nc6 {[%emt 0:00:07]} 1-0\n";
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(notes.as_bytes()).unwrap();
    fs::write(directory.join("notes.pgn.gz"), gzip.finish().unwrap()).unwrap();
}

/// A table with a column of each type that our tables have, in every format.
fn positions(directory: &Path) {
    let fields = [
        count("id"),
        text("fen"),
        hash("zobrist").wide(),
        real("mean"),
        flag("check"),
        text("note"),
    ];
    let schema = schema("test.positions", Version { major: 1, minor: 0 }, fields, &[]);
    let parsed: Vec<Position> = FENS.iter().map(|fen| fen.parse().unwrap()).collect();
    let columns: Vec<ArrayRef> = vec![
        Arc::new(UInt64Array::from_iter_values(1..=4)),
        Arc::new(StringArray::from_iter_values(FENS)),
        Arc::new(UInt64Array::from_iter_values(parsed.iter().map(Position::zobrist))),
        Arc::new(Float64Array::from(vec![Some(0.5), None, Some(-1.25), Some(3.0)])),
        Arc::new(BooleanArray::from_iter(parsed.iter().map(|p| Some(p.is_check())))),
        Arc::new(StringArray::from(vec![Some("a, \"b\""), None, Some("ü"), Some("d")])),
    ];
    let batch = RecordBatch::try_new(schema.clone(), columns).unwrap();
    let formats = [
        ("parquet", Format::Parquet),
        ("arrow", Format::Arrow),
        ("csv", Format::Csv),
        ("jsonl", Format::Jsonl),
        ("json", Format::Json),
    ];
    for (ending, format) in formats {
        let file = File::create(directory.join(format!("positions.{ending}"))).unwrap();
        let mut writer = Writer::new(file, format, &schema, Shape::Many).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
    }
    for ending in ["csv", "jsonl"] {
        let plain = fs::read(directory.join(format!("positions.{ending}"))).unwrap();
        let path = |packing: &str| directory.join(format!("positions.{ending}.{packing}"));
        let gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        let mut gzip = gzip;
        gzip.write_all(&plain).unwrap();
        fs::write(path("gz"), gzip.finish().unwrap()).unwrap();
        fs::write(path("zst"), zstd::encode_all(&plain[..], 1).unwrap()).unwrap();
    }
}

/// Facts in two parts with different notes, beside what else lies in such a directory.
fn facts(directory: &Path) {
    let directory = directory.join("facts");
    let selection = Selection::parse(["everything", "pinned_mask", "pins"]).unwrap();
    let schema = facts_schema(&selection, Definitions::Std);
    let encoder = Encoder::new(Format::Parquet, &schema).unwrap();
    let mut parts = Parts::open(&directory, &schema, 1).unwrap();
    let mut rows = FactRows::new(&selection, Definitions::Std);
    for (game, fens) in FENS.chunks(2).enumerate() {
        for (ply, fen) in fens.iter().enumerate() {
            let position = fen.parse().unwrap();
            let facts = chess_facts::facts(&position, selection.level());
            rows.push("test.epd", game as u64 + 1, ply as u64, &position, &facts);
        }
        let chunk = encoder.encode(vec![rows.finish().unwrap()]).unwrap();
        parts.append(chunk.into_row_group().unwrap(), &[("done", format!("{game} test"))]).unwrap();
    }
    parts.finish(&[]).unwrap();
    fs::write(directory.join("part-00002.parquet.unfinished"), "half a part").unwrap();
    fs::write(directory.join("manifest"), "not a table").unwrap();
}
