//! What only some crates may ask of the system: rules ask nothing, and nothing below the outputs
//! depends on a clock or on chance.

use super::{Finding, files::File, rust};

/// Crates of rules, and the seam between them and the solver.
const RULES: &[&str] = &["chess", "fourchess", "game", "kalah", "kenken"];

/// Ways out of the process. Each word here and below is looked for where it stands by itself and
/// its second half follows.
const INPUT_AND_OUTPUT: &[(&str, &str)] =
    &[("fs", ""), ("net", ""), ("process", ""), ("stderr", ""), ("stdin", ""), ("stdout", "")];

/// Outputs may look at the clock as they like.
const OUTPUTS: &[&str] = &["cli", "commands", "python", "web"];

/// Whoever only compares times that it is given does not look at a clock.
const CLOCKS: &[(&str, &str)] = &[("Instant", "::now"), ("SystemTime", "::now")];
const CHANCE: &[(&str, &str)] = &[("RandomState", ""), ("getrandom", ""), ("thread_rng", "")];

/// Files, or directories with a final slash, whose results do not depend on the clock they look at.
const MAY_LOOK_AT_CLOCKS: &[&str] = &[
    // A deadline that the caller sets, and an answer that says if it was met.
    "crates/kenken/src/search.rs",
    "crates/kalah-answers/src/oracle.rs",
    // When work is committed; what is committed is the same.
    "crates/solver/src/explore.rs",
    "crates/solver/src/settle.rs",
    // Leases of writers.
    "crates/stores/src/",
    // How long a query has run.
    "crates/sql/src/",
];

/// Finds rules that do input or output, and clocks and chance below the outputs.
pub(crate) fn check(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.is_rust()) {
        let Some(name) = crate_of(&file.path).filter(|name| !OUTPUTS.contains(name)) else {
            continue;
        };
        let code = rust::without_tests(&rust::code(&file.text));
        let mut find = |words: &[(&str, &str)], why: &str| {
            for (word, after) in words {
                for line in rust::lines_with(&code, word, after) {
                    findings.push(Finding::at(&file.path, line, format!("{word}: {why}")));
                }
            }
        };
        if RULES.contains(&name) {
            find(INPUT_AND_OUTPUT, "rules do no input or output");
        }
        if !file.is_among(MAY_LOOK_AT_CLOCKS) {
            find(CLOCKS, "below the outputs nothing depends on a clock");
        }
        find(CHANCE, "below the outputs randomness comes from a seed");
    }
    findings
}

/// The crate whose sources a file belongs to.
fn crate_of(path: &str) -> Option<&str> {
    let (name, rest) = path.strip_prefix("crates/")?.split_once('/')?;
    rest.starts_with("src/").then_some(name)
}

#[cfg(test)]
mod tests {
    use super::{super::shown, *};

    #[test]
    fn rules_that_ask_the_system_are_found() {
        let text = "use std::{fs, io};\n// std::net\n#[cfg(test)]\nuse std::process;\n";
        let files = [
            File::new("crates/chess/src/fen.rs", text),
            File::new("crates/chess/tests/fen.rs", text),
            File::new("crates/sources/src/source.rs", text),
        ];
        let expected = ["crates/chess/src/fen.rs:1: fs: rules do no input or output"];
        assert_eq!(shown(&check(&files)), expected);
    }

    #[test]
    fn clocks_and_chance_below_outputs_are_found() {
        let text = "fn wait(until: Instant) -> bool { Instant::now() >= until }\nlet seed = getrandom();\n\
                    enum Instant { Before, After }\n";
        let files = [
            File::new("crates/tables/src/writer.rs", text),
            File::new("crates/cli/src/main.rs", text),
            File::new("crates/solver/src/settle.rs", text),
        ];
        let expected = [
            "crates/tables/src/writer.rs:1: Instant: below the outputs nothing depends on a clock",
            "crates/tables/src/writer.rs:2: getrandom: below the outputs randomness comes from a seed",
            "crates/solver/src/settle.rs:2: getrandom: below the outputs randomness comes from a seed",
        ];
        assert_eq!(shown(&check(&files)), expected);
    }
}
