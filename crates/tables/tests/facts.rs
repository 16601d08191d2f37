//! Every column of `chess.facts` holds the fact that its name says.

use arrow::{
    array::{Array, AsArray},
    datatypes::{DataType, UInt8Type, UInt64Type},
    record_batch::RecordBatch,
};
use chess::{Bitboard, Color, Position, Role, San, Square, Uci};
use chess_facts::{Definitions, ExtraParts, Facts, Level, Selection, Side, facts};
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

/// The texts of one field of the structs of a list.
fn texts(batch: &RecordBatch, column: &str, row: usize, field: &str) -> Vec<Option<String>> {
    let list = batch.column_by_name(column).unwrap().as_list::<i32>().value(row);
    let values = list.as_struct().column_by_name(field).unwrap().as_string::<i32>();
    values.iter().map(|text| text.map(str::to_owned)).collect()
}

#[test]
fn every_square_of_a_list_comes_with_the_piece_on_it() {
    let positions = positions();
    let batch = batch(&["lists", "xray_defense_lines", "attack_map"], &positions);
    let mut compared = 0;
    for field in batch.schema().fields().iter().skip(5) {
        let DataType::List(item) = field.data_type() else { panic!("{} is a list", field.name()) };
        let DataType::Struct(fields) = item.data_type() else { panic!("of structs") };
        let names: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
        for pieces in names.iter().filter(|name| name.contains("piece")) {
            let squares = match *pieces {
                "piece" if names.contains(&"uci") => "uci",
                "piece" => "square",
                "target_pieces" | "attacker_pieces" => &format!("{}s", &pieces[..pieces.len() - 7]),
                other => other.strip_suffix("_piece").unwrap(),
            };
            for (row, position) in positions.iter().enumerate() {
                let found = texts(&batch, field.name(), row, pieces);
                for (found, at) in found.iter().zip(texts(&batch, field.name(), row, squares)) {
                    let at = at.unwrap();
                    let at = if squares == "uci" { &at[..2] } else { &at };
                    let role = |at: &str| {
                        let square = Square::from_ascii(at.as_bytes()).unwrap();
                        position.board().role_at(square).unwrap().name()
                    };
                    let expected: Vec<&str> = at.split(' ').map(role).collect();
                    assert_eq!(found.as_deref(), Some(expected.join(" ").as_str()));
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 50_000, "{compared}");
}

#[test]
fn mover_and_opponent_are_white_and_black_by_turn() {
    let positions = positions();
    let names = ["pinned", "mobility_mask", "pins", "checking_moves", "mates"];
    let sides = ["mover", "opponent", "white", "black"];
    let columns: Vec<String> = sides
        .iter()
        .flat_map(|side| names.iter().map(move |name| format!("{side}_{name}")))
        .collect();
    let all = batch(&columns.iter().map(String::as_str).collect::<Vec<_>>(), &positions);
    assert_eq!(all.num_columns(), 5 + 4 * names.len());
    for name in names {
        let of = |side: &str| all.column_by_name(&format!("{side}_{name}")).unwrap().to_data();
        for (row, position) in positions.iter().enumerate() {
            let turn = position.turn();
            for (side, color) in [("mover", turn), ("opponent", !turn)] {
                let found = of(side).slice(row, 1);
                assert_eq!(found, of(color.name()).slice(row, 1), "{name} of {position}");
            }
        }
        // One column can be asked for alone, and holds the same.
        let alone = batch(&[&format!("opponent_{name}")], &positions);
        assert_eq!(alone.num_columns(), 6);
        assert_eq!(alone.column(5).to_data(), of("opponent"));
    }
}

#[test]
fn checks_mates_and_the_attack_map_hold_what_the_position_says() {
    let positions = positions();
    let batch = batch(&["moves", "attack_map", "attacks_mask"], &positions);
    let mut mates = 0;
    for (row, position) in positions.iter().enumerate() {
        let mover = position.turn().name();
        let mut expected: Vec<(String, String, bool)> = Vec::new();
        for mv in position.legal_moves().iter() {
            let after = position.play(mv);
            if after.is_check() {
                let (uci, san) = (Uci::of(position, mv), San::of(position, mv));
                expected.push((uci.to_string(), san.to_string(), after.is_checkmate()));
            }
        }
        expected.sort();
        let column =
            |list: &str, field: &str| texts(&batch, &format!("{mover}_{list}"), row, field);
        let listed = |list: &str| {
            let moves = column(list, "uci").into_iter().zip(column(list, "san"));
            let mut moves: Vec<_> = moves.map(|(a, b)| (a.unwrap(), b.unwrap())).collect();
            moves.sort();
            moves
        };
        let both = |only_mates: bool| {
            let moves = expected.iter().filter(|(.., mate)| *mate || !only_mates);
            moves.map(|(uci, san, _)| (uci.clone(), san.clone())).collect::<Vec<_>>()
        };
        assert_eq!(listed("checks"), both(false), "{position}");
        assert_eq!(listed("mates"), both(true), "{position}");
        mates += listed("mates").len();
        let count = |name: &str| {
            let column = batch.column_by_name(&format!("{mover}_{name}")).unwrap();
            usize::from(column.as_primitive::<UInt8Type>().value(row))
        };
        assert_eq!(count("checking_moves"), both(false).len());
        assert_eq!(count("mating_moves"), both(true).len());
        for mv in column("checks", "uci") {
            let mv = mv.unwrap().parse::<Uci>().unwrap().find(position).unwrap();
            let captured = tables::chess::captured(position, mv).map(Role::name);
            let at = column("checks", "uci")
                .iter()
                .position(|uci| uci.as_deref() == Some(&*Uci::of(position, mv).to_string()));
            assert_eq!(column("checks", "captured")[at.unwrap()].as_deref(), captured);
        }
        for color in Color::ALL {
            let map = format!("{}_attack_map", color.name());
            let board = position.board();
            let squares = texts(&batch, &map, row, "square");
            assert_eq!(
                squares
                    .iter()
                    .flatten()
                    .filter_map(|name| Square::from_ascii(name.as_bytes()))
                    .collect::<Bitboard>()
                    .0,
                batch
                    .column_by_name(&format!("{}_attacks_mask", color.name()))
                    .unwrap()
                    .as_primitive::<UInt64Type>()
                    .value(row)
            );
            for (square, by) in squares.iter().zip(texts(&batch, &map, row, "attackers")) {
                let square = Square::from_ascii(square.as_ref().unwrap().as_bytes()).unwrap();
                let by: Bitboard = by
                    .unwrap()
                    .split(' ')
                    .map(|name| Square::from_ascii(name.as_bytes()).unwrap())
                    .collect();
                assert_eq!(by, board.attackers(square, color, board.occupied()), "{position}");
            }
        }
    }
    assert!(mates > 20, "{mates}");
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
    // Moves and lines of no level are computed only for the sides that ask.
    let parts =
        |names: &[&str]| Selection::parse(names.iter().copied()).unwrap().extra_parts(Color::Black);
    assert!(parts(&["everything", "masks", "lists", "attack_map"]).is_empty());
    assert_eq!(parts(&["moves", "xray_defenses"]), ExtraParts::ALL);
    let mover = ExtraParts { black_checks: true, ..ExtraParts::default() };
    assert_eq!(parts(&["mover_mating_moves"]), mover);
    assert_eq!(parts(&["black_checks"]), mover);
    let columns = |names: &[&str]| {
        let selection = Selection::parse(names.iter().copied()).unwrap();
        selection.columns().iter().map(|column| column.name()).collect::<Vec<_>>()
    };
    assert_eq!(columns(&["mover_forks", "white_pinned"]), ["mover_forks", "white_pinned"]);
    assert_eq!(columns(&["opponent_lines"])[..2], ["open_files", "opponent_pawns"]);
    for wrong in ["mover_open_files", "white_", "mover_white_pinned"] {
        assert!(Selection::parse([wrong]).is_err(), "{wrong}");
    }
    let unknown = Selection::parse(["beauty"]).unwrap_err().to_string();
    assert!(unknown.starts_with("'beauty' is neither a fact"), "{unknown}");
}
