//! `everyply cluster`

use std::{
    io::ErrorKind,
    net::{SocketAddr, ToSocketAddrs},
    num::NonZeroUsize,
    path::PathBuf,
    thread,
    time::Duration,
};

use sql::{
    Settings,
    cluster::{Address, Detail, Executor, Log, SCHEDULER_PORT, Scheduler, is_built_in},
};

use crate::{
    exit::{Exit, Outcome, bad_command, say},
    interrupt::{self, SIGTERM},
    limits,
};

/// Run SQL statements and solve games on several machines
#[derive(clap::Subcommand)]
#[command(after_help = "\
Examples:
  everyply cluster scheduler
  everyply cluster executor --scheduler localhost:50050
  everyply sql --cluster df://localhost:50050 \"select count(*) from '/data/facts/'\"

A cluster is a scheduler and any number of executors, each a process of this program. It needs a
build with the feature 'cluster'. The guide is docs/cluster.md.")]
pub(crate) enum Command {
    Scheduler(SchedulerArgs),
    Executor(ExecutorArgs),
}

/// Run a scheduler, which splits statements into tasks for executors, until Ctrl-C
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply cluster scheduler
  everyply cluster scheduler --bind 0.0.0.0:50050 --advertise sched --log steps")]
pub(crate) struct SchedulerArgs {
    /// Address and port to listen on for clients and executors
    #[arg(long, value_name = "HOST:PORT", default_value_t = format!("127.0.0.1:{SCHEDULER_PORT}"))]
    bind: String,
    /// Host name or address that executors use to reach this machine [default: the address of
    /// --bind]
    #[arg(long, value_name = "HOST")]
    advertise: Option<String>,
    /// Seconds without a heartbeat after which an executor counts as lost; running statements are
    /// then retried
    #[arg(long, value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(8..))]
    executor_timeout: u64,
    #[command(flatten)]
    log: LogArgs,
}

/// Run an executor, which works on the tasks of a scheduler, until Ctrl-C
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply cluster executor --scheduler localhost:50050
  everyply cluster executor --scheduler sched:50050 --bind 0.0.0.0:50051 --work-dir /mnt/fast")]
pub(crate) struct ExecutorArgs {
    /// Address of the scheduler: df://HOST:PORT or HOST:PORT
    #[arg(long, value_name = "HOST:PORT")]
    scheduler: Address,
    /// Address and port to listen on; executors fetch shuffle data and clients fetch results there
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:50051")]
    bind: String,
    /// Host name or address at which executors and clients reach this machine [default: the
    /// address from which it connects to the scheduler]
    #[arg(long, value_name = "HOST")]
    advertise: Option<String>,
    /// Directory for shuffle data and spill files [default: the system temp directory]
    #[arg(long, value_name = "DIR")]
    work_dir: Option<PathBuf>,
    /// Number of tasks to run at once [default: number of cores]
    #[arg(long, value_name = "N")]
    slots: Option<NonZeroUsize>,
    /// RAM for all tasks, such as 512MiB or 2GiB; each slot gets an equal share [default: half of
    /// the machine's RAM]
    #[arg(long, value_name = "SIZE", value_parser = limits::memory)]
    memory_limit: Option<usize>,
    #[command(flatten)]
    log: LogArgs,
}

#[derive(clap::Args)]
struct LogArgs {
    /// Log level on standard error
    #[arg(long, value_enum, value_name = "DETAIL", default_value_t = LogDetail::Warnings)]
    log: LogDetail,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum LogDetail {
    /// Errors and warnings
    Warnings,
    /// Every statement and every executor
    Steps,
    /// Every task
    Everything,
}

impl Command {
    pub(crate) fn run(&self) -> Outcome {
        require()?;
        // Running tasks have a few seconds to end.
        interrupt::be_patient(10);
        let ended = match self {
            Command::Scheduler(args) => args.run(),
            Command::Executor(args) => args.run(),
        }?;
        // A server that is told to end, and does so, has done its work.
        interrupt::forgive(SIGTERM);
        Ok(ended)
    }
}

/// Without clusters built in, a command line that asks for one is wrong.
pub(crate) fn require() -> anyhow::Result<()> {
    if is_built_in() {
        return Ok(());
    }
    Err(bad_command(
        "this program was built without the feature 'cluster'; build it with: cargo build \
         --release --features cluster",
    ))
}

impl SchedulerArgs {
    fn run(&self) -> Outcome {
        let bind = address(&self.bind)?;
        let executor_timeout = Duration::from_secs(self.executor_timeout);
        let advertise = match &self.advertise {
            Some(name) => name.clone(),
            None if bind.ip().is_unspecified() => {
                return Err(bad_command(format_args!(
                    "--bind {bind} listens on every address of this machine; name the one that \
                     executors use with --advertise"
                )));
            }
            None => bind.ip().to_string(),
        };
        say(format_args!("scheduler at df://{bind}"));
        let (log, interrupted) = (self.log.log(), interrupt::requested);
        Scheduler { bind, advertise, executor_timeout, log, interrupted }.run()?;
        Ok(Exit::Fine)
    }
}

impl ExecutorArgs {
    fn run(&self) -> Outcome {
        let bind = address(&self.bind)?;
        let usual = Settings::default();
        let cores = thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        say(format_args!("executor at {bind} for {}", self.scheduler));
        let executor = Executor {
            scheduler: self.scheduler.clone(),
            bind,
            advertise: self.advertise.clone(),
            work_directory: self.work_dir.clone().unwrap_or_else(std::env::temp_dir),
            slots: self.slots.unwrap_or(cores),
            memory_limit: self.memory_limit.unwrap_or(usual.memory_limit),
            games: usual.games,
            log: self.log.log(),
            interrupted: interrupt::requested,
        };
        executor.run()?;
        Ok(Exit::Fine)
    }
}

impl LogArgs {
    fn log(&self) -> Log {
        let detail = match self.log {
            LogDetail::Warnings => Detail::Warnings,
            LogDetail::Steps => Detail::Steps,
            LogDetail::Everything => Detail::Everything,
        };
        Log { write: |line| say(line), detail }
    }
}

/// The address to listen at.
fn address(text: &str) -> anyhow::Result<SocketAddr> {
    let mut found = text.to_socket_addrs().map_err(|error| match error.kind() {
        ErrorKind::InvalidInput => bad_command(format_args!("--bind {text}: {error}")),
        _ => anyhow::Error::from(error).context(format!("--bind {text}")),
    })?;
    found.next().ok_or_else(|| bad_command(format_args!("--bind {text}: no address")))
}
