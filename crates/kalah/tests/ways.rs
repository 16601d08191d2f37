//! Ways to positions, played again from the start.

use game::Game;
use kalah::{Kalah, Pit, Record, Rules, Standing, Way};

fn start(kalah: &Kalah) -> Standing {
    Standing { position: kalah.start(), stores: None }
}

/// The game after so many random moves; nothing if it is over before.
fn played(kalah: &Kalah, plies: usize, seed: u64) -> Option<Record> {
    let mut record = Record::new(&start(kalah), kalah.rules());
    let mut state = seed;
    for _ in 0..plies {
        let legal: Vec<u16> = kalah.moves(&record.last().position).map(Pit::number).collect();
        // Knuth's linear congruential generator; its upper bits are random enough.
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let pit = *legal.get((state >> 33) as usize % legal.len().max(1))?;
        record.play(pit).expect("a legal move");
    }
    Some(record)
}

/// Where a way leads.
fn end(kalah: &Kalah, way: &Way) -> Standing {
    let Way::Found(pits) = way else { panic!("{way:?}") };
    let mut record = Record::new(&start(kalah), kalah.rules());
    for pit in pits {
        record.play(pit.number()).expect("a legal move");
    }
    record.last().standing()
}

#[test]
fn positions_of_random_games_are_reached_again() {
    for rules in [Rules::STD_EITHER, Rules::EMPTY_MOVER] {
        let kalah = Kalah::new(6, 4, rules).expect("a size");
        for (plies, seed) in [(6, 1), (20, 2), (30, 3)] {
            let record = (seed..).step_by(10).find_map(|seed| played(&kalah, plies, seed));
            let reached = record.expect("some game is long enough").last().standing();
            assert_eq!(end(&kalah, &kalah.way_to(&reached, 1_500_000)), reached, "{rules} {plies}");
            let somehow = Standing { stores: None, ..reached };
            let found = end(&kalah, &kalah.way_to(&somehow, 1_500_000));
            assert_eq!(found.position, reached.position, "{rules} {plies}");
        }
    }
}

#[test]
fn a_way_is_as_short_forwards_and_complete_backwards() {
    let kalah = Kalah::new(3, 3, Rules::STD_EITHER).expect("a size");
    for seed in 1..40 {
        let Some(record) = played(&kalah, 6, seed) else { continue };
        let reached = record.last().standing();
        // All positions of this game fit into a third of the first limit, and few into the second.
        let [Way::Found(shortest), Way::Found(other)] =
            [100_000, 400].map(|most| kalah.way_to(&reached, most))
        else {
            panic!("{reached}")
        };
        assert!(shortest.len() <= record.pits().len() && shortest.len() <= other.len());
        assert_eq!(end(&kalah, &Way::Found(other)), reached);
    }
}

#[test]
fn positions_without_a_way_are_told_from_those_not_found() {
    let kalah = Kalah::new(6, 4, Rules::STD_EITHER).expect("a size");
    for (text, most, way) in [
        // Nothing can have been sown last: no pit is empty.
        ("5,5,5,5,5,5/5,5,5,1,1,1", 1_000, Way::None),
        ("5,5,5,5,5,5/5,5,5,1,1,1/0-0", 1_000, Way::None),
        ("4,4,4,4,4,4/4,4,4,4,4,4/0-1", 1_000, Way::None),
        ("9,9,9,9,9,9/9,9,9,9,9,9", 1_000, Way::None),
        ("0,0,0,0,0,1/0,0,0,0,0,1", 0, Way::Unknown),
        ("0,0,0,0,0,1/0,0,0,0,0,1", 99, Way::Unknown),
        ("4,4,4,4,4,4/4,4,4,4,4,4", 0, Way::Found(Vec::new())),
    ] {
        assert_eq!(kalah.way_to(&text.parse().expect("a position"), most), way, "{text}");
    }
}
