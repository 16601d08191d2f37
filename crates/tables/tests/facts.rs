//! Every column of `chess.facts` holds the fact that its name says.

use arrow::{
    array::{Array, AsArray},
    datatypes::{UInt8Type, UInt64Type},
    record_batch::RecordBatch,
};
use chess::{Color, Position, Role};
use chess_facts::{Definitions, Facts, Level, Selection, Side, facts};
use tables::chess::FactRows;

fn positions() -> Vec<Position> {
    let text = include_str!("../../../fixtures/chess/fens/positions.tsv");
    let fens = text.lines().step_by(9).map(|line| line.split('\t').next().unwrap());
    fens.map(|fen| fen.parse().unwrap()).collect()
}

fn batch(names: &[&str], positions: &[Position]) -> RecordBatch {
    let selection = Selection::parse(names.iter().copied()).unwrap();
    let mut rows = FactRows::new(&selection, Definitions::Std);
    for (ply, position) in positions.iter().enumerate() {
        rows.push("test", 7, ply as u64, position, &facts(position, selection.level()));
    }
    assert_eq!(rows.len(), positions.len());
    rows.finish().unwrap()
}

/// Facts that are neither a set with a mask nor a list, said once more by hand.
type Number = fn(&Side) -> u8;
const PLAIN: [(&str, Number); 10] = [
    ("pawns", |side| side.pieces[Role::Pawn.index()]),
    ("knights", |side| side.pieces[Role::Knight.index()]),
    ("bishops", |side| side.pieces[Role::Bishop.index()]),
    ("rooks", |side| side.pieces[Role::Rook.index()]),
    ("queens", |side| side.pieces[Role::Queen.index()]),
    ("material", |side| side.material),
    ("doubled_extra", |side| side.pawns.doubled_extra.len() as u8),
    ("pawn_islands", |side| side.pawns.islands),
    ("minors", |side| side.minors.len() as u8),
    ("hanging_gain", |side| side.hanging.iter().map(|man| man.gain).max().unwrap_or(0)),
];

/// Counts that are the lengths of lists.
const LISTED: [(&str, &str); 8] = [
    ("pinned", "pins"),
    ("xrays", "xray_lines"),
    ("discovered", "discovered_lines"),
    ("batteries", "battery_pairs"),
    ("hanging_see", "hanging_men"),
    ("hanging_pins", "hanging_men_pins"),
    ("forks", "fork_targets"),
    ("fork_moves", "fork_move_targets"),
];

#[test]
fn counts_masks_and_lists_agree_with_each_other_and_with_the_facts() {
    let positions = positions();
    let expected: Vec<Facts> =
        positions.iter().map(|position| facts(position, Level::Everything)).collect();
    let batch = batch(&["everything", "masks", "lists"], &positions);
    let count = |name: &str, row: usize| {
        let column = batch.column_by_name(name).unwrap_or_else(|| panic!("no column {name}"));
        column.as_primitive::<UInt8Type>().value(row)
    };
    let mut seen = 0;
    for color in Color::ALL {
        let named = |name: &str| format!("{}_{name}", color.name());
        for field in batch.schema().fields() {
            let Some(fact) = field.name().strip_prefix(&format!("{}_", color.name())) else {
                continue;
            };
            let Some(fact) = fact.strip_suffix("_mask") else { continue };
            let masks = batch.column_by_name(field.name()).unwrap().as_primitive::<UInt64Type>();
            // The forkers are counted as forks; attacks and check squares are not counted.
            let counted = if fact == "forkers" { "forks" } else { fact };
            if batch.column_by_name(&named(counted)).is_none() {
                continue;
            }
            seen += 1;
            for (row, position) in positions.iter().enumerate() {
                let len = masks.value(row).count_ones() as u8;
                assert_eq!(count(&named(counted), row), len, "{fact} of {position}");
            }
        }
        for (name, list) in LISTED {
            let lists = batch.column_by_name(&named(list)).unwrap().as_list::<i32>();
            for (row, position) in positions.iter().enumerate() {
                let len = lists.value(row).len() as u8;
                assert_eq!(count(&named(name), row), len, "{name} of {position}");
            }
            seen += 1;
        }
        for (name, value) in PLAIN {
            for (row, facts) in expected.iter().enumerate() {
                assert_eq!(count(&named(name), row), value(&facts[color]), "{name}");
            }
            seen += 1;
        }
        for (row, facts) in expected.iter().enumerate() {
            let half_open = facts[color].half_open_file_count() as u8;
            assert_eq!(count(&named("half_open_files"), row), half_open);
            assert_eq!(count(&named("mobility"), row), facts[color].mobility.len() as u8);
            assert_eq!(count(&named("attacked"), row), facts[color].attacked.len() as u8);
        }
    }
    for (row, facts) in expected.iter().enumerate() {
        assert_eq!(count("open_files", row), facts.open_file_count() as u8);
    }
    // 21 masks with a count, 8 lists and 10 plain numbers for each side.
    assert_eq!(seen, 2 * (21 + 8 + 10), "every kind of column was compared");
}

#[test]
fn keys_name_the_position() {
    let positions = positions();
    let batch = batch(&["material"], &positions);
    assert_eq!(batch.num_columns(), 7);
    let fens = batch.column_by_name("fen").unwrap().as_string::<i32>();
    let hashes = batch.column_by_name("zobrist").unwrap().as_primitive::<UInt64Type>();
    for (row, position) in positions.iter().enumerate() {
        assert_eq!(fens.value(row), position.to_string());
        assert_eq!(hashes.value(row), position.zobrist());
    }
}

#[test]
fn only_the_level_that_is_needed_is_computed() {
    let level = |names: &[&str]| Selection::parse(names.iter().copied()).unwrap().level();
    assert_eq!(level(&["pinned", "pins"]), Level::Lines);
    assert_eq!(level(&["pinned", "hanging_see_mask"]), Level::Exchange);
    assert_eq!(level(&["fork_moves"]), Level::Forks);
    assert_eq!(level(&["mobility"]), Level::Everything);
    let unknown = Selection::parse(["beauty"]).unwrap_err().to_string();
    assert!(unknown.starts_with("'beauty' is neither a fact"), "{unknown}");
}
