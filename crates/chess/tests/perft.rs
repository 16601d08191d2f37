//! Node counts of the well-known suites: `perftsuite` and `tricky` completely, the two large
//! ones to depth 4, or to depth 5 under `EVERYPLY_SLOW=1`.

use std::thread;

use chess::{Epd, PerftTable, Position, perft};

const SUITES: [(&str, &str); 4] = [
    ("perftsuite", include_str!("../../../fixtures/chess/perft/perftsuite.epd")),
    ("chess960", include_str!("../../../fixtures/chess/perft/chess960.epd")),
    ("random", include_str!("../../../fixtures/chess/perft/random.epd")),
    ("tricky", include_str!("../../../fixtures/chess/perft/tricky.epd")),
];

#[test]
fn counts_of_perftsuite_are_the_listed_ones() {
    check("perftsuite", 127, 6);
}

#[test]
fn counts_of_chess960_are_the_listed_ones() {
    check("chess960", 960, if slow() { 5 } else { 4 });
}

#[test]
fn counts_of_random_are_the_listed_ones() {
    check("random", 6752, if slow() { 5 } else { 4 });
}

#[test]
fn counts_of_tricky_are_the_listed_ones() {
    check("tricky", 19, 6);
}

#[test]
fn divide_sums_to_perft() {
    let (_, suite) = SUITES[3];
    for line in suite.lines() {
        let position = line.parse::<Epd>().unwrap().position;
        let divided: u64 = chess::divide(&position, 3).iter().map(|(_, nodes)| nodes).sum();
        assert_eq!(divided, perft(&position, 3), "{line}");
    }
}

#[test]
fn perft_equals_playing_every_move() {
    for (name, suite) in SUITES {
        for line in suite.lines().step_by(17) {
            let position = line.parse::<Epd>().unwrap().position;
            assert_eq!(perft(&position, 2), plain_perft(&position, 2), "{name}: {line}");
        }
    }
}

/// Small tables, so that entries are replaced all the time; one for all positions of a suite.
#[test]
fn counts_with_a_table_are_those_without() {
    for bytes in [1, 4096, 1 << 22] {
        let table = PerftTable::new(bytes).unwrap();
        for (name, suite) in SUITES {
            for line in suite.lines().step_by(if name == "random" { 61 } else { 7 }) {
                let position = line.parse::<Epd>().unwrap().position;
                for depth in 0..=3 {
                    let counted = (table.perft(&position, depth), perft(&position, depth));
                    assert_eq!(counted.0, counted.1, "{bytes} bytes, {name}: {depth} of {line}");
                }
            }
        }
    }
}

#[test]
fn threads_that_share_a_small_table_count_right() {
    let positions: Vec<Position> =
        SUITES[3].1.lines().map(|line| line.parse::<Epd>().unwrap().position).collect();
    let counts: Vec<u64> = positions.iter().map(|position| perft(position, 4)).collect();
    for bytes in [64, 1024] {
        let table = PerftTable::new(bytes).unwrap();
        let work = || {
            for (position, &nodes) in positions.iter().zip(&counts) {
                assert_eq!(table.perft(position, 4), nodes, "{bytes} bytes: {position}");
            }
        };
        thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
    }
}

#[test]
fn a_table_that_no_memory_holds_is_an_error() {
    assert!(PerftTable::new(usize::MAX).is_err());
}

/// Counts without bulk: every legal move is made, down to the last ply.
fn plain_perft(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    position.legal_moves().iter().map(|mv| plain_perft(&position.play(mv), depth - 1)).sum()
}

fn check(name: &str, positions: usize, deepest: u32) {
    let (_, suite) = SUITES.into_iter().find(|suite| suite.0 == name).unwrap();
    let mut checked = 0;
    let mut left_out = 0;
    for line in suite.lines() {
        let epd: Epd = line.parse().unwrap_or_else(|error| panic!("{name}: {line}: {error}"));
        for depth in 1..=6 {
            let Some(operands) = epd.operands(&format!("D{depth}")) else { continue };
            let nodes: u64 = operands[0].as_str().parse().unwrap();
            if depth > deepest {
                left_out += 1;
                continue;
            }
            assert_eq!(perft(&epd.position, depth), nodes, "{name}: depth {depth} of {line}");
        }
        checked += 1;
    }
    assert_eq!(checked, positions, "{name} has as many positions as it should");
    if left_out > 0 {
        println!("{name}: {left_out} counts not run (see EVERYPLY_SLOW and bench perft-all)");
    }
}

fn slow() -> bool {
    std::env::var_os("EVERYPLY_SLOW").is_some_and(|value| value == "1")
}
