//! The command `sql`, and what every command with statements has in common.

mod output;

use std::{
    fs::File,
    io::{self, IsTerminal, Read},
    ops::ControlFlow,
    path::PathBuf,
};

use sql::{
    Access, BadGames, Bounds, Engine, Guard, Interrupt, MemoryWatch, Network, Options, Settings,
    SqlError, Supplier, Taker, quiet_panics,
};
use tables::{Batches, Format, game::POSITIONS};

pub use self::output::Sink;
use crate::{
    Notation,
    exit::{Exit, Fault, Outcome, bad_command, bad_input, say},
    export, interrupt,
    limits::{self, TimeLimit},
    rows::formats,
    stored::Solved,
    threads::Threads,
};

/// Run SQL over the positions of a solved game, and over files
///
/// With --store, the table `positions` holds the store's positions. game_store('URL') returns the
/// positions of another store. A path in single quotes is a file as a table.
#[derive(clap::Args)]
pub struct Args {
    #[command(flatten)]
    statements: Statements,
    /// Store whose positions are the table positions
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    #[command(flatten)]
    room: Room,
    #[command(flatten)]
    threads: Threads,
    /// Cancel a statement after this many seconds; 0 means no limit
    #[arg(long, value_name = "SECONDS", default_value = "0")]
    time_limit: TimeLimit,
    #[command(flatten)]
    permits: Permits,
}

/// Which statements are run, and where their rows go.
#[derive(clap::Args)]
pub struct Statements {
    /// SQL statements to run [default: read from --file or from standard input]
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
    pub format: Option<Format>,
    /// Write the result to this file instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// How much memory and disk statements may use.
#[derive(clap::Args)]
pub struct Room {
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
}

/// What statements may do.
#[derive(clap::Args)]
pub struct Permits {
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

/// Runs statements over the stores of a game.
pub fn run<G: Notation>(args: &Args) -> Outcome {
    quiet_panics();
    let settings = settings(&args.room, args.threads, args.time_limit, &args.permits);
    let settings = Settings { suppliers: vec![supplier::<G>()], ..settings };
    let engine = Engine::new(settings).map_err(told)?;
    args.statements.add_tables(&engine)?;
    if let Some(url) = &args.store {
        // Opened first, so that a store that cannot be used is said to be one.
        Solved::<G>::open(url)?;
        let url = url.replace('\'', "''");
        let view = format!("create view positions as select * from game_store('{url}')");
        engine.sql(&view).map_err(told)?.for_each(drop);
    }
    match args.statements.text()? {
        Some(text) => args.statements.answer(&engine, &text),
        None => Err(bad_command("there are no statements; name some, or pipe them in")),
    }
}

/// The table function of the stores of a game.
fn supplier<G: Notation>() -> Supplier {
    Supplier {
        name: "game_store",
        takes: "url",
        says: "The positions of a solved game, as the table game.positions. The argument is a \
               store URL, as for --store.",
        example: "game_store('sqlite:game.sqlite')",
        schema: POSITIONS.schema(),
        rows: supply::<G>,
    }
}

fn supply<G: Notation>(url: &str, take: &mut Taker<'_>) -> Result<(), String> {
    let mut solved = Solved::<G>::open(url).map_err(|error| format!("{error:#}"))?;
    let mut batches = Batches::new(&POSITIONS);
    let mut is_wanted = true;
    let end =
        export::positions(&mut solved, &mut |cells| match batches.row(cells).map(&mut *take) {
            Some(ControlFlow::Break(())) => {
                is_wanted = false;
                ControlFlow::Break(())
            }
            _ => ControlFlow::Continue(()),
        });
    end.map_err(|error| format!("{error:#}"))?;
    if is_wanted && let Some(rest) = batches.rest() {
        // Whether more is wanted does not matter after the last.
        let _ = take(rest);
    }
    Ok(())
}

/// The settings of an engine that is all this process does.
pub fn settings(room: &Room, threads: Threads, time: TimeLimit, permits: &Permits) -> Settings {
    let usual = Settings::default();
    Settings {
        memory_limit: room.memory_limit.unwrap_or(usual.memory_limit),
        spill_directory: room.spill_dir.clone(),
        spill_limit: room.spill_limit.unwrap_or(usual.spill_limit),
        threads: threads.count(),
        time_limit: time.0,
        guard: permits.guard(),
        memory_watch: MemoryWatch::Process,
        interrupt: Interrupt::when(interrupt::requested),
        ..usual
    }
}

impl Permits {
    fn guard(&self) -> Guard {
        Guard {
            access: if self.writable { Access::Writable } else { Access::ReadOnly },
            root: self.root.clone(),
            network: if self.no_network { Network::Refused } else { Network::Allowed },
            options: Options::Listed,
            bounds: Bounds::default(),
        }
    }
}

impl Statements {
    /// Registers the tables that flags name.
    pub fn add_tables(&self, engine: &Engine) -> anyhow::Result<()> {
        for (name, path) in &self.tables {
            engine.add_table(name, path).map_err(told)?;
        }
        Ok(())
    }

    /// The statements; nothing if a person is to type them.
    pub fn text(&self) -> anyhow::Result<Option<String>> {
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

    /// Runs the statements of a text, and writes their rows.
    pub fn answer(&self, engine: &Engine, text: &str) -> Outcome {
        let mut sink = Sink::new(self.format, self.out.as_deref())?;
        let statements = engine.statements(text).map_err(told)?;
        let several = statements.len() > 1;
        let mut exit = Exit::Fine;
        for (index, statement) in statements.into_iter().enumerate() {
            let answered = engine.execute(statement).map_err(told);
            let outcome = answered.and_then(|answer| sink.write(answer));
            if say_bad_games(engine) > 0 {
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
}

/// How many bad games are named.
const NAMED: usize = 100;

/// Says which bad games statements have skipped, and counts them.
pub fn say_bad_games(engine: &Engine) -> u64 {
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

/// As much of a text as may be run, and a byte more, so that too long a text is told from one that
/// is just short enough.
fn beginning(text: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    text.take(Bounds::default().bytes as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// An error of a statement is one of the input; what else goes wrong is not.
pub fn told(error: SqlError) -> anyhow::Error {
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
        // A URL without a name may hold a '=' too, before its password.
        Some((name, path))
            if !name.is_empty() && !name.contains([':', '/']) && !path.is_empty() =>
        {
            Ok((name.to_owned(), path.to_owned()))
        }
        _ => Err("expected NAME=PATH".to_owned()),
    }
}
