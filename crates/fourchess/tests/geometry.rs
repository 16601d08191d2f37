//! The tables against what a mailbox says.

use fourchess::{Edge, Role, Seat, Seating, Square, Squares, geometry};

#[allow(dead_code, reason = "each test asks for a part of it")]
mod twin;

use twin::{At, is_on_board};

fn at(square: Square) -> At {
    (square.file() as i8, square.rank() as i8)
}

#[test]
fn there_are_160_squares_and_each_has_one_name() {
    assert_eq!(Square::all().count(), 160);
    let mut next = Square::all();
    for rank in 0..14 {
        for file in 0..14 {
            let found = Square::at(file, rank);
            assert_eq!(found.is_some(), is_on_board((file as i8, rank as i8)));
            if let Some(square) = found {
                assert_eq!(next.next(), Some(square));
                assert_eq!((square.file(), square.rank()), (file, rank));
                assert_eq!(square.to_string().parse(), Ok(square));
            }
        }
    }
    for text in ["", "a", "a1", "c3", "o5", "d0", "d01", "d15", "D4", "d+4", "\u{e9}4", "d4 "] {
        assert!(text.parse::<Square>().is_err(), "{text:?}");
    }
}

#[test]
fn reading_order_begins_at_the_top_left() {
    let mut squares: Vec<Square> = Square::all().collect();
    squares.sort_by_key(|square| (13 - square.rank(), square.file()));
    for (index, square) in squares.into_iter().enumerate() {
        assert_eq!(square.reading_index(), index);
        assert_eq!(Square::from_reading_index(index), Some(square));
    }
    assert_eq!(Square::from_reading_index(160), None);
}

#[test]
fn every_seat_sees_its_own_edge_in_the_south() {
    for edge in Edge::ALL {
        for square in Square::all() {
            let seen = square.seen_from(edge);
            assert_eq!(seen.shown_to(edge), square);
            assert_eq!(seen.rank() + 1, square.own_rank(edge));
            let (files, ranks) = edge.forward();
            let ahead = square.step(files, ranks).map(|ahead| ahead.seen_from(edge));
            assert_eq!(ahead, seen.step(0, 1), "forward is up");
        }
    }
    let square = |text: &str| text.parse::<Square>().unwrap();
    // What is on the left hand stays there.
    assert_eq!(square("a11").seen_from(Edge::West), square("d1"));
    assert_eq!(square("k14").seen_from(Edge::North), square("d1"));
    assert_eq!(square("n4").seen_from(Edge::East), square("d1"));
    for seating in [Seating::Clockwise, Seating::Counterclockwise] {
        for seat in Seat::ALL {
            assert_eq!(seating.seat(seating.edge(seat)), seat);
        }
    }
}

/// The ways of a role, and how often it may repeat a step.
fn ways(role: Role) -> (Vec<At>, i8) {
    let pairs = (-2..=2).flat_map(|files| (-2..=2).map(move |ranks| (files, ranks)));
    let size = |way: &At| (way.0.abs().min(way.1.abs()), way.0.abs().max(way.1.abs()));
    let wanted = |way: &At| match role {
        Role::Pawn => false,
        Role::Knight => size(way) == (1, 2),
        Role::Bishop => size(way) == (1, 1),
        Role::Rook => size(way) == (0, 1),
        Role::Queen | Role::King => size(way).1 == 1,
    };
    (pairs.filter(wanted).collect(), if matches!(role, Role::Knight | Role::King) { 1 } else { 13 })
}

fn reach(role: Role, from: Square) -> Squares {
    let (ways, most) = ways(role);
    let mut reach = Squares::EMPTY;
    for (files, ranks) in ways {
        for steps in 1..=most {
            let (file, rank) = (at(from).0 + steps * files, at(from).1 + steps * ranks);
            if !is_on_board((file, rank)) {
                break;
            }
            reach.insert(Square::at(file as u8, rank as u8).unwrap());
        }
    }
    reach
}

#[test]
fn destinations_are_those_of_a_mailbox() {
    let mut widest = [0; 6];
    let mut pairs = [0; 6];
    for role in Role::ALL {
        for from in Square::all() {
            let found = geometry::destinations(role, from);
            assert_eq!(found, reach(role, from), "{role:?} {from}");
            widest[role.index()] = widest[role.index()].max(found.len());
            pairs[role.index()] += found.len();
            for to in Square::all() {
                assert_eq!(geometry::can_move(role, from, to), found.contains(to));
            }
        }
    }
    assert_eq!(widest, [0, 8, 19, 26, 45, 8]);
    assert_eq!((pairs[Role::Queen.index()], pairs[Role::Knight.index()]), (5_960, 992));
    let far = Square::all().map(|from| geometry::far(from).len()).max();
    assert_eq!(far, Some(37));
    let near = Square::all().map(|from| geometry::near(from).len()).max();
    assert_eq!(near, Some(16));
    let connected = |from| geometry::near(from).len() + geometry::far(from).len();
    assert_eq!(Square::all().map(connected).sum::<usize>(), 5_960 + 992, "every pair once");
    for from in Square::all() {
        assert_eq!(geometry::near(from), reach(Role::King, from) | reach(Role::Knight, from));
        assert_eq!(geometry::far(from), reach(Role::Queen, from) & !reach(Role::King, from));
        assert!((geometry::near(from) & geometry::far(from)).is_empty());
    }
}

#[test]
fn between_two_squares_lies_the_line_that_joins_them() {
    for one in Square::all() {
        for other in Square::all() {
            let mut expected = Squares::EMPTY;
            if reach(Role::Queen, one).contains(other) {
                let (a, b) = (at(one), at(other));
                let way = ((b.0 - a.0).signum(), (b.1 - a.1).signum());
                let mut step = one.step(way.0, way.1).unwrap();
                while step != other {
                    expected.insert(step);
                    step = step.step(way.0, way.1).unwrap();
                }
            }
            // Where a corner lies between, the squares share a line but no move joins them.
            let found = geometry::between(one, other);
            assert_eq!(found, expected, "{one} {other}");
        }
    }
}

#[test]
fn pawns_walk_away_from_their_edge() {
    for edge in Edge::ALL {
        for from in Square::all() {
            let seen = from.seen_from(edge);
            let shown = |file, rank| Some(seen.step(file, rank)?.shown_to(edge));
            let one = shown(0, 1);
            let two = one.filter(|_| seen.rank() == 1).and(shown(0, 2));
            let pushes: Squares = one.into_iter().chain(two).collect();
            assert_eq!(geometry::pawn_pushes(edge, from), pushes);
            let takes: Squares = [shown(-1, 1), shown(1, 1)].into_iter().flatten().collect();
            assert_eq!(geometry::pawn_takes(edge, from), takes);
        }
    }
}

#[test]
fn sets_of_squares_are_sets() {
    let evens: Squares = Square::all().step_by(2).collect();
    assert_eq!(evens.len(), 80);
    assert_eq!((!evens).len(), 80);
    assert_eq!(evens | !evens, Squares::ALL);
    assert_eq!(!Squares::ALL, Squares::EMPTY);
    assert!(evens.into_iter().eq(Square::all().step_by(2)));
}
