//! Games that answer in batches: the same rows as position by position, and refusals of rules that
//! are not rules.

#[path = "../examples/rows.rs"]
#[allow(dead_code, reason = "the example is a program")]
mod rows;

use std::sync::atomic::{AtomicU16, Ordering};

use game::{Edge, Game, Key, MoveId, Rank, Score, Turn};
use kalah::{Kalah, Rules};
use rows::Rows;
use solver::{
    Batch, Batched, Edges, Fault, Header, Limits, Memory, Next, Row, Sample, SolveError, Stage,
    Store, every_row, solve, verify,
};

/// Any game, in batches.
struct Whole<G>(G);

impl<G: Game> Batch for Whole<G> {
    fn name(&self) -> String {
        self.0.name()
    }

    fn key_bits(&self) -> u32 {
        self.0.key_bits()
    }

    fn start(&self) -> Key {
        self.0.pack(&self.0.start())
    }

    fn ranks(&self, keys: &[Key]) -> Result<Vec<Rank>, String> {
        Ok(keys.iter().map(|key| self.0.rank(&self.0.unpack(*key).unwrap())).collect())
    }

    fn edges(&self, keys: &[Key]) -> Result<Edges, String> {
        let mut edges = Edges::default();
        for (parent, key) in (0..).zip(keys) {
            let position = self.0.unpack(*key).unwrap();
            if self.0.outcome(&position).is_some() {
                continue;
            }
            self.0.edges(&position, |edge| {
                edges.parents.push(parent);
                edges.moves.push(edge.mv);
                edges.to.push(self.0.pack(&edge.to));
                edges.gains.push(edge.gain);
                edges.turns.push(edge.turn);
            });
        }
        Ok(edges)
    }

    fn outcomes(&self, keys: &[Key]) -> Result<Vec<Score>, String> {
        let outcome = |key: &Key| self.0.outcome(&self.0.unpack(*key).unwrap()).unwrap();
        Ok(keys.iter().map(outcome).collect())
    }
}

fn rows_of(store: &mut dyn Store) -> Vec<Row> {
    let mut rows = Vec::new();
    every_row(store, &mut |row| rows.push(*row)).unwrap();
    rows
}

fn equal_in_batches<G: Game>(game: G, memory: usize) {
    let limits = Limits { memory, ..Limits::default() };
    let mut store = Memory::new(Header::of(&game));
    let solution = solve(&game, &mut store, &Limits::default(), &mut |_| Next::Continue).unwrap();
    let batched = Batched::new(Whole(game));
    let mut other = Memory::new(Header::of(&batched));
    let theirs = solve(&batched, &mut other, &limits, &mut |_| Next::Continue).unwrap();
    assert_eq!(theirs, solution);
    assert_eq!(rows_of(&mut other), rows_of(&mut store));
    let report = verify(&batched, &mut other, Sample::All, &limits, &mut |_, _| Next::Continue);
    let report = report.unwrap();
    assert_eq!((report.checked, report.wrong), (solution.positions, 0));
}

#[test]
fn rows_are_those_of_the_same_game_position_by_position() {
    equal_in_batches(Rows::new(3, 3, 3, false), usize::MAX);
    equal_in_batches(Rows::new(4, 4, 3, true), usize::MAX);
    for rules in Rules::ALL {
        equal_in_batches(Kalah::new(3, 3, rules).unwrap(), usize::MAX);
    }
    // Values do not stay in memory and are fetched from the store.
    equal_in_batches(Kalah::new(3, 3, Rules::STD_EITHER).unwrap(), 0);
}

#[test]
fn a_stopped_solve_resumes_to_the_same_rows() {
    let whole = Batched::new(Whole(Rows::new(3, 3, 3, false)));
    let mut undisturbed = Memory::new(Header::of(&whole));
    solve(&whole, &mut undisturbed, &Limits::default(), &mut |_| Next::Continue).unwrap();
    let mut store = Memory::new(Header::of(&whole));
    let mut stops = 0;
    loop {
        match solve(&whole, &mut store, &Limits::default(), &mut |_| Next::Stop) {
            Err(SolveError::Stopped) => stops += 1,
            end => break end.map(drop).unwrap(),
        }
    }
    assert_eq!(stops, 20, "ten ranks, explored and settled");
    assert_eq!(rows_of(&mut store), rows_of(&mut undisturbed));
}

#[test]
fn a_wrong_row_and_a_row_of_another_rank_are_found() {
    let whole = Batched::new(Whole(Rows::new(3, 3, 3, false)));
    let mut store = Memory::new(Header::of(&whole));
    solve(&whole, &mut store, &Limits::default(), &mut |_| Next::Continue).unwrap();
    let mut wrong = rows_of(&mut store)[100];
    wrong.verdict = Some(game::Verdict::over(Score(7)));
    let verdict = wrong.verdict.unwrap();
    store.settle(wrong.rank, &[solver::Settled { key: wrong.key, verdict }]).unwrap();
    let strange = solver::Found { key: Key(0), depth: 3 };
    store.add(Rank { level: 5, step: 1 }, &[strange]).unwrap();
    store.commit(Stage::Solved).unwrap();
    let report =
        verify(&whole, &mut store, Sample::All, &Limits::default(), &mut |_, _| Next::Continue);
    let faults = report.unwrap().faults;
    assert!(faults.iter().any(|fault| matches!(fault, Fault::Wrong { row, .. } if *row == wrong)));
    assert!(faults.iter().any(|fault| matches!(fault, Fault::Foreign(row) if row.key == Key(0))));
}

/// A game of three positions, whose rules are broken in one way.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Broken {
    RankRises,
    KeyIsLong,
    MovesChange,
    RankChanges,
    TooFewRanks,
    TooFewMoves,
    NoSuchParent,
    NoValues,
    Fails,
}

struct Countdown {
    broken: Broken,
    asked: AtomicU16,
}

impl Batch for Countdown {
    fn name(&self) -> String {
        "countdown".to_owned()
    }

    fn key_bits(&self) -> u32 {
        8
    }

    fn start(&self) -> Key {
        Key(2)
    }

    fn ranks(&self, keys: &[Key]) -> Result<Vec<Rank>, String> {
        let level = |key: &Key| match self.broken {
            Broken::RankRises if key.0 == 0 => 1,
            Broken::RankChanges => self.asked.fetch_add(1, Ordering::Relaxed),
            _ => key.0 as u16,
        };
        let mut ranks: Vec<_> =
            keys.iter().map(|key| Rank { level: level(key), step: 0 }).collect();
        if self.broken == Broken::TooFewRanks && keys[0] == Key(1) {
            ranks.pop();
        }
        Ok(ranks)
    }

    fn edges(&self, keys: &[Key]) -> Result<Edges, String> {
        let mut edges = Edges::default();
        for (parent, key) in (0..).zip(keys).filter(|(_, key)| key.0 > 0) {
            let to = match self.broken {
                Broken::KeyIsLong if key.0 == 1 => Key(0x100),
                Broken::MovesChange if key.0 == 1 => {
                    Key(u128::from(self.asked.fetch_add(1, Ordering::Relaxed) == 1))
                }
                _ => Key(key.0 - 1),
            };
            let Edge { mv, to, .. } =
                Edge { mv: MoveId(1), to, gain: Score(0), turn: Turn::Passes };
            edges.parents.push(if self.broken == Broken::NoSuchParent { 9 } else { parent });
            edges.moves.push(mv);
            edges.to.push(to);
        }
        match self.broken {
            Broken::Fails => return Err("a cause".to_owned()),
            Broken::TooFewMoves => edges.moves.clear(),
            _ => {}
        }
        Ok(edges)
    }

    fn outcomes(&self, keys: &[Key]) -> Result<Vec<Score>, String> {
        Ok(vec![Score(-1); if self.broken == Broken::NoValues { 0 } else { keys.len() }])
    }
}

#[test]
fn broken_rules_are_refused_by_the_position_that_shows_it() {
    let cases = [
        (Broken::RankRises, "position 0x1: a move leads from rank 1.0 to 1.0, which is not lower"),
        (Broken::KeyIsLong, "key 0x100 has more than 8 bits, the number that countdown declares"),
        (
            Broken::MovesChange,
            "position 0x1 of rank 1.0: countdown gave two different answers about its moves",
        ),
        (
            Broken::RankChanges,
            "position 0x2 of rank 0.0: countdown gave two different answers about its rank",
        ),
        (Broken::TooFewRanks, "the rules of countdown failed: 0 ranks for 1 positions"),
        (Broken::TooFewMoves, "the rules of countdown failed: 1 parents, but 0 moves"),
        (
            Broken::NoSuchParent,
            "the rules of countdown failed: parent 9 of 1 positions, which are counted from 0",
        ),
        (Broken::NoValues, "the rules of countdown failed: 0 values for 1 positions"),
        (Broken::Fails, "the rules of countdown failed: a cause"),
    ];
    for (broken, refusal) in cases {
        let game = Batched::new(Countdown { broken, asked: AtomicU16::new(0) });
        let mut store = Memory::new(Header::of(&game));
        let end = solve(&game, &mut store, &Limits::default(), &mut |_| Next::Continue);
        assert_eq!(end.unwrap_err().to_string(), refusal, "{broken:?}");
    }
}
