//! Random operations on a store and on a plain map, which must agree.

use std::collections::{BTreeMap, BTreeSet};

use game::{Key, MoveId, Rank, Score, Verdict};

use super::{
    Open,
    cases::{all_rows, header, reader_sees},
};
use crate::{
    random::Random,
    store::{Access, Found, Row, Settled, Stage},
};

const ROUNDS: u64 = 60;

pub(super) fn a_store_does_what_a_map_does(open: &Open<'_>) {
    for (seed, bits) in [(1, 12), (2, 63), (3, 100)] {
        work(open, &format!("model{bits}"), seed, bits, Openings::One);
    }
}

pub(super) fn a_store_does_what_a_map_does_across_openings(open: &Open<'_>) {
    for (seed, bits) in [(4, 12), (5, 63), (6, 100)] {
        work(open, &format!("openings{bits}"), seed, bits, Openings::Many);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Openings {
    One,
    Many,
}

fn work(open: &Open<'_>, place: &str, seed: u64, bits: u32, openings: Openings) {
    let about = format!("model with seed {seed} and {bits} bits");
    let mut random = Random(seed);
    let mut store = open(place, Access::Create(header(bits))).expect(&about);
    let (mut model, mut kept) = (Model::new(), Model::new());
    for round in 0..ROUNDS {
        let about = format!("{about}, round {round}");
        let rank = random.rank();
        match random.below(10) {
            0..=3 => {
                let found = random.found(bits);
                assert_eq!(store.add(rank, &found), Ok(model.add(rank, &found)), "{about}");
            }
            4..=6 => {
                let settled = random.verdicts(&model.keys(rank));
                store.settle(rank, &settled).expect(&about);
                model.settle(rank, &settled);
            }
            7 => {
                let mut keys: BTreeSet<Key> = random.keys(bits);
                keys.extend(model.keys(rank).iter().filter(|_| random.below(2) == 0));
                let keys: Vec<Key> = keys.into_iter().collect();
                let mut rows = Vec::new();
                store.find(rank, &keys, &mut rows).expect(&about);
                let expected = keys.iter().map(|key| model.0.get(&(rank, *key)).copied());
                assert_eq!(rows, expected.collect::<Vec<_>>(), "{about}");
            }
            8 => {
                store.commit(Stage::Exploring(Some(rank))).expect(&about);
                kept = model.clone();
            }
            _ if openings == Openings::Many => {
                drop(store);
                reader_sees(open, place, &kept.rows());
                store = open(place, Access::Resume(header(bits))).expect(&about);
                model = kept.clone();
            }
            _ => {}
        }
        assert_eq!(all_rows(&mut *store), model.rows(), "{about}");
        assert_eq!(store.ranks(), Ok(model.ranks()), "{about}");
    }
}

/// The obvious store.
#[derive(Clone)]
struct Model(BTreeMap<(Rank, Key), Row>);

impl Model {
    fn new() -> Model {
        Model(BTreeMap::new())
    }

    fn add(&mut self, rank: Rank, found: &[Found]) -> u64 {
        let before = self.0.len();
        for found in found {
            let row = self.0.entry((rank, found.key)).or_insert(Row::unsettled(rank, *found));
            row.depth = row.depth.min(found.depth);
        }
        (self.0.len() - before) as u64
    }

    fn settle(&mut self, rank: Rank, settled: &[Settled]) {
        for settled in settled {
            let row = self.0.get_mut(&(rank, settled.key)).expect("only what is there is settled");
            row.verdict = Some(settled.verdict);
        }
    }

    fn keys(&self, rank: Rank) -> Vec<Key> {
        self.0.keys().filter(|(at, _)| *at == rank).map(|(_, key)| *key).collect()
    }

    fn rows(&self) -> Vec<Row> {
        self.0.values().copied().collect()
    }

    fn ranks(&self) -> Vec<(Rank, u64)> {
        let mut ranks = BTreeMap::new();
        for (rank, _) in self.0.keys() {
            *ranks.entry(*rank).or_default() += 1;
        }
        ranks.into_iter().collect()
    }
}

impl Random {
    fn rank(&mut self) -> Rank {
        Rank { level: self.below(3) as u16, step: self.below(2) as u16 * 400 }
    }

    /// A few random keys, mostly small, so that many are repeated.
    fn keys(&mut self, bits: u32) -> BTreeSet<Key> {
        let count = [0, 1, 3, 40, 300][self.below(5) as usize];
        let last = u128::MAX >> (128 - bits);
        let key = |random: &mut Random| {
            let wide = u128::from(random.next()) << 64 | u128::from(random.next());
            Key(if random.below(4) == 0 { wide & last } else { (wide & last) % 512 })
        };
        (0..count).map(|_| key(self)).collect()
    }

    fn found(&mut self, bits: u32) -> Vec<Found> {
        let keys = self.keys(bits);
        keys.into_iter().map(|key| Found { key, depth: self.below(50) as u16 }).collect()
    }

    /// Verdicts for all of the keys or for some of them.
    fn verdicts(&mut self, keys: &[Key]) -> Vec<Settled> {
        let one_in = 1 + self.below(3);
        let mut settled = Vec::new();
        for key in keys.iter().copied() {
            if self.below(one_in) == 0 {
                let score = Score(self.below(600) as i16 - 300);
                let best = (self.below(4) != 0).then_some(MoveId(self.below(9) as u16));
                let remoteness = (self.below(4) != 0).then_some(self.below(1 << 16) as u16);
                settled.push(Settled { key, verdict: Verdict { score, best, remoteness } });
            }
        }
        settled
    }
}
