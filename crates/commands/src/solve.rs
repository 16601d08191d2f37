//! The command `solve`.

use game::{Game, Key};
use indicatif::{HumanBytes, ProgressBar};
use solver::{Access, Header, Next, Pass, Progress, Solution, SolveError, Store};
use tables::{
    Shape,
    game::{SOLUTION, solution},
};

use crate::{
    Notation,
    effort::Effort,
    exit::{Exit, Outcome, bad_command, say},
    interrupt, progress,
    rows::Output,
    stored::refused,
};

/// Solve a game completely: find the value and best move of every reachable position
///
/// The value is the points of the side that moves first less those of its opponent, with best play.
/// --resume continues work that was interrupted or killed. If the game is already solved, it prints
/// the result.
#[derive(Debug, clap::Args)]
pub struct Args<F: clap::Args> {
    #[command(flatten)]
    flags: F,
    /// Store for positions and values [default: sqlite:GAME.sqlite, with the flags of the game]
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// Resume work on an existing store
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    effort: Effort,
    #[command(flatten)]
    output: Output,
}

/// Solves the game of the flags into a store.
pub fn run<G: Notation>(args: &Args<G::Flags>) -> Outcome {
    args.output.check()?;
    let game = G::new(&args.flags).map_err(bad_command)?;
    let name = game.name();
    let url = args.store.clone().unwrap_or_else(|| format!("sqlite:{}.sqlite", file_name(&name)));
    let header = Header::of(&game);
    let access = if args.resume { Access::Resume(header) } else { Access::Create(header) };
    let mut store = stores::open(&url, access).map_err(refused)?;
    let solved = watched(&game, &mut *store, args.effort).map_err(|error| located(&game, error))?;
    let Some(found) = solved else {
        say_stopped(&url);
        return Ok(Exit::Interrupted);
    };
    let best = found.verdict.best.map(|mv| game.name_move(&game.start(), mv));
    let mut rows = args.output.rows(&SOLUTION, Shape::One)?;
    rows.row(&solution(&name, &found, best, &stores::shown(&url)))?;
    rows.finish()?;
    Ok(Exit::Fine)
}

/// Says how to go on with work that was interrupted.
pub fn say_stopped(url: &str) {
    if url != "memory:" {
        say(format_args!("stopped; resume {} with --resume", stores::shown(url)));
    }
}

/// Solves with a progress bar on the terminal; `None` if it was interrupted.
pub fn watched<G: Game>(
    game: &G,
    store: &mut dyn Store,
    effort: Effort,
) -> anyhow::Result<Option<Solution>> {
    let mut bars = Bars::new();
    let solved = effort.run(|| {
        solver::solve(game, store, &effort.limits(), &mut |progress| bars.show(progress))
    })?;
    bars.end();
    match solved {
        Ok(solution) => Ok(Some(solution)),
        Err(SolveError::Stopped) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The progress of the two passes on the terminal.
#[derive(Debug)]
pub struct Bars {
    bar: ProgressBar,
    pass: Pass,
}

impl Bars {
    /// The bar of the first pass. From now on an interrupt waits for a commit to end.
    #[expect(clippy::new_without_default, reason = "it changes how interrupts are handled")]
    pub fn new() -> Bars {
        // A large commit takes longer than a second.
        interrupt::be_patient(30);
        // The number of positions is unknown until all are enumerated, so there is no estimate.
        Bars { bar: progress::search(), pass: Pass::Explore }
    }

    /// Shows the progress, and says whether to go on.
    pub fn show(&mut self, progress: &Progress) -> Next {
        if self.pass != progress.pass {
            self.pass = progress.pass;
            self.bar.finish_and_clear();
            self.bar = progress::positions();
        }
        let pass = match progress.pass {
            Pass::Explore => "exploring",
            Pass::Settle => "settling",
        };
        // On a cluster, the memory is that of the executors.
        let held = match progress.memory {
            0 => String::new(),
            bytes => format!(", {} held", HumanBytes(bytes as u64)),
        };
        let message = format!("{pass} rank {}{held}", progress.rank);
        if self.bar.message() != message {
            self.bar.set_message(message);
        }
        if progress.pass == Pass::Settle {
            self.bar.set_length(progress.known);
        }
        self.bar.set_position(progress.done);
        if interrupt::requested() { Next::Stop } else { Next::Continue }
    }

    /// Removes the bar.
    pub fn end(&self) {
        self.bar.finish_and_clear();
    }
}

/// The error with the position that it is about in the notation of the game: the solver knows only
/// its key.
pub(crate) fn located<G: Notation>(game: &G, error: anyhow::Error) -> anyhow::Error {
    let key = match error.downcast_ref::<SolveError>() {
        Some(
            SolveError::Foreign { key, .. }
            | SolveError::Hole { key, .. }
            | SolveError::Score { key, .. }
            | SolveError::Wide { key, .. }
            | SolveError::Deep { key, .. }
            | SolveError::Region { key, .. }
            | SolveError::Rising { key, .. }
            | SolveError::Unsteady { key, .. },
        ) => *key,
        _ => return error,
    };
    match game.unpack(Key(key)) {
        Some(position) => error.context(format!("position {}", game.write(&position))),
        None => error,
    }
}

/// The name of a game as the name of a file.
fn file_name(name: &str) -> String {
    let plain = |sign: char| sign.is_ascii_alphanumeric() || "._".contains(sign);
    name.chars().map(|sign| if plain(sign) { sign } else { '-' }).collect()
}
