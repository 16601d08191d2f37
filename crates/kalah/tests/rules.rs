//! The rules against a board that is sown seed by seed, and against known counts.

mod twin;

use std::collections::HashSet;

use game::{Game, Turn};
use kalah::{Hole, Kalah, Layouts, MAX_PITS, Pit, Position, Rules, Side, Standing};
use proptest::prelude::*;
use twin::Board;

fn positions() -> impl Strategy<Value = Position> {
    (1..=MAX_PITS).prop_flat_map(|pits| {
        let most = (255 / (2 * pits)) as u8;
        let pit = prop_oneof![3 => Just(0), 4 => 0..6_u8, 1 => 0..=most];
        let side = prop::collection::vec(pit, pits);
        (side.clone(), side).prop_map(|(own, other)| {
            let side = |pits: &[u8]| Side::new(pits).expect("one to eight pits");
            Position::new(side(&own), side(&other)).expect("at most 255 seeds")
        })
    })
}

fn rules() -> impl Strategy<Value = Rules> {
    prop::sample::select(Rules::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn sowing_is_sowing_seed_by_seed(position in positions(), rules in rules()) {
        let kalah = Kalah::from_start(position, rules);
        let board = Board::of(&position);
        prop_assert_eq!(kalah.outcome(&position).is_some(), board.is_over(rules));
        if let Some(score) = kalah.outcome(&position) {
            prop_assert_eq!(i32::from(score.0), board.final_difference());
            prop_assert_eq!(kalah.moves(&position).count(), 0);
            return Ok(());
        }
        let mut edges = Vec::new();
        kalah.edges(&position, |edge| edges.push(edge));
        let pits: Vec<_> = kalah.moves(&position).map(Pit::index).collect();
        prop_assert_eq!(&pits, &board.moves());
        prop_assert_eq!(edges.len(), pits.len());
        for (edge, pit) in edges.iter().zip(pits) {
            let after = board.play(pit, rules);
            prop_assert_eq!(usize::from(edge.mv.0), pit + 1);
            prop_assert_eq!(edge.to, after.position());
            prop_assert_eq!(edge.gain.0 as u32, after.store(0));
            prop_assert_eq!(edge.turn == Turn::Keeps, after.mover == 0);
            let (from, to) = (kalah.rank(&position), kalah.rank(&edge.to));
            prop_assert!(to < from);
            let stays = kalah.region(&edge.to) == kalah.region(&position);
            prop_assert!(stays || to.level < from.level, "a move within a level leaves its region");
        }
    }

    #[test]
    fn seeds_fall_where_the_path_says(position in positions(), rules in rules()) {
        let kalah = Kalah::from_start(position, rules);
        for pit in kalah.moves(&position) {
            let path = kalah.path(&position, pit);
            let mut own = position.own().pits().to_vec();
            let mut other = position.other().pits().to_vec();
            let mut gain = 0;
            own[pit.index()] = 0;
            for hole in &path {
                match hole {
                    Hole::Own(pit) => own[pit.index()] += 1,
                    Hole::Store => gain += 1,
                    Hole::Other(pit) => other[pit.index()] += 1,
                }
            }
            let sown = kalah.sow(&position, pit);
            prop_assert_eq!(sown.turn == Turn::Keeps, path.last() == Some(&Hole::Store));
            prop_assert_eq!(gain + sown.captured, sown.gain);
            let (after_own, after_other) = match sown.turn {
                Turn::Keeps => (sown.to.own(), sown.to.other()),
                Turn::Passes => (sown.to.other(), sown.to.own()),
            };
            // Captured seeds lie in the last pit and the one opposite.
            let mut captured = 0;
            for (at, seeds) in own.iter().enumerate() {
                captured += u32::from(seeds - after_own.pits()[at]);
                captured += u32::from(other[at] - after_other.pits()[at]);
            }
            prop_assert_eq!(captured, sown.captured);
        }
    }

    #[test]
    fn a_name_is_read_back(position in positions(), rules in rules()) {
        let kalah = Kalah::from_start(position, rules);
        prop_assert_eq!(kalah.name().parse(), Ok(kalah));
        let pits = position.pits();
        let kalah = Kalah::new(pits, 1 + position.seeds_in_play() % 9, rules).expect("a size");
        prop_assert_eq!(kalah.name().parse(), Ok(kalah));
    }

    #[test]
    fn a_key_is_the_position(position in positions(), rules in rules()) {
        let kalah = Kalah::from_start(position, rules);
        let key = kalah.pack(&position);
        prop_assert_eq!(kalah.unpack(key), Some(position));
        prop_assert!(kalah.key_bits() == 128 || key.0 >> kalah.key_bits() == 0);
    }

    #[test]
    fn text_is_read_back(position in positions(), stores in prop::option::of((0..9_u32, 0..9_u32))) {
        let seeds = position.seeds_in_play() + stores.map_or(0, |(own, other)| own + other);
        prop_assume!(seeds <= 255);
        let standing = Standing { position, stores };
        prop_assert_eq!(standing.to_string().parse(), Ok(standing));
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in "[0-9,/ -]{0,40}|\\PC{0,40}") {
        if let Ok(standing) = text.parse::<Standing>() {
            prop_assert_eq!(standing.to_string().parse(), Ok(standing));
        }
    }
}

#[test]
fn numbers_of_layouts_have_no_gaps_and_are_lexicographic() {
    for pits in 1..=6 {
        let layouts = Layouts::new(pits, 9);
        let mut total = 0;
        for seeds in 0..=9 {
            let mut before = Vec::new();
            for number in 0..layouts.count(seeds) {
                let mut layout = vec![0; pits];
                layouts.layout(seeds, number, &mut layout);
                assert_eq!(layouts.number(&layout), number);
                assert_eq!(layout.iter().map(|seeds| u32::from(*seeds)).sum::<u32>(), seeds);
                assert!(before < layout);
                before = layout;
            }
            total += layouts.count(seeds);
        }
        assert_eq!(Layouts::total(pits, 9), Some(total));
    }
}

#[test]
fn text_that_is_no_position_says_why() {
    let cases = [
        ("", "does not have two sides"),
        ("1,2,3", "does not have two sides"),
        ("1,2/3", "the first side has 2 pits, the second 1"),
        ("1,x/3,4", "pit 2 of the first side is 'x'"),
        ("1,2/3,300", "pit 2 of the second side is '300'"),
        ("1,2/3,", "pit 2 of the second side is ''"),
        ("1,2,3,4,5,6,7,8,9/1,2,3,4,5,6,7,8,9", "the first side has 9 pits"),
        ("200/100", "300 seeds in all"),
        ("1,2/3,4/5", "the stores '5'"),
        ("1,2/3,4/5-x", "the stores '5-x'"),
        ("100/100/50-50", "300 seeds in all"),
    ];
    for (text, reason) in cases {
        let error = text.parse::<Standing>().expect_err(text).to_string();
        assert!(error.contains(reason), "{text}: {error}");
    }
    assert!(Kalah::new(9, 1, Rules::STD_EITHER).is_err());
    assert!(Kalah::new(0, 1, Rules::STD_EITHER).is_err());
    assert!(Kalah::new(6, 0, Rules::STD_EITHER).is_err());
    let error = Kalah::new(6, 22, Rules::STD_EITHER).expect_err("264 seeds").to_string();
    assert_eq!(error, "6 pits on a side with 22 seeds in each, expected 1 to 21 seeds in each");
}

/// States with stores and side, and positions without, counted by listing them all.
fn reachable(pits: usize, seeds: u32, rules: Rules) -> (usize, usize) {
    let mut states = HashSet::from([Board::start(pits, seeds)]);
    let mut open: Vec<Board> = states.iter().cloned().collect();
    while let Some(board) = open.pop() {
        if !board.is_over(rules) {
            for pit in board.moves() {
                let next = board.play(pit, rules);
                if states.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
    }
    let positions: HashSet<_> = states.iter().map(Board::position).collect();
    (states.len(), positions.len())
}

#[test]
fn reachable_states_are_as_many_as_known() {
    let slow = std::env::var_os("EVERYPLY_SLOW").is_some_and(|value| value == "1");
    let limit = if slow { u64::MAX } else { 1_000_000 };
    let mut seen = 0;
    for line in include_str!("../../../fixtures/kalah/values.csv").lines().skip(1) {
        let fields: Vec<_> = line.split(',').collect();
        let [pits, seeds, rules, _, _, count, _] = fields[..] else { panic!("{line}") };
        let Ok(count) = count.parse::<u64>() else { continue };
        if count > limit {
            println!("not run: {line}");
            continue;
        }
        let size = (pits.parse().expect("pits"), seeds.parse().expect("seeds"));
        let rules = rules.parse().expect("rules");
        let (states, positions) = reachable(size.0, size.1, rules);
        assert_eq!(states as u64, count, "{line}");
        assert!(positions <= states);
        seen += 1;
    }
    assert!(seen >= 38, "only {seen} counts were compared");
}
