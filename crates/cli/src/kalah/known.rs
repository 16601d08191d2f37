//! The flags that name a store or table.

use std::path::PathBuf;

use kalah::{Kalah, Rules};
use kalah_answers::{AnswerError, Answers, Solved};
use solver::{Access, Header, Store, StoreError};

use crate::exit::{bad_command, bad_input};

/// The store of a solved game.
#[derive(Clone, clap::Args)]
pub(super) struct Stored {
    /// Store of a solved game, such as sqlite:FILE or postgres://HOST/DATABASE
    #[arg(long, value_name = "URL")]
    store: String,
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

impl Stored {
    pub(super) fn open(&self) -> anyhow::Result<Solved> {
        Solved::open(&self.store).map_err(unanswered)
    }
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
        error => bad_input(error),
    }
}

/// The exit code for a store that cannot be used.
pub(super) fn refused(error: StoreError) -> anyhow::Error {
    match error {
        StoreError::Url { .. } => bad_command(error),
        // A fault of the machine or the server.
        StoreError::Unavailable { .. } => error.into(),
        error => bad_input(error),
    }
}
