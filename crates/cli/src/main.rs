//! The `everyply` command.

mod chess;
mod cluster;
mod completions;
mod demo;
mod doctor;
#[cfg(test)]
mod examples;
mod fourchess;
mod kalah;
mod kenken;
mod man;
mod page;
mod perft;
mod serve;
mod space;
mod sql;

use clap::{Parser, Subcommand};
// Every command uses these, under the names that they have there.
use commands::{
    colors,
    exit::{self, Exit, Outcome},
    files, interrupt, limits, progress, prompt, rows, threads,
};

/// Compute exact results for board games and puzzles; every result is a table
#[derive(Parser)]
#[command(name = "everyply", version, arg_required_else_help = true, after_long_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  everyply demo                                     see what it does
  everyply doctor                                   check what works on this machine
  everyply chess perft --depth 6                    count 119,060,324 leaf nodes
  everyply chess games games.pgn --format csv       one row for each game
  everyply fourchess perft --depth 5                four-player chess
  everyply kalah solve --pits 4 --seeds 3           every position with its value, in SQLite
  everyply kenken generate --level hard             a puzzle with one solution
  everyply sql \"select chess_move_count('start')\"   SQL over files, results and positions
  everyply serve                                    all of it in a browser
  everyply completions bash > everyply.bash         completions for a shell

Data goes to standard output, everything else to standard error. NO_COLOR is respected.

Exit codes:
  0    success, also if the answer is \"no\"
  1    some input was bad, or a check found a fault; good input was still processed
  2    the command line was wrong
  3    an internal error, a file that cannot be written, or a server that does not answer
  130  interrupted by Ctrl-C, SIGTERM or SIGHUP";

#[derive(Subcommand)]
enum Command {
    #[command(subcommand)]
    Chess(chess::Command),
    #[command(subcommand)]
    Fourchess(fourchess::Command),
    #[command(subcommand)]
    Kalah(kalah::Command),
    #[command(subcommand)]
    Kenken(kenken::Command),
    Sql(sql::Args),
    Serve(serve::Args),
    Page(page::Args),
    #[command(subcommand)]
    Cluster(cluster::Command),
    Demo(demo::Args),
    Doctor(doctor::Args),
    Completions(completions::Args),
    Man(man::Args),
}

fn main() -> std::process::ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(told) => return exit::code(exit::refuse(&told)).into(),
    };
    interrupt::watch();
    let outcome = match cli.command {
        Command::Chess(command) => command.run(),
        Command::Fourchess(command) => command.run(),
        Command::Kalah(command) => command.run(),
        Command::Kenken(command) => command.run(),
        Command::Sql(args) => sql::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Page(args) => page::run(&args),
        Command::Cluster(command) => command.run(),
        Command::Demo(args) => demo::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    };
    exit::code(outcome).into()
}
