//! Games as values: pure functions from bytes to bytes, for callers whose arrays never change.
//!
//! A value holds a game as the step works with it, its list of legal actions included, because
//! reading the documented form (`state.rs`) costs more than three steps. It is a value of one
//! version of this crate and of one set of rules, and no format: [`Stepper::save`] and
//! [`Stepper::load`] convert it exactly to the documented form and back.
//!
//! | bytes | what |
//! |---|---|
//! | 0..8 | a checksum of the rest that is in use |
//! | 8..12 | the [fingerprint](fourchess::Rules::fingerprint) of the rules |
//! | 12..16 | how many legal actions there are |
//! | 16..24 | the state of the stream of random numbers |
//! | 24..32 | how many positions the history has counted |
//! | 32..592 | the position, as [words](Position::to_words) |
//! | 592..2640 | the keys of the history, then 0 |
//! | 2640..4048 | the legal actions, then [`NO_ACTION`](crate::Batch::NO_ACTION) |
//!
//! The checksum finds every accident. Whoever computes it for bytes of their own gets a game that
//! goes wrong, or a panic.

use std::ops::Range;

use fourchess::{Ending, History, Position, Random};

use crate::{
    Action, Batch,
    actions::NONE,
    batch::check_length,
    config::{Config, EndedMask, Illegal, Outputs},
    error::Error,
    games::{Arrays, Refusal, Start},
    legal::ROOM,
    observation::{Observation, Planes, Scalars},
    state::{State, StateError},
};

const RULES: usize = 8;
const COUNT: usize = 12;
const RANDOM: usize = 16;
const ADDED: usize = 24;
const POSITION: usize = 32;
const KEYS: usize = POSITION + 8 * Position::WORDS;
const LEGAL: usize = KEYS + 8 * History::ROOM;
const BYTES: usize = LEGAL + 2 * ROOM;

type Value = [u8; BYTES];

/// Steps games that are values.
///
/// Autoreset, illegal actions and rewards are those of the [`Config`]. Its number of games, its
/// threads and its outputs are not used.
///
/// ```
/// use fourchess::Rules;
/// use fourchess_env::{Config, Seen, Stepper};
///
/// let stepper = Stepper::new(&Config::new(&Rules::FFA, 1))?;
/// let mut values = vec![0; 2 * Stepper::BYTES];
/// let mut seen = Seen::new(2);
/// stepper.load(&[stepper.start(7), stepper.start(8)].concat(), &mut values, &mut seen.all())?;
/// let action = i32::from(Stepper::legal(&values[..Stepper::BYTES])[0]);
/// stepper.step(&mut values, &[action, action], &mut seen.all())?;
/// assert_eq!(seen.current_player, [1, 1]);
/// # Ok::<(), fourchess_env::Error>(())
/// ```
pub struct Stepper {
    config: Config,
    start: Start,
    fingerprint: u32,
}

/// What a step shows of each game besides its value: vectors that own it.
#[derive(Clone, Default, Debug)]
pub struct Seen {
    /// The player to move: 0 Red, 1 Blue, 2 Yellow, 3 Green.
    pub current_player: Vec<i32>,
    /// The reward of each seat, Red first.
    pub rewards: Vec<[f32; 4]>,
    /// 1 if the step ended the game according to the rules.
    pub terminated: Vec<u8>,
    /// 1 if the step truncated the game.
    pub truncated: Vec<u8>,
    /// 1 if the action was legal, or ignored because of a reset.
    pub move_valid: Vec<u8>,
    /// The plies of the game.
    pub plies: Vec<i32>,
}

/// The same in memory of the caller, an entry for each game.
pub struct SeenMut<'a> {
    /// The player to move.
    pub current_player: &'a mut [i32],
    /// The reward of each seat.
    pub rewards: &'a mut [[f32; 4]],
    /// Whether the step ended the game.
    pub terminated: &'a mut [u8],
    /// Whether the step truncated the game.
    pub truncated: &'a mut [u8],
    /// Whether the action was legal or ignored.
    pub move_valid: &'a mut [u8],
    /// The plies of the game.
    pub plies: &'a mut [i32],
}

impl Seen {
    /// Room for so many games.
    pub fn new(games: usize) -> Seen {
        Seen {
            current_player: vec![0; games],
            rewards: vec![[0.0; 4]; games],
            terminated: vec![0; games],
            truncated: vec![0; games],
            move_valid: vec![0; games],
            plies: vec![0; games],
        }
    }

    /// All of it, to be written.
    pub fn all(&mut self) -> SeenMut<'_> {
        SeenMut {
            current_player: &mut self.current_player,
            rewards: &mut self.rewards,
            terminated: &mut self.terminated,
            truncated: &mut self.truncated,
            move_valid: &mut self.move_valid,
            plies: &mut self.plies,
        }
    }
}

impl Stepper {
    /// The bytes of a value.
    pub const BYTES: usize = BYTES;

    /// Where the legal actions stand in a value: [`Batch::LEGAL_ROOM`] little-endian numbers of 16
    /// bits.
    pub const LEGAL: Range<usize> = LEGAL..BYTES;

    /// Where their number stands in a value: 32 bits.
    pub const LEGAL_COUNT: Range<usize> = COUNT..COUNT + 4;

    /// A stepper for games of this configuration.
    pub fn new(config: &Config) -> Result<Stepper, Error> {
        let outputs = Outputs::default();
        let config = Config { games: 1, threads: 1, outputs, ..config.clone() };
        config.check()?;
        let start = Start::new(Position::start(&config.rules), &config.rules);
        let start = start.ok_or(Error::Rules("a game is over at its start"))?;
        let fingerprint = config.rules.fingerprint();
        Ok(Stepper { config, start, fingerprint })
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The start of a game with this seed, in the documented form.
    pub fn start(&self, seed: u64) -> [u8; Batch::STATE_BYTES] {
        let mut room = self.room();
        room.games().reset(0, seed, &self.start, &self.config);
        let mut bytes = [0; Batch::STATE_BYTES];
        room.state(0).write(self.fingerprint, &mut bytes);
        bytes
    }

    /// Whether all of these are games in the documented form: what [`load`](Stepper::load) refuses,
    /// without the values.
    pub fn check(&self, states: &[u8]) -> Result<(), Error> {
        let (states, rest) = states.as_chunks();
        let bytes = states.len() * Batch::STATE_BYTES;
        check_length("bytes of states", bytes + rest.len(), bytes)?;
        for (index, bytes) in states.iter().enumerate() {
            let state = State::read(bytes, self.fingerprint, &self.config.rules);
            state.map_err(|cause| Error::State { index, cause })?;
        }
        Ok(())
    }

    /// Makes values of games in the documented form, and shows them.
    pub fn load(
        &self,
        states: &[u8],
        values: &mut [u8],
        seen: &mut SeenMut<'_>,
    ) -> Result<(), Error> {
        let states = states.as_chunks().0;
        let values = games_of(values, states.len())?;
        seen.check(states.len())?;
        let mut room = self.room();
        for (game, (bytes, value)) in states.iter().zip(values).enumerate() {
            let state = State::read(bytes, self.fingerprint, &self.config.rules);
            let state = state.map_err(|cause| Error::State { index: game, cause })?;
            room.games().load(0, &state, &self.config);
            *value = [0; BYTES];
            value[LEGAL..].fill(u8::MAX);
            self.put_away(&room, value, 0);
            seen.write(game, &room);
        }
        Ok(())
    }

    /// Puts values into the documented form.
    pub fn save(&self, values: &[u8], states: &mut [u8]) -> Result<(), Error> {
        let values = values.as_chunks().0;
        check_length("bytes of states", states.len(), values.len() * Batch::STATE_BYTES)?;
        let mut room = self.room();
        for (game, (value, bytes)) in values.iter().zip(states.as_chunks_mut().0).enumerate() {
            self.take_up(&mut room, value).map_err(|cause| Error::State { index: game, cause })?;
            room.state(0).write(self.fingerprint, bytes);
        }
        Ok(())
    }

    /// Plays an action in every game. A number that is no action is an illegal one. If this fails,
    /// the values of games before the one at fault have been stepped.
    pub fn step(
        &self,
        values: &mut [u8],
        actions: &[i32],
        seen: &mut SeenMut<'_>,
    ) -> Result<(), Error> {
        let values = games_of(values, actions.len())?;
        seen.check(actions.len())?;
        let mut room = self.room();
        for (game, (value, &action)) in values.iter_mut().zip(actions).enumerate() {
            let known = self.take_up(&mut room, value);
            let known = known.map_err(|cause| Error::State { index: game, cause })?;
            let action = [u16::try_from(action).unwrap_or(NONE)];
            let mut games = room.games();
            if self.config.illegal == Illegal::Error
                && let Some(refusal) = games.find_illegal(&action, &self.config)
            {
                return Err(match refusal {
                    Refusal::Illegal { action, .. } => Error::IllegalAction { game, action },
                    Refusal::Ended { .. } => Error::Ended { game },
                });
            }
            games.step(&action, &self.config, &self.start);
            self.put_away(&room, value, known);
            seen.write(game, &room);
        }
        Ok(())
    }

    /// Writes the observation of every game: [`Observation::PLANES`] planes of
    /// [`Observation::WORDS`] words and [`Observation::SCALARS`] scalars each.
    pub fn observe(
        &self,
        values: &[u8],
        planes: &mut [u32],
        scalars: &mut [i16],
    ) -> Result<(), Error> {
        const PLANES: usize = Observation::PLANES * Observation::WORDS;
        let values = values.as_chunks().0;
        check_length("planes", planes.len(), values.len() * PLANES)?;
        check_length("scalars", scalars.len(), values.len() * Observation::SCALARS)?;
        let outputs = planes.as_chunks_mut::<PLANES>().0.iter_mut();
        let outputs = outputs.zip(scalars.as_chunks_mut().0);
        for (index, (value, (planes, scalars))) in values.iter().zip(outputs).enumerate() {
            let position = self.position(value).map_err(|cause| Error::State { index, cause })?;
            let mut shown: (Planes, Scalars) = Default::default();
            Observation::observe(&position, &self.config.rules, &mut shown.0, &mut shown.1);
            planes.copy_from_slice(shown.0.as_flattened());
            *scalars = shown.1;
        }
        Ok(())
    }

    /// The legal actions of a value.
    ///
    /// # Panics
    ///
    /// If the bytes are fewer than a value has.
    pub fn legal(value: &[u8]) -> Vec<u16> {
        let count = u32::from_le_bytes(part(value, COUNT)) as usize;
        let ids = value[LEGAL..BYTES].as_chunks().0.iter().take(count);
        ids.map(|bytes| u16::from_le_bytes(*bytes)).collect()
    }

    /// Writes the byte mask of every game: [`Action::COUNT`] bytes of 0 and 1 each. That of a game
    /// that has ended is as the configuration says.
    pub fn mask(&self, values: &[u8], masks: &mut [u8]) -> Result<(), Error> {
        let ended = u8::from(self.config.ended_mask == EndedMask::Ones);
        let values = values.as_chunks::<BYTES>().0;
        check_length("masks", masks.len(), values.len() * Action::COUNT)?;
        for (value, mask) in values.iter().zip(masks.as_chunks_mut::<{ Action::COUNT }>().0) {
            let count = u32::from_le_bytes(part(value, COUNT)) as usize;
            mask.fill(if count == 0 { ended } else { 0 });
            for id in value[LEGAL..].as_chunks().0.iter().take(count) {
                // Values from elsewhere may name what is no action.
                if let Some(place) = mask.get_mut(u16::from_le_bytes(*id) as usize) {
                    *place = 1;
                }
            }
        }
        Ok(())
    }

    /// Room for the game in hand.
    fn room(&self) -> Arrays {
        Arrays::new(&self.config, &self.start).expect("one game fits into memory")
    }

    fn position(&self, value: &Value) -> Result<Position, StateError> {
        if part::<4>(value, RULES) != self.fingerprint.to_le_bytes() {
            return Err(StateError::Rules);
        }
        if part::<8>(value, 0) != checksum(value)?.to_le_bytes() {
            return Err(StateError::Checksum);
        }
        let words = value[POSITION..KEYS].as_chunks().0;
        let words = std::array::from_fn(|index| u64::from_le_bytes(words[index]));
        Position::from_words(&words).ok_or(StateError::Checksum)
    }

    /// Puts a value into the room, as [`load`](crate::games::Games::load) puts a state there, and
    /// returns how many keys its history has.
    fn take_up(&self, room: &mut Arrays, value: &Value) -> Result<usize, StateError> {
        let position = self.position(value)?;
        let (count, added) = (count(value)?, u64::from_le_bytes(part(value, ADDED)));
        let keys = value[KEYS..LEGAL].as_chunks().0.iter();
        room.histories[0]
            .refill(added as u32, keys.take(known(value)).map(|key| u64::from_le_bytes(*key)));
        room.randoms[0] = Random::new(u64::from_le_bytes(part(value, RANDOM)));
        let ids = value[LEGAL..].as_chunks().0.iter().map(|bytes| u16::from_le_bytes(*bytes));
        room.legal[0].iter_mut().zip(ids).take(count).for_each(|(place, id)| *place = id);
        // What the game before left behind.
        let before = room.legal_counts[0] as usize;
        room.legal[0][count..before.max(count)].fill(NONE);
        room.legal_counts[0] = count as u16;
        room.players[0] = position.turn().index() as u8;
        room.truncated[0] = position.ending().is_some_and(Ending::is_cut_off);
        room.terminated[0] = count == 0 && !room.truncated[0];
        room.positions[0] = position;
        Ok(known(value))
    }

    /// Writes the game in the room over a value whose history had so many keys.
    fn put_away(&self, room: &Arrays, value: &mut Value, keys_before: usize) {
        let count_before = u32::from_le_bytes(part(value, COUNT)) as usize;
        let (count, history) = (room.legal_counts[0] as usize, &room.histories[0]);
        value[RULES..COUNT].copy_from_slice(&self.fingerprint.to_le_bytes());
        value[COUNT..RANDOM].copy_from_slice(&(count as u32).to_le_bytes());
        value[RANDOM..ADDED].copy_from_slice(&room.randoms[0].state().to_le_bytes());
        value[ADDED..POSITION].copy_from_slice(&u64::from(history.added()).to_le_bytes());
        let words = room.positions[0].to_words();
        for (place, word) in value[POSITION..KEYS].as_chunks_mut().0.iter_mut().zip(words) {
            *place = word.to_le_bytes();
        }
        let forgotten = keys_before.saturating_sub(history.keys().len());
        let keys = history.keys().iter().copied().chain(std::iter::repeat_n(0, forgotten));
        for (place, key) in value[KEYS..LEGAL].as_chunks_mut().0.iter_mut().zip(keys) {
            *place = key.to_le_bytes();
        }
        let ids = room.legal[0][..count.max(count_before)].iter();
        for (place, id) in value[LEGAL..].as_chunks_mut().0.iter_mut().zip(ids) {
            *place = id.to_le_bytes();
        }
        let sum = checksum(value).expect("this value has been written here");
        value[..RULES].copy_from_slice(&sum.to_le_bytes());
    }
}

impl SeenMut<'_> {
    fn check(&self, games: usize) -> Result<(), Error> {
        check_length("players", self.current_player.len(), games)?;
        check_length("rewards", self.rewards.len(), games)?;
        check_length("terminated", self.terminated.len(), games)?;
        check_length("truncated", self.truncated.len(), games)?;
        check_length("move_valid", self.move_valid.len(), games)?;
        check_length("plies", self.plies.len(), games)
    }

    fn write(&mut self, game: usize, room: &Arrays) {
        self.current_player[game] = i32::from(room.players[0]);
        self.rewards[game] = room.rewards[0];
        self.terminated[game] = u8::from(room.terminated[0]);
        self.truncated[game] = u8::from(room.truncated[0]);
        self.move_valid[game] = u8::from(room.move_valid[0]);
        self.plies[game] = i32::from(room.positions[0].plies());
    }
}

fn games_of(values: &mut [u8], games: usize) -> Result<&mut [Value], Error> {
    check_length("bytes of values", values.len(), games * BYTES)?;
    Ok(values.as_chunks_mut().0)
}

fn count(value: &Value) -> Result<usize, StateError> {
    let count = u32::from_le_bytes(part(value, COUNT)) as usize;
    if count <= ROOM { Ok(count) } else { Err(StateError::Checksum) }
}

/// How many keys the history of a value has.
fn known(value: &Value) -> usize {
    u64::from_le_bytes(part(value, ADDED)).min(History::ROOM as u64) as usize
}

/// Mixes all words that are in use. Each word goes into one of eight sums, which do not wait for
/// each other; a change of one word always changes its sum.
fn checksum(value: &Value) -> Result<u64, StateError> {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let actions = count(value)?.div_ceil(4);
    let parts = [&value[RULES..KEYS + 8 * known(value)], &value[LEGAL..LEGAL + 8 * actions]];
    let mut sums = [1, 2, 3, 4, 5, 6, 7, 8_u64];
    let mix = |sum: &mut u64, word: &[u8; 8]| {
        *sum = (*sum ^ u64::from_le_bytes(*word)).wrapping_mul(FACTOR).rotate_left(29);
    };
    for part in parts {
        let (eights, rest) = part.as_chunks().0.as_chunks::<8>();
        for eight in eights {
            sums.iter_mut().zip(eight).for_each(|(sum, word)| mix(sum, word));
        }
        sums.iter_mut().zip(rest).for_each(|(sum, word)| mix(sum, word));
    }
    Ok(sums.into_iter().fold(0, |all, sum| (all ^ sum).wrapping_mul(FACTOR).rotate_left(29)))
}

/// So many bytes from a place on.
fn part<const N: usize>(bytes: &[u8], start: usize) -> [u8; N] {
    *bytes[start..].first_chunk().expect("the parts lie within the bytes")
}
