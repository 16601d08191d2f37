//! Verification finds what was changed, counting counts, lines keep their promise.

use std::ops::ControlFlow;

use game::{Game, Key, MoveId, Rank, Score, Turn, Verdict};
use kalah::{Kalah, Rules};
use solver::{
    Count, Fault, Found, Header, Limits, Memory, Next, Row, Sample, Settled, Stage, Store, line,
    lookup, repair, solve, statistics, verify,
};

const LIMITS: Limits = Limits { memory: 10_000, commit_every: std::time::Duration::MAX };

fn kalah() -> Kalah {
    Kalah::new(3, 3, Rules::STD_EITHER).expect("a size")
}

fn solved(kalah: &Kalah) -> Memory {
    let mut store = Memory::new(Header::of(kalah));
    solve(kalah, &mut store, &LIMITS, &mut |_| Next::Continue).expect("a solution");
    store
}

fn rows(store: &mut Memory) -> Vec<Row> {
    let mut rows = Vec::new();
    let mut visit = |batch: &[Row]| {
        rows.extend_from_slice(batch);
        ControlFlow::Continue(())
    };
    store.scan(Rank::default()..=Rank::MAX, &mut visit).expect("rows");
    rows
}

/// The rows of a solved store with some left out or changed.
fn changed(kalah: &Kalah, change: impl Fn(usize, Row) -> Option<Row>) -> Memory {
    let rows = rows(&mut solved(kalah));
    let mut store = Memory::new(Header::of(kalah));
    for (at, row) in rows.into_iter().enumerate() {
        let Some(row) = change(at, row) else { continue };
        store.add(row.rank, &[Found { key: row.key, depth: row.depth }]).expect("added");
        if let Some(verdict) = row.verdict {
            store.settle(row.rank, &[Settled { key: row.key, verdict }]).expect("settled");
        }
    }
    store.commit(Stage::Solved).expect("committed");
    store
}

fn faults(kalah: &Kalah, store: &mut Memory) -> Vec<Fault> {
    let report = verify(kalah, store, Sample::All, &LIMITS, &mut |_, _| Next::Continue);
    let report = report.expect("a report");
    assert_eq!(report.wrong, report.faults.len() as u64);
    report.faults
}

#[test]
fn a_solved_store_has_no_fault() {
    let kalah = kalah();
    let mut store = solved(&kalah);
    assert_eq!(faults(&kalah, &mut store), []);
    let sample = Sample::Some { rows: 500, seed: 7 };
    let report = verify(&kalah, &mut store, sample, &LIMITS, &mut |_, _| Next::Continue);
    let report = report.expect("a report");
    assert_eq!((report.checked, report.rows, report.wrong), (500, 7_779, 0));
}

#[test]
fn every_wrong_missing_and_foreign_row_is_named() {
    let kalah = kalah();
    let all = rows(&mut solved(&kalah));
    for at in (0..all.len()).step_by(397) {
        let row = all[at];
        let verdict = row.verdict.expect("settled");
        let lie = Verdict { score: Score(verdict.score.0 + 2), ..verdict };
        let mut store = changed(&kalah, |here, row| {
            Some(if here == at { Row { verdict: Some(lie), ..row } } else { row })
        });
        let wrong = Fault::Wrong { row: Row { verdict: Some(lie), ..row }, derived: verdict };
        assert!(faults(&kalah, &mut store).contains(&wrong), "row {at}");

        let mut store = changed(&kalah, |here, row| (here != at).then_some(row));
        let missing = Fault::Missing { rank: row.rank, key: row.key };
        assert!(faults(&kalah, &mut store).contains(&missing), "row {at}");

        let bare = Row { verdict: None, ..row };
        let mut store = changed(&kalah, |here, row| Some(if here == at { bare } else { row }));
        assert!(faults(&kalah, &mut store).contains(&Fault::Unsettled(bare)), "row {at}");

        let moved = Row { rank: Rank { step: row.rank.step + 1, ..row.rank }, ..row };
        let mut store = changed(&kalah, |here, row| Some(if here == at { moved } else { row }));
        assert!(faults(&kalah, &mut store).contains(&Fault::Foreign(moved)), "row {at}");
    }
}

#[test]
fn d8_what_is_damaged_is_solved_again() {
    let kalah = kalah();
    let sound = rows(&mut solved(&kalah));
    for at in (0..sound.len()).step_by(997) {
        let damage: [&dyn Fn(Row) -> Option<Row>; 4] = [
            &|_| None,
            &|row| Some(Row { verdict: None, ..row }),
            &|row| Some(Row { rank: Rank { step: row.rank.step + 1, ..row.rank }, ..row }),
            &|row| {
                let verdict = row.verdict.expect("settled");
                let lie = Verdict { score: Score(verdict.score.0 - 2), ..verdict };
                Some(Row { verdict: Some(lie), ..row })
            },
        ];
        for damage in damage {
            let mut store =
                changed(&kalah, |here, row| if here == at { damage(row) } else { Some(row) });
            let report =
                verify(&kalah, &mut store, Sample::All, &LIMITS, &mut |_, _| Next::Continue);
            let damaged = report.expect("a report").damaged;
            let solution = repair(&kalah, &mut store, &damaged, &LIMITS, &mut |_| Next::Continue);
            assert_eq!(solution.expect("a solution").positions, sound.len() as u64);
            assert!(rows(&mut store) == sound, "row {at}");
        }
    }
}

#[test]
fn a_wrong_best_move_is_a_fault() {
    let kalah = kalah();
    let mut store = changed(&kalah, |at, row| {
        let verdict = row.verdict.expect("settled");
        let other = Verdict { best: Some(MoveId(9)), ..verdict };
        Some(if at == 5_000 { Row { verdict: Some(other), ..row } } else { row })
    });
    assert_eq!(faults(&kalah, &mut store).len(), 1);
}

#[test]
fn a_store_that_is_not_finished_is_not_right() {
    let kalah = kalah();
    let mut store = Memory::new(Header::of(&kalah));
    assert_eq!(faults(&kalah, &mut store).len(), 1);
}

#[test]
fn a_key_of_no_position_is_an_error_of_both_passes() {
    let kalah = kalah();
    let mut store = Memory::new(Header::of(&kalah));
    let key = Key(u128::MAX);
    store.add(Rank { level: 18, step: 1 }, &[Found { key, depth: 1 }]).expect("added");
    let error = solve(&kalah, &mut store, &LIMITS, &mut |_| Next::Continue).expect_err("foreign");
    assert!(error.to_string().contains("is not a position of kalah pits=3 seeds=3"), "{error}");
}

#[test]
fn counts_add_up() {
    let kalah = kalah();
    let mut store = solved(&kalah);
    let rows = rows(&mut store);
    let statistics = statistics(&kalah, &mut store).expect("counts");
    let total = rows.len() as u64;
    assert_eq!(statistics.by_rank.values().map(|count| count.positions).sum::<u64>(), total);
    assert_eq!(statistics.by_level.values().map(Count::settled).sum::<u64>(), total);
    assert_eq!(statistics.by_depth.values().map(|count| count.positions).sum::<u64>(), total);
    assert_eq!(statistics.by_score.values().map(|count| count.positions).sum::<u64>(), total);
    assert_eq!(statistics.by_moves.values().map(|count| count.positions).sum::<u64>(), total);
    let moves = |row: &&solver::Row| {
        let position = kalah.unpack(row.key).expect("a position");
        kalah.outcome(&position).map_or(kalah.moves(&position).count(), |_| 0)
    };
    for (number, count) in &statistics.by_moves {
        let alike = rows.iter().filter(|row| moves(row) == usize::from(*number));
        assert_eq!(alike.count() as u64, count.positions, "{number} moves");
    }
    assert_eq!(statistics.by_depth[&0].positions, 1);
    assert_eq!(
        statistics.by_level[&18].positions,
        rows.iter().filter(|r| r.rank.level == 18).count() as u64
    );
}

#[test]
fn the_line_gains_what_the_value_says() {
    for rules in Rules::ALL {
        let kalah = Kalah::new(3, 3, rules).expect("a size");
        let mut store = solved(&kalah);
        let start = kalah.start();
        let line = line(&kalah, &start, |position| {
            let row = lookup(&kalah, &mut store, position)?.expect("every position is there");
            Ok::<_, solver::StoreError>(row.verdict.expect("settled"))
        });
        let line = line.expect("a line");
        // Add the gains up from the first player's view.
        let (mut sign, mut total) = (1, 0);
        for step in &line {
            total += sign * step.edge.gain.0;
            if step.edge.turn == Turn::Passes {
                sign = -sign;
            }
        }
        let last = line.last().expect("a move").edge.to;
        total += sign * kalah.outcome(&last).expect("play is over").0;
        assert_eq!(Score(total), line[0].verdict.score, "{rules}");
    }
}
