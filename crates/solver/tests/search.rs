//! Search down to tables, against known values, recursion and the tables themselves.

mod kalah_recursion;

use std::collections::HashMap;

use game::{Game, Turn, judge};
use kalah::{Kalah, Rules, Sheets};
use kalah_recursion::{known_values, recursion, slow};
use solver::{
    Next,
    search::{Found, SearchLimits, search},
    table::{BuildLimits, Directory, Table, TableError, build},
};

/// Searches a start down to a table of so many seeds.
fn searched(kalah: &Kalah, floor: u32, memory: usize) -> Found<kalah::Position> {
    let sheets = Sheets::new(kalah.pits(), floor, kalah.rules()).expect("a size");
    let directory = tempfile::tempdir().expect("a directory");
    let place = Directory::new(directory.path());
    build(&sheets, &place, &BuildLimits::default(), &mut |_| Next::Continue).expect("a table");
    let mut table = Table::open(&sheets, &place, 1 << 28).expect("a table");
    let limits = SearchLimits { memory };
    search(&mut table, &kalah.start(), &limits, &mut |_| Next::Continue).expect("an answer")
}

#[test]
fn searches_have_the_known_values() {
    for row in known_values() {
        let seeds = row.start_seeds();
        if row.pits == 4 && row.seeds > 4 && !slow() {
            println!("{} pits, {} seeds: not run without EVERYPLY_SLOW=1", row.pits, row.seeds);
            continue;
        }
        let kalah = Kalah::new(row.pits, row.seeds, row.rules).expect("a size");
        let floor = (seeds / 2).min(if row.pits == 4 { 18 } else { 127 });
        let found = searched(&kalah, floor, 1 << 26);
        assert_eq!(found.verdict.score.0, row.value, "{}", kalah.name());
        println!("{}: {}, {} nodes", kalah.name(), found.verdict.score, found.nodes);
    }
}

#[test]
fn value_best_move_and_line_are_those_of_recursion() {
    for (pits, seeds) in [(1, 9), (2, 5), (3, 3), (4, 2), (5, 1)] {
        for rules in Rules::ALL {
            let kalah = Kalah::new(pits, seeds, rules).expect("a size");
            let mut known = HashMap::new();
            recursion(&kalah, &kalah.start(), &mut known);
            // Any floor, and memory for two bounds or for all.
            for (floor, memory) in [(0, 64), (0, 1 << 20), (kalah.seeds() / 2, 1 << 20)] {
                let found = searched(&kalah, floor, memory);
                assert_eq!(Some(&found.verdict.score), known.get(&kalah.start()));
                let mut position = kalah.start();
                for step in &found.line {
                    let expected = judge(&kalah, &position, |to| known.get(to).copied());
                    assert_eq!(Ok(Some(step.verdict)), expected, "{}: {position}", kalah.name());
                    position = step.edge.to;
                }
                assert!(kalah.outcome(&position).is_some(), "the line ends early");
            }
        }
    }
}

#[test]
fn a_line_adds_up_to_the_value() {
    let kalah = Kalah::new(4, 3, Rules::EMPTY_EITHER).expect("a size");
    let found = searched(&kalah, 10, 1 << 24);
    let (mut sum, mut sign) = (0, 1);
    for step in &found.line {
        sum += sign * step.edge.gain.0;
        if step.edge.turn == Turn::Passes {
            sign = -sign;
        }
    }
    let end = found.line.last().expect("a move").edge.to;
    sum += sign * kalah.outcome(&end).expect("the end").0;
    assert_eq!(sum, found.verdict.score.0);
}

#[test]
fn nodes_are_the_same_every_time_and_a_search_can_be_stopped() {
    let kalah = Kalah::new(4, 4, Rules::STD_EITHER).expect("a size");
    let (once, again) = (searched(&kalah, 12, 1 << 24), searched(&kalah, 12, 1 << 24));
    assert_eq!(once, again);
    let sheets = Sheets::new(6, 2, kalah.rules()).expect("a size");
    let directory = tempfile::tempdir().expect("a directory");
    let place = Directory::new(directory.path());
    build(&sheets, &place, &BuildLimits::default(), &mut |_| Next::Continue).expect("a table");
    let mut table = Table::open(&sheets, &place, 1 << 20).expect("a table");
    let long = Kalah::new(6, 6, kalah.rules()).expect("a size");
    let stopped =
        search(&mut table, &long.start(), &SearchLimits { memory: 1 << 20 }, &mut |_| Next::Stop);
    assert!(matches!(stopped, Err(TableError::Stopped)));
    let beyond = Kalah::new(6, 20, kalah.rules()).expect("a size");
    let refused =
        search(&mut table, &beyond.start(), &SearchLimits::default(), &mut |_| Next::Stop);
    assert_eq!(refused.err(), Some(TableError::Beyond(240)));
    let memory = usize::MAX / 4;
    let refused = search(&mut table, &long.start(), &SearchLimits { memory }, &mut |_| Next::Stop);
    assert_eq!(refused.err(), Some(TableError::NoMemory(memory)), "more than any machine has");
}
