//! Games of four-player chess as values, as JAX holds them.

use std::cell::RefCell;

use fourchess::Rules;
use fourchess_env::{
    Action, Autoreset, Batch, Config, Error, Illegal, Observation, Seen, StateError, Stepper,
};

const PLANES: usize = Observation::PLANES * Observation::WORDS;

/// The first byte chooses a game, the next two an action, and the rest changes its value, three
/// bytes at a time: a place and a byte. A value has a checksum of all that is in use, so one that is
/// not refused is the game as it was.
pub(crate) fn a_changed_value_is_refused_or_the_same_game(data: &[u8]) {
    thread_local! {
        static GAMES: RefCell<(Stepper, Vec<Vec<u8>>)> = RefCell::new(games());
    }
    let Some(([first, low, high], changes)) = data.split_first_chunk() else { return };
    GAMES.with_borrow(|(stepper, values)| {
        let value = &values[usize::from(*first) % values.len()];
        let mut changed = value.clone();
        for change in changes.as_chunks::<3>().0 {
            let place = usize::from(u16::from_le_bytes([change[0], change[1]])) % changed.len();
            changed[place] = change[2];
        }
        let mut masks = vec![0; Action::COUNT];
        stepper.mask(&changed, &mut masks).expect("there is room for a mask");
        assert!(masks.iter().all(|&byte| byte <= 1));
        let action = i32::from(i16::from_le_bytes([*low, *high]));
        match saved(stepper, &changed) {
            Err(error) => assert_refused(stepper, &mut changed, action, &error),
            Ok(bytes) => {
                assert_eq!(saved(stepper, value), Ok(bytes), "what is in use was changed");
                go_on(stepper, value.clone(), action);
            }
        }
    });
}

fn saved(stepper: &Stepper, value: &[u8]) -> Result<Vec<u8>, Error> {
    let mut bytes = vec![0; Batch::STATE_BYTES];
    stepper.save(value, &mut bytes).map(|()| bytes)
}

/// Every function refuses what one of them refuses, with the same words.
fn assert_refused(stepper: &Stepper, value: &mut [u8], action: i32, error: &Error) {
    let is_known = |cause: &StateError| matches!(cause, StateError::Rules | StateError::Checksum);
    assert!(matches!(error, Error::State { cause, .. } if is_known(cause)), "{error}");
    let mut seen = Seen::new(1);
    assert_eq!(stepper.step(value, &[action], &mut seen.all()).as_ref(), Err(error));
    let (mut planes, mut scalars) = (vec![0; PLANES], vec![0; Observation::SCALARS]);
    assert_eq!(stepper.observe(value, &mut planes, &mut scalars).as_ref(), Err(error));
}

/// Any action is played or ignored, and what comes of it is saved and loaded as it is.
fn go_on(stepper: &Stepper, mut value: Vec<u8>, action: i32) {
    let mut seen = Seen::new(1);
    let legal = Stepper::legal(&value);
    // Every other number is that of a legal action.
    let chosen = legal.get(action.unsigned_abs() as usize / 2 % legal.len().max(1));
    let action = if action % 2 == 0 { chosen.map_or(action, |&id| i32::from(id)) } else { action };
    stepper.step(&mut value, &[action], &mut seen.all()).expect("a value of our own");
    let bytes = saved(stepper, &value).expect("a value of our own");
    let mut again = vec![0; Stepper::BYTES];
    stepper.load(&bytes, &mut again, &mut seen.all()).expect("what was saved is loaded");
    assert!(again == value, "a game that is saved and loaded has another value");
}

/// Values from the first ply to the end of a game.
fn games() -> (Stepper, Vec<Vec<u8>>) {
    let config = Config {
        autoreset: Autoreset::Disabled,
        illegal: Illegal::Noop,
        ..Config::new(&Rules::FFA, 1)
    };
    let stepper = Stepper::new(&config).expect("rules of a batch");
    let (mut value, mut seen) = (vec![0; Stepper::BYTES], Seen::new(1));
    stepper.load(&stepper.start(1), &mut value, &mut seen.all()).expect("a start");
    let mut values = Vec::new();
    for ply in 0..600 {
        if ply % 60 == 0 {
            values.push(value.clone());
        }
        let legal = Stepper::legal(&value);
        let action = legal.get(ply * 7919 % legal.len().max(1)).map_or(0, |&id| i32::from(id));
        stepper.step(&mut value, &[action], &mut seen.all()).expect("a value of our own");
    }
    (stepper, values)
}
