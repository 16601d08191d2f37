//! Games saved, loaded and copied go on exactly as the originals, and bytes from anywhere are
//! refused or played on with.

use fourchess::{Random, Rules, Seat, Status};
use fourchess_env::{
    Action, Autoreset, Batch, Config, EndedMask, Error, Illegal, Outputs, Player, StateError,
};

const ALL: Outputs = Outputs { legal_bits: true, legal_bytes: true, observation: true };

fn batch(rules: &Rules, autoreset: Autoreset, games: usize, seed: u64) -> Batch {
    let config = Config { outputs: ALL, autoreset, seed, ..Config::new(rules, games) };
    Batch::new(Config { illegal: Illegal::Noop, ..config }).unwrap()
}

/// The presets, short enough that many games end.
fn presets() -> impl Iterator<Item = Rules> + Clone {
    Rules::PRESETS.into_iter().map(|rules| Rules { max_plies: 150, ..*rules })
}

/// What the last step gave and ended.
fn outcome(batch: &Batch, game: usize) -> impl PartialEq + std::fmt::Debug + use<> {
    (
        batch.rewards()[4 * game..][..4].to_vec(),
        (batch.terminated()[game], batch.truncated()[game], batch.move_valid()[game]),
    )
}

/// Everything that is to be seen of a game.
fn seen(batch: &Batch, game: usize) -> impl PartialEq + std::fmt::Debug + use<> {
    fn of<T: Copy>(all: &[T], game: usize, games: usize) -> Vec<T> {
        let size = all.len() / games;
        all[game * size..][..size].to_vec()
    }
    let games = batch.len();
    (
        batch.positions()[game],
        of(batch.legal(), game, games),
        of(batch.legal_counts(), game, games),
        of(batch.legal_bits(), game, games),
        of(batch.legal_bytes(), game, games),
        of(batch.planes(), game, games),
        of(batch.scalars(), game, games),
        batch.current_player()[game],
    )
}

fn advance(batch: &mut Batch, steps: usize) {
    let mut actions = vec![0; batch.len()];
    for _ in 0..steps {
        batch.choose(Player::Random, &mut actions).unwrap();
        batch.step(&actions).unwrap();
    }
}

const AUTORESETS: [Autoreset; 3] = [Autoreset::NextStep, Autoreset::SameStep, Autoreset::Disabled];

/// As many continuations as the environment promises: 10,000 in all with `EVERYPLY_SLOW` set.
#[test]
fn loaded_and_copied_games_go_on_like_the_originals() {
    let rounds = if std::env::var_os("EVERYPLY_SLOW").is_some() { 35 } else { 1 };
    for (round, rules) in presets().cycle().take(3 * rounds).enumerate() {
        for autoreset in AUTORESETS {
            let seed = round as u64;
            let mut one = batch(&rules, autoreset, 32, seed);
            let mut other = batch(&rules, autoreset, 64, seed + 1);
            advance(&mut one, 40 + 13 * round % 200);
            advance(&mut other, 9);
            // Backwards, so that places differ.
            let sources: Vec<usize> = (0..32).collect();
            let targets: Vec<usize> = (0..32).rev().collect();
            let states = one.save(&sources).unwrap();
            other.load(&targets, &states).unwrap();
            assert_eq!(other.save(&targets).unwrap(), states, "bytes come back equal");
            let copies: Vec<usize> = (32..64).collect();
            other.copy_games(&targets, &copies).unwrap();
            for step in 0..200 {
                for game in sources.iter().copied() {
                    for twin in [targets[game], copies[game]] {
                        assert_eq!(seen(&one, game), seen(&other, twin), "{autoreset:?} {twin}");
                        if step > 0 {
                            assert_eq!(outcome(&one, game), outcome(&other, twin));
                        }
                    }
                }
                advance(&mut one, 1);
                advance(&mut other, 1);
            }
        }
    }
}

#[test]
fn copies_are_of_the_games_as_they_were() {
    let mut games = batch(&Rules::FFA, Autoreset::NextStep, 6, 5);
    advance(&mut games, 30);
    let before: Vec<_> = (0..6).map(|game| seen(&games, game)).collect();
    // A circle, a game to two places, one to itself.
    games.copy_games(&[0, 1, 2, 0, 5], &[1, 2, 0, 3, 5]).unwrap();
    for (game, source) in [2, 0, 1, 0, 4, 5].into_iter().enumerate() {
        assert_eq!(seen(&games, game), before[source]);
    }
    let error = games.copy_games(&[0, 1], &[2, 2]).unwrap_err();
    assert_eq!(error, Error::Twice { game: 2 });
    let error = games.copy_games(&[0, 6], &[1, 2]).unwrap_err();
    assert_eq!(error, Error::NoGame { game: 6, games: 6 });
    assert!(matches!(games.copy_games(&[0], &[]), Err(Error::Length { .. })));
}

#[test]
fn states_that_do_not_fit_are_refused_and_change_nothing() {
    let mut games = batch(&Rules::FFA, Autoreset::NextStep, 2, 5);
    advance(&mut games, 10);
    let before = games.save(&[0, 1]).unwrap();
    let cause = |games: &mut Batch, change: &dyn Fn(&mut [u8])| {
        let mut states = before.clone();
        change(&mut states[Batch::STATE_BYTES..]);
        match games.load(&[0, 1], &states).unwrap_err() {
            Error::State { index: 1, cause } => cause,
            other => panic!("{other}"),
        }
    };
    assert_eq!(cause(&mut games, &|bytes| bytes[0] = 0), StateError::Magic);
    assert_eq!(cause(&mut games, &|bytes| bytes[3] = 9), StateError::Version { found: 9 });
    assert_eq!(cause(&mut games, &|bytes| bytes[4] ^= 1), StateError::Rules);
    for index in [16, 26, 2287] {
        let value = StateError::Value { index, value: 2 };
        assert_eq!(cause(&mut games, &|bytes| bytes[index] = 2), value);
    }
    assert!(matches!(cause(&mut games, &|bytes| bytes[60] = 0xff), StateError::Position(_)));
    assert_eq!(games.save(&[0, 1]).unwrap(), before);
    assert!(matches!(games.load(&[0], &before), Err(Error::Length { .. })));

    let mut teams = batch(&Rules::TEAMS, Autoreset::NextStep, 2, 5);
    let error = teams.load(&[0, 1], &before).unwrap_err();
    assert_eq!(error, Error::State { index: 0, cause: StateError::Rules });
}

#[test]
fn a_game_that_is_over_cannot_be_put_where_games_start_again_at_once() {
    let rules = Rules { max_plies: 20, ..Rules::FFA };
    let mut games = batch(&rules, Autoreset::Disabled, 1, 5);
    advance(&mut games, 25);
    let state = games.save(&[0]).unwrap();
    let mut same_step = batch(&rules, Autoreset::SameStep, 1, 5);
    let error = same_step.load(&[0], &state).unwrap_err();
    assert_eq!(error, Error::State { index: 0, cause: StateError::Over });
}

/// A million with `EVERYPLY_SLOW` set.
#[test]
fn changed_states_are_refused_or_played_on_with() {
    let tries = if std::env::var_os("EVERYPLY_SLOW").is_some() { 1_000_000 } else { 60_000 };
    let mut random = Random::new(77);
    let (mut played, mut refused) = (0, 0);
    for rules in presets() {
        let mut games = batch(&rules, Autoreset::NextStep, 8, 3);
        let mut target = batch(&rules, Autoreset::NextStep, 1, 4);
        for turn in 0..tries / 3 {
            if turn % 50 == 0 {
                advance(&mut games, 7);
            }
            let mut bytes = games.save(&[random.below(8)]).unwrap();
            for _ in 0..=random.below(3) {
                // The first bytes decide most, the ring of the history hardly anything.
                let place = random.below(260);
                bytes[place] = match random.below(3) {
                    0 => random.next() as u8,
                    1 => bytes[place] ^ 1 << random.below(8),
                    _ => bytes[random.below(260)],
                };
            }
            if target.load(&[0], &bytes).is_err() {
                refused += 1;
                continue;
            }
            assert_eq!(target.save(&[0]).unwrap(), bytes, "nothing is changed silently");
            advance(&mut target, 5);
            played += 1;
        }
    }
    println!("{played} played on, {refused} refused");
    assert!(played > tries / 50 && refused > tries / 50);
}

#[test]
fn a_seat_resigns_on_turn_or_not() {
    let mut games = batch(&Rules::FFA, Autoreset::NextStep, 3, 5);
    advance(&mut games, 12);
    let fens = |games: &Batch| {
        let fen = |position: &fourchess::Position| position.fen(&Rules::FFA).to_string();
        games.positions().iter().map(fen).collect::<Vec<String>>()
    };
    let before = fens(&games);
    let turn = Seat::ALL[games.current_player()[1] as usize];
    games.resign(&[0, 1], &[turn.next(), turn]).unwrap();
    assert_eq!(games.positions()[0].status(turn.next()), Status::Walking);
    assert_eq!(games.positions()[1].status(turn), Status::Walking);
    assert_eq!(fens(&games)[2], before[2]);
    // What a single game does.
    for (game, seat) in [(0, turn.next()), (1, turn)] {
        let position = fourchess::Position::from_fen(&before[game], &Rules::FFA).unwrap();
        let mut single = fourchess::Game::from_position(position, &Rules::FFA);
        single.leave(seat);
        assert_eq!(single.position().fen(&Rules::FFA).to_string(), fens(&games)[game]);
        assert_eq!(single.moves().len(), games.legal_of(game).len());
    }
    // Twice is once, and the last player ends the game.
    let after = fens(&games);
    games.resign(&[0], &[turn.next()]).unwrap();
    assert_eq!(fens(&games), after);
    let others = Seat::ALL.into_iter().filter(|&seat| seat != turn.next());
    others.take(2).for_each(|seat| games.resign(&[0], &[seat]).unwrap());
    assert_eq!((games.terminated()[0], games.legal_counts()[0]), (true, 0));
    assert!(matches!(games.resign(&[0], &[]), Err(Error::Length { .. })));
}

#[test]
fn masks_of_games_that_have_ended_are_ones_if_asked_for() {
    let rules = Rules { max_plies: 30, ..Rules::FFA };
    for autoreset in [Autoreset::NextStep, Autoreset::Disabled] {
        let make = |ended_mask| {
            let config = Config { outputs: ALL, autoreset, ..Config::new(&rules, 4) };
            Batch::new(Config { ended_mask, illegal: Illegal::Noop, ..config }).unwrap()
        };
        let (mut zeros, mut ones) = (make(EndedMask::Zeros), make(EndedMask::Ones));
        let mut ended = 0;
        for _ in 0..100 {
            for game in 0..4 {
                let bytes = |batch: &Batch| {
                    batch.legal_bytes()[game * Action::COUNT..][..Action::COUNT].to_vec()
                };
                let bits = |batch: &Batch| {
                    let words = &batch.legal_bits()[game * Batch::LEGAL_WORDS..];
                    let bit = |id: usize| (words[id / 64] >> (id % 64) & 1) as u8;
                    (0..64 * Batch::LEGAL_WORDS).map(bit).collect::<Vec<u8>>()
                };
                if zeros.legal_counts()[game] == 0 {
                    ended += 1;
                    assert_eq!(bytes(&zeros), [0; Action::COUNT]);
                    assert_eq!(bytes(&ones), [1; Action::COUNT]);
                } else {
                    assert_eq!(bytes(&zeros), bytes(&ones));
                }
                for batch in [&zeros, &ones] {
                    let bits = bits(batch);
                    assert_eq!(bits[..Action::COUNT], bytes(batch));
                    assert!(bits[Action::COUNT..].iter().all(|&bit| bit == 0));
                }
                assert_eq!(zeros.legal_of(game), ones.legal_of(game));
            }
            advance(&mut zeros, 1);
            advance(&mut ones, 1);
        }
        assert!(ended > 4);
    }
}
