//! The flags that name a store or table.

use std::{path::PathBuf, time::Duration};

use commands::stored::{Stored, refused};
use indicatif::{HumanBytes, HumanCount, ProgressBar};
use kalah::{Kalah, Rules, Standing};
use kalah_answers::{AnswerError, Answers, Cost, Effort, Event, Oracle, Solved};
use solver::{Access, Header, Next, Store, table::TableError};

use crate::{
    exit::{bad_command, bad_input, say},
    interrupt,
    limits::TimeLimit,
    progress,
};

/// Reads a position. Commands take several, so the error repeats it.
pub(super) fn standing(text: &str) -> anyhow::Result<Standing> {
    text.parse().map_err(|error| bad_input(format_args!("position '{text}': {error}")))
}

/// The store or table with values.
#[derive(Clone, clap::Args)]
pub(super) struct Place {
    #[command(flatten)]
    kept: Kept,
    /// Rules that the store or table must have [default: any]
    #[arg(long, value_name = "RULES")]
    rules: Option<Rules>,
}

/// Either a store or a table.
#[derive(Clone, clap::Args)]
#[group(required = true, multiple = false)]
struct Kept {
    /// Store of a solved game, such as sqlite:FILE or postgres://HOST/DATABASE
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// Directory of a dense table
    #[arg(long, value_name = "DIR")]
    table: Option<PathBuf>,
}

/// Where answers come from: a store or a table if one is named, else a search.
#[derive(Clone, clap::Args)]
pub(super) struct Source {
    #[command(flatten)]
    kept: Offered,
    /// Rules: std_either, empty_either, std_mover or empty_mover [default: those of the store or
    /// table, else std_either]
    #[arg(long, value_name = "RULES")]
    rules: Option<Rules>,
    /// Seconds that the search of a position may take, or 0 for no limit
    #[arg(long, value_name = "SECONDS", default_value = "60")]
    time_limit: TimeLimit,
    /// Directory in which the search keeps its tables [default: $EVERYPLY_CACHE, or everyply in
    /// the cache directory of the system]
    #[arg(long, value_name = "DIR")]
    cache: Option<PathBuf>,
}

/// A store or a table, or neither.
#[derive(Clone, clap::Args)]
#[group(multiple = false)]
struct Offered {
    /// Store of a solved game, such as sqlite:FILE or postgres://HOST/DATABASE
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// Directory of a dense table
    #[arg(long, value_name = "DIR")]
    table: Option<PathBuf>,
}

impl Source {
    /// Opens what is named.
    pub(super) fn open(&self) -> anyhow::Result<Oracle> {
        self.open_for(None)
    }

    /// Opens what is named, for a game with these rules.
    pub(super) fn open_for(&self, rules: Option<Rules>) -> anyhow::Result<Oracle> {
        let place = match (&self.kept.store, &self.kept.table) {
            (Some(url), _) => Some(kalah_answers::Place::Store(url.clone())),
            (None, Some(directory)) => Some(kalah_answers::Place::Table(directory.clone())),
            (None, None) => None,
        };
        let rules = match (self.rules, rules) {
            (Some(asked), Some(rules)) if asked != rules => {
                return Err(bad_command(format_args!(
                    "the game is played with the rules {rules}, not with {asked}"
                )));
            }
            (asked, rules) => asked.or(rules),
        };
        let effort = Effort { time: self.time_limit.0, cache: self.cache.clone() };
        Oracle::open(place.as_ref(), rules, effort).map_err(unanswered)
    }

    /// How long the search of a position may take.
    pub(super) fn time_limit(&self) -> Option<Duration> {
        self.time_limit.0
    }
}

/// Says what the work on an answer costs and how far it is. Ctrl-C stops it.
pub(super) struct Thinking {
    bar: ProgressBar,
}

impl Thinking {
    pub(super) fn new() -> Thinking {
        Thinking { bar: progress::search() }
    }

    pub(super) fn heed(&mut self, event: &Event) -> Next {
        match event {
            Event::Building(cost) => say_cost(cost),
            Event::Built(done, total) => {
                let (done, total) = (HumanCount(*done), HumanCount(*total));
                self.bar.set_message(format!("table: {done} of {total} positions;"));
            }
            Event::Searching(progress) => {
                let (least, most) = (progress.at_least, progress.at_most);
                self.bar.set_message(format!("the value is between {least} and {most}"));
                self.bar.set_position(progress.nodes);
            }
        }
        if interrupt::requested() { Next::Stop } else { Next::Continue }
    }
}

impl Drop for Thinking {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn say_cost(cost: &Cost) {
    say(format_args!(
        "the search needs a table of {} pits with up to {} seeds: {} positions, about {} on disk \
         and {} s of work; it is built once, in {}",
        cost.pits,
        cost.seeds,
        HumanCount(cost.positions),
        HumanBytes(cost.bytes),
        cost.seconds,
        cost.directory.display()
    ));
}

/// Opens the store of a solved game of Kalah.
pub(super) fn open(stored: &Stored) -> anyhow::Result<Solved> {
    Solved::open(&stored.store).map_err(unanswered)
}

impl Place {
    /// Opens it, if it has the requested rules. The cache of a table takes at most `memory` bytes.
    pub(super) fn open(&self, memory: usize) -> anyhow::Result<Answers> {
        let place = match (&self.kept.store, &self.kept.table) {
            (Some(url), _) => kalah_answers::Place::Store(url.clone()),
            (None, Some(directory)) => kalah_answers::Place::Table(directory.clone()),
            (None, None) => unreachable!("the group is required"),
        };
        Answers::open(&place, self.rules, memory).map_err(unanswered)
    }

    /// Opens the store of a solved game for writing.
    pub(super) fn open_to_write(&self, kalah: &Kalah) -> anyhow::Result<Box<dyn Store>> {
        let url = self.kept.store.as_deref().expect("it was opened as a store");
        stores::open(url, Access::Resume(Header::of(kalah))).map_err(refused)
    }
}

/// The exit code for a failed look-up.
pub(super) fn unanswered(error: AnswerError) -> anyhow::Error {
    match error {
        AnswerError::Store(error) => refused(error),
        AnswerError::Table(error @ TableError::Beyond(_)) => bad_input(error),
        AnswerError::Table(error) => error.into(),
        AnswerError::NoCache => bad_command(format_args!("{error} or with --cache")),
        error => bad_input(error),
    }
}
