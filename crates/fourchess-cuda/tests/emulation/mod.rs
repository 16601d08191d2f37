//! The kernels on the processor: their text compiled by the system's C++ compiler.

#![allow(dead_code, unreachable_pub, unused_imports, reason = "each test asks for a part of it")]

mod compare;

pub use compare::compare;

use std::{
    ffi::c_void,
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    process::Command,
    sync::{Mutex, MutexGuard, PoisonError},
};

use fourchess_cuda::{
    Array, Params, STATS,
    source::{self, Purpose},
};
use fourchess_env::{Batch, Config, Player};
use libloading::{Library, Symbol};

/// How the text is compiled.
#[derive(Clone, Copy, Hash, Debug)]
pub struct Build {
    pub lanes: u32,
    /// Whether the loops over lanes and items run downwards.
    pub descending: bool,
}

/// The compiled kernels as a library that can be loaded, compiled unless it is there already.
pub fn library(build: Build, purpose: Purpose) -> PathBuf {
    let text = source::emulation(build.lanes, purpose);
    let mut flags = vec!["-O2", "-std=c++17", "-w", "-shared", "-fPIC", "-ffp-contract=off"];
    // Records are copied as words, which compilers for devices allow.
    flags.push("-fno-strict-aliasing");
    if build.descending {
        flags.push("-DDESCENDING");
    }
    compile(&text, &flags, "so")
}

/// Compiles a text. A name made of text and flags tells whether that was done before.
pub fn compile(text: &str, flags: &[&str], suffix: &str) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    (text, flags).hash(&mut hasher);
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let stem = format!("fourchess-{:016x}", hasher.finish());
    let goal = directory.join(format!("{stem}.{suffix}"));
    if goal.exists() {
        return goal;
    }
    // Tests run side by side, so each compiles under a name of its own and renames.
    let own = format!("{stem}-{}-{:?}", std::process::id(), std::thread::current().id());
    let own = own.replace(['(', ')'], "");
    let source = directory.join(format!("{own}.cpp"));
    let made = directory.join(format!("{own}.{suffix}"));
    fs::write(&source, text).expect("the directory of tests can be written");
    let compiler = std::env::var("CXX").unwrap_or_else(|_| "c++".to_owned());
    let status = Command::new(&compiler).args(flags).arg("-o").arg(&made).arg(&source).status();
    let status = status.unwrap_or_else(|error| panic!("{compiler} cannot be run: {error}"));
    assert!(status.success(), "{compiler} refused {}", source.display());
    fs::rename(&made, &goal).expect("a file of our own");
    fs::remove_file(&source).expect("a file of our own");
    goal
}

/// A batch whose kernels run on the processor.
pub struct Emulation {
    library: Library,
    pub params: Params,
    arrays: Vec<Vec<u64>>,
    start: Vec<u64>,
    start_legal: Vec<u16>,
    stats: Vec<u64>,
    config: Config,
    /// Work space and settings of a library are shared by all who load it.
    _alone: MutexGuard<'static, ()>,
}

static ALONE: Mutex<()> = Mutex::new(());

type Step = unsafe extern "C" fn(Params, *const c_void, u32);
type Choose = unsafe extern "C" fn(Params, u32, *mut u16);
type Play = unsafe extern "C" fn(Params, u32, u32);
type Reset = unsafe extern "C" fn(Params, *const u64, *const u64, u64, u64);
type ResetWhere = unsafe extern "C" fn(Params, *const u8, *const u64);
type Save = unsafe extern "C" fn(Params, *const u64, u64, u32, *mut u8);
type Load = unsafe extern "C" fn(Params, *const u64, u64, *const u8, u32);
type Resign = unsafe extern "C" fn(Params, *const u64, *const u8, u64);
type Digest = unsafe extern "C" fn(Params, u32, *mut u64);
type Expand = unsafe extern "C" fn(u64, *const u32, *const i16, *mut c_void);

/// Players as the kernels are told of them.
pub fn players(players: [Option<Player>; 4]) -> u32 {
    let byte = |player| match player {
        None => 0,
        Some(Player::Random) => 1,
        Some(Player::Greedy) => 2,
    };
    players.into_iter().enumerate().map(|(seat, player)| byte(player) << (8 * seat)).sum()
}

fn words(bytes: usize) -> Vec<u64> {
    // Two more, so that 16 bytes can be aligned.
    vec![0; bytes.div_ceil(8) + 2]
}

fn address(words: &[u64]) -> u64 {
    (words.as_ptr() as u64).next_multiple_of(16)
}

impl Emulation {
    pub fn new(build: Build, config: &Config) -> Emulation {
        let path = library(build, Purpose::Batch);
        // SAFETY: the library is ours and runs nothing when it is loaded.
        let library = unsafe { Library::new(&path) }.expect("a library just compiled");
        let mut arrays: Vec<Vec<u64>> =
            Array::ALL.iter().map(|array| words(config.games * array.bytes(config))).collect();
        let one = Batch::new(Config { games: 1, ..config.clone() }).expect("rules of a batch");
        arrays[Array::Legal as usize].fill(u64::MAX);
        let mut emulation = Emulation {
            params: Params::default(),
            library,
            arrays,
            start: words(fourchess_cuda::RECORD_BYTES),
            start_legal: one.legal_of(0).to_vec(),
            stats: vec![0; STATS],
            config: config.clone(),
            _alone: ALONE.lock().unwrap_or_else(PoisonError::into_inner),
        };
        let address_of = |index: usize| address(&emulation.arrays[index]);
        emulation.params = Params {
            games: config.games as u64,
            arrays: std::array::from_fn(address_of),
            start: address(&emulation.start),
            start_legal: emulation.start_legal.as_ptr() as u64,
            start_count: emulation.start_legal.len() as u64,
            stats: emulation.stats.as_ptr() as u64,
        };
        emulation.settle_in(&one);
        emulation
    }

    /// Makes the start, and starts every game.
    fn settle_in(&mut self, one: &Batch) {
        self.load(&[0], &one.save(&[0]).expect("game 0"), false);
        let record: Vec<u64> = self.array::<u64>(Array::Records)[..48].to_vec();
        let shift = (self.params.start - self.start.as_ptr() as u64) as usize / 8;
        self.start[shift..shift + 48].copy_from_slice(&record);
        self.reset_all(self.config.seed);
    }

    fn set(&self) {
        let settings = source::settings(&self.config);
        // SAFETY: the library has an array of 64 numbers of this name.
        let place: Symbol<'_, *mut [i64; 64]> =
            unsafe { self.library.get(b"setting") }.expect("the settings");
        // SAFETY: nobody else reads it, because there is one emulation at a time.
        unsafe { (&mut (**place))[..settings.len()].copy_from_slice(&settings) };
    }

    fn kernel<T: Copy>(&self, name: &str) -> T {
        self.set();
        // SAFETY: the callers know the types of the kernels.
        *unsafe { self.library.get::<T>(name.as_bytes()) }.expect("a kernel of this name")
    }

    /// An array as it is.
    pub fn array<T: Copy>(&self, array: Array) -> &[T] {
        let bytes = self.config.games * array.bytes(&self.config);
        let start = self.params.arrays[array as usize] as *const T;
        // SAFETY: the array has so many bytes, is aligned, and holds plain numbers.
        unsafe { std::slice::from_raw_parts(start, bytes / size_of::<T>()) }
    }

    pub fn stats(&self) -> &[u64] {
        &self.stats
    }

    /// Steps with actions of 2, 4 or 8 bytes.
    pub fn step<T: Copy>(&mut self, actions: &[T]) {
        assert_eq!(actions.len(), self.config.games);
        let step: Step = self.kernel("step");
        // SAFETY: the parameters describe arrays of ours.
        unsafe { step(self.params, actions.as_ptr().cast(), size_of::<T>() as u32) };
    }

    pub fn find_refused(&mut self, actions: &[u16]) -> Option<usize> {
        self.stats[fourchess_cuda::FIRST_REFUSED] = u64::MAX;
        let find: Step = self.kernel("find_refused");
        // SAFETY: as above.
        unsafe { find(self.params, actions.as_ptr().cast(), 2) };
        let found = self.stats[fourchess_cuda::FIRST_REFUSED];
        (found != u64::MAX).then_some(found as usize)
    }

    pub fn choose(&mut self, who: [Option<Player>; 4], actions: &mut [u16]) {
        assert_eq!(actions.len(), self.config.games);
        let greedy = who.contains(&Some(Player::Greedy));
        let choose: Choose = self.kernel(if greedy { "choose" } else { "choose_random" });
        // SAFETY: as above.
        unsafe { choose(self.params, players(who), actions.as_mut_ptr()) };
    }

    pub fn play(&mut self, who: [Option<Player>; 4], plies: u32) {
        let greedy = who.contains(&Some(Player::Greedy));
        let play: Play = self.kernel(if greedy { "play" } else { "play_random" });
        // SAFETY: as above.
        unsafe { play(self.params, players(who), plies) };
    }

    pub fn reset_all(&mut self, seed: u64) {
        let reset: Reset = self.kernel("reset");
        let games = self.params.games;
        // SAFETY: as above.
        unsafe { reset(self.params, std::ptr::null(), std::ptr::null(), seed, games) };
    }

    pub fn reset(&mut self, games: &[u64], seeds: &[u64]) {
        let reset: Reset = self.kernel("reset");
        // SAFETY: as above.
        unsafe { reset(self.params, games.as_ptr(), seeds.as_ptr(), 0, games.len() as u64) };
    }

    pub fn reset_where(&mut self, mask: &[u8], seeds: Option<&[u64]>) {
        let reset: ResetWhere = self.kernel("reset_where");
        let seeds = seeds.map_or(std::ptr::null(), <[u64]>::as_ptr);
        // SAFETY: as above.
        unsafe { reset(self.params, mask.as_ptr(), seeds) };
    }

    pub fn save(&self, games: &[u64]) -> Vec<u8> {
        let save: Save = self.kernel("save");
        let mut bytes = vec![0xaa; games.len() * Batch::STATE_BYTES];
        let fingerprint = self.config.rules.fingerprint();
        let count = games.len() as u64;
        // SAFETY: as above.
        unsafe { save(self.params, games.as_ptr(), count, fingerprint, bytes.as_mut_ptr()) };
        bytes
    }

    pub fn load(&mut self, games: &[u64], states: &[u8], as_reset: bool) {
        assert_eq!(states.len(), games.len() * Batch::STATE_BYTES);
        let load: Load = self.kernel("load_states");
        let count = games.len() as u64;
        // SAFETY: as above.
        unsafe {
            load(self.params, games.as_ptr(), count, states.as_ptr(), u32::from(as_reset));
        }
    }

    pub fn resign(&mut self, games: &[u64], seats: &[u8]) {
        let resign: Resign = self.kernel("resign");
        // SAFETY: as above.
        unsafe { resign(self.params, games.as_ptr(), seats.as_ptr(), games.len() as u64) };
    }

    pub fn digests(&self, what: u32) -> Vec<u64> {
        let digest: Digest = self.kernel("digest");
        let mut digests = vec![0; self.config.games];
        // SAFETY: as above.
        unsafe { digest(self.params, what, digests.as_mut_ptr()) };
        digests
    }

    /// Planes as numbers; `name` is the type and `size` its bytes.
    pub fn expand(&self, name: &str, size: usize) -> Vec<u8> {
        let expand: Expand = self.kernel(&format!("expand_{name}"));
        let bytes = self.config.games * 40 * 196 * size;
        let place = words(bytes);
        let start = address(&place);
        let (planes, scalars) = (self.array(Array::Planes), self.array(Array::Scalars));
        // SAFETY: as above.
        unsafe {
            expand(self.params.games, planes.as_ptr(), scalars.as_ptr(), start as *mut c_void);
        }
        let shift = (start - place.as_ptr() as u64) as usize;
        let all: Vec<u8> = place.iter().flat_map(|word| word.to_le_bytes()).collect();
        all[shift..shift + bytes].to_vec()
    }
}
