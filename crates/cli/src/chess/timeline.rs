//! `everyply chess timeline`

use std::path::PathBuf;
use tables::Format;

use sql::{Ahead, Positions};

use super::rules::{self, Chosen};
use crate::{
    exit::{Exit, Outcome},
    rows::formats,
    sql::{Sink, told},
    threads::Threads,
};

/// List every position that can arise within a number of plies, with one query plan
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply chess timeline --plies 2
  everyply chess timeline --plies 3 --merge --out opening.parquet
  everyply chess timeline --plies 1 --variant crowned-knights
  everyply chess timeline --plies 2 --patterns patterns.csv --format csv
  everyply chess timeline --plies 4 --explain")]
pub(crate) struct Args {
    /// Position in FEN, or 'start'
    #[arg(long, default_value = "start", value_name = "FEN")]
    fen: String,
    /// Depth in plies
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=64))]
    plies: u32,
    /// Merge transpositions: one row for each distinct position of a ply, with the number of paths
    /// that lead to it
    #[arg(long)]
    merge: bool,
    /// Print the query plan instead of running it
    #[arg(long)]
    explain: bool,
    #[command(flatten)]
    rules: Chosen,
    #[command(flatten)]
    threads: Threads,
    /// Output format [default: from the extension of --out, otherwise table]
    #[arg(long, value_parser = formats())]
    format: Option<Format>,
    /// Write the result to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> Outcome {
    let position = super::position(&args.fen)?;
    let engine = rules::engine(args.rules.rules()?, args.threads, None)?;
    let mut sink = Sink::new(args.format, args.out.as_deref())?;
    let ahead = Ahead { plies: args.plies, merge: args.merge };
    let answer = match args.explain {
        true => engine.explain_timeline(Positions::One(position), ahead),
        false => engine.timeline(Positions::One(position), ahead),
    };
    sink.write(answer.map_err(told)?)?;
    sink.finish()?;
    Ok(Exit::Fine)
}
