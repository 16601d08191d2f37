//! Games that are values, stepped by the kernels on the processor, against the stepper: every byte
//! after every step, and the same bytes refused.

mod emulation;

use std::ffi::c_void;

use emulation::{Build, library};
use fourchess::{EnPassant, KingCapture, Random, Rules};
use fourchess_cuda::{RECORD_BYTES, STATS, SeenAt, Values, source};
use fourchess_env::{
    Action, Autoreset, Batch, Config, EndedMask, Illegal, Observation, Reward, Seen, Stepper,
};
use libloading::{Library, Symbol};

const BUILDS: [Build; 2] =
    [Build { lanes: 32, descending: false }, Build { lanes: 8, descending: true }];
const AUTORESETS: [Autoreset; 3] = [Autoreset::NextStep, Autoreset::SameStep, Autoreset::Disabled];
const PLANES: usize = Observation::PLANES * Observation::WORDS;

type Write = unsafe extern "C" fn(Values, *const c_void);
type Record = unsafe extern "C" fn(u64, *const u8, *mut u64, u64);
type Save = unsafe extern "C" fn(u64, *const u64, *mut u8, u64);
type Observe = unsafe extern "C" fn(u64, *const u64, *mut u32, *mut i16, u64);
type Mask = unsafe extern "C" fn(u64, *const u64, *mut u64);

/// Memory that begins at a multiple of 16 bytes.
struct Room {
    words: Vec<u64>,
    first: usize,
}

impl Room {
    fn new(bytes: usize) -> Room {
        // What was in it before means nothing.
        let words = vec![0xa5a5_a5a5_a5a5_a5a5; bytes.div_ceil(8) + 1];
        let first = words.as_ptr().align_offset(16);
        Room { words, first }
    }

    fn of(bytes: &[u8]) -> Room {
        let mut room = Room::new(bytes.len());
        let goal = room.words[room.first..].iter_mut();
        for (word, eight) in goal.zip(bytes.as_chunks().0) {
            *word = u64::from_le_bytes(*eight);
        }
        room
    }

    fn at(&mut self) -> *mut u64 {
        self.words[self.first..].as_mut_ptr()
    }

    fn bytes(&self, count: usize) -> Vec<u8> {
        let words = self.words[self.first..].iter().flat_map(|word| word.to_le_bytes());
        words.take(count).collect()
    }
}

/// The kernels for games of one configuration.
struct Device {
    library: Library,
    config: Config,
    values: Values,
    _start: [Room; 3],
}

impl Device {
    fn new(build: Build, stepper: &Stepper) -> Device {
        let path = library(build, source::Purpose::Values);
        // SAFETY: the library is ours and runs nothing when it is loaded.
        let library = unsafe { Library::new(path) }.unwrap();
        let mut value = vec![0; Stepper::BYTES];
        stepper.load(&stepper.start(0), &mut value, &mut Seen::new(1).all()).unwrap();
        let mut start = [Room::of(&value), Room::new(RECORD_BYTES), Room::new(8 * STATS)];
        let fingerprint = u64::from(stepper.config().rules.fingerprint());
        let values = Values {
            start: start[1].at() as u64,
            start_legal: start[0].at() as u64 + Stepper::LEGAL.start as u64,
            start_count: Stepper::legal(&value).len() as u64,
            stats: start[2].at() as u64,
            fingerprint,
            ..Values::default()
        };
        let (from, to) = (start[0].at().cast(), start[1].at());
        let config = stepper.config().clone();
        let device = Device { library, config, values, _start: start };
        let record: Record = device.kernel("value_record");
        // SAFETY: a value and room for a record.
        unsafe { record(1, from, to, fingerprint) };
        device
    }

    fn kernel<T: Copy>(&self, name: &str) -> T {
        let settings = source::settings(&self.config);
        // SAFETY: the library has an array of 64 numbers of this name, and the callers know the
        // types of the kernels. A test holds one library at a time.
        unsafe {
            let place: Symbol<'_, *mut [i64; 64]> = self.library.get(b"setting").unwrap();
            (&mut (**place))[..settings.len()].copy_from_slice(&settings);
            *self.library.get::<T>(name.as_bytes()).unwrap()
        }
    }

    /// Runs a kernel that writes values.
    fn write(&self, name: &str, values: &mut Room, seen: &mut Seen, source: *const c_void) {
        let at = |place: *const c_void| place as u64;
        let seen_at = SeenAt {
            current_player: at(seen.current_player.as_mut_ptr().cast()),
            rewards: at(seen.rewards.as_mut_ptr().cast()),
            terminated: at(seen.terminated.as_mut_ptr().cast()),
            truncated: at(seen.truncated.as_mut_ptr().cast()),
            move_valid: at(seen.move_valid.as_mut_ptr().cast()),
            plies: at(seen.plies.as_mut_ptr().cast()),
        };
        let games = seen.plies.len() as u64;
        let values = Values { games, values: values.at() as u64, seen: seen_at, ..self.values };
        let kernel: Write = self.kernel(name);
        // SAFETY: every array has room for so many games.
        unsafe { kernel(values, source) };
    }

    fn save(&self, values: &mut Room, games: usize) -> Vec<u8> {
        let mut states = vec![0xaa; games * Batch::STATE_BYTES];
        let save: Save = self.kernel("value_save");
        // SAFETY: as above.
        unsafe { save(games as u64, values.at(), states.as_mut_ptr(), self.values.fingerprint) };
        states
    }

    fn observe(&self, values: &mut Room, games: usize) -> (Vec<u32>, Vec<i16>) {
        let mut planes = vec![7; games * PLANES + 1];
        let first = planes.as_ptr().align_offset(8);
        let mut scalars = vec![7; games * Observation::SCALARS];
        let observe: Observe = self.kernel("value_observe");
        let (place, fingerprint) = (planes[first..].as_mut_ptr(), self.values.fingerprint);
        // SAFETY: as above.
        unsafe { observe(games as u64, values.at(), place, scalars.as_mut_ptr(), fingerprint) };
        (planes[first..][..games * PLANES].to_vec(), scalars)
    }

    fn mask(&self, values: &mut Room, games: usize) -> Vec<u8> {
        let mut masks = Room::new(games * Action::COUNT);
        let mask: Mask = self.kernel("value_mask");
        // SAFETY: as above.
        unsafe { mask(games as u64, values.at(), masks.at()) };
        masks.bytes(games * Action::COUNT)
    }
}

fn assert_seen(found: &Seen, expected: &Seen, place: &str) {
    assert_eq!(found.current_player, expected.current_player, "{place}: players");
    assert_eq!(found.rewards, expected.rewards, "{place}: rewards");
    assert_eq!(found.terminated, expected.terminated, "{place}: terminated");
    assert_eq!(found.truncated, expected.truncated, "{place}: truncated");
    assert_eq!(found.move_valid, expected.move_valid, "{place}: move_valid");
    assert_eq!(found.plies, expected.plies, "{place}: plies");
}

/// One game after the other, with the first bytes that differ.
fn assert_values(found: &[u8], expected: &[u8], size: usize, place: &str) {
    for (game, (one, other)) in found.chunks(size).zip(expected.chunks(size)).enumerate() {
        let first = one.iter().zip(other).position(|(one, other)| one != other);
        assert_eq!(first, None, "{place}: the first byte of game {game} that differs");
    }
}

/// The same games on both, from the same states.
fn lockstep(build: Build, config: &Config, games: usize, steps: usize, seed: u64) {
    let title = format!("{} {:?} {:?} {seed}", config.rules.name, config.autoreset, config.illegal);
    let stepper = Stepper::new(config).unwrap();
    let device = Device::new(build, &stepper);
    let states: Vec<u8> = (0..games).flat_map(|game| stepper.start(seed + game as u64)).collect();
    let mut values = vec![0; games * Stepper::BYTES];
    let mut room = Room::new(values.len());
    let (mut seen, mut shown) = (Seen::new(games), Seen::new(games));
    stepper.load(&states, &mut values, &mut seen.all()).unwrap();
    device.write("value_load", &mut room, &mut shown, states.as_ptr().cast());
    let mut random = Random::new(seed);
    for step in 0..steps {
        let place = format!("{title}, step {step}");
        assert_values(&room.bytes(values.len()), &values, Stepper::BYTES, &place);
        assert_seen(&shown, &seen, &place);
        if step % 16 == 0 {
            compare_views(&stepper, &device, &values, &mut room, &place);
        }
        let choose = |value: &[u8]| match random.below(200) {
            0 => random.below(9000) as i32 - 900,
            _ => {
                let legal = Stepper::legal(value);
                legal.get(random.below(legal.len().max(1))).map_or(0, |&id| i32::from(id))
            }
        };
        let actions: Vec<i32> = values.chunks(Stepper::BYTES).map(choose).collect();
        stepper.step(&mut values, &actions, &mut seen.all()).unwrap();
        device.write("value_step", &mut room, &mut shown, actions.as_ptr().cast());
    }
}

fn compare_views(stepper: &Stepper, device: &Device, values: &[u8], room: &mut Room, place: &str) {
    let games = values.len() / Stepper::BYTES;
    let mut states = vec![0; games * Batch::STATE_BYTES];
    stepper.save(values, &mut states).unwrap();
    assert_values(&device.save(room, games), &states, Batch::STATE_BYTES, place);
    let mut planes = vec![0; games * PLANES];
    let mut scalars = vec![0; games * Observation::SCALARS];
    stepper.observe(values, &mut planes, &mut scalars).unwrap();
    assert_eq!(device.observe(room, games), (planes, scalars), "{place}: observation");
    let mut masks = vec![0; games * Action::COUNT];
    stepper.mask(values, &mut masks).unwrap();
    assert_values(&device.mask(room, games), &masks, Action::COUNT, place);
}

/// One test for all of them, because a library has one work space.
#[test]
fn values_are_those_of_the_stepper() {
    let (games, steps) = (16, 500);
    let mut plies = 0;
    for rules in Rules::PRESETS {
        for (number, autoreset) in AUTORESETS.into_iter().enumerate() {
            for (way, illegal) in [Illegal::Noop, Illegal::Lose].into_iter().enumerate() {
                let max_plies = if way == 0 { 130 } else { rules.max_plies };
                let config = Config {
                    autoreset,
                    illegal,
                    reward: if number == way { Reward::Outcome } else { Reward::Points },
                    ended_mask: if way == 0 { EndedMask::Ones } else { EndedMask::Zeros },
                    ..Config::new(&Rules { max_plies, ..*rules }, 1)
                };
                let build = BUILDS[(number + way) % 2];
                lockstep(build, &config, games, steps, (10 * number + way) as u64);
                plies += games * steps;
            }
        }
    }
    println!("{plies} plies compared");
    same_bytes_are_refused();
    changed_values_are_broken();
}

/// Saved games from the middle of games, of all kinds.
fn saved(config: &Config, games: usize, seed: u64) -> Vec<u8> {
    let mut batch = Batch::new(Config { games, seed, ..config.clone() }).unwrap();
    let mut actions = vec![0; games];
    let mut states = Vec::new();
    for step in 0..300 {
        batch.choose(fourchess_env::Player::Random, &mut actions).unwrap();
        if step % 40 == 39 {
            actions[step % games] = 7191;
        }
        batch.step(&actions).unwrap();
        if step % 30 == 29 {
            states.extend(batch.save(&(0..games).collect::<Vec<_>>()).unwrap());
        }
    }
    states
}

/// Changes bytes, those that stand for more than a piece more often.
fn mutate(bytes: &mut [u8], random: &mut Random) {
    for _ in 0..random.below(3) + 1 {
        let place = match random.below(8) {
            0 => random.below(Batch::STATE_BYTES),
            1 => random.below(32),
            2..5 => 32 + random.below(160),
            _ => 192 + random.below(44),
        };
        bytes[place] = match random.below(4) {
            0 => random.below(256) as u8,
            1 => bytes[32 + random.below(160)],
            2 => bytes[place] ^ 1 << random.below(8),
            _ => [0, 1, 2, 3, 160, 255][random.below(6)],
        };
    }
}

fn same_bytes_are_refused() {
    let odd =
        Rules { king_capture: KingCapture::Continues, en_passant: EnPassant::Off, ..Rules::FFA };
    for (seed, rules) in Rules::PRESETS.into_iter().copied().chain([odd]).enumerate() {
        let config = Config { illegal: Illegal::Lose, ..Config::new(&rules, 1) };
        let config = Config { autoreset: Autoreset::Disabled, ..config };
        let stepper = Stepper::new(&config).unwrap();
        let device = Device::new(BUILDS[seed % 2], &stepper);
        let mut random = Random::new(seed as u64);
        let originals = saved(&config, 20, seed as u64);
        let (mut refused, mut taken) = (0, 0);
        for round in 0..40 {
            let mut states = originals.clone();
            if round > 0 {
                let games = states.as_chunks_mut::<{ Batch::STATE_BYTES }>().0;
                games.iter_mut().for_each(|game| mutate(game, &mut random));
            }
            let games = states.len() / Batch::STATE_BYTES;
            let mut room = Room::new(games * Stepper::BYTES);
            let mut shown = Seen::new(games);
            device.write("value_load", &mut room, &mut shown, states.as_ptr().cast());
            let found = room.bytes(games * Stepper::BYTES);
            for (game, bytes) in states.chunks(Batch::STATE_BYTES).enumerate() {
                let mut value = vec![0; Stepper::BYTES];
                let mut seen = Seen::new(1);
                let loaded = stepper.load(bytes, &mut value, &mut seen.all());
                let place = format!("{} seed {seed}, round {round}: {loaded:?}", rules.name);
                let own = &found[game * Stepper::BYTES..][..Stepper::BYTES];
                if loaded.is_ok() {
                    assert_values(own, &value, Stepper::BYTES, &place);
                    assert_eq!(shown.rewards[game], seen.rewards[0], "{place}");
                    taken += 1;
                } else {
                    assert_broken(own, &shown, game, &place);
                    refused += 1;
                }
            }
        }
        println!("{}: {taken} mutated games taken, {refused} refused", rules.name);
        assert!(taken > 1000 && refused > 1000);
    }
}

fn assert_broken(value: &[u8], shown: &Seen, game: usize, place: &str) {
    assert!(value[..Stepper::LEGAL.start].iter().all(|&byte| byte == 0), "{place}");
    assert!(value[Stepper::LEGAL].iter().all(|&byte| byte == 255), "{place}");
    assert!(shown.rewards[game].iter().all(|reward| reward.is_nan()), "{place}");
    let flags = (shown.terminated[game], shown.truncated[game], shown.move_valid[game]);
    assert_eq!(flags, (1, 0, 0), "{place}");
}

fn changed_values_are_broken() {
    let config = Config { illegal: Illegal::Noop, ..Config::new(&Rules::FFA, 1) };
    let stepper = Stepper::new(&config).unwrap();
    let device = Device::new(BUILDS[0], &stepper);
    let games = 8 * 200;
    let mut values = vec![0; games * Stepper::BYTES];
    let starts: Vec<u8> = (0..games).flat_map(|game| stepper.start(game as u64)).collect();
    stepper.load(&starts, &mut values, &mut Seen::new(games).all()).unwrap();
    let mut random = Random::new(5);
    let used = 600 + 40;
    for value in values.chunks_mut(Stepper::BYTES) {
        // The keys and actions that are not in use are not summed up.
        let place = random.below(used);
        let place = if place < 600 { place } else { Stepper::LEGAL.start + place - 600 };
        value[place] ^= 1 << random.below(8);
    }
    let mut room = Room::of(&values);
    let (mut shown, actions) = (Seen::new(games), vec![0_i32; games]);
    let mut planes = device.observe(&mut room, games).0;
    planes.retain(|&word| word != 0);
    assert!(planes.is_empty());
    assert!(device.save(&mut room, games).iter().all(|&byte| byte == 0));
    device.write("value_step", &mut room, &mut shown, actions.as_ptr().cast());
    let found = room.bytes(values.len());
    for (game, value) in values.chunks_mut(Stepper::BYTES).enumerate() {
        let place = format!("game {game}");
        assert!(stepper.step(value, &[0], &mut Seen::new(1).all()).is_err(), "{place}");
        assert_broken(&found[game * Stepper::BYTES..][..Stepper::BYTES], &shown, game, &place);
    }
    // Broken games stay so.
    device.write("value_step", &mut room, &mut shown, actions.as_ptr().cast());
    assert_eq!(room.bytes(values.len()), found);
}
