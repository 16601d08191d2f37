//! `everyply kenken`

mod book;
mod check;
mod convert;
mod count;
mod explain;
mod generate;
mod grade;
mod hint;
mod making;
mod play;
mod puzzles;
mod seed;
mod show;
mod solve;

use std::time::Instant;

use kenken::Limits;

use crate::{exit::Outcome, limits::TimeLimit};

/// KenKen: solve, count, grade, explain, generate, play, print
///
/// A PUZZLE is a Keen game ID, a JSON object, a file, or '-' for standard input. A file has a game
/// ID or a JSON object on each line, or it has drawings. It may be compressed with gzip or zstd.
#[derive(clap::Subcommand)]
#[command(after_help = "\
Examples:
  everyply kenken solve '4:_a_7a4_a3,a4a5s1s1d2d2m4m6'
  everyply kenken count --limit 2 --format jsonl puzzles.txt
  everyply kenken generate --size 6 --level hard --count 5 --seed 1
  everyply kenken hint '4:_a_7a4_a3,a4a5s1s1d2d2m4m6'
  everyply kenken show '4:_a_7a4_a3,a4a5s1s1d2d2m4m6' --solution
  everyply kenken play --size 5 --level easy
  everyply kenken book --size 6 --level easy,hard --out book.pdf")]
pub(crate) enum Command {
    Solve(solve::Args),
    Count(count::Args),
    Check(check::Args),
    Grade(grade::Args),
    Hint(hint::Args),
    Explain(explain::Args),
    Generate(generate::Args),
    Show(show::Args),
    Convert(convert::Args),
    Book(book::Args),
    Play(play::Args),
}

impl Command {
    pub(crate) fn run(&self) -> Outcome {
        match self {
            Command::Solve(args) => solve::run(args),
            Command::Count(args) => count::run(args),
            Command::Check(args) => check::run(args),
            Command::Grade(args) => grade::run(args),
            Command::Hint(args) => hint::run(args),
            Command::Explain(args) => explain::run(args),
            Command::Generate(args) => generate::run(args),
            Command::Show(args) => show::run(args),
            Command::Convert(args) => convert::run(args),
            Command::Book(args) => book::run(args),
            Command::Play(args) => play::run(args),
        }
    }
}

/// The limits for one puzzle.
#[derive(Clone, Copy, clap::Args)]
struct Cost {
    /// Give up on a puzzle after this many guesses
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Give up on a puzzle after this many seconds; 0 means no limit
    #[arg(long, value_name = "SECONDS", default_value = "10")]
    time_limit: TimeLimit,
}

impl Cost {
    /// The limits for a puzzle that is started now.
    fn limits(self) -> Limits {
        let deadline = self.time_limit.0.and_then(|limit| Instant::now().checked_add(limit));
        Limits { nodes: self.nodes, deadline }
    }
}
