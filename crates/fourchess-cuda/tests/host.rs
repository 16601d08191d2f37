//! The host side without a GPU: on a driver whose device is the processor, and on drivers that fail
//! in every way that is known. Each runs in a process of its own, because a driver is loaded once.

mod emulation;

use std::{fs, path::PathBuf, process::Command};

use emulation::compile;
use fourchess::{EnPassant, Rules, Seat};
use fourchess_cuda::{
    Array, CudaBatch, Error, Number, Nvrtc, Options, Which, devices, digest, digests_of,
    source::{self, Purpose, Shape},
};
use fourchess_env::{Autoreset, Batch, Config, Illegal, Outputs, Player};

/// Names of kernels, such as `step`, mean those of the library and not functions of libc.
const FLAGS: [&str; 8] = [
    "-O2",
    "-std=c++17",
    "-w",
    "-shared",
    "-fPIC",
    "-ffp-contract=off",
    "-fno-strict-aliasing",
    "-Wl,-Bsymbolic",
];

/// A directory with both libraries under the names by which they are looked for.
fn libraries() -> tempfile::TempDir {
    let names: Vec<String> = source::setting_names().map(|name| format!("\"{name}\"")).collect();
    let mut text = source::emulation(32, Purpose::Batch);
    text.push_str(&format!("static const char *NAMES[] = {{{}}};\n", names.join(",")));
    text.push_str(include_str!("emulation/driver.cpp"));
    let directory = tempfile::tempdir().unwrap();
    let driver = compile(&text, &FLAGS, "so");
    let compiler = compile(include_str!("emulation/nvrtc.cpp"), &FLAGS, "so");
    fs::copy(driver, directory.path().join("libcuda.so")).unwrap();
    fs::copy(compiler, directory.path().join("libnvrtc.so.13")).unwrap();
    directory
}

/// Runs the test `child` of this file with such a driver; returns what it printed.
fn on_driver(libraries: &tempfile::TempDir, way: &str) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["child", "--exact", "--nocapture"])
        .env("LD_LIBRARY_PATH", libraries.path())
        .env("FAKE_DRIVER", way)
        .env("FAKE_LIBRARIES", libraries.path())
        .output()
        .expect("this program");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{way}: {printed}{}", String::from_utf8_lossy(&output.stderr));
    printed
}

fn options() -> Options {
    let directory = PathBuf::from(std::env::var_os("FAKE_LIBRARIES").unwrap_or_default());
    Options { nvrtc: vec![directory], cache: None, ..Options::default() }
}

fn config(rules: &Rules, games: usize, illegal: Illegal) -> Config {
    Config {
        outputs: Outputs { legal_bits: true, legal_bytes: true, observation: true },
        autoreset: Autoreset::SameStep,
        illegal,
        seed: 8,
        ..Config::new(rules, games)
    }
}

/// What other tests run in a process with a driver of their own; alone it does nothing.
#[test]
fn child() {
    let Ok(way) = std::env::var("FAKE_DRIVER") else { return };
    if way == "works" {
        return works();
    }
    let games = if way == "too many" { 1 << 28 } else { 2000 };
    let made = CudaBatch::new(config(&Rules::FFA, games, Illegal::Noop), &options());
    let error = match (made, way.as_str()) {
        (Ok(mut batch), "lost") => {
            batch.choose_own([Some(Player::Random); 4]).unwrap();
            batch.step_own().unwrap();
            batch.synchronize().unwrap_err()
        }
        (Ok(_), _) => panic!("{way}: a batch was made"),
        (Err(error), _) => error,
    };
    println!("error: {error}");
}

/// The tests of the wheel run on the same driver, in the directory that EVERYPLY_DRIVER names.
#[test]
fn both_libraries_are_kept_for_others() {
    let Some(directory) = std::env::var_os("EVERYPLY_DRIVER").map(PathBuf::from) else {
        println!("not run: EVERYPLY_DRIVER names no directory");
        return;
    };
    fs::create_dir_all(&directory).unwrap();
    let libraries = libraries();
    for name in ["libcuda.so", "libnvrtc.so.13"] {
        fs::copy(libraries.path().join(name), directory.join(name)).unwrap();
    }
}

#[test]
fn drivers_that_fail_are_named_errors() {
    let libraries = libraries();
    for (way, words) in [
        ("old driver", "the NVIDIA driver is too old: it has version 11.4, and 12.0 is needed"),
        ("old device", "the CUDA device is too old: it has version 6.0, and 7.0 is needed"),
        ("no device", "there is no CUDA device 0: the driver finds 0"),
        ("bad text", "libnvrtc.so.13: error 6\nfourchess.cu(7): error: refused"),
        ("little memory", "a batch of 2000 games needs "),
        ("little memory", "; legal_bytes alone takes 14384000 bytes"),
        ("too many", "a batch of 268435456 games needs "),
        ("lost", "the CUDA device is lost to this process, which must be restarted: "),
    ] {
        let printed = on_driver(&libraries, way);
        assert!(printed.contains(words), "{way}: {printed}");
    }
}

#[test]
fn a_batch_on_a_device_is_one_on_the_processor() {
    assert!(on_driver(&libraries(), "works").contains("equal"));
}

/// Every method, compared with that of the batch.
fn works() {
    let rules = Rules { max_plies: 90, ..Rules::FFA };
    for illegal in [Illegal::Error, Illegal::Noop] {
        let config = config(&rules, 30, illegal);
        let mut one = Batch::new(config.clone()).unwrap();
        let mut other = CudaBatch::new(config, &options()).unwrap();
        assert_eq!(other.device().name(), "Fake");
        let (mut mine, mut theirs) = (vec![0; 30], vec![0; 30]);
        for _ in 0..120 {
            one.choose(Player::Random, &mut mine).unwrap();
            other.choose(Player::Random, &mut theirs).unwrap();
            assert_eq!(mine, theirs);
            one.step(&mine).unwrap();
            other.step(&theirs).unwrap();
        }
        same(&one, &other);
        one.choose(Player::Greedy, &mut mine).unwrap();
        one.step(&mine).unwrap();
        other.choose_own([Some(Player::Greedy); 4]).unwrap();
        other.step_own().unwrap();
        mine[7] = 7191;
        if illegal == Illegal::Error {
            let expected = one.step(&mine).unwrap_err();
            assert_eq!(other.step(&mine), Err(Error::Batch(expected)));
        }
        other.play([Player::Random; 4], 3).unwrap();
        for _ in 0..3 {
            one.choose(Player::Random, &mut mine).unwrap();
            one.step(&mine).unwrap();
        }
        same(&one, &other);
        games(&mut one, &mut other);
        let mut floats = vec![0.0; 30 * 7840];
        one.expand_observations(&mut floats).unwrap();
        let goal = other.scratch(30 * 7840 * 4).unwrap();
        other.expand(Which::Current, Number::F32, &goal).unwrap();
        let bytes: Vec<u8> = floats.iter().flat_map(|float| float.to_le_bytes()).collect();
        assert_eq!(other.read_scratch(&goal).unwrap(), bytes);
        assert!(other.stats().unwrap().endings.iter().sum::<u64>() > 0);
    }
    refusals();
    println!("equal");
}

fn same(one: &Batch, other: &CudaBatch) {
    let all: Vec<usize> = (0..one.len()).collect();
    assert_eq!(digests_of(one, 0..one.len(), digest::ALL), other.digests(digest::ALL).unwrap());
    assert_eq!(one.save(&all).unwrap(), other.save(&all).unwrap());
    assert_eq!(other.read(Array::LegalBytes).unwrap(), one.legal_bytes());
}

/// Resets, copies and resignations, games named twice among them.
fn games(one: &mut Batch, other: &mut CudaBatch) {
    let (chosen, seeds) = ([3, 9, 3, 29], [5, 6, 7, 8]);
    one.reset(&chosen, &seeds).unwrap();
    other.reset(&chosen, &seeds).unwrap();
    same(one, other);
    let seats = [Seat::Red, Seat::Green, Seat::Blue, Seat::Yellow];
    one.resign(&chosen, &seats).unwrap();
    other.resign(&chosen, &seats).unwrap();
    same(one, other);
    one.copy_games(&[0, 1, 1], &[1, 0, 20]).unwrap();
    other.copy_games(&[0, 1, 1], &[1, 0, 20]).unwrap();
    same(one, other);
    let fen = one.positions()[4].fen(one.rules()).to_string();
    one.reset_from(&[2, 11], &[1, 2], &[&fen, &fen]).unwrap();
    other.reset_from(&[2, 11], &[1, 2], &[&fen, &fen]).unwrap();
    same(one, other);
    let states = one.save(&[5, 6]).unwrap();
    one.load(&[6, 6], &states).unwrap();
    other.load(&[6, 6], &states).unwrap();
    same(one, other);
    for (mine, theirs) in [
        (one.reset(&[30], &[1]), other.reset(&[30], &[1])),
        (one.reset(&[1, 2], &[1]), other.reset(&[1, 2], &[1])),
        (one.copy_games(&[1, 2], &[4, 4]), other.copy_games(&[1, 2], &[4, 4])),
        (one.load(&[1], &states), other.load(&[1], &states)),
        (one.load(&[1], &[7; 2288]), other.load(&[1], &[7; 2288])),
        (one.step(&[0; 3]), other.step(&[0; 3])),
        (one.reset_from(&[12], &[1], &["x"]), other.reset_from(&[12], &[1], &["x"])),
    ] {
        assert_eq!(theirs, Err(Error::Batch(mine.unwrap_err())));
    }
    same(one, other);
}

/// Configurations and shapes that no batch can have.
fn refusals() {
    let config = config(&Rules::FFA, 4, Illegal::Noop);
    let refused = |config: Config, shape: Shape| {
        let options = Options { shape: Some(shape), ..options() };
        CudaBatch::new(config, &options).err().map(|error| error.to_string()).unwrap_or_default()
    };
    let shape = Shape::default();
    assert_eq!(
        refused(Config { games: 0, ..config.clone() }, shape),
        "a batch needs at least one game"
    );
    let rules = Rules { en_passant: EnPassant::TwoMoves, ..Rules::FFA };
    assert!(refused(Config { rules, ..config.clone() }, shape).contains("share an action"));
    for (lanes, threads) in [(3, 128), (32, 100), (8, 1024), (16, 0)] {
        let said = refused(config.clone(), Shape { lanes, threads, ..shape });
        assert!(said.contains("are not possible"), "{said}");
    }
    let far = Options { device: 5, ..options() };
    let error = CudaBatch::new(config, &far).err();
    assert_eq!(error, Some(Error::NoDevice { ordinal: 5, found: 1 }));
}

#[test]
fn compilers_are_found_and_their_answers_passed_on() {
    let libraries = libraries();
    let nvrtc = Nvrtc::load(&[libraries.path().to_owned()]).unwrap();
    assert_eq!(nvrtc.version(), (13, 0));
    assert_eq!(nvrtc.path(), libraries.path().join("libnvrtc.so.13"));
    assert!(nvrtc.compile("text", (9, 0)).unwrap().starts_with(b"text\0"));
    // A device that the compiler does not know gets text, which the driver compiles.
    assert!(nvrtc.compile("text", (12, 1)).unwrap().starts_with(b"text\0"));
    let error = nvrtc.compile("text", (7, 5)).unwrap_err().to_string();
    assert!(error.contains("too old") && error.contains("7.5"), "{error}");
}

/// On a machine with neither driver nor compiler.
#[test]
fn what_is_missing_is_named() {
    match devices() {
        Err(error) => {
            assert_eq!(error, Error::NoDriver);
            let made = CudaBatch::new(config(&Rules::FFA, 1, Illegal::Noop), &Options::default());
            assert_eq!(made.err(), Some(Error::NoDriver));
        }
        Ok(found) => println!("not run: there is a driver, with {found} devices"),
    }
    match Nvrtc::load(&[PathBuf::from("/nowhere")]) {
        Err(error) => {
            let said = error.to_string();
            assert!(said.contains("libnvrtc was not found") && said.contains("/nowhere"), "{said}");
        }
        Ok(found) => println!("not run: there is a compiler, {}", found.path().display()),
    }
}

/// Where the real compiler is, it takes the text of every preset.
#[test]
fn the_real_compiler_takes_the_kernels() {
    let Ok(nvrtc) = Nvrtc::load(&[]) else {
        println!("not run: there is no libnvrtc");
        return;
    };
    for rules in Rules::PRESETS {
        for purpose in [Purpose::Batch, Purpose::Values, Purpose::Perft, Purpose::PseudoPerft] {
            let text = source::device(&config(rules, 1, Illegal::Noop), Shape::default(), purpose);
            nvrtc.compile(&text, (9, 0)).unwrap();
        }
    }
}
