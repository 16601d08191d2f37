//! A program that is all commands of a game.

use std::process::ExitCode;

use clap::{FromArgMatches, Subcommand};

use crate::{
    Notation, best,
    exit::{self, Outcome},
    export, interrupt, line, play, solve, sql, stats, verify,
};

/// What a program is called, and what it says about itself.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// The name of the program, also in messages.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
}

/// The commands of a game, whose flags are `F`.
#[derive(Subcommand)]
#[allow(missing_docs, reason = "what is said of a variant would be its help")]
pub enum Command<F: clap::Args> {
    Solve(solve::Args<F>),
    Best(best::Args),
    Line(line::Args),
    Verify(verify::Args),
    Stats(stats::Args),
    Export(export::Args),
    Play(play::Args),
    Sql(sql::Args),
}

const EXITS: &str = "\
A store is named by a URL: sqlite:FILE, file:DIR, memory:, postgres://.., bigtable://.., s3://.. or
gs://..; the last four need a build with the feature of that name.

Data goes to standard output, everything else to standard error. NO_COLOR is respected.

Exit codes:
  0    success, also if the answer is \"no\"
  1    some input was bad, or a check found a fault
  2    the command line was wrong
  3    an internal error, broken rules of the game, a file that cannot be written, or a server that
       does not answer
  130  interrupted by Ctrl-C, SIGTERM or SIGHUP";

impl<F: clap::Args> Command<F> {
    /// Runs the command.
    pub fn run<G: Notation<Flags = F>>(&self) -> Outcome {
        match self {
            Command::Solve(args) => solve::run::<G>(args),
            Command::Best(args) => best::run::<G>(args),
            Command::Line(args) => line::run::<G>(args),
            Command::Verify(args) => verify::run::<G>(args),
            Command::Stats(args) => stats::run::<G>(args),
            Command::Export(args) => export::run::<G>(args),
            Command::Play(args) => play::run::<G>(args),
            Command::Sql(args) => sql::run::<G>(args),
        }
    }
}

/// Runs the command that the command line asks for, and returns the documented exit code.
pub fn run<G: Notation>(program: Program) -> ExitCode {
    let Program { name, version, about } = program;
    exit::call_program(name);
    let command = Command::<G::Flags>::augment_subcommands(clap::Command::new(name));
    let command = command.version(version).about(about).long_about(None).after_long_help(EXITS);
    let command = command.arg_required_else_help(true).subcommand_required(true);
    let parsed = command.try_get_matches();
    let command = match parsed.and_then(|matches| Command::from_arg_matches(&matches)) {
        Ok(command) => command,
        Err(told) => return exit::code(exit::refuse(&told)).into(),
    };
    interrupt::watch();
    exit::code(command.run::<G>()).into()
}
