//! Kalah solved row by row, against known values, plain recursion and breadth-first search.

#[allow(dead_code, reason = "each test asks for a part of it")]
mod kalah_recursion;

use std::{collections::HashMap, time::Duration};

use game::{Game, Score};
use kalah::{Kalah, Position, Rules, pie};
use kalah_recursion::{Known, known_values, recursion, slow};
use solver::{Header, Limits, Memory, Next, Row, Solution, SolveError, every_row, solve};

fn solved(kalah: &Kalah, limits: &Limits) -> (Memory, Solution) {
    let mut store = Memory::new(Header::of(kalah));
    let solution = solve(kalah, &mut store, limits, &mut |_| Next::Continue).expect("a solution");
    (store, solution)
}

fn rows(store: &mut Memory) -> Vec<Row> {
    let mut rows = Vec::new();
    every_row(store, &mut |row| rows.push(*row)).expect("rows");
    rows
}

/// The fewest moves to every position, level by level.
fn fewest_moves(kalah: &Kalah) -> HashMap<Position, u16> {
    let mut depths = HashMap::from([(kalah.start(), 0)]);
    let mut level = vec![kalah.start()];
    for depth in 1.. {
        let mut next = Vec::new();
        for position in &level {
            for pit in kalah.moves(position) {
                let to = kalah.sow(position, pit).to;
                depths.entry(to).or_insert_with(|| {
                    next.push(to);
                    depth
                });
            }
        }
        if next.is_empty() {
            break;
        }
        level = next;
    }
    depths
}

#[test]
fn values_are_the_known_ones() {
    for Known { pits, seeds, rules, value } in known_values() {
        if pits == 4 && seeds > if slow() { 4 } else { 3 } {
            println!("not run: {pits} pits with {seeds} seeds under {rules}");
            continue;
        }
        let kalah = Kalah::new(pits, seeds, rules).expect("a size");
        let (_, solution) = solved(&kalah, &Limits::default());
        assert_eq!(solution.verdict.score, Score(value), "{}", kalah.name());
        if (pits, seeds, rules) == (4, 3, Rules::STD_EITHER) {
            assert_eq!(solution.positions, 849_460);
        }
    }
}

#[test]
fn every_row_is_what_recursion_and_breadth_first_search_say() {
    for rules in Rules::ALL {
        let quick = [(1, 6), (2, 3), (2, 6), (3, 2), (3, 3), (3, 4), (4, 2)];
        let long = [(3, 5), (3, 6), (4, 3), (4, 4), (5, 2), (6, 1)];
        for (pits, seeds) in quick.into_iter().chain(long) {
            if long.contains(&(pits, seeds)) && !slow() {
                println!("not run: {pits} pits with {seeds} seeds under {rules}");
                continue;
            }
            let kalah = Kalah::new(pits, seeds, rules).expect("a size");
            let (mut store, solution) = solved(&kalah, &Limits::default());
            let mut known = HashMap::new();
            let value = recursion(&kalah, &kalah.start(), &mut known);
            assert_eq!(solution.verdict.score, value);
            let depths = fewest_moves(&kalah);
            let rows = rows(&mut store);
            assert_eq!(rows.len(), depths.len());
            for row in rows {
                let position = kalah.unpack(row.key).expect("a position");
                assert_eq!(row.rank, kalah.rank(&position));
                assert_eq!(Some(&row.depth), depths.get(&position), "{position}");
                let verdict = row.verdict.expect("it is settled");
                assert_eq!(known.get(&position), Some(&verdict.score), "{position}");
            }
        }
    }
}

#[test]
fn the_rows_do_not_depend_on_memory_threads_or_commits() {
    let kalah = Kalah::new(4, 2, Rules::STD_EITHER).expect("a size");
    let expected = rows(&mut solved(&kalah, &Limits::default()).0);
    let often = Duration::ZERO;
    for (memory, commit_every) in [(0, Limits::default().commit_every), (20_000, often)] {
        let (mut store, _) = solved(&kalah, &Limits { memory, commit_every });
        assert!(rows(&mut store) == expected, "{memory} bytes");
    }
    for threads in [1, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let (mut store, _) = pool.install(|| solved(&kalah, &Limits::default()));
        assert!(rows(&mut store) == expected, "{threads} threads");
    }
}

#[test]
fn work_that_is_stopped_after_every_rank_ends_the_same() {
    let kalah = Kalah::new(3, 3, Rules::STD_EITHER).expect("a size");
    let expected = rows(&mut solved(&kalah, &Limits::default()).0);
    let mut store = Memory::new(Header::of(&kalah));
    let mut stops = 0;
    loop {
        match solve(&kalah, &mut store, &Limits::default(), &mut |_| Next::Stop) {
            Ok(_) => break,
            Err(SolveError::Stopped) => stops += 1,
            Err(error) => panic!("{error}"),
        }
    }
    assert!(stops > 100, "{stops}");
    assert!(rows(&mut store) == expected);
}

#[test]
fn progress_counts_every_position_once_in_each_pass() {
    let kalah = Kalah::new(3, 2, Rules::EMPTY_MOVER).expect("a size");
    let mut store = Memory::new(Header::of(&kalah));
    let mut last = HashMap::new();
    let mut watch = |progress: &solver::Progress| {
        assert!(progress.done <= progress.known);
        last.insert(format!("{:?}", progress.pass), (progress.done, progress.known));
        Next::Continue
    };
    let limits = Limits { memory: 1_000, ..Limits::default() };
    let solution = solve(&kalah, &mut store, &limits, &mut watch).expect("a solution");
    let all = (solution.positions, solution.positions);
    assert_eq!(last, HashMap::from([("Explore".to_owned(), all), ("Settle".to_owned(), all)]));
}

#[test]
fn with_the_pie_rule_nobody_wants_the_other_side() {
    for (pits, seeds) in [(2, 3), (3, 3), (4, 2)] {
        let kalah = Kalah::new(pits, seeds, Rules::STD_EITHER).expect("a size");
        let mut known = HashMap::new();
        let value = recursion(&kalah, &kalah.start(), &mut known);
        let openings = pie::openings(&kalah, |to| known.get(to).copied()).expect("all known");
        let plain = openings.iter().map(|opening| opening.value).max();
        assert_eq!(plain, Some(value), "without swapping, the best opening is the game's value");
        let best = pie::best(&openings).expect("an opening");
        assert!(best.with_swap <= Score(0));
        assert!(openings.iter().all(|opening| opening.value.0.abs() >= -best.with_swap.0));
    }
}
