//! What damage does to SQLite and to a directory of parts: an error that names the place, never a
//! wrong row; and a full disk leaves a store that can be resumed.

#[path = "servers/missing.rs"]
mod missing;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use game::{Key, MoveId, Rank, Score, Verdict};
use kalah::{Kalah, Rules};
use solver::{
    Access, FORMAT, Found, Header, Limits, Memory, Next, OLDEST_FORMAT, Row, Sample, Settled,
    SolveError, Stage, Store, StoreError, every_row, solve, verify,
};

fn header(key_bits: u32) -> Header {
    Header { game: "any game=1".to_owned(), key_bits, format: FORMAT }
}

/// A finished store of a few thousand rows.
fn fill(url: &str, key_bits: u32) -> Vec<Row> {
    let mut store = stores::open(url, Access::Create(header(key_bits))).unwrap();
    for level in 0..6_u16 {
        let rank = Rank { level, step: 3 * level };
        let keys = (0..300 * u128::from(level)).map(|at| Key((at * at) << (key_bits - 24)));
        let found = |key: Key| Found { key, depth: key.0 as u16 % 50 };
        let verdict = |key: Key| Verdict {
            score: Score((key.0 % 97) as i16 - 48),
            best: (!key.0.is_multiple_of(5)).then_some(MoveId(key.0 as u16 % 7)),
            remoteness: Some(key.0 as u16 % 31),
        };
        store.add(rank, &keys.clone().map(found).collect::<Vec<_>>()).unwrap();
        let settled = keys.map(|key| Settled { key, verdict: verdict(key) });
        store.settle(rank, &settled.collect::<Vec<_>>()).unwrap();
        store.commit(Stage::Settling(Some(rank))).unwrap();
    }
    store.commit(Stage::Solved).unwrap();
    rows(&mut *store).unwrap()
}

fn rows(store: &mut dyn Store) -> Result<Vec<Row>, SolveError> {
    let mut rows = Vec::new();
    every_row(store, &mut |row| rows.push(*row))?;
    Ok(rows)
}

/// Reads everything there is, or says what is wrong.
fn read(url: &str) -> Result<(Header, Vec<Row>), String> {
    let mut store = stores::open(url, Access::Read).map_err(|error| error.to_string())?;
    let header = store.state().header.clone();
    Ok((header, rows(&mut *store).map_err(|error| error.to_string())?))
}

/// Flips bytes and cuts off ends; says how often that was noticed, and how often it did no harm.
fn damage(url: &str, file: &Path, expected: &(Header, Vec<Row>), steps: usize) -> (usize, usize) {
    let whole = fs::read(file).unwrap();
    let (mut noticed, mut harmless) = (0, 0);
    let mut check = |bytes: &[u8], what: String| {
        fs::write(file, bytes).unwrap();
        match read(url) {
            Ok(found) => {
                assert!(found == *expected, "{what} of {} gives other rows", file.display());
                harmless += 1;
            }
            Err(error) => {
                assert!(!error.is_empty());
                noticed += 1;
            }
        }
    };
    for step in 0..steps {
        let at = (whole.len() * step / steps + step % 7).min(whole.len() - 1);
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (step % 8);
        check(&bytes, format!("bit {} of byte {at}", step % 8));
        if step % 8 == 0 {
            check(&whole[..at], format!("a cut at {at}"));
        }
    }
    fs::write(file, &whole).unwrap();
    assert!(read(url).as_ref() == Ok(expected), "undone damage is none");
    (noticed, harmless)
}

#[test]
fn a_damaged_database_never_gives_a_wrong_row() {
    let directory = tempfile::tempdir().unwrap();
    for bits in [40, 128] {
        let file = directory.path().join(format!("{bits}.db"));
        let url = format!("sqlite:{}", file.display());
        let expected = (header(bits), fill(&url, bits));
        let (noticed, harmless) = damage(&url, &file, &expected, 800);
        assert!(noticed > 2 * harmless, "{noticed} noticed, {harmless} harmless");
    }
}

/// Looks every row up, or says what is wrong.
fn look_up(url: &str, expected: &[Row]) -> Result<Vec<Row>, StoreError> {
    let mut store = stores::open(url, Access::Read)?;
    let mut found = Vec::new();
    for rows in expected.chunk_by(|a, b| a.rank == b.rank) {
        let keys: Vec<Key> = rows.iter().map(|row| row.key).collect();
        store.find(rows[0].rank, &keys, &mut found)?;
    }
    Ok(found.into_iter().flatten().collect())
}

#[test]
fn a16_a_damaged_database_never_answers_with_another_row() {
    const STEPS: usize = 100;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("a.db");
    let url = format!("sqlite:{}", file.display());
    let expected = fill(&url, 40);
    let whole = fs::read(&file).unwrap();
    let mut noticed = 0;
    for step in 0..STEPS {
        let at = whole.len() * step / STEPS + step % 7;
        let mut bytes = whole.clone();
        bytes[at.min(whole.len() - 1)] ^= 1 << (step % 8);
        fs::write(&file, bytes).unwrap();
        match look_up(&url, &expected) {
            Ok(found) => assert!(found == expected, "a flipped bit at {at} gives other rows"),
            Err(_) => noticed += 1,
        }
    }
    assert!(2 * noticed > STEPS, "{noticed} of {STEPS} flipped bits were noticed");
}

#[test]
fn a16_a_changed_a_moved_and_a_lost_row_of_sqlite_are_named_by_a_look_up() {
    let changes = [
        "UPDATE positions SET value = value + 2",
        "UPDATE positions SET value = NULL, best = NULL",
        "UPDATE positions SET best = 6",
        "UPDATE positions SET remoteness = remoteness + 1",
        "UPDATE positions SET remoteness = NULL",
        "UPDATE positions SET depth = depth + 1",
        "UPDATE positions SET key = key + 1",
        "UPDATE positions SET rank = rank + 1",
        "DELETE FROM positions",
    ];
    let directory = tempfile::tempdir().unwrap();
    for (number, change) in changes.iter().enumerate() {
        let file = directory.path().join(format!("{number}.db"));
        let url = format!("sqlite:{}", file.display());
        let rows = fill(&url, 40);
        let row = rows.iter().find(|row| row.verdict.is_some_and(|v| v.best.is_some())).unwrap();
        let place = format!("rank = {} AND key = {}", row.rank.to_u32(), row.key.0);
        let database = rusqlite::Connection::open(&file).unwrap();
        assert_eq!(database.execute(&format!("{change} WHERE {place}"), []), Ok(1), "{change}");
        drop(database);
        let error = look_up(&url, &[*row]).expect_err(change);
        assert!(matches!(&error, StoreError::Corrupt { .. }), "{change}: {error}");
        let said = error.to_string();
        assert!(said.contains(&format!("rank {}", row.rank)), "{change}: {said}");
    }
}

#[test]
fn a16_a_store_of_the_first_format_is_refused_or_read_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let first = Header { format: 1, ..header(40) };
    let url = format!("sqlite:{}", directory.path().join("a.db").display());
    drop(stores::open(&url, Access::Create(first.clone())).unwrap());
    let error = stores::open(&url, Access::Read).err().unwrap().to_string();
    assert!(error.ends_with("the store has format 1, this program reads format 3"), "{error}");
    let url = format!("file:{}", directory.path().join("parts").display());
    drop(stores::open(&url, Access::Create(first)).unwrap());
    let store = stores::open(&url, Access::Read).unwrap();
    assert_eq!(store.state().header.format, OLDEST_FORMAT);
}

/// Kalah(2,2), solved by the version of everyply that wrote format 2.
#[test]
fn stores_of_the_second_format_are_read_without_remoteness_and_not_written() {
    let kalah = Kalah::new(2, 2, Rules::STD_EITHER).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/kalah/format2");
    let parts = directory.path().join("parts");
    fs::create_dir(&parts).unwrap();
    for file in fs::read_dir(fixtures).unwrap() {
        let file = file.unwrap();
        fs::copy(file.path(), parts.join(file.file_name())).unwrap();
    }
    fs::rename(parts.join("kalah.sqlite"), directory.path().join("kalah.sqlite")).unwrap();
    let mut fresh = Memory::new(Header::of(&kalah));
    solve(&kalah, &mut fresh, &Limits::default(), &mut |_| Next::Continue).unwrap();
    let values = |rows: Vec<Row>| {
        let value = |row: &Row| (row.rank, row.key, row.depth, row.verdict.unwrap().score);
        rows.iter().map(value).collect::<Vec<_>>()
    };
    let expected = values(rows(&mut fresh).unwrap());
    for place in ["sqlite:kalah.sqlite", "file:parts"] {
        let url = place.replace(':', &format!(":{}/", directory.path().display()));
        let mut store = stores::open(&url, Access::Read).unwrap();
        let found = rows(&mut *store).unwrap();
        assert!(found.iter().all(|row| row.verdict.unwrap().remoteness.is_none()), "{place}");
        assert_eq!(values(found), expected, "{place}");
        let watch = &mut |_, _| Next::Continue;
        let report = verify(&kalah, &mut *store, Sample::All, &Limits::default(), watch).unwrap();
        assert_eq!((report.checked, report.wrong), (26, 0), "{place}");
        drop(store);
        let error = stores::open(&url, Access::Resume(Header::of(&kalah))).err().unwrap();
        assert!(matches!(&error, StoreError::Old { found: 2, .. }), "{error}");
    }
}

#[test]
fn a_damaged_part_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let url = format!("file:{}", directory.path().display());
    let expected = (header(40), fill(&url, 40));
    let files = fs::read_dir(directory.path()).unwrap().map(|file| file.unwrap().path());
    let files: Vec<PathBuf> = files.collect();
    assert!(files.len() >= 2, "a manifest and a part");
    for file in files {
        let name = file.file_name().unwrap().to_str().unwrap();
        let (_, harmless) = damage(&url, &file, &expected, 200);
        assert_eq!(harmless, 0, "every byte of {name} counts");
        let whole = fs::read(&file).unwrap();
        fs::write(&file, &whole[..whole.len() - 1]).unwrap();
        let error = read(&url).unwrap_err();
        assert!(error.contains(name) && error.contains("damaged"), "{error}");
        fs::write(&file, &whole).unwrap();
    }
}

#[test]
fn what_is_no_store_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("notes.txt");
    fs::write(&file, "these are notes, and no database at all\n".repeat(100)).unwrap();
    for access in [Access::Read, Access::Create(header(40)), Access::Resume(header(40))] {
        let error = stores::open(&format!("sqlite:{}", file.display()), access).err().unwrap();
        assert!(matches!(&error, StoreError::Corrupt { .. }), "{error}");
    }
    assert!(fs::read_to_string(&file).unwrap().starts_with("these are notes"));
    let inside = format!("sqlite:{}", directory.path().join("missing/a.db").display());
    let error = stores::open(&inside, Access::Create(header(40))).err().unwrap();
    assert!(matches!(&error, StoreError::Unavailable { .. }), "{error}");
    let error = stores::open(&format!("file:{}", file.display()), Access::Create(header(40)));
    assert!(matches!(&error.err().unwrap(), StoreError::Unavailable { .. }));
}

#[test]
fn leftover_parts_are_removed_and_strangers_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let url = format!("file:{}", directory.path().display());
    let expected = fill(&url, 40);
    for name in ["positions-000009-000001.parquet", "part-0.parquet", "notes.txt"] {
        fs::write(directory.path().join(name), "left").unwrap();
    }
    let mut store = stores::open(&url, Access::Resume(header(40))).unwrap();
    assert!(rows(&mut *store).unwrap() == expected);
    assert!(!directory.path().join("positions-000009-000001.parquet").exists());
    assert!(directory.path().join("part-0.parquet").exists());
    assert!(directory.path().join("notes.txt").exists());
}

/// A file system of a few megabytes, taken away again when this is dropped.
struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn new(megabytes: u32) -> Option<SmallDisk> {
        let directory = tempfile::tempdir().unwrap();
        let size = format!("size={megabytes}m");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &size, "tmpfs"]).arg(directory.path());
        let mounted = mount.stderr(Stdio::null()).status().is_ok_and(|status| status.success());
        mounted.then_some(SmallDisk(directory))
    }

    fn grow(&self, megabytes: u32) {
        let size = format!("remount,size={megabytes}m");
        let status = Command::new("mount").args(["-o", &size]).arg(self.0.path()).status();
        assert!(status.unwrap().success());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Where this fails, the directory stays; a drop must not panic.
        let _ = Command::new("umount").arg(self.0.path()).status();
    }
}

#[test]
fn a_full_disk_is_an_error_and_the_work_goes_on_with_more_room() {
    let game = Kalah::new(4, 2, Rules::STD_EITHER).unwrap();
    for (scheme, name) in [("sqlite", "kalah.db"), ("file", "kalah")] {
        let Some(disk) = SmallDisk::new(1) else {
            missing::not_run("no file system can be mounted here");
            return;
        };
        let url = format!("{scheme}:{}", disk.0.path().join(name).display());
        let limits = Limits { commit_every: std::time::Duration::ZERO, ..Limits::default() };
        let solved = |_: &()| {
            let mut store = stores::open(&url, Access::Resume(Header::of(&game)))?;
            solve(&game, &mut *store, &limits, &mut |_| Next::Continue)
        };
        // Something else takes the room, so that less is left than any store needs.
        let ballast = disk.0.path().join("ballast");
        fs::write(&ballast, vec![0; 900 << 10]).unwrap();
        let error = solved(&()).expect_err("there is no room").to_string();
        let said = ["full", "No space", "space"].iter().any(|word| error.contains(word));
        assert!(said && error.contains(scheme), "{error}");
        disk.grow(64);
        let solution = solved(&()).expect("there is room now");
        let mut store = stores::open(&url, Access::Read).unwrap();
        assert_eq!(rows(&mut *store).unwrap().len() as u64, solution.positions, "{url}");
    }
}
