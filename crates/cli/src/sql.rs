//! `everyply sql`

mod output;
mod prompt;

use std::{
    fs::File,
    io::{self, IsTerminal, Read},
    path::PathBuf,
};

use sql::{
    Access, BadGames, Bounds, Engine, Guard, Interrupt, MemoryWatch, Network, Options, Settings,
    SqlError, cluster::Address, quiet_panics,
};
use tables::Format;

pub(crate) use self::output::Sink;
use crate::{
    chess::rules::Chosen,
    cluster,
    exit::{Exit, Fault, Outcome, bad_command, bad_input, say},
    interrupt,
    limits::{self, TimeLimit},
    rows::formats,
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
    /// SQL statements to run [default: read from --file, from standard input, or from a prompt]
    #[arg(value_name = "STATEMENTS", conflicts_with = "file")]
    statements: Option<String>,
    /// Read statements from this file; '-' reads standard input
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Register a file, a directory or a URL as a table. May be repeated
    #[arg(long = "table", value_name = "NAME=PATH", value_parser = named)]
    tables: Vec<(String, String)>,
    /// Output format [default: from the extension of --out, otherwise table]
    #[arg(long, value_parser = formats())]
    format: Option<Format>,
    /// Write the result to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// RAM for sorts, joins, aggregates and in-memory tables, such as 512MiB or 2GiB [default: half
    /// of the machine's RAM]
    #[arg(long, value_name = "SIZE", value_parser = limits::memory)]
    memory_limit: Option<usize>,
    /// Directory for spill files [default: the system temp directory]
    #[arg(long, value_name = "DIR")]
    spill_dir: Option<PathBuf>,
    /// Maximum size of all spill files together [default: 16GiB]
    #[arg(long, value_name = "SIZE", value_parser = limits::size)]
    spill_limit: Option<u64>,
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
    /// Allow statements that write files, such as COPY and INSERT
    #[arg(long)]
    writable: bool,
    /// Refuse files outside this directory in statements
    #[arg(long, value_name = "DIR")]
    root: Option<PathBuf>,
    /// Refuse buckets and database servers in statements
    #[arg(long)]
    no_network: bool,
}

pub(crate) fn run(args: &Args) -> Outcome {
    if args.cluster.is_some() {
        cluster::require()?;
    }
    quiet_panics();
    let engine = Engine::new(args.settings()?).map_err(told)?;
    for (name, path) in &args.tables {
        engine.add_table(name, path).map_err(told)?;
    }
    let Some(text) = args.text()? else {
        if args.out.is_some() {
            return Err(bad_command(
                "--out needs statements, as an argument, from --file or from standard input",
            ));
        }
        return prompt::run(&engine, args.format.unwrap_or(Format::Table));
    };
    let mut sink = Sink::new(args.format, args.out.as_deref())?;
    let statements = engine.statements(&text).map_err(told)?;
    let several = statements.len() > 1;
    let mut exit = Exit::Fine;
    for (index, statement) in statements.into_iter().enumerate() {
        let answered = engine.execute(statement).map_err(told);
        let outcome = answered.and_then(|answer| sink.write(answer));
        if say_bad_games(&engine) > 0 {
            exit = Exit::BadInput;
        }
        outcome.map_err(|error| match error.downcast::<Fault>() {
            Ok(fault) if several => fault.at(format_args!("statement {}", index + 1)).into(),
            Ok(fault) => fault.into(),
            Err(error) => error,
        })?;
    }
    sink.finish()?;
    Ok(exit)
}

/// How many bad games are named.
const NAMED: usize = 100;

/// Says which bad games statements have skipped, and counts them.
fn say_bad_games(engine: &Engine) -> u64 {
    let BadGames { count, first } = engine.bad_games();
    for error in first.iter().take(NAMED) {
        say(error);
    }
    if count > NAMED as u64 {
        say("the others are listed by the table function chess_bad_games");
    }
    if count > 0 {
        say(format_args!("bad records skipped: {count}"));
    }
    count
}

impl Args {
    fn settings(&self) -> anyhow::Result<Settings> {
        let usual = Settings::default();
        Ok(Settings {
            memory_limit: self.memory_limit.unwrap_or(usual.memory_limit),
            spill_directory: self.spill_dir.clone(),
            spill_limit: self.spill_limit.unwrap_or(usual.spill_limit),
            threads: self.threads.count(),
            time_limit: self.time_limit.0,
            guard: self.guard(),
            // This process does nothing else.
            memory_watch: MemoryWatch::Process,
            cluster: self.cluster.clone(),
            interrupt: Interrupt::when(interrupt::requested),
            rules: self.rules.rules()?,
            ..usual
        })
    }

    fn guard(&self) -> Guard {
        Guard {
            access: if self.writable { Access::Writable } else { Access::ReadOnly },
            root: self.root.clone(),
            network: if self.no_network { Network::Refused } else { Network::Allowed },
            options: Options::Listed,
            bounds: Bounds::default(),
        }
    }

    /// The statements; nothing if a person is to type them.
    fn text(&self) -> anyhow::Result<Option<String>> {
        if let Some(text) = &self.statements {
            return Ok(Some(text.clone()));
        }
        let bytes = match &self.file {
            Some(path) if path.as_os_str() != "-" => {
                let read = File::open(path).and_then(beginning);
                read.map_err(|error| {
                    bad_input(format_args!("cannot read {}: {error}", path.display()))
                })?
            }
            None if io::stdin().is_terminal() => return Ok(None),
            _ => beginning(io::stdin().lock())?,
        };
        let text = String::from_utf8(bytes);
        text.map(Some).map_err(|_| bad_input("the statements are not UTF-8 text"))
    }
}

/// As much of a text as may be run, and a byte more, so that too long a text is told from one that
/// is just short enough.
fn beginning(text: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    text.take(Bounds::default().bytes as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// An error of a statement is one of the input; what else goes wrong is not.
pub(crate) fn told(error: SqlError) -> anyhow::Error {
    match error {
        SqlError::Io(_) | SqlError::Full { .. } | SqlError::Engine(_) | SqlError::Interrupted => {
            error.into()
        }
        SqlError::ReadOnly(_) => bad_input(format_args!("{error}; allow it with --writable")),
        SqlError::Memory { .. } => bad_input(format_args!("{error}; raise it with --memory-limit")),
        SqlError::Time(_) => bad_input(format_args!("{error}; raise it with --time-limit")),
        SqlError::Disk(_) => bad_input(format_args!("{error}; raise it with --spill-limit")),
        error => bad_input(error),
    }
}

fn named(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, path)) if !name.is_empty() && !path.is_empty() => {
            Ok((name.to_owned(), path.to_owned()))
        }
        _ => Err("expected NAME=PATH".to_owned()),
    }
}
