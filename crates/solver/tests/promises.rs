//! A game of one's own that goes beyond what rows can hold, or breaks a promise, is refused by
//! name instead of being solved wrongly.

use std::time::Duration;

use game::{Edge, Game, Key, MoveId, Rank, Score, Turn};
use solver::{
    Found, Header, Limits, Memory, Next, Sample, Settled, SolveError, Stage, Store, solve, verify,
};

/// A walk down from a height, a step at a time, each of which makes some points.
struct Stairs {
    height: u32,
    gain: i16,
    turn: Turn,
    last: Score,
    key_bits: u32,
}

const STAIRS: Stairs =
    Stairs { height: 3, gain: 0, turn: Turn::Keeps, last: Score(0), key_bits: 20 };

impl Game for Stairs {
    type Position = u32;

    fn name(&self) -> String {
        format!("stairs height={}", self.height)
    }

    fn key_bits(&self) -> u32 {
        self.key_bits
    }

    fn start(&self) -> u32 {
        self.height
    }

    fn rank(&self, height: &u32) -> Rank {
        Rank::from_u32(*height)
    }

    fn outcome(&self, height: &u32) -> Option<Score> {
        (*height == 0).then_some(self.last)
    }

    fn edges(&self, height: &u32, mut visit: impl FnMut(Edge<u32>)) {
        visit(Edge { mv: MoveId(0), to: height - 1, gain: Score(self.gain), turn: self.turn });
    }

    fn pack(&self, height: &u32) -> Key {
        Key((*height).into())
    }

    fn unpack(&self, key: Key) -> Option<u32> {
        key.0.try_into().ok()
    }
}

const LIMITS: Limits = Limits { memory: 1 << 20, commit_every: Duration::MAX };

fn refusal(stairs: &Stairs) -> SolveError {
    let mut store = Memory::new(Header::of(stairs));
    solve(stairs, &mut store, &LIMITS, &mut |_| Next::Continue).expect_err("it cannot be solved")
}

#[test]
fn a17_scores_beyond_16_bits_are_refused_by_their_number() {
    let climbs = Stairs { gain: 20_000, ..STAIRS };
    let error = refusal(&climbs).to_string();
    assert!(error.contains("position 0x2 of rank 0.2: a score of 40000 does not fit"), "{error}");
    let falls = Stairs { gain: -20_000, ..STAIRS };
    assert!(refusal(&falls).to_string().contains("a score of -40000 does not fit"));
    let turned = Stairs { turn: Turn::Passes, last: Score(i16::MIN), ..STAIRS };
    assert!(refusal(&turned).to_string().contains("a score of 32768 does not fit"));
    let fits = Stairs { gain: 10_000, ..STAIRS };
    let mut store = Memory::new(Header::of(&fits));
    let solution = solve(&fits, &mut store, &LIMITS, &mut |_| Next::Continue).expect("it fits");
    assert_eq!(solution.verdict.score, Score(30_000));
}

#[test]
fn a17_verify_does_not_agree_with_a_score_that_wrapped() {
    let stairs = Stairs { gain: 20_000, ..STAIRS };
    let mut store = Memory::new(Header::of(&stairs));
    for height in 0..=stairs.height {
        let (rank, key) = (stairs.rank(&height), stairs.pack(&height));
        let score = Score((height as i16).wrapping_mul(20_000));
        let best = (height > 0).then_some(MoveId(0));
        let verdict = game::Verdict { score, best, remoteness: Some(height as u16) };
        store.add(rank, &[Found { key, depth: 0 }]).expect("added");
        store.settle(rank, &[Settled { key, verdict }]).expect("settled");
    }
    store.commit(Stage::Solved).expect("committed");
    let report = verify(&stairs, &mut store, Sample::All, &LIMITS, &mut |_, _| Next::Continue);
    let error = report.expect_err("it does not agree").to_string();
    assert!(error.contains("a score of 40000 does not fit"), "{error}");
}

#[test]
fn a17_keys_wider_than_promised_are_refused() {
    let stairs = Stairs { height: 300, key_bits: 8, ..STAIRS };
    let error = refusal(&stairs).to_string();
    assert_eq!(error, "key 0x12c has more than 8 bits, the number that stairs height=300 declares");
    let whole = Stairs { key_bits: 128, ..STAIRS };
    let mut store = Memory::new(Header::of(&whole));
    solve(&whole, &mut store, &LIMITS, &mut |_| Next::Continue).expect("it fits");
}

#[test]
fn a17_depths_beyond_16_bits_are_refused() {
    let error = refusal(&Stairs { height: 65_536, ..STAIRS }).to_string();
    assert_eq!(error, "position 0x1 of rank 0.1 is more than 65534 moves from the start");
    let deepest = Stairs { height: 65_534, ..STAIRS };
    let mut store = Memory::new(Header::of(&deepest));
    solve(&deepest, &mut store, &LIMITS, &mut |_| Next::Continue).expect("it fits");
}

/// A walk down with one or two steps at a time, which breaks a promise. A position also holds
/// whether the last move was of two steps.
struct Broken {
    promise: Promise,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Promise {
    /// The rank falls.
    Rank,
    /// Positions with the same key have the same rank.
    SameRank,
    /// Positions with the same key end with the same points.
    SameOutcome,
    /// Positions with the same key have the same moves.
    SameMoves,
}

impl Game for Broken {
    type Position = (u16, bool);

    fn name(&self) -> String {
        "broken".to_owned()
    }

    fn start(&self) -> (u16, bool) {
        (9, false)
    }

    fn rank(&self, (height, far): &(u16, bool)) -> Rank {
        match self.promise {
            Promise::Rank => Rank { level: (*height).max(5), step: 0 },
            Promise::SameRank => Rank { level: *height, step: u16::from(*far) },
            _ => Rank { level: *height, step: 0 },
        }
    }

    fn outcome(&self, (height, far): &(u16, bool)) -> Option<Score> {
        let points = i16::from(*far && self.promise == Promise::SameOutcome);
        (*height == 0).then_some(Score(points))
    }

    fn edges(&self, (height, far): &(u16, bool), mut visit: impl FnMut(Edge<(u16, bool)>)) {
        let most = if *far && self.promise == Promise::SameMoves { 1 } else { 2 };
        for steps in 1..=most.min(*height) {
            let to = (height - steps, steps == 2);
            visit(Edge { mv: MoveId(steps), to, gain: Score(0), turn: Turn::Passes });
        }
    }

    fn pack(&self, (height, _): &(u16, bool)) -> Key {
        Key((*height).into())
    }

    fn unpack(&self, key: Key) -> Option<(u16, bool)> {
        Some((key.0.try_into().ok()?, false))
    }
}

#[test]
fn a_broken_promise_is_refused_with_the_position_that_shows_it() {
    let cases = [
        (Promise::Rank, "position 0x5: a move leads from rank 5.0 to 5.0, which is not lower"),
        (
            Promise::SameRank,
            "position 0x7 of rank 7.1: broken gave two different answers about its rank",
        ),
        (
            Promise::SameOutcome,
            "position 0x0 of rank 0.0: broken gave two different answers about its outcome",
        ),
        (
            Promise::SameMoves,
            "position 0x7 of rank 7.0: broken gave two different answers about its moves",
        ),
    ];
    for (promise, refusal) in cases {
        let broken = Broken { promise };
        let mut store = Memory::new(Header::of(&broken));
        let solved = solve(&broken, &mut store, &LIMITS, &mut |_| Next::Continue);
        assert_eq!(solved.expect_err("it cannot be solved").to_string(), refusal);
    }
}
