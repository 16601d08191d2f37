//! Damaged files of ours: an error with the name of the file, or the rows as they were. Never other
//! rows.
//!
//! `EVERYPLY_SLOW=1` changes every byte, and 2,000 bits beside.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use arrow::record_batch::RecordBatch;
use chess_facts::{Definitions, Selection, facts};
use game::{Key, MoveId, Rank, Score, Verdict};
use solver::{Found, Settled, Stage};
use sql::{Engine, SqlError, quiet_panics};
use tables::{Format, Shape, Writer, chess::FactRows};
use tempfile::TempDir;

use super::{answered, directory, engine};

/// Facts of a few positions, enough for every kind of column that facts have.
fn fact_rows() -> RecordBatch {
    let selection = Selection::parse(["pinned", "hanging_gain", "pinned_mask", "pins"]).unwrap();
    let mut rows = FactRows::new(&selection, Definitions::Std);
    for ply in 0..40 {
        let fen = format!(
            "r2qk2r/ppp2ppp/2np1n2/2b1p1B1/2B1P1b1/3P1N2/PPP2PPP/RN1QK2R w KQkq - 0 {}",
            ply + 1
        );
        let position = fen.parse().unwrap();
        rows.push("a.epd", 1, ply, &position, &facts(&position, selection.level()));
    }
    rows.finish().unwrap()
}

/// Facts in a file.
fn written(directory: &Path, format: Format) -> PathBuf {
    let path = directory.join(format!("facts.{}", format.name()));
    let rows = fact_rows();
    let file = fs::File::create(&path).unwrap();
    let mut writer = Writer::new(file, format, rows.schema_ref(), Shape::Many).unwrap();
    writer.write(&rows).unwrap();
    writer.finish().unwrap();
    path
}

/// A part of a store of solved positions.
fn part(directory: &Path) -> PathBuf {
    let place = directory.join("store");
    let header =
        solver::Header { game: "any game=1".to_owned(), key_bits: 40, format: solver::FORMAT };
    let url = format!("file:{}", place.display());
    let mut store = stores::open(&url, solver::Access::Create(header)).unwrap();
    let rank = Rank { level: 3, step: 5 };
    let keys = (0..200_u128).map(|at| Key(at * at));
    let found = keys.clone().map(|key| Found { key, depth: key.0 as u16 % 50 });
    store.add(rank, &found.collect::<Vec<_>>()).unwrap();
    let settled = keys.map(|key| {
        let score = Score((key.0 % 97) as i16 - 48);
        let (best, remoteness) = (Some(MoveId(key.0 as u16 % 7)), Some(key.0 as u16 % 31));
        Settled { key, verdict: Verdict { score, best, remoteness } }
    });
    store.settle(rank, &settled.collect::<Vec<_>>()).unwrap();
    store.commit(Stage::Solved).unwrap();
    drop(store);
    let mut files = fs::read_dir(&place).unwrap().map(|entry| entry.unwrap().path());
    files.find(|path| path.extension().is_some_and(|ending| ending == "parquet")).unwrap()
}

/// What became of damaged files.
#[derive(Debug, Default)]
struct Tally {
    refused: usize,
    harmless: usize,
}

struct Trial<'a> {
    engine: &'a Engine,
    directory: TempDir,
    ending: String,
    /// Statements about a table `FILE`.
    statements: &'a [&'a str],
    expected: Vec<RecordBatch>,
    tally: Tally,
    files: usize,
}

impl Trial<'_> {
    fn new<'a>(engine: &'a Engine, sound: &Path, statements: &'a [&'a str]) -> Trial<'a> {
        let ending = sound.extension().unwrap().to_str().unwrap().to_owned();
        let asked = |statement: &&str| answered(engine, &asked(statement, sound)).unwrap();
        let expected: Vec<RecordBatch> = statements.iter().map(asked).collect();
        assert!(expected.iter().all(|rows| rows.num_rows() > 0));
        let directory = directory(&[]);
        let tally = Tally::default();
        Trial { engine, directory, ending, statements, expected, tally, files: 0 }
    }

    fn read(&mut self, bytes: &[u8], what: &str) {
        self.files += 1;
        let name = format!("{}.{}", self.files, self.ending);
        let path = self.directory.path().join(&name);
        fs::write(&path, bytes).unwrap();
        for (statement, expected) in self.statements.iter().zip(&self.expected) {
            match answered(self.engine, &asked(statement, &path)) {
                Ok(rows) => {
                    assert_eq!(&rows, expected, "{what}: {statement}");
                    self.tally.harmless += 1;
                }
                Err(SqlError::Engine(error)) => panic!("{what}: {statement}: {error}"),
                Err(error) => {
                    let error = error.to_string();
                    assert!(error.contains(&name), "{what}: {statement}: {error}");
                    self.tally.refused += 1;
                }
            }
        }
        fs::remove_file(&path).unwrap();
    }
}

fn asked(statement: &str, path: &Path) -> String {
    statement.replace("FILE", &format!("'{}'", path.display()))
}

/// Changes bits all over a file and cuts it at many places.
fn damage(sound: &Path, statements: &[&str], quick: usize) {
    quiet_panics();
    let engine = engine(1);
    let whole = fs::read(sound).unwrap();
    let mut trial = Trial::new(&engine, sound, statements);
    let is_slow = env::var_os("EVERYPLY_SLOW").is_some();
    let (flips, cuts) = if is_slow { (whole.len() + 2_000, 500) } else { (quick, quick / 8) };
    for flip in 0..flips {
        // Every byte if there are so many flips, and then on with other bits.
        let at = if is_slow { flip % whole.len() } else { whole.len() * flip / flips };
        let bit = (flip + flip / whole.len() * 3) % 8;
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << bit;
        trial.read(&bytes, &format!("bit {bit} of byte {at} of {}", sound.display()));
    }
    let Tally { refused, harmless } = std::mem::take(&mut trial.tally);
    println!("{}: {flips} bits: {refused} refused, {harmless} harmless", sound.display());
    // Only what says that there are checksums can be changed unnoticed.
    assert!(harmless * 20 < refused + harmless, "{refused} refused, {harmless} harmless");
    for cut in 0..cuts {
        let length = whole.len() * cut / cuts;
        trial.read(&whole[..length.max(1)], &format!("a cut at {length} of {}", sound.display()));
    }
    // A cut behind the end of an Arrow stream takes nothing but checksums away.
    assert!(trial.tally.harmless * 20 < cuts, "{:?}", trial.tally);
}

#[test]
fn c2_a_damaged_part_gives_an_error_or_its_rows() {
    let directory = directory(&[]);
    let statements = [
        "select * from FILE",
        "select count(*), max(ply), min(fen), sum(white_pinned) from FILE where ply > 3",
    ];
    damage(&written(directory.path(), Format::Parquet), &statements, 160);
}

#[test]
fn c2_a_damaged_arrow_file_gives_an_error_or_its_rows() {
    let directory = directory(&[]);
    damage(&written(directory.path(), Format::Arrow), &["select * from FILE"], 160);
}

#[test]
fn c2_a_damaged_part_of_a_store_gives_an_error_or_its_rows() {
    let directory = directory(&[]);
    damage(&part(directory.path()), &["select * from FILE"], 160);
}

#[test]
fn c2_only_what_is_read_is_checked() {
    // Texts that do not repeat, so that a column is longer than what is read to find the footer.
    let mut random = 1_u64;
    let mut text = "a,b\n".to_owned();
    for _ in 0..120_000 {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text += &format!("{random:x},{}\n", random >> 40);
    }
    let directory = directory(&[("x.csv", &text)]);
    let engine = engine(1);
    let rows = answered(&engine, &asked("select * from FILE", &directory.path().join("x.csv")));
    let rows = rows.unwrap();
    let mut bytes = Vec::new();
    let schema = rows.schema();
    let mut writer = Writer::new(&mut bytes, Format::Parquet, &schema, Shape::Many).unwrap();
    writer.write(&rows).unwrap();
    writer.finish().unwrap();
    assert!(bytes.len() > 1_000_000, "{}", bytes.len());
    bytes[100_000] ^= 4;
    let path = directory.path().join("x.parquet");
    fs::write(&path, bytes).unwrap();
    let found = answered(&engine, &asked("select sum(b) from FILE", &path));
    assert_eq!(found.unwrap().num_rows(), 1, "the other column is sound");
    let error = answered(&engine, &asked("select sum(length(a)) from FILE", &path)).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "{}: the file is damaged (bytes 65536 to 131071 do not match their checksum)",
            path.display()
        )
    );
}

#[test]
fn c2_a_part_that_is_replaced_is_read_anew() {
    let directory = directory(&[]);
    let path = written(directory.path(), Format::Parquet);
    let engine = engine(1);
    let count = asked("select count(*), max(fen) from FILE", &path);
    answered(&engine, &count).unwrap();
    let rows = fact_rows().slice(0, 7);
    let mut bytes = Vec::new();
    let schema = rows.schema();
    let mut writer = Writer::new(&mut bytes, Format::Parquet, &schema, Shape::Many).unwrap();
    writer.write(&rows).unwrap();
    writer.finish().unwrap();
    fs::write(&path, bytes).unwrap();
    let found = answered(&engine, &asked("select * from FILE", &path)).unwrap();
    assert_eq!(found.num_rows(), 7);
}
