//! The plies to the end, against plain recursion.

#[path = "../examples/rows.rs"]
#[allow(dead_code, reason = "the example is a program")]
mod rows;

use std::collections::HashMap;

use game::{Game, Key, MoveId, Turn, Verdict, judge};
use kalah::{Kalah, Rules};
use rows::Rows;
use solver::{
    FORMAT, Found, Header, Limits, Memory, Next, OLDEST_FORMAT, Sample, Settled, Stage, Store,
    StoreError, every_row, line, lookup, solve, verify,
};

/// Value, plies to the end and best move of every position from here on.
type Known = HashMap<Key, (i32, u16, Option<MoveId>)>;

fn recursion<G: Game>(game: &G, position: &G::Position, known: &mut Known) -> (i32, u16) {
    let key = game.pack(position);
    if let Some((value, plies, _)) = known.get(&key) {
        return (*value, *plies);
    }
    let mut moves = Vec::new();
    match game.outcome(position) {
        Some(score) => {
            known.insert(key, (score.0.into(), 0, None));
            return (score.0.into(), 0);
        }
        None => game.edges(position, |edge| moves.push(edge)),
    }
    let reached: Vec<(i32, u16)> = moves
        .iter()
        .map(|edge| {
            let (value, plies) = recursion(game, &edge.to, known);
            let sign = if edge.turn == Turn::Keeps { 1 } else { -1 };
            (i32::from(edge.gain.0) + sign * value, plies)
        })
        .collect();
    let value = reached.iter().map(|(value, _)| *value).max().expect("a move");
    let plies = reached.iter().filter(|(worth, _)| *worth == value).map(|(_, plies)| *plies);
    let plies = if value < 0 { plies.max() } else { plies.min() }.expect("a best move");
    let best = reached.iter().position(|reached| *reached == (value, plies)).expect("it is there");
    known.insert(key, (value, plies + 1, Some(moves[best].mv)));
    (value, plies + 1)
}

fn solved<G: Game>(game: &G) -> Memory {
    let mut store = Memory::new(Header::of(game));
    solve(game, &mut store, &Limits::default(), &mut |_| Next::Continue).expect("a solution");
    store
}

/// Compares every position, and returns how many there are.
fn compare<G: Game>(game: &G) -> usize {
    let mut known = Known::new();
    recursion(game, &game.start(), &mut known);
    let (mut store, mut rows) = (solved(game), Vec::new());
    every_row(&mut store, &mut |row| rows.push(*row)).expect("rows");
    assert_eq!(rows.len(), known.len());
    for row in &rows {
        let verdict = row.verdict.expect("it is solved");
        let (value, plies, best) = known[&row.key];
        let place = format!("{}: {:#x}", game.name(), row.key.0);
        assert_eq!(i32::from(verdict.score.0), value, "{place}");
        assert_eq!((verdict.remoteness, verdict.best), (Some(plies), best), "{place}");
        let position = game.unpack(row.key).expect("a position");
        let moves = line(game, &position, |position| {
            let row = lookup(game, &mut store, position)?;
            Ok::<_, StoreError>(row.and_then(|row| row.verdict).expect("it is solved"))
        });
        assert_eq!(moves.expect("a line").len(), usize::from(plies), "{place}");
    }
    rows.len()
}

#[test]
fn remoteness_and_best_moves_are_those_of_recursion() {
    for rules in Rules::ALL {
        let positions = compare(&Kalah::new(3, 3, rules).expect("a size"));
        assert_eq!(positions == 7_779, rules == Rules::STD_EITHER, "{rules}: {positions}");
    }
    let noughts_and_crosses = Rows::new(3, 3, 3, false);
    assert_eq!(compare(&noughts_and_crosses), 5_478);
    let (mut store, start) = (solved(&noughts_and_crosses), noughts_and_crosses.start());
    let row = lookup(&noughts_and_crosses, &mut store, &start).expect("a look-up").expect("a row");
    assert_eq!(row.verdict.expect("a verdict").remoteness, Some(9), "a draw fills the board");
}

#[test]
fn verify_compares_remoteness_where_the_format_has_it() {
    let game = Rows::new(3, 2, 3, false);
    for format in [OLDEST_FORMAT, FORMAT] {
        let (mut sound, header) = (solved(&game), Header::of(&game));
        let mut store = Memory::new(Header { format, ..header });
        let mut rows = Vec::new();
        every_row(&mut sound, &mut |row| rows.push(*row)).expect("rows");
        for row in &rows {
            let position = game.unpack(row.key).expect("a position");
            // As an earlier version did it: the first of the moves with the best value is the best.
            let judged = judge(&game, &position, |to| {
                let row = lookup(&game, &mut sound, to).expect("a look-up");
                row.and_then(|row| row.verdict).map(|verdict| verdict.score)
            });
            let verdict = judged.expect("small numbers").expect("all values");
            let verdict = Verdict { remoteness: None, ..verdict };
            let found = Found { key: row.key, depth: row.depth };
            store.add(row.rank, &[found]).expect("added");
            store.settle(row.rank, &[Settled { key: row.key, verdict }]).expect("settled");
        }
        store.commit(Stage::Solved).expect("committed");
        let watch = &mut |_, _| Next::Continue;
        let report = verify(&game, &mut store, Sample::All, &Limits::default(), watch);
        let wrong = report.expect("a report").wrong;
        assert_eq!(wrong > 0, format == FORMAT, "format {format}: {wrong}");
    }
}
