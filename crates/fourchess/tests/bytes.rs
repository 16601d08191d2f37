//! The byte form of positions and histories: it loses nothing, and bytes from anywhere are refused
//! or played on with.

use fourchess::{BytesError, Game, History, MoveList, Position, Random, Rules, Seat};

/// Plays random moves and shows every position with its history.
fn play(rules: &Rules, seed: u64, mut look: impl FnMut(&Position, &History)) {
    let mut random = Random::new(seed);
    let (mut position, mut history, mut moves) =
        (Position::start(rules), History::new(), MoveList::new());
    position.settle(&mut history, rules, &mut moves);
    look(&position, &history);
    while position.ending().is_none() {
        if random.below(200) == 0 {
            let seat = Seat::ALL[random.below(4)];
            position.leave(&mut history, seat, rules, &mut moves);
        } else {
            let mv = moves[random.below(moves.len())];
            position.step(&mut history, mv, rules, &mut moves);
        }
        look(&position, &history);
    }
}

#[test]
fn a_position_and_its_history_come_back_as_they_were() {
    for (seed, rules) in Rules::PRESETS.into_iter().cycle().take(60).enumerate() {
        play(rules, seed as u64, |position, history| {
            let read = Position::from_bytes(&position.to_bytes(), rules);
            assert_eq!(read.as_ref(), Ok(position), "seed {seed}");
            let bytes = history.to_bytes();
            let read = History::from_bytes(&bytes).expect("our own bytes");
            assert_eq!(read.to_bytes(), bytes, "seed {seed}");
        });
    }
}

#[test]
fn a_game_from_bytes_goes_on_like_the_one_it_was_saved_from() {
    let rules = &Rules::FFA;
    let mut at = 0;
    play(rules, 3, |position, history| {
        at += 1;
        if at % 50 != 0 || position.ending().is_some() {
            return;
        }
        let mut one = (*position, *history, MoveList::new());
        let mut other = (
            Position::from_bytes(&position.to_bytes(), rules).expect("our own bytes"),
            History::from_bytes(&history.to_bytes()).expect("our own bytes"),
            MoveList::new(),
        );
        one.0.legal_moves(rules, &mut one.2);
        other.0.legal_moves(rules, &mut other.2);
        let mut random = Random::new(at);
        while one.0.ending().is_none() {
            assert_eq!(*one.2, *other.2);
            let mv = one.2[random.below(one.2.len())];
            one.0.step(&mut one.1, mv, rules, &mut one.2);
            other.0.step(&mut other.1, mv, rules, &mut other.2);
            assert_eq!(one.0, other.0);
        }
    });
}

/// With `EVERYPLY_SLOW` set a million, otherwise enough to meet every kind of refusal.
#[test]
fn changed_bytes_are_refused_or_played_on_with() {
    let tries = if std::env::var_os("EVERYPLY_SLOW").is_some() { 1_000_000 } else { 200_000 };
    let mut seeds = Vec::new();
    for (seed, rules) in Rules::PRESETS.into_iter().enumerate() {
        play(rules, seed as u64, |position, _| seeds.push((position.to_bytes(), rules)));
    }
    let mut random = Random::new(99);
    let (mut played, mut refused) = (0, 0);
    for _ in 0..tries {
        let (mut bytes, rules) = seeds[random.below(seeds.len())];
        for _ in 0..=random.below(4) {
            let place = random.below(Position::BYTES);
            bytes[place] = match random.below(3) {
                0 => random.next() as u8,
                1 => bytes[place] ^ 1 << random.below(8),
                _ => bytes[random.below(Position::BYTES)],
            };
        }
        let Ok(position) = Position::from_bytes(&bytes, rules) else {
            refused += 1;
            continue;
        };
        assert_eq!(position.to_bytes(), bytes, "nothing is changed silently");
        let mut game = Game::from_position(position, rules);
        for _ in 0..8 {
            let Some(&mv) = game.moves().get(random.below(64) % game.moves().len().max(1)) else {
                break;
            };
            game.play(mv).expect("a listed move is legal");
        }
        played += 1;
    }
    println!("{played} played on, {refused} refused");
    assert!(played > tries / 20 && refused > tries / 20);
}

#[test]
fn each_refusal_says_what_is_wrong() {
    let rules = &Rules::FFA;
    let start = Position::start(rules).to_bytes();
    let changed = |place: usize, byte: u8| {
        let mut bytes = start;
        bytes[place] = byte;
        Position::from_bytes(&bytes, rules).map_err(|error| error.to_string())
    };
    for (place, byte, words) in [
        (20, 0xff, "is no piece"),
        (0, 0, "a right to castle is held without king and rook at home"),
        (4, 0, "Red has 0 kings"),
        (172, 2, "Red is out or has left, but has living pieces"),
        (172, 9, "status is 9"),
        (176, 0, "Red cannot have passed d1"),
        (181, 7, "seat to move is 7"),
        (182, 4, "last mover is 4"),
        (183, 99, "ending is 99"),
        (191, 1, "byte 191 must be 0"),
    ] {
        let error = changed(place, byte).expect_err(words);
        assert!(error.contains(words), "{place}: {error}");
    }
    let mut history = [0; History::BYTES];
    history[..4].fill(0xff);
    let error = History::from_bytes(&history).unwrap_err();
    assert!(matches!(error, BytesError::Value { .. }), "{error}");
    history = [0; History::BYTES];
    history[100] = 1;
    assert_eq!(History::from_bytes(&history).unwrap_err(), BytesError::Reserved(100));
}
