//! `cargo xtask fuzz`: libFuzzer on every target, with the stable toolchain.

use std::{
    env, fs,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail, ensure};

use crate::{
    setup::{self, Need},
    shell,
    test::EVERYTHING,
};

const NEEDS: &[Need] =
    &[Need { probe: &["c++", "--version"], packages: &["g++"], purpose: "builds libFuzzer" }];

/// A crate with targets. Its corpus names them, a file each.
struct Suite {
    directory: &'static str,
    /// Its program. That of the second suite is linked with all of DataFusion, so whoever asks for
    /// a target of the first does not wait for it.
    program: &'static str,
    selection: Selection,
    /// The longest input in bytes. Short ones are quick, and most faults need no more.
    longest: u32,
}

enum Selection {
    /// The crate alone.
    Package,
    /// The crate as a part of the whole, so that what the tests have built is used.
    Everything,
}

const SUITES: &[Suite] = &[
    Suite {
        directory: "crates/fuzz",
        program: "fuzz",
        selection: Selection::Package,
        longest: 1500,
    },
    Suite {
        directory: "crates/fuzz-tables",
        program: "fuzz-tables",
        selection: Selection::Everything,
        longest: 4096,
    },
];

/// What libFuzzer needs to see which way an input has gone. These are options of LLVM, which the
/// stable compiler passes on.
const INSTRUMENTED: &[&str] = &[
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
    // One unit for each crate: the pass is not told apart in several.
    "-Ccodegen-units=1",
];

/// Set while cargo calls us in place of the compiler.
const WRAPPER: &str = "EVERYPLY_INSTRUMENT";

/// What is to be run, and for how long.
#[derive(Debug, PartialEq)]
struct Order<'a> {
    target: Option<&'a str>,
    seconds: u64,
    /// 0 for no bound.
    runs: u64,
    seed: u64,
}

/// Runs the named target, or all, one after the other.
pub(crate) fn run(words: &[&str]) -> Result<()> {
    let order = parse(words)?;
    setup::ensure(NEEDS)?;
    let mut known = Vec::new();
    for suite in SUITES {
        known.extend(targets(suite)?.into_iter().map(|target| (suite, target)));
    }
    let is_chosen = |target: &str| order.target.is_none_or(|name| name == target);
    let chosen: Vec<_> = known.iter().filter(|(_, target)| is_chosen(target)).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = known.iter().map(|(_, target)| target.as_str()).collect();
        bail!("unknown target: {}; there are: {}", words[0], names.join(", "));
    }
    let mut told = Vec::new();
    for suite in SUITES {
        let mut own = chosen.iter().filter(|(of, _)| of.directory == suite.directory).peekable();
        if own.peek().is_none() {
            continue;
        }
        let program = build(suite)?;
        for (_, target) in own {
            let runs = fuzz(suite, &program, target, &order)?;
            told.push(format!("{target:<16} {runs:>12} runs"));
        }
    }
    eprintln!("\n{}\nnothing was found", told.join("\n"));
    Ok(())
}

fn parse<'a>(words: &[&'a str]) -> Result<Order<'a>> {
    let mut order = Order { target: None, seconds: 60, runs: 0, seed: 0 };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut number = || -> Result<u64> {
            let value = words.next().with_context(|| format!("{word} needs a number"))?;
            value.parse().with_context(|| format!("{word} {value}: not a number"))
        };
        match *word {
            "--seconds" => order.seconds = number()?,
            "--runs" => order.runs = number()?,
            "--seed" => order.seed = number()?,
            option if option.starts_with('-') => bail!("unknown option: {option}"),
            target => {
                ensure!(order.target.is_none(), "one target at a time: {target} is a second");
                order.target = Some(target);
            }
        }
    }
    Ok(order)
}

/// The targets of a suite, in the order of their names.
fn targets(suite: &Suite) -> Result<Vec<String>> {
    let corpus = shell::root().join(suite.directory).join("corpus");
    let mut names = Vec::new();
    for entry in fs::read_dir(&corpus).with_context(|| corpus.display().to_string())? {
        let path = entry?.path();
        names.extend(path.file_stem().and_then(|name| name.to_str()).map(str::to_owned));
    }
    names.sort();
    Ok(names)
}

/// Builds the program of a suite. Only our own crates are instrumented: cargo calls us instead of
/// the compiler for them, and takes everything else as the tests have built it.
fn build(suite: &Suite) -> Result<PathBuf> {
    let package = format!("everyply-{}", suite.program);
    let feature = format!("{package}/libfuzzer");
    let mut command = shell::cargo();
    command.args(["build", "--locked", "--bin", suite.program]);
    match suite.selection {
        Selection::Package => command.args(["--package", &package, "--features", &feature]),
        Selection::Everything => {
            let words = EVERYTHING.iter().filter(|word| **word != "--locked");
            command.args(words).args(["--features", &feature])
        }
    };
    command.env("RUSTC_WORKSPACE_WRAPPER", env::current_exe()?).env(WRAPPER, "1");
    shell::run(&mut command)?;
    // The next build, without the wrapper, puts another program in this place.
    let built = shell::target().join("debug").join(suite.program);
    let kept = shell::target().join("fuzz").join(suite.program);
    fs::create_dir_all(shell::target().join("fuzz"))?;
    // Replacing the file would fail while an earlier copy runs.
    let _ = fs::remove_file(&kept);
    fs::copy(&built, &kept).with_context(|| built.display().to_string())?;
    Ok(kept)
}

/// Runs a target and returns how many inputs it was given.
fn fuzz(suite: &Suite, program: &Path, target: &str, order: &Order<'_>) -> Result<u64> {
    let directory = shell::target().join("fuzz").join(target);
    let inputs = directory.join("inputs");
    fs::create_dir_all(&inputs)?;
    let corpus = shell::root().join(suite.directory).join("corpus").join(format!("{target}.txt"));
    eprintln!("\n{target}");
    let mut command = Command::new(program);
    command
        .current_dir(&directory)
        .env("EVERYPLY_FUZZ_TARGET", target)
        .env("EVERYPLY_FUZZ_CORPUS", corpus)
        .env("EVERYPLY_FUZZ_INPUTS", &inputs)
        .arg(&inputs)
        .arg(format!("-max_total_time={}", order.seconds))
        .arg(format!("-seed={}", order.seed))
        .arg(format!("-max_len={}", suite.longest))
        .args(["-timeout=60", "-rss_limit_mb=4096", "-print_final_stats=1"])
        .arg("-verbosity=0");
    if order.runs > 0 {
        command.arg(format!("-runs={}", order.runs));
    }
    // Targets that write a file for every input would wait for the disk.
    let memory = Path::new("/dev/shm");
    if memory.is_dir() {
        command.env("TMPDIR", memory);
    }
    let output = command.output().with_context(|| program.display().to_string())?;
    let text = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        return Ok(runs(&text).unwrap_or_default());
    }
    eprint!("{text}");
    if let Some(input) = broken(&directory)? {
        let line = fs::read(&input)?.escape_ascii().to_string();
        eprintln!("\nThe input, as a line for {target}.txt of the corpus:\n{line}");
    }
    bail!("{target} broke: {}", output.status)
}

/// What libFuzzer says at the end.
fn runs(text: &str) -> Option<u64> {
    let line = text.lines().rfind(|line| line.starts_with("stat::number_of_executed_units:"))?;
    line.rsplit(' ').next()?.parse().ok()
}

/// The newest input that libFuzzer has put down as one that breaks something.
fn broken(directory: &Path) -> Result<Option<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if ["crash-", "timeout-", "oom-", "slow-unit-"].iter().any(|start| name.starts_with(start))
        {
            found.push((entry.metadata()?.modified()?, entry.path()));
        }
    }
    Ok(found.into_iter().max().map(|(_, path)| path))
}

/// Whether cargo has called us in place of the compiler.
pub(crate) fn is_wrapper() -> bool {
    env::var_os(WRAPPER).is_some()
}

/// Becomes the compiler that the first word names, with the options that instrument a crate. What
/// runs while others are built is left alone: libFuzzer is not linked into it.
pub(crate) fn wrap(words: &[String]) -> Result<()> {
    let (compiler, words) = words.split_first().context("no compiler was named")?;
    let mut command = Command::new(compiler);
    command.args(words);
    if is_instrumented(words) {
        command.args(INSTRUMENTED);
    }
    Err(command.exec()).with_context(|| compiler.clone())
}

fn is_instrumented(words: &[String]) -> bool {
    let name = words.windows(2).find(|pair| pair[0] == "--crate-name").map(|pair| pair[1].as_str());
    name.is_some_and(|name| !name.starts_with("build_script_") && name != "___")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_and_its_bounds_are_read() {
        let order = parse(&["pgn", "--seconds", "5", "--runs", "1000"]).unwrap();
        assert_eq!(order, Order { target: Some("pgn"), seconds: 5, runs: 1000, seed: 0 });
        assert_eq!(parse(&[]).unwrap().target, None);
        for (words, expected) in [
            (&["pgn", "fen"][..], "one target at a time: fen is a second"),
            (&["--seconds"], "--seconds needs a number"),
            (&["--runs", "many"], "--runs many: not a number"),
            (&["--fast"], "unknown option: --fast"),
        ] {
            assert_eq!(parse(words).unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn an_unknown_target_is_an_error_that_lists_the_known() {
        for suite in SUITES {
            assert!(!targets(suite).unwrap().is_empty(), "{}", suite.directory);
        }
    }

    #[test]
    fn crates_are_instrumented_and_build_scripts_are_not() {
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert!(is_instrumented(&words("--crate-name chess --edition=2024 src/lib.rs")));
        assert!(!is_instrumented(&words("--crate-name build_script_build build.rs")));
        assert!(!is_instrumented(&words("-vV")), "cargo asks for the version");
        assert!(!is_instrumented(&words("- --crate-name ___ --print=file-names")));
    }

    #[test]
    fn the_runs_are_what_libfuzzer_says_at_the_end() {
        let text = "stat::number_of_executed_units: 1234\nstat::average_exec_per_sec: 5\n";
        assert_eq!(runs(text), Some(1234));
        assert_eq!(runs("nothing"), None);
    }
}
