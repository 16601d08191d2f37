//! Positions to test on.

use std::{fs, path::Path};

use chess::{Epd, Position};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/chess");

/// Every so many-th position of the fixture, with its FEN.
pub fn positions(step: usize) -> impl Iterator<Item = (String, Position)> {
    let text = fs::read_to_string(Path::new(FIXTURES).join("fens/positions.tsv")).unwrap();
    let fens: Vec<String> =
        text.lines().step_by(step).map(|line| line.split('\t').next().unwrap().into()).collect();
    fens.into_iter().map(|fen| {
        let position = fen.parse().unwrap();
        (fen, position)
    })
}

/// The positions of the fixture and those of the perft suites, with Chess960 and with many
/// promoted pieces, and a few that no game leads to.
pub fn all_positions() -> impl Iterator<Item = (String, Position)> {
    let mut found = Vec::new();
    for (suite, step) in [("chess960", 1), ("tricky", 1), ("perftsuite", 1), ("random", 5)] {
        let path = Path::new(FIXTURES).join(format!("perft/{suite}.epd"));
        for line in fs::read_to_string(path).unwrap().lines().step_by(step) {
            let position = line.parse::<Epd>().unwrap().position;
            found.push((position.to_string(), position));
        }
    }
    for fen in EXTREMES {
        found.push((fen.to_owned(), fen.parse().unwrap()));
    }
    positions(1).chain(found)
}

/// As many sliders, lines and forks as there can be.
const EXTREMES: [&str; 6] = [
    "k1q1q1q1/8/q1q1q1q1/8/Q1Q1Q1Q1/8/Q1Q1Q1Q1/K7 w - - 0 1",
    "QQQQQQQQ/7Q/5n2/3k4/3n4/8/7Q/QQQQQ1K1 b - - 0 1",
    "k7/1p6/qqqqqqqq/3qqqqq/3QQQQQ/QQQQQQQQ/1P6/K7 w - - 0 1",
    "R6R/3Q4/1Q4Q1/4Q3/2Q4Q/Q4Q2/pp1Q4/kBNN1KB1 b - - 0 1",
    "k7/7b/3n1n2/2n3n1/4R3/2n3n1/3n1n2/K6b w - - 0 1",
    "n1n3nk/1P1P1P2/8/8/8/8/2p1p1p1/1N3N1K w - - 0 1",
];
