//! `everyply chess perft`

use std::time::Instant;

use chess::{PerftTable, Position, Uci};
use sql::cluster::Address;
use tables::{Shape, chess as table};

use super::rules::{self, Chosen};
use crate::{
    exit::{Exit, Outcome, bad_command},
    interrupt, limits,
    perft::{Counting, say_rate},
    sql::told,
};

/// Count the legal move sequences of a given length (perft)
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply chess perft --depth 6
  everyply chess perft --depth 5 --fen '8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1'
  everyply chess perft --depth 8 --hash 1GiB
  everyply chess perft --depth 4 --divide --format csv
  everyply chess perft --depth 5 --format json | jq .nodes
  everyply chess perft --depth 4 --engine relations --variant crowned-knights

--hash makes deep counts several times faster. The counts are the same: an entry holds the whole
position.

--variant, --patterns and --cluster need --engine relations.")]
pub(crate) struct Args {
    /// Position in FEN, or 'start'
    #[arg(long, default_value = "start", value_name = "FEN")]
    fen: String,
    /// Move generator to use
    #[arg(long, value_enum, default_value_t = Counts::Bitboards)]
    engine: Counts,
    /// RAM for a table of the counts of positions, such as 256MiB; only for bitboards
    #[arg(long, value_name = "SIZE", value_parser = limits::memory)]
    hash: Option<usize>,
    /// Count on the cluster with this scheduler, df://HOST:PORT
    #[arg(long, value_name = "URL")]
    cluster: Option<Address>,
    #[command(flatten)]
    rules: Chosen,
    #[command(flatten)]
    counting: Counting,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Counts {
    /// Bitboards, by far the faster
    Bitboards,
    /// One query plan over the rules of 'chess rules', which you can edit
    Relations,
}

pub(crate) fn run(args: &Args) -> Outcome {
    args.counting.output.check()?;
    let position = super::position(&args.fen)?;
    let counting = &args.counting;
    let start = Instant::now();
    let divided: Vec<(String, u64)> = match args.engine {
        Counts::Relations if args.hash.is_some() => {
            return Err(bad_command("--hash needs --engine bitboards"));
        }
        Counts::Relations => below_by_relations(&position, args)?,
        Counts::Bitboards if args.rules.is_special() || args.cluster.is_some() => {
            return Err(bad_command("--variant, --patterns and --cluster need --engine relations"));
        }
        Counts::Bitboards => below_by_bitboards(&position, args)?,
    };
    if interrupt::requested() {
        return Ok(Exit::Interrupted);
    }
    let (nodes, took) = (counting.total(&divided), start.elapsed());

    if counting.is_divided() {
        let mut rows = counting.output.rows(&table::DIVIDE, Shape::Many)?;
        for (uci, nodes) in divided {
            rows.row(&table::divided(&position, &uci, nodes))?;
        }
        rows.finish()?;
    } else {
        let mut rows = counting.output.rows(&table::PERFT, Shape::One)?;
        rows.row(&table::perft(&position, counting.depth, nodes))?;
        rows.finish()?;
    }
    say_rate(nodes, took);
    Ok(Exit::Fine)
}

fn below_by_bitboards(position: &Position, args: &Args) -> anyhow::Result<Vec<(String, u64)>> {
    let table = args.hash.map(PerftTable::new).transpose().map_err(|error| {
        bad_command(format_args!("no memory for the table: {error}; lower --hash"))
    })?;
    let perft = |position: &Position, depth| match &table {
        Some(table) => table.perft(position, depth),
        None => chess::perft(position, depth),
    };
    let legal = |position: &Position| position.legal_moves().iter().collect();
    let divided = args.counting.divide(position, legal, Position::play, perft)?;
    let uci = |(mv, nodes)| (Uci::of(position, mv).to_string(), nodes);
    Ok(divided.into_iter().map(uci).collect())
}

/// Counts by one plan: all at once, or below each move if that is asked for.
fn below_by_relations(position: &Position, args: &Args) -> anyhow::Result<Vec<(String, u64)>> {
    let engine = rules::engine(args.rules.rules()?, args.counting.threads, args.cluster.as_ref())?;
    let depth = args.counting.depth;
    if depth > 0 && args.counting.is_divided() {
        return engine.divide(position, depth).map_err(told);
    }
    let nodes = engine.perft(position, depth).map_err(told)?;
    Ok(vec![(String::new(), nodes)])
}
