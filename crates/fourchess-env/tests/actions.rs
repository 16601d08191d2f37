//! Numbers of actions, both ways, against the geometry of the board.

use std::collections::HashSet;

use fourchess::{Edge, Role, Rules, Square, geometry};
use fourchess_env::{Action, Player, SelfPlay};

fn all() -> impl Iterator<Item = Action> {
    (0..Action::COUNT as u16).map(|id| Action::new(id).unwrap())
}

#[test]
fn every_pair_that_a_queen_or_a_knight_connects_has_one_number() {
    assert_eq!(Action::new(Action::COUNT as u16), None);
    let mut pairs = HashSet::new();
    for from in Square::all() {
        let to =
            geometry::destinations(Role::Queen, from) | geometry::destinations(Role::Knight, from);
        pairs.extend(to.into_iter().map(|to| (from, to)));
        for other in Square::all() {
            assert_eq!(Action::between(from, other).is_some(), to.contains(other));
        }
    }
    assert_eq!(pairs.len(), Action::PAIRS);
    let numbered: HashSet<_> = all().take(Action::PAIRS).map(Action::squares).collect();
    assert_eq!(numbered, pairs);
    for action in all().take(Action::PAIRS) {
        let (from, to) = action.squares();
        assert_eq!(Action::between(from, to), Some(action));
        assert_eq!(action.underpromotion(), None);
    }
}

#[test]
fn numbers_come_in_the_documented_order() {
    let mut expected = Vec::new();
    for from in Square::all() {
        // Lines: along the rank, along the file, to the upper right, to the lower right.
        for (files, ranks) in [(1, 0), (0, 1), (1, 1), (1, -1)] {
            let walk = |sign: i8| {
                let step = move |at: &Square| at.step(sign * files, sign * ranks);
                std::iter::successors(Some(from), step).skip(1)
            };
            let below: Vec<Square> = walk(-1).collect();
            expected.extend(below.into_iter().rev().chain(walk(1)).map(|to| (from, to, None)));
        }
        for (files, ranks) in geometry::KNIGHT_STEPS {
            expected.extend(from.step(files, ranks).map(|to| (from, to, None)));
        }
    }
    for rank in [7, 10] {
        for file in 0..14 {
            let from = Square::at(file, rank - 1).unwrap();
            for to in [-1, 0, 1].into_iter().filter_map(|aside| from.step(aside, 1)) {
                let roles = [Role::Knight, Role::Bishop, Role::Rook];
                expected.extend(roles.map(|role| (from, to, Some(role))));
            }
        }
    }
    let found: Vec<_> = all().map(|a| (a.squares().0, a.squares().1, a.underpromotion())).collect();
    assert_eq!(found, expected);
}

#[test]
fn the_wide_encoding_names_the_same_moves() {
    for edge in Edge::ALL {
        let mut seen = HashSet::new();
        for action in all() {
            let wide = action.wide(edge);
            assert!(wide < Action::WIDE && seen.insert(wide));
            assert_eq!(Action::from_wide(wide, edge), Some(action));
            let (from, to) = action.squares();
            let from = Square::all().find(|square| square.seen_from(edge) == from).unwrap();
            let to = Square::all().find(|square| square.seen_from(edge) == to).unwrap();
            let promotion = [None, Some(Role::Rook), Some(Role::Bishop), Some(Role::Knight)];
            let promotion = promotion.iter().position(|&role| role == action.underpromotion());
            let expected = from.reading_index() * 640 + to.reading_index() * 4 + promotion.unwrap();
            assert_eq!(wide as usize, expected);
        }
        let named = (0..Action::WIDE + 1000).filter(|&w| Action::from_wide(w, edge).is_some());
        assert_eq!(named.count(), Action::COUNT);
    }
}

#[test]
fn recorded_games_can_be_played_again() {
    for rules in Rules::PRESETS {
        for seed in 0..4 {
            let players = [Player::Random, Player::Greedy, Player::Random, Player::Greedy];
            let record = SelfPlay::new(rules, players).unwrap().game(seed);
            let mut game = fourchess::Game::new(rules);
            for ply in &record.plies {
                assert_eq!(game.position().turn(), ply.seat);
                assert_eq!(game.moves().len(), ply.choices as usize);
                assert_eq!(Action::of(ply.mv, rules.edge(ply.seat)), Some(ply.action));
                game.play(ply.mv).unwrap();
                assert_eq!(game.position().points(), ply.points);
            }
            assert_eq!(game.ending(), record.ending);
            assert!(record.ending.is_some());
            assert_eq!((game.position().points(), game.places()), (record.points, record.places));
        }
    }
}
