//! Games as values go on exactly as those of a batch, and changed values are refused.

use fourchess::{Random, Rules};
use fourchess_env::{
    Action, Autoreset, Batch, Config, EndedMask, Error, Illegal, Observation, Outputs, Player,
    Seen, StateError, Stepper,
};

const GAMES: usize = 24;
const ALL: Outputs = Outputs { legal_bits: false, legal_bytes: true, observation: true };

fn configs() -> impl Iterator<Item = Config> {
    let autoresets = [Autoreset::NextStep, Autoreset::SameStep, Autoreset::Disabled];
    let presets = Rules::PRESETS.into_iter().map(|rules| Rules { max_plies: 90, ..*rules });
    presets.flat_map(move |rules| {
        autoresets.into_iter().flat_map(move |autoreset| {
            [Illegal::Noop, Illegal::Lose].map(|illegal| Config {
                autoreset,
                illegal,
                outputs: ALL,
                ended_mask: EndedMask::Ones,
                ..Config::new(&rules, GAMES)
            })
        })
    })
}

/// The games of a batch as values.
fn values_of(batch: &Batch, stepper: &Stepper) -> (Vec<u8>, Seen) {
    let all: Vec<usize> = (0..batch.len()).collect();
    let (mut values, mut seen) = (vec![7; batch.len() * Stepper::BYTES], Seen::new(batch.len()));
    stepper.load(&batch.save(&all).unwrap(), &mut values, &mut seen.all()).unwrap();
    (values, seen)
}

fn compare(batch: &Batch, stepper: &Stepper, values: &[u8], seen: &Seen) {
    let flags = |flags: &[bool]| flags.iter().map(|&flag| u8::from(flag)).collect::<Vec<u8>>();
    assert_eq!(seen.rewards.as_flattened(), batch.rewards());
    assert_eq!(seen.terminated, flags(batch.terminated()));
    assert_eq!(seen.truncated, flags(batch.truncated()));
    assert_eq!(seen.move_valid, flags(batch.move_valid()));
    for game in 0..batch.len() {
        assert_eq!(seen.current_player[game], i32::from(batch.current_player()[game]));
        assert_eq!(seen.plies[game], i32::from(batch.positions()[game].plies()));
        let value = &values[game * Stepper::BYTES..][..Stepper::BYTES];
        assert_eq!(Stepper::legal(value), batch.legal_of(game));
        let room = value[Stepper::LEGAL].as_chunks().0.iter().map(|id| u16::from_le_bytes(*id));
        assert!(room.eq(batch.legal()[game * Batch::LEGAL_ROOM..].iter().copied().take(704)));
    }
    let all: Vec<usize> = (0..batch.len()).collect();
    let mut states = vec![0; batch.len() * Batch::STATE_BYTES];
    stepper.save(values, &mut states).unwrap();
    assert!(states == batch.save(&all).unwrap(), "the documented bytes differ");
    let mut masks = vec![9; batch.len() * Action::COUNT];
    stepper.mask(values, &mut masks).unwrap();
    assert!(masks == batch.legal_bytes(), "the masks differ");
    let mut planes = vec![9; batch.len() * Observation::PLANES * Observation::WORDS];
    let mut scalars = vec![9; batch.len() * Observation::SCALARS];
    stepper.observe(values, &mut planes, &mut scalars).unwrap();
    assert_eq!((&planes[..], &scalars[..]), (batch.planes(), batch.scalars()));
}

#[test]
fn a_value_goes_on_like_a_game_of_a_batch() {
    for (seed, config) in configs().enumerate() {
        let mut batch = Batch::new(Config { seed: seed as u64, ..config.clone() }).unwrap();
        let stepper = Stepper::new(&config).unwrap();
        let (mut values, mut seen) = values_of(&batch, &stepper);
        compare(&batch, &stepper, &values, &seen);
        let mut random = Random::new(seed as u64);
        let mut actions = vec![0; GAMES];
        for _ in 0..250 {
            for (game, action) in actions.iter_mut().enumerate() {
                let legal = batch.legal_of(game);
                *action = match random.below(40) {
                    0 => 65_535,
                    1 => random.below(Action::COUNT) as u16,
                    _ if legal.is_empty() => 0,
                    _ => legal[random.below(legal.len())],
                };
            }
            let numbers: Vec<i32> = actions.iter().map(|&action| i32::from(action)).collect();
            batch.step(&actions).unwrap();
            stepper.step(&mut values, &numbers, &mut seen.all()).unwrap();
            compare(&batch, &stepper, &values, &seen);
        }
    }
}

#[test]
fn equal_games_have_equal_values_however_they_came_about() {
    let config = Config::new(&Rules::FFA, GAMES);
    let (mut batch, stepper) =
        (Batch::new(config.clone()).unwrap(), Stepper::new(&config).unwrap());
    let (mut values, mut seen) = values_of(&batch, &stepper);
    let mut actions = vec![0; GAMES];
    for _ in 0..300 {
        batch.choose(Player::Random, &mut actions).unwrap();
        let (before, _) = values_of(&batch, &stepper);
        values = before;
        let numbers: Vec<i32> = actions.iter().map(|&action| i32::from(action)).collect();
        stepper.step(&mut values, &numbers, &mut seen.all()).unwrap();
        batch.step(&actions).unwrap();
        assert!(values == values_of(&batch, &stepper).0, "a value shows where it came from");
    }
    assert!(!values.is_empty());
}

#[test]
fn changed_values_and_other_rules_are_refused() {
    let config = Config::new(&Rules::FFA, 1);
    let (mut batch, stepper) =
        (Batch::new(config.clone()).unwrap(), Stepper::new(&config).unwrap());
    for _ in 0..9 {
        let legal = batch.legal_of(0)[0];
        batch.step(&[legal]).unwrap();
    }
    let (value, mut seen) = values_of(&batch, &stepper);
    let in_use = Stepper::LEGAL.start + 2 * Stepper::legal(&value).len();
    let keys = 592 + 8 * u64::from_le_bytes(*value[24..].first_chunk().unwrap()) as usize;
    let mut random = Random::new(1);
    for round in 0..20_000 {
        let mut changed = value.clone();
        for _ in 0..=random.below(4) {
            let at = random.below(Stepper::BYTES);
            changed[at] ^= 1 << random.below(8);
        }
        // Bytes that are not in use are not looked at.
        let is_same = changed[..keys] == value[..keys]
            && changed[Stepper::LEGAL.start..in_use] == value[Stepper::LEGAL.start..in_use];
        let stepped = stepper.step(&mut changed, &[0], &mut seen.all());
        if let Err(error) = stepped {
            let cause = [StateError::Checksum, StateError::Rules];
            assert!(
                matches!(&error, Error::State { index: 0, cause: found } if cause.contains(found))
                    || (is_same && matches!(error, Error::IllegalAction { game: 0, action: 0 })),
                "round {round}: {error}"
            );
        }
    }
    let other = Stepper::new(&Config::new(&Rules::TEAMS, 1)).unwrap();
    let refused = other.step(&mut value.clone(), &[0], &mut seen.all());
    assert_eq!(refused, Err(Error::State { index: 0, cause: StateError::Rules }));
    let short = stepper.step(&mut value.clone()[1..], &[0], &mut seen.all());
    assert!(matches!(short, Err(Error::Length { what: "bytes of values", .. })));
    let few = stepper.step(&mut value.clone(), &[0], &mut Seen::new(2).all());
    assert!(matches!(few, Err(Error::Length { what: "players", .. })));
}

#[test]
fn illegal_actions_can_be_errors() {
    let config = Config::new(&Rules::FFA, 1);
    let stepper = Stepper::new(&config).unwrap();
    let (value, mut seen) = values_of(&Batch::new(config).unwrap(), &stepper);
    for (action, shown) in [(0, 0), (-1, 65_535), (70_000, 65_535)] {
        let refused = stepper.step(&mut value.clone(), &[action], &mut seen.all());
        assert_eq!(refused, Err(Error::IllegalAction { game: 0, action: shown }));
    }
}
