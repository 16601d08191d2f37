//! `everyply sql`

mod prompt;

use commands::sql::{Permits, Room, Statements, settings};
pub(crate) use commands::sql::{Sink, told};
use sql::{Engine, Settings, cluster::Address, quiet_panics};
use tables::Format;

use crate::{
    chess::rules::Chosen,
    cluster,
    exit::{Outcome, bad_command},
    limits::TimeLimit,
    threads::Threads,
};

/// Run SQL over files, directories and buckets, with functions for chess
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply sql \"select count(*) from 'facts/' where white_hanging_see > 0\"
  everyply sql \"select white, black, plies from 'games.pgn.zst' where white_elo > 2500\"
  everyply sql \"select fen, chess_move_count(fen) from 'positions.csv' order by 2 desc limit 5\"
  everyply sql --table g=games.parquet --table f=facts \"select * from g join f using (game)\"
  everyply sql \"select * from 's3://bucket/facts/'\" --out facts.parquet
  everyply sql \"select name, syntax, description from everyply.functions\"
  everyply sql --file report.sql --format csv > report.csv
  everyply sql                                      a prompt, with history

A table is the path of a Parquet, Arrow, CSV, TSV, JSON, PGN, FEN or EPD file in single quotes, or of
a directory of such files, a glob pattern, or an s3:// URL. Text files may be compressed with gzip or
zstd. An invalid game is reported with its place and skipped; the exit code is then 1.
Separate statements by semicolons. Sorts and aggregates that need more memory than --memory-limit
spill to disk; a statement that needs more disk than --spill-limit fails.
The guide is docs/sql.md.")]
pub(crate) struct Args {
    #[command(flatten)]
    statements: Statements,
    #[command(flatten)]
    room: Room,
    #[command(flatten)]
    rules: Chosen,
    #[command(flatten)]
    threads: Threads,
    /// Cancel a statement after this many seconds; 0 means no limit
    #[arg(long, value_name = "SECONDS", default_value = "0")]
    time_limit: TimeLimit,
    /// Run on the cluster with this scheduler: df://HOST:PORT
    #[arg(long, value_name = "URL")]
    cluster: Option<Address>,
    #[command(flatten)]
    permits: Permits,
}

pub(crate) fn run(args: &Args) -> Outcome {
    if args.cluster.is_some() {
        cluster::require()?;
    }
    quiet_panics();
    let usual = settings(&args.room, args.threads, args.time_limit, &args.permits);
    let (cluster, rules) = (args.cluster.clone(), args.rules.rules()?);
    let engine = Engine::new(Settings { cluster, rules, ..usual }).map_err(told)?;
    args.statements.add_tables(&engine)?;
    if let Some(text) = args.statements.text()? {
        return args.statements.answer(&engine, &text);
    }
    if args.statements.out.is_some() {
        return Err(bad_command(
            "--out needs statements, as an argument, from --file or from standard input",
        ));
    }
    prompt::run(&engine, args.statements.format.unwrap_or(Format::Table))
}
