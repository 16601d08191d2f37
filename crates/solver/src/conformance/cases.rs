//! The tests. Each of them checks one requirement on stores.

use std::ops::{ControlFlow, RangeInclusive};

use game::{Key, MoveId, Rank, Score, Verdict};

use super::Open;
use crate::{
    scans::{at_depth, at_level},
    store::{Access, FORMAT, Found, Header, Row, Settled, Stage, Store, StoreError},
};

const NARROW: u32 = 63;
const WIDE: u32 = 128;
const EVERY_RANK: RangeInclusive<Rank> = Rank { level: 0, step: 0 }..=Rank::MAX;

pub(super) fn header(key_bits: u32) -> Header {
    Header { game: format!("conformance bits={key_bits}"), key_bits, format: FORMAT }
}

pub(super) fn all_rows(store: &mut dyn Store) -> Vec<Row> {
    rows_of(store, EVERY_RANK)
}

fn rows_of(store: &mut dyn Store, ranks: RangeInclusive<Rank>) -> Vec<Row> {
    let mut all = Vec::new();
    let visit = &mut |rows: &[Row]| {
        all.extend_from_slice(rows);
        ControlFlow::Continue(())
    };
    store.scan(ranks, visit).expect("a store can be scanned");
    all
}

fn create(open: &Open<'_>, place: &str, key_bits: u32) -> Box<dyn Store> {
    open(place, Access::Create(header(key_bits))).expect("a store can be begun")
}

fn resume(open: &Open<'_>, place: &str, key_bits: u32) -> Box<dyn Store> {
    open(place, Access::Resume(header(key_bits))).expect("a store can be resumed")
}

fn rank(level: u16, step: u16) -> Rank {
    Rank { level, step }
}

fn found(all: &[(u128, u16)]) -> Vec<Found> {
    all.iter().map(|(key, depth)| Found { key: Key(*key), depth: *depth }).collect()
}

/// A verdict with any remoteness, often none.
fn verdict(score: i16, best: Option<u16>) -> Verdict {
    let remoteness = best.and_then(|best| u16::MAX.checked_div(best));
    Verdict { score: Score(score), best: best.map(MoveId), remoteness }
}

fn settled(all: &[(u128, Verdict)]) -> Vec<Settled> {
    all.iter().map(|(key, verdict)| Settled { key: Key(*key), verdict: *verdict }).collect()
}

fn row(rank: Rank, key: u128, depth: u16, verdict: Option<Verdict>) -> Row {
    Row { rank, key: Key(key), depth, verdict }
}

fn add(store: &mut dyn Store, rank: Rank, all: &[(u128, u16)]) -> u64 {
    store.add(rank, &found(all)).expect("positions can be added")
}

fn settle(store: &mut dyn Store, rank: Rank, all: &[(u128, Verdict)]) {
    store.settle(rank, &settled(all)).expect("positions that are there can be settled");
}

fn commit(store: &mut dyn Store, stage: Stage) {
    store.commit(stage).expect("a store can commit");
}

pub(super) fn a_new_store_is_empty(open: &Open<'_>) {
    for bits in [NARROW, WIDE] {
        let mut store = create(open, &format!("empty{bits}"), bits);
        assert_eq!(store.state().header, header(bits));
        assert_eq!(store.state().stage, Stage::Exploring(None));
        assert_eq!(store.ranks().expect("ranks can be listed"), []);
        assert_eq!(all_rows(&mut *store), []);
    }
}

pub(super) fn only_new_positions_are_counted(open: &Open<'_>) {
    let store = &mut *create(open, "dedup", NARROW);
    let (high, low) = (rank(7, 2), rank(7, 1));
    assert_eq!(add(store, high, &[(10, 3), (20, 3), (30, 3)]), 3);
    assert_eq!(add(store, high, &[(5, 3), (20, 3), (25, 3), (30, 3), (35, 3)]), 3);
    assert_eq!(add(store, high, &[(5, 3), (20, 3), (25, 3), (30, 3), (35, 3)]), 0);
    assert_eq!(add(store, low, &[(20, 3)]), 1, "a key of another rank is another position");
    assert_eq!(store.ranks().expect("ranks can be listed"), [(low, 1), (high, 6)]);
    let keys: Vec<u128> = all_rows(store).iter().map(|row| row.key.0).collect();
    assert_eq!(keys, [20, 5, 10, 20, 25, 30, 35]);
}

pub(super) fn the_smaller_depth_wins(open: &Open<'_>) {
    let store = &mut *create(open, "depth", NARROW);
    let at = rank(4, 4);
    add(store, at, &[(1, 9), (2, 9), (3, 0)]);
    assert_eq!(add(store, at, &[(1, 4), (2, 10), (3, 1), (4, u16::MAX)]), 1);
    let depths: Vec<u16> = all_rows(store).iter().map(|row| row.depth).collect();
    assert_eq!(depths, [4, 9, 0, u16::MAX]);
}

pub(super) fn a_verdict_outlives_another_finding(open: &Open<'_>) {
    let store = &mut *create(open, "verdict", NARROW);
    let at = rank(1, 1);
    let (good, bad) = (verdict(12, Some(3)), verdict(-12, None));
    add(store, at, &[(1, 9), (2, 9)]);
    settle(store, at, &[(1, good), (2, bad)]);
    assert_eq!(add(store, at, &[(1, 5), (2, 11), (3, 7)]), 1);
    let rows = [row(at, 1, 5, Some(good)), row(at, 2, 9, Some(bad)), row(at, 3, 7, None)];
    assert_eq!(all_rows(store), rows);
    settle(store, at, &[(2, good)]);
    assert_eq!(all_rows(store)[1], row(at, 2, 9, Some(good)), "the later verdict counts");
}

pub(super) fn scans_are_ordered_and_bounded(open: &Open<'_>) {
    let store = &mut *create(open, "scan", NARROW);
    let ranks = [rank(0, 0), rank(0, 9), rank(1, 0), rank(2, 5), rank(300, 0), Rank::MAX];
    for at in [3, 0, 5, 1, 4, 2] {
        add(store, ranks[at], &[(at as u128, 1), (1 << 40, 2)]);
    }
    let seen = |store: &mut dyn Store, from: Rank, to: Rank| {
        let mut seen: Vec<Rank> = rows_of(store, from..=to).iter().map(|row| row.rank).collect();
        assert_eq!(seen.len() % 2, 0, "every rank has two positions");
        seen.dedup();
        seen
    };
    assert_eq!(seen(store, Rank::default(), Rank::MAX), ranks);
    assert_eq!(seen(store, rank(0, 9), rank(2, 5)), ranks[1..=3]);
    assert_eq!(seen(store, rank(0, 1), rank(0, 8)), []);
    assert_eq!(seen(store, rank(1, 0), rank(1, 0)), [ranks[2]]);
    assert_eq!(seen(store, rank(301, 0), Rank::MAX), [Rank::MAX]);
    let rows = all_rows(store);
    assert!(rows.is_sorted_by_key(|row| (row.rank, row.key)), "rows come by rank and key");
}

pub(super) fn a_scan_can_be_broken_off(open: &Open<'_>) {
    let store = &mut *create(open, "break", NARROW);
    for level in 0..10 {
        add(store, rank(level, 0), &[(1, 1), (2, 1)]);
    }
    let mut batches = 0;
    let visit = &mut |_: &[Row]| {
        batches += 1;
        ControlFlow::Break(())
    };
    store.scan(EVERY_RANK, visit).expect("breaking off is no error");
    assert_eq!(batches, 1);
    assert_eq!(all_rows(store).len(), 20, "the next scan is whole");
}

pub(super) fn levels_and_depths_can_be_listed(open: &Open<'_>) {
    let store = &mut *create(open, "lists", NARROW);
    add(store, rank(3, 7), &[(1, 1), (2, 2)]);
    add(store, rank(3, 0), &[(1, 2), (5, 3)]);
    add(store, rank(2, u16::MAX), &[(4, 2)]);
    let mut keys = Vec::new();
    let mut visit = |row: &Row| keys.push(row.key.0);
    at_level(store, 3, &mut visit).expect("a level can be listed");
    at_level(store, 4, &mut visit).expect("an empty level can be listed");
    at_depth(store, 2, &mut visit).expect("a depth can be listed");
    assert_eq!(keys, [1, 5, 1, 2, 4, 1, 2]);
}

pub(super) fn missing_positions_are_not_found(open: &Open<'_>) {
    let store = &mut *create(open, "find", NARROW);
    let at = rank(6, 1);
    let won = verdict(1, Some(0));
    add(store, at, &[(10, 1), (20, 2), (30, 3)]);
    settle(store, at, &[(20, won)]);
    let keys = [5, 10, 15, 20, 30, 35].map(Key);
    let first = row(rank(0, 0), 0, 0, None);
    let mut rows = vec![Some(first)];
    store.find(at, &keys, &mut rows).expect("positions can be looked up");
    let expected = [
        Some(first),
        None,
        Some(row(at, 10, 1, None)),
        None,
        Some(row(at, 20, 2, Some(won))),
        Some(row(at, 30, 3, None)),
        None,
    ];
    assert_eq!(rows, expected, "answers are appended in the order of the keys");
    rows.clear();
    store.find(rank(6, 2), &keys, &mut rows).expect("an empty rank can be asked");
    assert_eq!(rows, [None; 6]);
}

pub(super) fn empty_batches_change_nothing(open: &Open<'_>) {
    let store = &mut *create(open, "nothing", NARROW);
    let at = rank(1, 0);
    assert_eq!(add(store, at, &[]), 0);
    settle(store, at, &[]);
    let mut rows = Vec::new();
    store.find(at, &[], &mut rows).expect("nothing can be looked up");
    assert_eq!(rows, []);
    assert_eq!(store.ranks(), Ok(vec![]), "a rank without rows is not listed");
    commit(store, Stage::Exploring(None));
    assert_eq!(all_rows(store), []);
}

/// Negative and positive scores up to both limits, no best move and move 0, and depths up to the
/// largest.
pub(super) fn every_number_comes_back(open: &Open<'_>) {
    let store = &mut *create(open, "numbers", NARROW);
    let scores = [i16::MIN, -129, -128, -1, 0, 1, 127, 128, i16::MAX];
    let moves = [None, Some(0), Some(1), Some(255), Some(256), Some(u16::MAX)];
    let mut rows = Vec::new();
    for (level, score) in scores.into_iter().enumerate() {
        let at = rank(level as u16 * 8191, 8191 * (8 - level as u16));
        let keyed = |index: usize| (index * 1_000_003) as u128;
        let all = moves.iter().enumerate().map(|(index, best)| {
            row(at, keyed(index), (index * 13_107) as u16, Some(verdict(score, *best)))
        });
        rows.extend(all);
    }
    for rows in rows.chunk_by(|a, b| a.rank == b.rank) {
        let found: Vec<_> = rows.iter().map(|row| (row.key.0, row.depth)).collect();
        let verdicts = rows.iter().map(|row| (row.key.0, row.verdict.expect("it has one")));
        add(store, rows[0].rank, &found);
        settle(store, rows[0].rank, &verdicts.collect::<Vec<_>>());
    }
    assert_eq!(all_rows(store), rows);
}

pub(super) fn keys_of_every_width_keep_their_order(open: &Open<'_>) {
    let ends = |bits: u32| {
        let last = u128::MAX >> (128 - bits);
        let mut keys: Vec<u128> = (0..bits).map(|bit| 1 << bit).collect();
        keys.extend([0, last, last - 1, last ^ (last >> 1), last / 3]);
        keys.sort_unstable();
        keys.dedup();
        keys
    };
    for bits in [1, 8, 40, NARROW, 64, 65, 127, WIDE] {
        let store = &mut *create(open, &format!("keys{bits}"), bits);
        let keys = ends(bits);
        let all: Vec<_> = keys.iter().map(|key| (*key, 1)).collect();
        let at = rank(2, 3);
        assert_eq!(add(store, at, &all), all.len() as u64, "{bits} bits");
        assert_eq!(add(store, at, &all), 0, "{bits} bits");
        let back: Vec<u128> = all_rows(store).iter().map(|row| row.key.0).collect();
        assert_eq!(back, keys, "{bits} bits");
        let asked: Vec<Key> = keys.iter().copied().map(Key).collect();
        let mut rows = Vec::new();
        store.find(at, &asked, &mut rows).expect("keys can be looked up");
        assert!(rows.iter().zip(&asked).all(|(row, key)| row.is_some_and(|row| row.key == *key)));
    }
}

pub(super) fn a_position_that_is_not_there_cannot_be_settled(open: &Open<'_>) {
    for (place, key) in [("unsettled-low", 1), ("unsettled-mid", 15), ("unsettled-high", 30)] {
        let store = &mut *create(open, place, NARROW);
        let at = rank(1, 0);
        add(store, at, &[(10, 1), (20, 1)]);
        let mut all = settled(&[(10, verdict(1, None)), (key, verdict(2, None))]);
        all.sort_unstable_by_key(|settled| settled.key);
        let error = store.settle(at, &all).expect_err("there is no such position");
        assert!(matches!(&error, StoreError::Corrupt { .. }), "{error}");
        assert!(error.to_string().contains(&format!("{key:#x}")), "{error}");
    }
}

pub(super) fn large_batches_are_taken(open: &Open<'_>) {
    const ROWS: u128 = 60_000;
    for bits in [NARROW, WIDE] {
        let store = &mut *create(open, &format!("large{bits}"), bits);
        let (at, other) = (rank(9, 9), rank(9, 8));
        let scale = u128::MAX >> (128 - bits) >> 20;
        let even: Vec<_> = (0..ROWS).map(|at| (2 * at * scale / ROWS, 8)).collect();
        let third: Vec<_> = (0..ROWS).map(|at| (3 * at * scale / ROWS, 7)).collect();
        assert_eq!(add(store, at, &even), even.len() as u64);
        assert_eq!(add(store, other, &third), third.len() as u64);
        let both = third.iter().filter(|(key, _)| even.binary_search(&(*key, 8)).is_ok()).count();
        assert_eq!(add(store, at, &third), (third.len() - both) as u64);
        let verdicts: Vec<_> =
            third.iter().map(|(key, _)| (*key, verdict(*key as i16, Some(2)))).collect();
        settle(store, at, &verdicts);
        let rows = rows_of(store, at..=at);
        assert_eq!(rows.len(), even.len() + third.len() - both);
        assert_eq!(rows.iter().filter(|row| row.verdict.is_some()).count(), third.len());
        assert!(rows.iter().all(|row| (row.depth == 7) == row.verdict.is_some()));
        assert_eq!(rows_of(store, other..=other).len(), third.len());
    }
}

pub(super) fn what_is_committed_lasts(open: &Open<'_>) {
    for bits in [NARROW, WIDE] {
        let place = format!("lasts{bits}");
        let mut store = create(open, &place, bits);
        add(&mut *store, rank(2, 0), &[(1, 4), (2, 4)]);
        commit(&mut *store, Stage::Exploring(Some(rank(3, 0))));
        add(&mut *store, rank(1, 0), &[(1, 5)]);
        settle(&mut *store, rank(2, 0), &[(2, verdict(-3, Some(4)))]);
        commit(&mut *store, Stage::Settling(Some(rank(2, 0))));
        let rows = all_rows(&mut *store);
        drop(store);
        for access in [Access::Read, Access::Resume(header(bits)), Access::Read] {
            let mut store = open(&place, access).expect("a store can be opened again");
            assert_eq!(store.state().header, header(bits));
            assert_eq!(store.state().stage, Stage::Settling(Some(rank(2, 0))));
            assert_eq!(all_rows(&mut *store), rows);
            assert_eq!(store.ranks(), Ok(vec![(rank(1, 0), 1), (rank(2, 0), 2)]));
        }
    }
}

pub(super) fn what_is_not_committed_is_gone(open: &Open<'_>) {
    let mut store = create(open, "gone", NARROW);
    drop(store);
    store = resume(open, "gone", NARROW);
    add(&mut *store, rank(5, 0), &[(1, 4)]);
    drop(store);
    reader_sees(open, "gone", &[]);
    store = resume(open, "gone", NARROW);
    assert_eq!(all_rows(&mut *store), []);
    assert_eq!(store.ranks(), Ok(vec![]));
    add(&mut *store, rank(5, 0), &[(1, 4), (3, 4)]);
    commit(&mut *store, Stage::Exploring(Some(rank(5, 0))));
    let kept = all_rows(&mut *store);
    add(&mut *store, rank(5, 0), &[(1, 2), (2, 4)]);
    add(&mut *store, rank(4, 0), &[(9, 5)]);
    settle(&mut *store, rank(5, 0), &[(1, verdict(5, None)), (3, verdict(5, None))]);
    drop(store);
    reader_sees(open, "gone", &kept);
    store = resume(open, "gone", NARROW);
    assert_eq!(all_rows(&mut *store), kept);
    assert_eq!(store.ranks(), Ok(vec![(rank(5, 0), 2)]));
    assert_eq!(store.state().stage, Stage::Exploring(Some(rank(5, 0))));
    assert_eq!(add(&mut *store, rank(5, 0), &[(1, 2), (2, 4)]), 1, "work can be done again");
}

pub(super) fn a_reader_beside_a_writer_sees_what_is_committed(open: &Open<'_>) {
    let mut writer = create(open, "beside", NARROW);
    add(&mut *writer, rank(2, 0), &[(1, 4), (3, 4)]);
    commit(&mut *writer, Stage::Exploring(Some(rank(2, 0))));
    let committed = all_rows(&mut *writer);
    add(&mut *writer, rank(2, 0), &[(1, 2), (2, 4)]);
    add(&mut *writer, rank(1, 0), &[(7, 5)]);
    settle(&mut *writer, rank(2, 0), &[(3, verdict(9, None))]);
    match open("beside", Access::Read) {
        // A store may refuse readers while it is written.
        Err(StoreError::Busy(_)) => {}
        Err(error) => panic!("{error}"),
        Ok(mut reader) => sees(&mut *reader, &committed),
    }
    commit(&mut *writer, Stage::Settling(None));
    let committed = all_rows(&mut *writer);
    drop(writer);
    reader_sees(open, "beside", &committed);
}

/// Opens a store for reading and compares the results of all queries with these rows.
pub(super) fn reader_sees(open: &Open<'_>, place: &str, rows: &[Row]) {
    let mut reader = open(place, Access::Read).expect("a store can be read");
    sees(&mut *reader, rows);
}

fn sees(reader: &mut dyn Store, rows: &[Row]) {
    assert_eq!(all_rows(reader), rows, "a reader sees what is committed and nothing else");
    let mut counts: Vec<(Rank, u64)> = Vec::new();
    for of_rank in rows.chunk_by(|a, b| a.rank == b.rank) {
        counts.push((of_rank[0].rank, of_rank.len() as u64));
        let mut asked: Vec<Key> = of_rank.iter().flat_map(|row| near(row.key)).collect();
        asked.dedup();
        let mut found = Vec::new();
        reader.find(of_rank[0].rank, &asked, &mut found).expect("positions can be looked up");
        let found: Vec<Row> = found.into_iter().flatten().collect();
        assert_eq!(found, of_rank, "a reader finds what is committed and nothing else");
    }
    assert_eq!(reader.ranks(), Ok(counts));
}

/// A key and the next one, which may also exist.
fn near(key: Key) -> [Key; 2] {
    [key, Key(key.0.saturating_add(1))]
}

pub(super) fn ranks_that_are_cleared_can_be_filled_again(open: &Open<'_>) {
    let mut store = create(open, "cleared", NARROW);
    for level in 1..=4 {
        add(&mut *store, rank(level, 0), &[(1, 4), (2, 4), (3, 4)]);
        settle(&mut *store, rank(level, 0), &[(2, verdict(3, None))]);
    }
    commit(&mut *store, Stage::Solved);
    store.clear(&[rank(1, 0), rank(3, 0), rank(9, 0)]).expect("ranks can be cleared");
    assert_eq!(store.ranks(), Ok(vec![(rank(2, 0), 3), (rank(4, 0), 3)]));
    assert_eq!(all_rows(&mut *store).len(), 6);
    assert_eq!(add(&mut *store, rank(3, 0), &[(2, 9), (5, 9)]), 2, "nothing is left of a rank");
    settle(&mut *store, rank(3, 0), &[(5, verdict(1, None))]);
    commit(&mut *store, Stage::Settling(None));
    let rows = all_rows(&mut *store);
    assert_eq!(rows.len(), 8);
    drop(store);
    reader_sees(open, "cleared", &rows);
}

pub(super) fn every_stage_comes_back(open: &Open<'_>) {
    let stages = [
        Stage::Exploring(None),
        Stage::Exploring(Some(Rank::MAX)),
        Stage::Exploring(Some(Rank::default())),
        Stage::Settling(None),
        Stage::Settling(Some(Rank::default())),
        Stage::Settling(Some(Rank::MAX)),
        Stage::Solved,
    ];
    for stage in stages {
        let mut store = resume(open, "stages", NARROW);
        commit(&mut *store, stage);
        assert_eq!(store.state().stage, stage);
        drop(store);
        let store = open("stages", Access::Read).expect("a store can be read");
        assert_eq!(store.state().stage, stage);
    }
}

pub(super) fn a_place_without_a_store_is_said_to_be_one(open: &Open<'_>) {
    let error = open("absent", Access::Read).err().expect("there is nothing to read");
    assert!(matches!(&error, StoreError::Missing(_)), "{error}");
    drop(resume(open, "absent", NARROW));
    open("absent", Access::Read).expect("going on has begun a store");
}

pub(super) fn a_store_is_not_begun_twice(open: &Open<'_>) {
    let mut store = create(open, "twice", NARROW);
    add(&mut *store, rank(1, 0), &[(1, 1)]);
    commit(&mut *store, Stage::Solved);
    drop(store);
    let error = open("twice", Access::Create(header(NARROW))).err().expect("it is there already");
    assert!(matches!(&error, StoreError::Exists(_)), "{error}");
    assert_eq!(all_rows(&mut *resume(open, "twice", NARROW)).len(), 1, "and was left alone");
}

pub(super) fn another_game_is_refused(open: &Open<'_>) {
    let mut store = create(open, "other", NARROW);
    add(&mut *store, rank(1, 0), &[(1, 1)]);
    commit(&mut *store, Stage::Solved);
    drop(store);
    let ours = header(NARROW);
    let rules = Header { game: format!("{} rules=other", ours.game), ..ours.clone() };
    let error = open("other", Access::Resume(rules.clone())).err().expect("it is another game");
    let StoreError::Game { found, wanted, .. } = &error else { panic!("{error}") };
    assert_eq!((found, wanted), (&ours.game, &rules.game));
    let width = Header { key_bits: 62, ..ours.clone() };
    let error = open("other", Access::Resume(width)).err().expect("its keys are others");
    assert!(matches!(&error, StoreError::Game { .. }), "{error}");
    let format = Header { format: FORMAT + 1, ..ours.clone() };
    let error = open("other", Access::Resume(format)).err().expect("its format is another");
    let StoreError::Format { found, wanted, .. } = error else { panic!("{error}") };
    assert_eq!((found, wanted), (FORMAT, FORMAT + 1));
    assert_eq!(all_rows(&mut *resume(open, "other", NARROW)).len(), 1, "and was left alone");
    let newer = Header { format: FORMAT + 1, ..ours };
    drop(open("newer", Access::Create(newer)).expect("a header is kept as it is given"));
    let error = open("newer", Access::Read).err().expect("a newer format cannot be read");
    let StoreError::Format { found, wanted, .. } = error else { panic!("{error}") };
    assert_eq!((found, wanted), (FORMAT + 1, FORMAT));
}

pub(super) fn a_second_writer_is_refused(open: &Open<'_>) {
    let refused = |access: Access| {
        let error = open("writers", access).err().expect("there is a writer already");
        assert!(matches!(&error, StoreError::Busy(_)), "{error}");
    };
    let mut first = create(open, "writers", NARROW);
    refused(Access::Resume(header(NARROW)));
    add(&mut *first, rank(1, 0), &[(1, 1)]);
    refused(Access::Resume(header(NARROW)));
    commit(&mut *first, Stage::Exploring(None));
    refused(Access::Resume(header(NARROW)));
    add(&mut *first, rank(1, 0), &[(2, 1)]);
    commit(&mut *first, Stage::Solved);
    refused(Access::Resume(header(NARROW)));
    drop(first);
    let mut second = resume(open, "writers", NARROW);
    assert_eq!(all_rows(&mut *second).len(), 2);
    refused(Access::Resume(header(NARROW)));
}

pub(super) fn a_reader_does_not_write(open: &Open<'_>) {
    let mut store = create(open, "reader", NARROW);
    add(&mut *store, rank(1, 0), &[(1, 1)]);
    commit(&mut *store, Stage::Exploring(None));
    drop(store);
    let mut reader = open("reader", Access::Read).expect("a store can be read");
    let mut other = open("reader", Access::Read).expect("by many");
    let refused = |result: Result<(), StoreError>| {
        let error = result.expect_err("a reader does not write");
        assert!(matches!(&error, StoreError::ReadOnly(_)), "{error}");
    };
    refused(reader.add(rank(1, 0), &found(&[(2, 1)])).map(drop));
    refused(reader.settle(rank(1, 0), &settled(&[(1, verdict(1, None))])));
    refused(reader.commit(Stage::Solved));
    let rows = [row(rank(1, 0), 1, 1, None)];
    assert_eq!(all_rows(&mut *reader), rows);
    assert_eq!(all_rows(&mut *other), rows);
}
