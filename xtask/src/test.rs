//! `cargo xtask test`: everything that must pass.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Result, bail};

use crate::{checker, packages, setup, shell, stores, tidy, wheel};

/// Runs every step, or the named ones, also after one has failed, and prints at the end which did.
pub(crate) fn run(names: &[&str]) -> Result<()> {
    let steps = chosen(names)?;
    let mut outcomes = Vec::new();
    for (index, step) in steps.iter().enumerate() {
        eprintln!("\n[{}/{}] {}", index + 1, steps.len(), step.name);
        let start = Instant::now();
        let result = (step.run)();
        if let Err(error) = &result {
            eprintln!("error: {error:#}");
        }
        outcomes.push(Outcome { name: step.name, took: start.elapsed(), passed: result.is_ok() });
    }
    let slow = std::env::var("EVERYPLY_SLOW").is_ok_and(|value| value == "1");
    eprintln!("\n{}{}", summary(&outcomes), not_run(slow));
    let failed = failures(&outcomes);
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}

/// The steps with these names in the order of [`STEPS`]; all where none is named.
fn chosen(names: &[&str]) -> Result<Vec<&'static Step>> {
    let known = || STEPS.iter().map(|step| step.name);
    if let Some(unknown) = names.iter().find(|name| !known().any(|step| step == **name)) {
        bail!("unknown step: {unknown}; there are: {}", known().collect::<Vec<_>>().join(", "));
    }
    let is_chosen = |step: &&Step| names.is_empty() || names.contains(&step.name);
    Ok(STEPS.iter().filter(is_chosen).collect())
}

struct Step {
    name: &'static str,
    run: fn() -> Result<()>,
}

const STEPS: &[Step] = &[
    Step {
        name: "setup",
        run: || {
            setup::ensure(setup::TESTS)?;
            checker::fetch();
            Ok(())
        },
    },
    Step { name: "servers", run: stores::servers },
    Step { name: "fmt", run: || cargo(&["fmt", "--all", "--check"]) },
    Step {
        name: "clippy",
        run: || {
            let deny = ["--all-targets", "--", "-D", "warnings"];
            cargo(&[&["clippy"][..], EVERYTHING, &deny].concat())
        },
    },
    // Not --all-targets: that would run every bench too.
    Step {
        name: "tests",
        run: || {
            let kinds = ["--no-fail-fast", "--lib", "--bins", "--tests", "--examples"];
            let mut command = shell::cargo();
            command.arg("test").args(EVERYTHING).args(kinds);
            shell::run(with_everything(&mut command))
        },
    },
    Step { name: "doc tests", run: || cargo(&[&["test", "--doc"][..], EVERYTHING].concat()) },
    Step {
        name: "docs",
        run: || {
            let mut command = shell::cargo();
            command.args(["doc", "--no-deps"]).args(EVERYTHING);
            shell::run(command.env("RUSTDOCFLAGS", "-D warnings"))
        },
    },
    Step { name: "wheel", run: wheel::test },
    Step { name: "packages", run: packages::check },
    Step { name: "tidy", run: tidy::run },
];

/// Every crate with every feature. All steps use the same words, so that each step reuses what
/// the one before has built.
pub(crate) const EVERYTHING: &[&str] = &[
    "--workspace",
    "--features",
    "everyply/bigtable,everyply/cluster,everyply/gs,everyply/postgres,everyply/s3",
    "--locked",
];

/// Tests that fail if a server or a tool is missing, on machines that have all of them: there a test
/// that does not run must not look like one that passes. `EVERYPLY_REQUIRE` decides otherwise.
pub(crate) fn with_everything(command: &mut Command) -> &mut Command {
    let is_decided = std::env::var_os("EVERYPLY_REQUIRE").is_some();
    if !is_decided && stores::all_there() && shell::succeeds(&["unshare", "--mount", "true"]) {
        command.env("EVERYPLY_REQUIRE", "1");
    }
    command
}

fn cargo(arguments: &[&str]) -> Result<()> {
    shell::run(shell::cargo().args(arguments))
}

struct Outcome {
    name: &'static str,
    took: Duration,
    passed: bool,
}

fn failures(outcomes: &[Outcome]) -> Vec<&'static str> {
    outcomes.iter().filter(|outcome| !outcome.passed).map(|outcome| outcome.name).collect()
}

fn summary(outcomes: &[Outcome]) -> String {
    let line = |outcome: &Outcome| {
        let word = if outcome.passed { "passed" } else { "FAILED" };
        format!("{:<10} {word} in {:6.1} s\n", outcome.name, outcome.took.as_secs_f64())
    };
    outcomes.iter().map(line).collect()
}

fn not_run(slow: bool) -> String {
    let benches = "benches (cargo xtask bench)";
    let slow_tests = "slow tests (EVERYPLY_SLOW=1 cargo xtask test)";
    match slow {
        true => format!("not run: {benches}"),
        false => format!("not run: {slow_tests}, {benches}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_names_what_failed() {
        let took = Duration::from_millis(1500);
        let outcomes = [
            Outcome { name: "fmt", took, passed: true },
            Outcome { name: "docs", took, passed: false },
        ];
        assert_eq!(failures(&outcomes), ["docs"]);
        let expected = "fmt        passed in    1.5 s\ndocs       FAILED in    1.5 s\n";
        assert_eq!(summary(&outcomes), expected);
    }

    #[test]
    fn steps_are_chosen_by_name_and_keep_their_order() {
        let names = |names: &[&str]| -> Vec<&str> {
            chosen(names).unwrap().iter().map(|step| step.name).collect()
        };
        assert_eq!(names(&["tidy", "fmt"]), ["fmt", "tidy"]);
        assert_eq!(names(&[]).len(), STEPS.len());
        let error = chosen(&["fmt", "spelling"]).err().unwrap().to_string();
        assert!(
            error.starts_with("unknown step: spelling; there are: setup, servers, fmt"),
            "{error}"
        );
    }

    #[test]
    fn slow_tests_are_said_to_be_left_out_only_when_they_are() {
        assert!(not_run(false).contains("EVERYPLY_SLOW=1 cargo xtask test"));
        assert!(!not_run(true).contains("slow"));
    }

    #[test]
    fn clusters_are_part_of_everything() {
        assert!(EVERYTHING.iter().any(|words| words.contains("everyply/cluster")));
        let error = run(&["--cluster"]).unwrap_err().to_string();
        assert!(error.starts_with("unknown step: --cluster"), "{error}");
    }
}
