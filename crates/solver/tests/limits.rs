//! Exploring keeps to its limit of memory also inside one rank.

use std::{
    ops::{ControlFlow, RangeInclusive},
    time::Duration,
};

use game::{Edge, Game, Key, MoveId, Rank, Score, Turn};
use solver::{
    Found, Header, Limits, Memory, Next, Row, Settled, Stage, State, Store, StoreError, solve,
};

/// A start with very many children, each of which has children of its own.
struct Fan;

const CHILDREN: u32 = 1 << 16;
const GRANDCHILDREN: u32 = 16;
const THREADS: usize = 2;

impl Game for Fan {
    type Position = (u8, u32);

    fn name(&self) -> String {
        "fan".to_owned()
    }

    fn key_bits(&self) -> u32 {
        40
    }

    fn start(&self) -> (u8, u32) {
        (2, 0)
    }

    fn rank(&self, position: &(u8, u32)) -> Rank {
        Rank { level: position.0.into(), step: 0 }
    }

    fn outcome(&self, position: &(u8, u32)) -> Option<Score> {
        (position.0 == 0).then_some(Score((position.1 % 7) as i16))
    }

    fn edges(&self, &(level, number): &(u8, u32), mut visit: impl FnMut(Edge<(u8, u32)>)) {
        let count = if level == 2 { CHILDREN } else { GRANDCHILDREN };
        for child in 0..count {
            let to = (level - 1, number * count + child);
            visit(Edge { mv: MoveId(child as u16), to, gain: Score(0), turn: Turn::Keeps });
        }
    }

    fn pack(&self, &(level, number): &(u8, u32)) -> Key {
        Key(u128::from(level) << 32 | u128::from(number))
    }

    fn unpack(&self, key: Key) -> Option<(u8, u32)> {
        Some(((key.0 >> 32).try_into().ok()?, key.0 as u32))
    }
}

/// Memory that remembers the most positions it was ever handed at once.
struct Scale {
    store: Memory,
    most: usize,
}

impl Store for Scale {
    fn state(&self) -> &State {
        self.store.state()
    }

    fn ranks(&mut self) -> Result<Vec<(Rank, u64)>, StoreError> {
        self.store.ranks()
    }

    fn add(&mut self, rank: Rank, found: &[Found]) -> Result<u64, StoreError> {
        self.most = self.most.max(found.len());
        self.store.add(rank, found)
    }

    fn settle(&mut self, rank: Rank, settled: &[Settled]) -> Result<(), StoreError> {
        self.store.settle(rank, settled)
    }

    fn scan(
        &mut self,
        ranks: RangeInclusive<Rank>,
        visit: &mut dyn FnMut(&[Row]) -> ControlFlow<()>,
    ) -> Result<(), StoreError> {
        self.store.scan(ranks, visit)
    }

    fn find(
        &mut self,
        rank: Rank,
        keys: &[Key],
        rows: &mut Vec<Option<Row>>,
    ) -> Result<(), StoreError> {
        self.store.find(rank, keys, rows)
    }

    fn commit(&mut self, stage: Stage) -> Result<(), StoreError> {
        self.store.commit(stage)
    }
}

#[test]
fn b9_a_rank_larger_than_memory_is_handed_over_in_pieces() {
    let limits = Limits { memory: 1 << 20, commit_every: Duration::MAX };
    let mut store = Scale { store: Memory::new(Header::of(&Fan)), most: 0 };
    // How much is handed over at once depends on the number of threads, so that is always the same.
    let threads = rayon::ThreadPoolBuilder::new().num_threads(THREADS).build().expect("threads");
    let solution = threads.install(|| solve(&Fan, &mut store, &limits, &mut |_| Next::Continue));
    let solution = solution.expect("a solution");
    let all = u64::from(CHILDREN) * u64::from(GRANDCHILDREN);
    assert_eq!(solution.positions, 1 + u64::from(CHILDREN) + all);
    assert_eq!(solution.verdict.score, Score(6));
    // A batch of positions is expanded before anybody looks at the limit.
    let batch = 2 * 4096 * THREADS * GRANDCHILDREN as usize;
    assert!(store.most <= batch + limits.memory / size_of::<Found>(), "{} at once", store.most);
    assert!(store.most < all as usize / 2, "{} of {all} at once", store.most);
}
