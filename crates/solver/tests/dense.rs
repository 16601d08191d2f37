//! Dense tables against plain recursion and known values, built with every limit and number of
//! threads.

mod kalah_recursion;

use std::{collections::HashMap, sync::LazyLock};

use game::{Cell, Game, Numbered, Sheet};
use kalah::{Kalah, Rules, Sheets};
use kalah_recursion::{known_values, recursion, slow};
use proptest::prelude::*;
use solver::{
    Next, StoreError,
    table::{BuildLimits, Built, Directory, Manifest, Table, TableError, build},
};
use tempfile::TempDir;
use xxhash_rust::xxh3::xxh3_64;

const ROOMY: BuildLimits = BuildLimits { memory: 3 << 30 };

fn built(sheets: &Sheets, directory: &TempDir, limits: BuildLimits) -> Result<Built, TableError> {
    build(sheets, &Directory::new(directory.path()), &limits, &mut |_| Next::Continue)
}

fn directory() -> TempDir {
    tempfile::tempdir().expect("a temporary directory")
}

/// The files of a table, by name.
fn files(directory: &TempDir) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(directory.path()).expect("a directory");
    let mut files: Vec<_> = entries
        .map(|entry| entry.expect("an entry"))
        .map(|entry| {
            let bytes = std::fs::read(entry.path()).expect("a file");
            (entry.file_name().into_string().expect("a name"), bytes)
        })
        .collect();
    files.sort();
    files
}

#[test]
fn every_value_is_that_of_plain_recursion() {
    // Long laps with few pits, every pit with many.
    for (pits, seeds) in [(1, 60), (2, 34), (3, 16), (4, 10), (5, 7), (6, 6), (7, 5), (8, 4)] {
        for rules in Rules::ALL {
            let sheets = Sheets::new(pits, seeds, rules).expect("a size");
            let directory = directory();
            built(&sheets, &directory, ROOMY).expect("a table");
            let place = Directory::new(directory.path());
            let mut table = Table::open(&sheets, &place, 1 << 26).expect("a table");
            let mut known = HashMap::new();
            for cell in cells(&sheets) {
                let position = sheets.position(cell);
                assert_eq!(sheets.locate(&position), Some(cell));
                let value = table.value_at(cell).expect("a block").expect("a value");
                let expected = recursion(sheets.game(), &position, &mut known);
                assert_eq!(value, expected, "{pits} pits, {rules}: {position}");
            }
        }
    }
}

fn cells(sheets: &Sheets) -> impl Iterator<Item = Cell> {
    let most = sheets.seeds() as u16;
    let halves = sheets.halves();
    let all =
        (0..=most).flat_map(move |own| (0..=most - own).map(move |other| Sheet { own, other }));
    all.flat_map(move |sheet| {
        let rows = 0..halves[usize::from(sheet.own)].count();
        let columns = halves[usize::from(sheet.other)].count();
        rows.flat_map(move |row| (0..columns).map(move |column| Cell { sheet, row, column }))
    })
}

#[test]
fn tables_have_the_known_values() {
    for row in known_values() {
        let layouts = kalah::Layouts::total(2 * row.pits, row.start_seeds()).expect("a count");
        if layouts > 11_000_000 && !slow() {
            println!("{} pits, {} seeds: not run without EVERYPLY_SLOW=1", row.pits, row.seeds);
            continue;
        }
        let kalah = Kalah::new(row.pits, row.seeds, row.rules).expect("a size");
        let sheets = Sheets::new(row.pits, row.start_seeds(), row.rules).expect("a size");
        let directory = directory();
        let built = built(&sheets, &directory, ROOMY).expect("a table");
        assert_eq!(built.positions, layouts);
        let place = Directory::new(directory.path());
        let mut table = Table::open(&sheets, &place, 1 << 26).expect("a table");
        let value = table.value(&kalah.start()).expect("a block").expect("a value");
        assert_eq!(value.0, row.value, "{}", kalah.name());
        println!("{}: {value}, {} positions", kalah.name(), built.positions);
    }
}

#[test]
fn starts_of_the_mover_variants_have_the_values_of_plain_recursion() {
    // Those that recursion solves within a minute.
    let mut sizes: Vec<(usize, u32)> = Vec::new();
    sizes.extend([1, 2, 3, 4, 5, 6, 10, 20, 30, 40, 60].map(|seeds| (1, seeds)));
    sizes.extend((1..=10).map(|seeds| (2, seeds)));
    sizes.extend((1..=4).map(|seeds| (3, seeds)));
    sizes.extend([(4, 1), (4, 2), (5, 1), (6, 1)]);
    if slow() {
        sizes.extend([(2, 11), (2, 12), (2, 13), (2, 14), (3, 5), (3, 6), (3, 7), (4, 3), (5, 2)]);
    } else {
        println!("sizes up to 3 x 7, 4 x 3, 5 x 2: not run without EVERYPLY_SLOW=1");
    }
    for (pits, seeds) in sizes {
        for rules in [Rules::STD_MOVER, Rules::EMPTY_MOVER] {
            let kalah = Kalah::new(pits, seeds, rules).expect("a size");
            let sheets = Sheets::new(pits, kalah.seeds(), rules).expect("a size");
            let directory = directory();
            built(&sheets, &directory, ROOMY).expect("a table");
            let place = Directory::new(directory.path());
            let mut table = Table::open(&sheets, &place, 1 << 26).expect("a table");
            let value = table.value(&kalah.start()).expect("a block").expect("a value");
            let expected = recursion(&kalah, &kalah.start(), &mut HashMap::new());
            assert_eq!(value, expected, "{}", kalah.name());
        }
    }
}

#[test]
fn limits_and_threads_change_nothing_but_the_time() {
    let sheets = Sheets::new(4, 16, Rules::STD_EITHER).expect("a size");
    let roomy = directory();
    let widest = built(&sheets, &roomy, ROOMY).expect("a table").memory;
    let expected = files(&roomy);
    // The least that is enough is found by asking for less than enough.
    let tight = directory();
    let Err(TableError::Memory { needed, .. }) = built(&sheets, &tight, BuildLimits { memory: 0 })
    else {
        panic!("nothing is enough")
    };
    let mut enough = needed;
    let tight = loop {
        let directory = directory();
        match built(&sheets, &directory, BuildLimits { memory: enough }) {
            Ok(built) => {
                assert!(built.memory <= enough && enough < widest, "{enough} of {widest}");
                break directory;
            }
            Err(TableError::Memory { needed, limit, .. }) => {
                assert!(limit == enough && needed > limit);
                enough = needed;
            }
            Err(error) => panic!("{error}"),
        }
    };
    assert!(files(&tight) == expected, "a tight limit changes the table");
    for threads in [1, 2, 7] {
        let directory = directory();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| built(&sheets, &directory, ROOMY)).expect("a table");
        assert!(files(&directory) == expected, "{threads} threads change the table");
    }
}

#[test]
fn a_stopped_build_goes_on_where_it_was() {
    let sheets = Sheets::new(3, 14, Rules::EMPTY_EITHER).expect("a size");
    let (whole, parts) = (directory(), directory());
    built(&sheets, &whole, ROOMY).expect("a table");
    let place = Directory::new(parts.path());
    let mut stops = 0;
    let mut found = 0;
    loop {
        let mut blocks = 0;
        let watch = &mut |_: &solver::table::BuildProgress| {
            blocks += 1;
            if blocks == 5 { Next::Stop } else { Next::Continue }
        };
        match build(&sheets, &place, &ROOMY, watch) {
            Ok(built) => {
                assert!(built.found > found);
                break;
            }
            Err(TableError::Stopped) => stops += 1,
            Err(error) => panic!("{error}"),
        }
        found += 1;
    }
    assert!(stops > 5);
    assert!(files(&parts) == files(&whole));
}

#[test]
fn a_table_is_continued_for_more_units() {
    let (grown, whole) = (directory(), directory());
    for seeds in [5, 9, 12] {
        let sheets = Sheets::new(3, seeds, Rules::STD_MOVER).expect("a size");
        built(&sheets, &grown, ROOMY).expect("a table");
    }
    let sheets = Sheets::new(3, 12, Rules::STD_MOVER).expect("a size");
    built(&sheets, &whole, ROOMY).expect("a table");
    assert!(files(&grown) == files(&whole));
    // A smaller numbering reads the larger table.
    let smaller = Sheets::new(3, 7, Rules::STD_MOVER).expect("a size");
    let place = Directory::new(grown.path());
    let table = Table::open(&smaller, &place, 0).expect("a table");
    assert_eq!(table.units(), Some(7));
    assert_eq!(table.manifest().units(), Some(12));
}

/// Reads a table as docs/formats.md draws it, with nothing of ours but the numbering of rows.
#[test]
fn files_are_as_they_are_drawn() {
    let sheets = Sheets::new(3, 9, Rules::STD_EITHER).expect("a size");
    let directory = directory();
    let positions = built(&sheets, &directory, ROOMY).expect("a table").positions as usize;
    let place = Directory::new(directory.path());
    let mut table = Table::open(&sheets, &place, 1 << 26).expect("a table");
    let manifest = std::fs::read_to_string(directory.path().join("manifest")).expect("a manifest");
    let lines: Vec<&str> = manifest.lines().collect();
    assert_eq!(lines[..2], ["everyply table 2", "game kalah pits=3 rules=std_either"]);
    let mut seen = 0;
    for line in &lines[2..lines.len() - 1] {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |at: usize| words[at].parse::<usize>().expect("a number");
        let (more, less, start) = (number(1) as u16, number(2) as u16, number(4));
        let name = format!("units-{:03}-{:03}", more + less, number(3));
        let file = std::fs::read(directory.path().join(name)).expect("a file");
        let block = &file[start..start + number(5)];
        let index = &block[..number(6)];
        assert_eq!(words[7], format!("{:016x}", xxh3_64(index)));
        assert_eq!(&index[..8], b"evplytb1");
        assert_eq!(index[8..12], [more as u8, 0, less as u8, 0]);
        let sides = if more == less { 1 } else { 2 };
        assert_eq!(index[12..16], [sides, 0, 0, 0], "a sheet of this size is one chunk");
        let mut chunk = &block[index.len()..];
        for (at, entry) in index[16..].chunks(12).enumerate() {
            let length = u32::from_le_bytes(entry[..4].try_into().expect("four bytes")) as usize;
            assert_eq!(entry[4..], xxh3_64(&chunk[..length]).to_le_bytes());
            let values = zstd::decode_all(&chunk[..length]).expect("a frame of zstd");
            let (own, other) = if at == 0 { (more, less) } else { (less, more) };
            let width = kalah::Layouts::new(3, 9).count(other.into()) as usize;
            for (cell, value) in values.iter().enumerate() {
                let (sheet, row, column) = (Sheet { own, other }, cell / width, cell % width);
                let known = table.value_at(Cell { sheet, row, column }).expect("a block");
                assert_eq!(known.map(|score| score.0), Some(i16::from(*value as i8)));
            }
            seen += values.len();
            chunk = &chunk[length..];
        }
        assert!(chunk.is_empty());
    }
    assert_eq!(seen, positions);
}

/// 4 pits with 12 seeds have sheets of up to 7,056 positions in chunks of 8,192; with 16 seeds up to
/// 27,225, which are several chunks of version 2 and one of version 1.
#[test]
fn tables_of_version_1_are_read_and_continued() {
    let sheets = Sheets::new(4, 16, Rules::STD_EITHER).expect("a size");
    let (old, new) = (directory(), directory());
    let place = Directory::new(old.path());
    let begun = Manifest { version: 1, ..Manifest::new(sheets.name()) };
    begun.write(&place).expect("a manifest");
    built(&Sheets::new(4, 12, Rules::STD_EITHER).expect("a size"), &old, ROOMY).expect("a table");
    built(&sheets, &old, ROOMY).expect("a table");
    built(&sheets, &new, ROOMY).expect("a table");
    let text = std::fs::read_to_string(old.path().join("manifest")).expect("a manifest");
    assert!(text.starts_with("everyply table 1\n"), "{text}");
    // A cache with room for everything, and one with room for a chunk or two.
    for memory in [1 << 26, 1 << 14] {
        let mut old = Table::open(&sheets, &place, memory).expect("a table");
        let place = Directory::new(new.path());
        let mut new = Table::open(&sheets, &place, memory).expect("a table");
        for cell in cells(&sheets) {
            let value = new.value_at(cell).expect("a block").expect("a value");
            assert_eq!(old.value_at(cell).expect("a block"), Some(value), "{cell:?}");
        }
    }
}

/// Of a chunk, a look-up reads no more than 8 KiB.
#[test]
fn no_chunk_has_more_than_eight_kibibytes() {
    let sheets = Sheets::new(4, 18, Rules::EMPTY_EITHER).expect("a size");
    let directory = directory();
    built(&sheets, &directory, ROOMY).expect("a table");
    let manifest = std::fs::read_to_string(directory.path().join("manifest")).expect("a manifest");
    let mut longest = 0;
    for line in manifest.lines().filter(|line| line.starts_with("block ")) {
        let words: Vec<usize> =
            line.split(' ').skip(1).take(6).map(|word| word.parse().expect("a number")).collect();
        let [more, less, part, start, _, index] = words[..] else { panic!("{line}") };
        let name = format!("units-{:03}-{part:03}", more + less);
        let file = std::fs::read(directory.path().join(name)).expect("a file");
        let lengths = file[start + 16..start + index].chunks(12);
        let lengths = lengths.map(|entry| u32::from_le_bytes(entry[..4].try_into().expect("four")));
        longest = longest.max(lengths.max().expect("a chunk"));
    }
    assert!((1 << 10..1 << 13).contains(&longest), "{longest}");
}

#[test]
fn another_game_is_refused() {
    let directory = directory();
    built(&Sheets::new(3, 6, Rules::STD_EITHER).expect("a size"), &directory, ROOMY)
        .expect("a table");
    let place = Directory::new(directory.path());
    for (pits, rules) in [(4, Rules::STD_EITHER), (3, Rules::EMPTY_EITHER)] {
        let sheets = Sheets::new(pits, 6, rules).expect("a size");
        let error = built(&sheets, &directory, ROOMY).expect_err("another game").to_string();
        assert!(error.contains("kalah pits=3 rules=std_either"), "{error}");
        assert!(Table::open(&sheets, &place, 0).is_err());
    }
    let nothing = Directory::new(directory.path().join("nothing"));
    let sheets = Sheets::new(3, 6, Rules::STD_EITHER).expect("a size");
    assert!(matches!(Table::open(&sheets, &nothing, 0), Err(StoreError::Missing(_))));
    assert_eq!(Manifest::read(&nothing).expect("nothing to read"), None);
}

proptest! {
    #[test]
    fn positions_and_cells_are_one_to_one(
        own in prop::collection::vec(0_u8..6, 6),
        other in prop::collection::vec(0_u8..6, 6),
    ) {
        static SHEETS: LazyLock<Sheets> =
            LazyLock::new(|| Sheets::new(6, 20, Rules::STD_EITHER).expect("a size"));
        let sheets = &*SHEETS;
        let side = |pits: &[u8]| kalah::Side::new(pits).expect("a side");
        let position = kalah::Position::new(side(&own), side(&other)).expect("a position");
        match sheets.locate(&position) {
            Some(cell) => prop_assert_eq!(sheets.position(cell), position),
            None => prop_assert!(position.seeds_in_play() > 20),
        }
    }
}
