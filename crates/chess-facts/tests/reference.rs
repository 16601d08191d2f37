//! Every position of the fixture, every fact of the plain reference.
//!
//! | reference | here |
//! |---|---|
//! | `pieces[..].att`, `pieces[..].def` | `Facts::attackers` by the enemy, by the owner |
//! | `attacked`, `loose`, `undefended` | the same names; literal `attacked` adds a king in check |
//! | `hanging_literal` | `hanging_count`; literal adds a king with more attackers than defenders |
//! | `hanging_see` | `hanging` |
//! | `pinned`, `pinned_literal` | `pinned` by `Std`, by `Literal`, which leaves out pawns |
//! | `pinned_rel`, `skewer`, `discover`, `xray` | `relative_pins`, `skewers`, `discovered`, `xrays` |
//! | `skewered_literal` | `skewered` by `Literal` |
//! | `developed_literal`, `home_minors`, `checks` | `developed`, `home_minors`, `checkers` |
//! | `fork_now` | `forks` |
//! | `pawns.all` to `pawns.passed_front` | the same names; `backward_literal` is `backward` by `Literal` |
//!
//! No position was found on which the reference is wrong by the definitions.

use std::{collections::BTreeMap, fs, io::Read, path::Path};

use chess::{Bitboard, Color, Piece, Position, Role, Square};
use chess_facts::{Definitions, Facts, Level, Line};
use flate2::read::GzDecoder;
use serde_json::Value;

#[test]
fn every_fact_of_the_reference_is_found() {
    let directory = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/chess/fens"));
    let fens = fs::read_to_string(directory.join("positions.tsv")).unwrap();
    let mut expected = String::new();
    let packed = fs::File::open(directory.join("positions.facts.jsonl.gz")).unwrap();
    GzDecoder::new(packed).read_to_string(&mut expected).unwrap();

    let mut std = Facts::empty();
    let mut literal = Facts::empty();
    let mut positions = 0;
    for (line, expected) in fens.lines().zip(expected.lines()) {
        let fen = line.split('\t').next().unwrap();
        let position: Position = fen.parse().unwrap();
        let expected: Value = serde_json::from_str(expected).unwrap();
        assert_eq!(expected["fen"], fen);
        std.compute(&position, Level::Everything, Definitions::Std);
        literal.compute(&position, Level::Everything, Definitions::Literal);
        compare(&std, &literal, &expected, fen);
        positions += 1;
    }
    assert_eq!(
        (positions, fens.lines().count(), expected.lines().count()),
        (10_840, 10_840, 10_840)
    );
}

fn compare(std: &Facts, literal: &Facts, expected: &Value, fen: &str) {
    let pieces = expected["pieces"].as_object().unwrap();
    assert_eq!(std.board.occupied().len() as usize, pieces.len(), "{fen}");
    for (name, man) in pieces {
        let square = Square::from_ascii(name.as_bytes()).unwrap();
        let Piece { color, .. } = std.board.piece_at(square).unwrap();
        for (key, by) in [("att", !color), ("def", color)] {
            let found = std.attackers(square, by);
            assert_eq!(found, set(&man[key]), "{key} of {square} in {fen}");
            assert_eq!(std.attack_count(square, by), found.len(), "{key} of {square} in {fen}");
        }
    }
    for color in Color::ALL {
        compare_side(std, literal, color, &expected[color.letter().to_string()], fen);
    }
}

fn compare_side(std: &Facts, literal: &Facts, color: Color, expected: &Value, fen: &str) {
    let ours = &std[color];
    let theirs = &literal[color];
    let king = std.board.by_piece(color, Role::King);
    let square = king.first().unwrap();
    let checkers = std.attackers(square, !color);
    let checked = if checkers.is_empty() { Bitboard::EMPTY } else { king };
    let outnumbered =
        if checkers.len() > std.attackers(square, color).len() { king } else { Bitboard::EMPTY };
    let pawns = &expected["pawns"];
    let sets = [
        ("attacked", ours.attacked, set(&expected["attacked"])),
        ("attacked, literal", theirs.attacked, set(&expected["attacked"]) | checked),
        ("loose", ours.loose, set(&expected["loose"])),
        ("undefended", ours.undefended, set(&expected["undefended"])),
        ("hanging_count", ours.hanging_count, set(&expected["hanging_literal"])),
        (
            "hanging_count, literal",
            theirs.hanging_count,
            set(&expected["hanging_literal"]) | outnumbered,
        ),
        ("pinned", ours.pinned, set(&expected["pinned"])),
        ("pinned, literal", theirs.pinned, set(&expected["pinned_literal"])),
        ("skewered, literal", theirs.skewered, set(&expected["skewered_literal"])),
        ("developed", ours.developed, set(&expected["developed_literal"])),
        ("home_minors", ours.home_minors, set(&expected["home_minors"])),
        ("checkers", ours.checkers, set(&expected["checks"])),
        ("pawns", ours.pawns.all, set(&pawns["all"])),
        ("doubled", ours.pawns.doubled, set(&pawns["doubled"])),
        ("isolated", ours.pawns.isolated, set(&pawns["isolated"])),
        ("backward", ours.pawns.backward, set(&pawns["backward"])),
        ("backward, literal", theirs.pawns.backward, set(&pawns["backward_literal"])),
        ("behind_all", ours.pawns.behind_all, set(&pawns["behind_all"])),
        ("passed", ours.pawns.passed, set(&pawns["passed"])),
        ("passed_front", ours.pawns.passed_front, set(&pawns["passed_front"])),
    ];
    for (name, found, expected) in sets {
        assert_eq!(found, expected, "{} {name} in {fen}", color.name());
    }
    let lists = [
        ("relative_pins", &ours.relative_pins[..], &expected["pinned_rel"]),
        ("skewers", &ours.skewers, &expected["skewer"]),
        ("discovered", &ours.discovered, &expected["discover"]),
        ("xrays", &ours.xrays, &expected["xray"]),
    ];
    for (name, found, expected) in lists {
        assert_eq!(sorted(found), lines(expected), "{} {name} in {fen}", color.name());
    }
    let hanging: BTreeMap<Square, u64> =
        ours.hanging.iter().map(|hanging| (hanging.square, hanging.gain.into())).collect();
    let gains = expected["hanging_see"].as_object().unwrap().iter();
    let gains: BTreeMap<Square, u64> =
        gains.map(|(name, gain)| (named(name), gain.as_u64().unwrap())).collect();
    assert_eq!(hanging, gains, "{} hanging in {fen}", color.name());
    let forks: BTreeMap<Square, Vec<Square>> =
        ours.forks.iter().map(|fork| (fork.forker, fork.targets.collect())).collect();
    let targets = expected["fork_now"].as_object().unwrap().iter();
    let targets: BTreeMap<Square, Vec<Square>> =
        targets.map(|(name, targets)| (named(name), set(targets).collect())).collect();
    assert_eq!(forks, targets, "{} forks in {fen}", color.name());
}

fn named(name: &str) -> Square {
    Square::from_ascii(name.as_bytes()).unwrap()
}

fn set(names: &Value) -> Bitboard {
    names.as_array().unwrap().iter().map(|name| named(name.as_str().unwrap())).collect()
}

fn lines(triples: &Value) -> Vec<Line> {
    let triples = triples.as_array().unwrap().iter();
    let mut lines: Vec<Line> = triples
        .map(|triple| {
            let [slider, front, back] = [0, 1, 2].map(|at| named(triple[at].as_str().unwrap()));
            Line { slider, front, back }
        })
        .collect();
    lines.sort();
    lines
}

fn sorted(lines: &[Line]) -> Vec<Line> {
    let mut lines = lines.to_vec();
    lines.sort();
    lines
}
