//! Games solved by tasks, against the same games solved in one process.

#[path = "../examples/rows.rs"]
#[allow(dead_code, reason = "the example is a program")]
mod rows;

use std::{cell::RefCell, collections::BTreeMap, rc::Rc};

use game::{Edge, Game, Key, MoveId, Rank, Score, Turn};
use kalah::{Kalah, Rules};
use rows::Rows;
use solver::{
    Header, Limits, Memory, Next, Row, SolveError, StoreError, every_row, mix, solve,
    tasks::{self, Blobs, Desk, Done, Number, Part, Runner, Span, Split, Task, Worker},
};

/// A place for blobs in memory.
#[derive(Default)]
struct Place {
    blobs: BTreeMap<String, Vec<u8>>,
    parts: BTreeMap<String, Vec<Row>>,
    stages: Vec<Vec<u8>>,
    writer: u64,
    finished: Option<(Vec<Part>, BTreeMap<Rank, u64>)>,
}

#[derive(Clone, Default)]
struct Shared(Rc<RefCell<Place>>);

impl Blobs for Shared {
    fn read(&mut self, name: &str, span: Span) -> Result<Vec<u8>, StoreError> {
        let place = self.0.borrow();
        let blob = place.blobs.get(name).ok_or_else(|| StoreError::Missing(name.to_owned()))?;
        Ok(blob[span.offset as usize..(span.offset + span.bytes) as usize].to_vec())
    }

    fn write(&mut self, name: &str, bytes: Vec<u8>) -> Result<(), StoreError> {
        let old = self.0.borrow_mut().blobs.insert(name.to_owned(), bytes.clone());
        assert!(old.is_none_or(|old| old == bytes), "{name}: what runs again writes the same");
        Ok(())
    }

    fn write_part(&mut self, number: Number, _: &Header, rows: &[Row]) -> Result<Part, StoreError> {
        let name = format!("{}-{}", number.writer, number.part);
        let place = |row: &Row| (row.rank, row.key);
        assert!(rows.is_sorted_by(|a, b| place(a) < place(b)), "{name}");
        let old = self.0.borrow_mut().parts.insert(name.clone(), rows.to_vec());
        assert!(old.is_none_or(|old| old == rows), "{name}: no two parts have the same name");
        let (first, last) = (place(&rows[0]), place(&rows[rows.len() - 1]));
        Ok(Part { name, bytes: 0, crc32: 0, rows: rows.len() as u64, first, last })
    }
}

impl Desk for Shared {
    fn writer(&self) -> u64 {
        self.0.borrow().writer
    }

    fn stages(&mut self) -> Result<Vec<Vec<u8>>, StoreError> {
        Ok(self.0.borrow().stages.clone())
    }

    fn commit(&mut self, stage: usize, bytes: Vec<u8>) -> Result<(), StoreError> {
        assert_eq!(stage, self.0.borrow().stages.len());
        self.0.borrow_mut().stages.push(bytes);
        Ok(())
    }

    fn keep(&mut self) -> Result<(), StoreError> {
        Ok(())
    }

    fn finish(&mut self, parts: Vec<Part>, ranks: BTreeMap<Rank, u64>) -> Result<(), StoreError> {
        self.0.borrow_mut().finished = Some((parts, ranks));
        Ok(())
    }
}

/// Runs tasks in this process: the last one first, the first one twice, all of them as bytes.
struct Here<'a> {
    worker: &'a dyn Worker,
    place: Shared,
    tasks: usize,
}

impl Runner for Here<'_> {
    type Error = SolveError;

    fn run(
        &mut self,
        tasks: &[Task],
        wait: &mut dyn FnMut() -> Result<(), StoreError>,
    ) -> Result<Vec<Done>, SolveError> {
        wait()?;
        self.tasks = self.tasks.max(tasks.len());
        let mut run = |task: &Task| {
            let task = Task::from_bytes(&task.to_bytes()).filter(|same| same == task);
            let done = self.worker.run(&task.expect("a task"), &mut self.place)?;
            let same = Done::from_bytes(&done.to_bytes()).filter(|same| *same == done);
            Ok(same.expect("an outcome"))
        };
        run(&tasks[0])?;
        let mut done = tasks.iter().rev().map(run).collect::<Result<Vec<_>, SolveError>>()?;
        done.reverse();
        Ok(done)
    }
}

/// Splits that make many small tasks of a small game, and the usual one.
const SPLITS: [Split; 4] = [
    Split { wide: 50, enough: 200, tasks: 5, memory: usize::MAX, part: 1000 },
    Split { wide: 1, enough: 1, tasks: 64, memory: 1, part: 7000 },
    Split { wide: 1 << 17, enough: 1 << 19, tasks: 16, memory: 1 << 28, part: 1 << 20 },
    Split { wide: 0, enough: 0, tasks: 0, memory: 0, part: 7000 },
];

fn in_one_process<G: Game>(game: &G) -> Vec<Row> {
    let mut store = Memory::new(Header::of(game));
    solve(game, &mut store, &Limits::default(), &mut |_| Next::Continue).expect("a solution");
    let mut rows = Vec::new();
    every_row(&mut store, &mut |row| rows.push(*row)).expect("rows");
    rows
}

/// Solves a game by tasks. `stops` says after which stages the work stops, to be resumed.
fn by_tasks<G: Game + Send>(game: &G, split: Split, stops: &mut dyn FnMut() -> bool) -> Shared {
    let place = Shared::default();
    loop {
        place.0.borrow_mut().writer += 1;
        let mut here = Here { worker: game, place: place.clone(), tasks: 0 };
        let mut watch = |_: &_| if stops() { Next::Stop } else { Next::Continue };
        match tasks::solve(game, &mut place.clone(), &mut here, split, &mut watch) {
            Ok(()) => return place,
            Err(SolveError::Stopped) => {}
            Err(error) => panic!("{}: {error}", Game::name(game)),
        }
    }
}

fn compare<G: Game + Send>(game: &G, stops: &mut dyn FnMut() -> bool) {
    let expected = in_one_process(game);
    for split in SPLITS {
        let place = by_tasks(game, split, stops);
        let place = place.0.borrow();
        let (parts, ranks) = place.finished.as_ref().expect("it is finished");
        let rows = parts.iter().flat_map(|part| &place.parts[&part.name]);
        assert!(rows.copied().eq(expected.iter().copied()), "{}: {split:?}", Game::name(game));
        for part in parts {
            let rows = &place.parts[&part.name];
            assert_eq!(part.rows, rows.len() as u64);
            assert!(part.rows <= split.part);
        }
        let mut counted = BTreeMap::new();
        expected.iter().for_each(|row| *counted.entry(row.rank).or_default() += 1);
        assert_eq!(*ranks, counted);
    }
}

#[test]
fn every_row_is_that_of_one_process() {
    for (pits, seeds) in [(1, 3), (2, 2), (2, 5), (3, 3)] {
        for rules in Rules::ALL {
            compare(&Kalah::new(pits, seeds, rules).expect("a size"), &mut || false);
        }
    }
    compare(&Rows::new(3, 3, 3, false), &mut || false);
    compare(&Piles { bits: 8, fault: Fault::Nothing }, &mut || false);
    compare(&Piles { bits: 120, fault: Fault::Nothing }, &mut || false);
}

#[test]
fn work_goes_on_after_the_last_committed_stage() {
    let mut seed = 20;
    let mut often = || {
        seed = mix(seed);
        seed % 3 == 0
    };
    compare(&Kalah::new(3, 3, Rules::ALL[0]).expect("a size"), &mut often);
    compare(&Rows::new(3, 3, 3, false), &mut || true);
}

#[test]
fn a_level_is_split_by_regions() {
    let kalah = Kalah::new(3, 3, Rules::ALL[0]).expect("a size");
    let place = Shared::default();
    let mut here = Here { worker: &kalah, place: place.clone(), tasks: 0 };
    let solved =
        tasks::solve(&kalah, &mut place.clone(), &mut here, SPLITS[0], &mut |_| Next::Continue);
    solved.expect("a solution");
    // Of at most 18 seeds one side has at most 9.
    assert!((3..=10).contains(&here.tasks), "{}", here.tasks);
}

#[test]
fn damaged_blobs_and_stages_are_refused() {
    let kalah = Kalah::new(2, 2, Rules::ALL[0]).expect("a size");
    let place = by_tasks(&kalah, SPLITS[1], &mut || false);
    let names: Vec<String> = place.0.borrow().blobs.keys().cloned().collect();
    assert!(names.len() > 4);
    for name in names {
        // Everything after the first stage runs again, and reads a damaged blob.
        let damaged = by_tasks(&kalah, SPLITS[1], &mut || false);
        let middle = damaged.0.borrow().blobs[&name].len() / 2;
        let stage: usize = name.split('-').nth(2).expect("a stage").parse().expect("a number");
        let mut changed = damaged.0.borrow_mut();
        changed.stages.truncate(stage + 1);
        changed.writer += 1;
        changed.blobs.get_mut(&name).expect("it is there")[middle] ^= 4;
        drop(changed);
        let mut here = Here { worker: &kalah, place: damaged.clone(), tasks: 0 };
        let again = tasks::solve(&kalah, &mut damaged.clone(), &mut here, SPLITS[1], &mut |_| {
            Next::Continue
        });
        assert!(matches!(again, Err(SolveError::Store(StoreError::Corrupt { .. }))), "{name}");
    }
    place.0.borrow_mut().stages[1][20] ^= 1;
    let mut here = Here { worker: &kalah, place: place.clone(), tasks: 0 };
    let again =
        tasks::solve(&kalah, &mut place.clone(), &mut here, SPLITS[1], &mut |_| Next::Continue);
    let error = again.expect_err("the stage is damaged").to_string();
    assert!(error.starts_with("stage 1 of the work is damaged"), "{error}");
}

/// Two piles of stones: take one or two of either, or move one from the first to the second. The
/// level is the number of stones, the step that of the first pile.
struct Piles {
    bits: u32,
    fault: Fault,
}

/// What is wrong with a game.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    Nothing,
    /// Moves within a level change the region.
    Regions,
    /// Different positions have the same key.
    Keys,
}

impl Game for Piles {
    type Position = (u8, u8);

    fn name(&self) -> String {
        "piles".to_owned()
    }

    fn key_bits(&self) -> u32 {
        self.bits
    }

    fn start(&self) -> (u8, u8) {
        (9, 4)
    }

    fn rank(&self, (first, second): &(u8, u8)) -> Rank {
        Rank { level: u16::from(first + second), step: u16::from(*first) }
    }

    fn outcome(&self, (first, second): &(u8, u8)) -> Option<Score> {
        (first + second == 0).then_some(Score(-1))
    }

    fn edges(&self, &(first, second): &(u8, u8), mut visit: impl FnMut(Edge<(u8, u8)>)) {
        let mut edge = |mv, to| {
            visit(Edge { mv: MoveId(mv), to, gain: Score(0), turn: Turn::Passes });
        };
        for taken in 1..=2.min(first) {
            edge(u16::from(taken), (first - taken, second));
        }
        for taken in 1..=2.min(second) {
            edge(10 + u16::from(taken), (first, second - taken));
        }
        if first > 0 {
            edge(20, (first - 1, second + 1));
        }
    }

    fn pack(&self, (first, second): &(u8, u8)) -> Key {
        let first = if self.fault == Fault::Keys { first & !1 } else { *first };
        Key(u128::from(first) << (self.bits - 4) | u128::from(*second))
    }

    fn unpack(&self, key: Key) -> Option<(u8, u8)> {
        Some(((key.0 >> (self.bits - 4)) as u8, key.0 as u8 & 15))
    }

    fn region(&self, (first, _): &(u8, u8)) -> u64 {
        if self.fault == Fault::Regions { u64::from(*first) } else { 1000 }
    }
}

/// The error of solving a game by tasks, after some stages that may be those of another solve.
fn refusal<G: Game + Send>(game: &G, stages: Vec<Vec<u8>>) -> String {
    let place = Shared::default();
    place.0.borrow_mut().stages = stages;
    let mut here = Here { worker: game, place: place.clone(), tasks: 0 };
    let solved =
        tasks::solve(game, &mut place.clone(), &mut here, SPLITS[1], &mut |_| Next::Continue);
    solved.expect_err("it is refused").to_string()
}

#[test]
fn a_game_that_breaks_a_promise_is_refused() {
    let error = refusal(&Piles { bits: 8, fault: Fault::Regions }, vec![]);
    assert!(error.contains("a move within level"), "{error}");
    assert!(error.contains("leads to another region"), "{error}");
    let error = refusal(&Piles { bits: 8, fault: Fault::Keys }, vec![]);
    assert!(error.contains("piles gave two different answers about its rank"), "{error}");
}

#[test]
fn stages_of_two_solves_are_refused() {
    let kalah = Kalah::new(3, 3, Rules::ALL[0]).expect("a size");
    let stages = |split| by_tasks(&kalah, split, &mut || false).0.borrow().stages.clone();
    let (small, large) = (stages(SPLITS[1]), stages(SPLITS[2]));
    // The first stage of one solve explores levels of the second stage of the other.
    let mixed = large[..1].iter().chain(&small[1..]).cloned().collect();
    let error = refusal(&kalah, mixed);
    assert!(error.contains("it does not fit what was committed before"), "{error}");
}
