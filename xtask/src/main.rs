//! All automation of the workspace: `cargo xtask test|bench|fuzz|torture|tidy|wheel|dist`.

mod bench;
mod checker;
mod dist;
mod fuzz;
mod packages;
mod setup;
mod shell;
mod stores;
mod test;
mod tidy;
mod torture;
mod venv;
mod wheel;

use std::process::ExitCode;

use anyhow::{Result, bail};

const USAGE: &str = "\
All automation of the workspace.

Usage: cargo xtask COMMAND

Commands:
  test [STEP]...        run everything that must pass, or these steps: setup, servers, fmt,
                        clippy, tests, \"doc tests\", docs, wheel, packages,
                        tidy
  bench [NAME [ARGS]]   run a benchmark; without a name, list them
  fuzz [TARGET] [--seconds N] [--runs N] [--seed N]
                        give a target, or each in turn, inputs that libFuzzer makes up,
                        for 60 seconds unless told otherwise
  torture [--kills N] [--seed N]
                        kill, stop, fill up and cut off from power every writer, store and
                        cluster at random moments, 1000 times unless told otherwise
  tidy                  check what cargo cannot: directions, licences, words, links
  wheel                 build the Python wheel into target/wheels
  dist                  build the archive and the wheel of a release into target/dist

EVERYPLY_SLOW=1 makes `test` run the slow tests too. EVERYPLY_REQUIRE=1 makes tests fail whose servers
or tools are missing, which is the default where all servers are found.
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = if fuzz::is_wrapper() { fuzz::wrap(&arguments) } else { run(&arguments) };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[String]) -> Result<()> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["test", names @ ..] => test::run(names),
        ["tidy"] => tidy::run(),
        ["wheel"] => wheel::run(),
        ["dist"] => dist::run(),
        ["bench", rest @ ..] => bench::run(rest),
        ["fuzz", rest @ ..] => fuzz::run(rest),
        ["torture", rest @ ..] => torture::run(rest),
        [] | ["help" | "--help" | "-h"] => {
            print!("{USAGE}");
            Ok(())
        }
        [command @ ("tidy" | "wheel" | "dist"), extra, ..] => {
            bail!("{command} takes no argument: {extra}")
        }
        [unknown, ..] => bail!("unknown command: {unknown}\n\n{USAGE}"),
    }
}
