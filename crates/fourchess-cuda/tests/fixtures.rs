//! The kernels, run on the processor, against the fixtures: digests of games, perft.

mod emulation;

use std::{ffi::c_void, path::Path};

use crc32fast::Hasher;
use emulation::{Build, Emulation, library};
use fourchess::{EnPassant, KingCapture, Position, Rules};
use fourchess_cuda::{Array, RECORD_BYTES, digest, digests_of, source, source::Purpose};
use fourchess_env::{Autoreset, Batch, Config, Outputs, Player};
use libloading::Library;

const ALL: Outputs = Outputs { legal_bits: true, legal_bytes: true, observation: true };
const BUILD: Build = Build { lanes: 32, descending: false };

fn fixture(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/fourchess").join(name);
    std::fs::read_to_string(path).expect("a fixture")
}

/// The order in which the digests take in the arrays.
const ARRAYS: [Array; 15] = [
    Array::CurrentPlayer,
    Array::Legal,
    Array::LegalCounts,
    Array::LegalBits,
    Array::LegalBytes,
    Array::Rewards,
    Array::Terminated,
    Array::Truncated,
    Array::MoveValid,
    Array::Planes,
    Array::Scalars,
    Array::FinalPlanes,
    Array::FinalScalars,
    Array::FinalPoints,
    Array::Endings,
];

#[test]
fn digests_are_those_of_the_fixture() {
    for line in fixture("digests.csv").lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let rules = Rules::named(fields[1]).expect("a preset");
        let [games, steps, seed] = [2, 3, 4].map(|field| fields[field].parse::<usize>().unwrap());
        let config = Config {
            outputs: ALL,
            autoreset: Autoreset::SameStep,
            seed: seed as u64,
            ..Config::new(rules, games)
        };
        let mut batch = Emulation::new(BUILD, &config);
        let mut hasher = Hasher::new();
        for step in 0..steps {
            let counts = batch.array::<u16>(Array::LegalCounts);
            let legal = batch.array::<u16>(Array::Legal);
            let choose = |game: usize| match counts[game] as usize {
                0 => 0,
                count => legal[game * Batch::LEGAL_ROOM + (step * 7919 + game * 104_729) % count],
            };
            let actions: Vec<u16> = (0..games).map(choose).collect();
            batch.step(&actions);
            ARRAYS.iter().for_each(|&array| hasher.update(batch.array(array)));
        }
        assert_eq!(format!("{:08x}", hasher.finalize()), fields[5], "{}", rules.name);
    }
}

#[test]
fn digests_of_games_are_those_of_the_batch() {
    for rules in Rules::PRESETS {
        let config =
            Config { outputs: ALL, autoreset: Autoreset::SameStep, ..Config::new(rules, 30) };
        let mut one = Batch::new(config.clone()).unwrap();
        let mut other = Emulation::new(BUILD, &config);
        let mut actions = vec![0; 30];
        for _ in 0..300 {
            one.choose(Player::Random, &mut actions).unwrap();
            one.step(&actions).unwrap();
        }
        other.play([Some(Player::Random); 4], 300);
        for what in [1, 2, 4, 8, 16, 32, digest::ALL] {
            assert_eq!(digests_of(&one, 0..30, what), other.digests(what), "{} {what}", rules.name);
        }
        // A digest that sees nothing would be equal too.
        other.play([Some(Player::Random); 4], 1);
        let changed = other.digests(digest::ALL);
        assert!(digests_of(&one, 0..30, digest::ALL).iter().zip(changed).all(|(a, b)| *a != b));
    }
}

type Read = unsafe extern "C" fn(*const u8, u64, *mut c_void);
type Count = unsafe extern "C" fn(*const c_void, u64, *mut u32, *mut u32);
type List = unsafe extern "C" fn(*const c_void, u64, *const u64, *mut c_void, *mut u32);

/// A record of a position, aligned as the kernels need it.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Record([u8; RECORD_BYTES]);

struct Kernels {
    library: Library,
}

impl Kernels {
    fn new(rules: &Rules, purpose: Purpose) -> Kernels {
        let path = library(BUILD, purpose);
        // SAFETY: the library is ours and runs nothing when it is loaded.
        let library = unsafe { Library::new(path) }.expect("a library just compiled");
        let settings = source::settings(&Config::new(rules, 1));
        // SAFETY: the library has an array of 64 numbers of this name, and this is the only test
        // that loads it.
        unsafe {
            let place = library.get::<*mut [i64; 64]>(b"setting").expect("the settings");
            (&mut (**place))[..settings.len()].copy_from_slice(&settings);
        }
        Kernels { library }
    }

    fn kernel<T: Copy>(&self, name: &str) -> T {
        // SAFETY: the callers know the types of the kernels.
        *unsafe { self.library.get::<T>(name.as_bytes()) }.expect("a kernel of this name")
    }

    fn perft(&self, position: &Position, depth: u32) -> u64 {
        let mut records = vec![Record([0; RECORD_BYTES])];
        let read: Read = self.kernel("read_positions");
        // SAFETY: one position, one record.
        unsafe { read(position.to_bytes().as_ptr(), 1, records.as_mut_ptr().cast()) };
        for _ in 1..depth {
            records = self.children(&records);
        }
        self.counts(&records).iter().map(|&count| u64::from(count)).sum()
    }

    fn counts(&self, records: &[Record]) -> Vec<u32> {
        let mut counts = vec![0; records.len()];
        let count: Count = self.kernel("count_moves");
        let (place, number) = (records.as_ptr().cast(), records.len() as u64);
        // SAFETY: as many counts as records.
        unsafe { count(place, number, counts.as_mut_ptr(), std::ptr::null_mut()) };
        counts
    }

    fn children(&self, records: &[Record]) -> Vec<Record> {
        let mut offsets = Vec::with_capacity(records.len());
        let mut total = 0;
        for count in self.counts(records) {
            offsets.push(total);
            total += u64::from(count);
        }
        let mut children = vec![Record([0; RECORD_BYTES]); total as usize];
        let mut spill = vec![0; Batch::LEGAL_ROOM * records.len()];
        let list: List = self.kernel("list_children");
        let (place, number) = (records.as_ptr().cast(), records.len() as u64);
        let goal = children.as_mut_ptr().cast();
        // SAFETY: there is room for as many children as were counted.
        unsafe { list(place, number, offsets.as_ptr(), goal, spill.as_mut_ptr()) };
        children
    }
}

/// The rules behind a name of the file, and whether moves may leave the king in check.
fn rules_of(ruleset: &str) -> (Rules, Purpose) {
    let (preset, variant) = ruleset.split_once('-').unwrap_or((ruleset, ""));
    let mut rules = *Rules::named(preset).expect("a preset");
    match variant {
        "" => {}
        "ep2" => rules.en_passant = EnPassant::TwoMoves,
        "kingcap-continues" => rules.king_capture = KingCapture::Continues,
        "kingcap-leaf" => rules.king_capture = KingCapture::EndsGame,
        "pseudo" => {
            rules.en_passant = EnPassant::TwoMoves;
            return (rules, Purpose::PseudoPerft);
        }
        other => panic!("unknown variant {other}"),
    }
    (rules, Purpose::Perft)
}

#[test]
fn perft_counts_what_other_engines_count() {
    let is_slow = std::env::var_os("EVERYPLY_SLOW").is_some_and(|value| value == "1");
    let limit = if is_slow { 4_000_000 } else { 200_000 };
    let (mut rows, mut left_out) = (0, 0);
    for (line, row) in fixture("perft4.csv").lines().enumerate().skip(1) {
        let (fen, rest) = row.strip_prefix('"').and_then(|row| row.split_once("\",")).unwrap();
        let fields: Vec<&str> = rest.split(',').collect();
        let (depth, nodes): (u32, u64) = (fields[1].parse().unwrap(), fields[2].parse().unwrap());
        if nodes > limit {
            left_out += 1;
            continue;
        }
        let (rules, purpose) = rules_of(fields[0]);
        let position = Position::from_fen(fen, &rules).unwrap();
        assert_eq!(
            Kernels::new(&rules, purpose).perft(&position, depth),
            nodes,
            "line {}",
            line + 1
        );
        rows += 1;
    }
    println!("{rows} rows reproduced; not run: {left_out} of more than {limit} nodes");
    assert!(rows > 150);
}
