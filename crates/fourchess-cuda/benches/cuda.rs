//! Four-player chess on a GPU: steps a second, and equality with the processor.
//!
//! Without arguments it measures. `--check` compares with the processor, `--tune` tries lanes and
//! threads, `--plies N` says how many plies are compared, `--lanes N` and `--threads N` choose the
//! shape of the kernels, `--text` prints the text of the kernels, and `--short` and
//! `--tiny` do little and very little of everything, for a sanitizer. `--long` compares many plies
//! for `--seconds N` at most, in games of `--seed N`, and perft.

#[path = "cuda/check.rs"]
mod check;
#[path = "cuda/measure.rs"]
mod measure;

use std::{path::PathBuf, process::ExitCode};

use fourchess_cuda::{
    Device, Error, Nvrtc, Options,
    source::{self, Purpose},
};

/// How much is compared.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Size {
    Whole,
    Short,
    Tiny,
    Long,
}

struct Arguments {
    check: bool,
    tune: bool,
    size: Size,
    text: bool,
    plies: u64,
    seconds: u64,
    seed: u64,
    nodes: u64,
    options: Options,
}

fn arguments() -> Arguments {
    let mut found = Arguments {
        check: false,
        tune: false,
        size: Size::Whole,
        text: false,
        plies: 20_000_000,
        seconds: 180,
        seed: 11,
        nodes: 100_000_000,
        options: Options::default(),
    };
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        let mut number = || -> u64 {
            let text = words.next().unwrap_or_default().replace('_', "");
            text.parse().unwrap_or_else(|_| panic!("{word} needs a number, not {text:?}"))
        };
        match word.as_str() {
            "--check" => found.check = true,
            "--tune" => found.tune = true,
            "--short" => found.size = Size::Short,
            "--tiny" => found.size = Size::Tiny,
            "--long" => found.size = Size::Long,
            "--seconds" => found.seconds = number(),
            "--seed" => found.seed = number(),
            "--plies" => found.plies = number(),
            "--nodes" => found.nodes = number(),
            "--lanes" => found.options.shape.get_or_insert_default().lanes = number() as u32,
            "--threads" => found.options.shape.get_or_insert_default().threads = number() as u32,
            "--blocks" => found.options.shape.get_or_insert_default().blocks = number() as u32,
            "--device" => found.options.device = number() as usize,
            "--nvrtc" => found.options.nvrtc.push(PathBuf::from(words.next().unwrap_or_default())),
            "--text" => found.text = true,
            // Cargo says it to every bench.
            "--bench" => {}
            other => panic!("unknown argument {other}"),
        }
    }
    found
}

fn main() -> ExitCode {
    let arguments = arguments();
    if arguments.text {
        let config = measure::config(8192, true, false, true);
        print!(
            "{}",
            source::device(&config, arguments.options.shape.unwrap_or_default(), Purpose::Batch)
        );
        return ExitCode::SUCCESS;
    }
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error @ (Error::NoDriver | Error::NoDevice { .. } | Error::NoNvrtc { .. })) => {
            println!("not run: {error}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            println!("failed: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<bool, Error> {
    let options = &arguments.options;
    let device = Device::open(options.device)?;
    let (major, minor) = device.capability();
    println!(
        "{}, compute capability {major}.{minor}, {} multiprocessors",
        device.name(),
        device.processors()
    );
    let nvrtc = Nvrtc::load(&options.nvrtc)?;
    println!("nvrtc {}.{} ({})", nvrtc.version().0, nvrtc.version().1, nvrtc.path().display());
    if arguments.tune {
        measure::tune(options)?;
        return Ok(true);
    }
    if arguments.check || arguments.size != Size::Whole {
        let Arguments { plies, nodes, seconds, seed, .. } = *arguments;
        return check::run(options, arguments.size, plies, nodes, seed, seconds);
    }
    measure::run(options)?;
    Ok(true)
}
