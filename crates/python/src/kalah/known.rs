//! Where the values of positions come from.

use std::{path::PathBuf, sync::PoisonError};

use ::kalah::{Kalah, Position, Rules, Sheets, SheetsError};
use game::{Game, Numbered, Verdict};
use pyo3::{exceptions::PyTypeError, prelude::*};
use solver::{
    Access, Stage, Store, StoreError, lookup,
    table::{Folder, Manifest, Table},
};

use super::{Solution, UnknownPosition, named};
use crate::error::{Raise, refuse};

/// Bytes of a table that are kept at hand for a few questions.
const TABLE_MEMORY: usize = 64 << 20;

/// Something that knows values, and the rules it has to have them for.
pub(super) struct Place {
    source: Source,
    rules: Option<Rules>,
}

enum Source {
    Solution(Py<Solution>),
    Url(String),
    Folder(PathBuf),
}

/// Why there is no answer.
pub(super) enum Refusal {
    Store(StoreError),
    Sheets(SheetsError),
    /// Another game than that of the values.
    Other(String),
    Unknown(String),
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Refusal {
        Refusal::Store(error)
    }
}

impl Refusal {
    pub(super) fn raise(self) -> PyErr {
        match self {
            Refusal::Store(error) => error.raise_at(""),
            Refusal::Sheets(error) => error.raise_at(""),
            Refusal::Other(words) => refuse(words),
            Refusal::Unknown(words) => UnknownPosition::new_err(words),
        }
    }
}

/// Tells what is known of a position.
pub(super) type Verdicts<'a> = &'a mut dyn FnMut(&Position) -> Result<Verdict, Refusal>;

impl Place {
    pub(super) fn new(
        store: Option<&Bound<'_, PyAny>>,
        table: Option<PathBuf>,
        rules: Option<&str>,
    ) -> PyResult<Place> {
        let source = match (store, table) {
            (Some(store), None) => {
                if let Ok(solution) = store.cast::<Solution>() {
                    Source::Solution(solution.clone().unbind())
                } else if let Ok(url) = store.extract() {
                    Source::Url(url)
                } else {
                    let kind = store.get_type();
                    let words = format!("store: {kind}, expected a Solution or the URL of a store");
                    return Err(PyTypeError::new_err(words));
                }
            }
            (None, Some(folder)) => Source::Folder(folder),
            _ => return Err(PyTypeError::new_err("expected either store or table")),
        };
        Ok(Place { source, rules: rules.map(named).transpose()? })
    }

    /// Opens it and lets `work` ask.
    pub(super) fn ask<R>(
        &self,
        work: impl FnOnce(&Kalah, Verdicts<'_>) -> Result<R, Refusal>,
    ) -> Result<R, Refusal> {
        match &self.source {
            Source::Solution(solution) => {
                let Solution { kalah, url, memory, .. } = solution.get();
                match memory {
                    Some(store) => {
                        // A panic elsewhere leaves a store that is only read as it was.
                        let mut store = store.lock().unwrap_or_else(PoisonError::into_inner);
                        self.ask_store(kalah, &mut **store, work)
                    }
                    None => self.ask_url(url, work),
                }
            }
            Source::Url(url) => self.ask_url(url, work),
            Source::Folder(folder) => self.ask_table(folder, work),
        }
    }

    fn ask_url<R>(
        &self,
        url: &str,
        work: impl FnOnce(&Kalah, Verdicts<'_>) -> Result<R, Refusal>,
    ) -> Result<R, Refusal> {
        let mut store = stores::open(url, Access::Read)?;
        let kalah = store.state().header.game.parse::<Kalah>();
        let kalah =
            kalah.map_err(|error| Refusal::Other(format!("{}: {error}", stores::shown(url))))?;
        self.ask_store(&kalah, &mut *store, work)
    }

    fn ask_store<R>(
        &self,
        kalah: &Kalah,
        store: &mut dyn Store,
        work: impl FnOnce(&Kalah, Verdicts<'_>) -> Result<R, Refusal>,
    ) -> Result<R, Refusal> {
        self.check_rules(kalah)?;
        work(kalah, &mut |position| {
            check_pits(kalah, position)?;
            let game = kalah.name();
            let row = match position.seeds_in_play() <= kalah.seeds() {
                true => lookup(kalah, store, position)?,
                false => None,
            };
            let unreachable =
                || Refusal::Unknown(format!("{position} cannot be reached in {game}"));
            let unsolved = || Refusal::Unknown(format!("{game} is not solved yet; resume it"));
            match row {
                Some(row) => row.verdict.ok_or_else(unsolved),
                // While positions are still being found, one that is not there may yet come.
                None if matches!(store.state().stage, Stage::Exploring(_)) => Err(unsolved()),
                None => Err(unreachable()),
            }
        })
    }

    fn ask_table<R>(
        &self,
        folder: &PathBuf,
        work: impl FnOnce(&Kalah, Verdicts<'_>) -> Result<R, Refusal>,
    ) -> Result<R, Refusal> {
        let place = folder.display();
        let folder = Folder::new(folder);
        let missing = || Refusal::Other(format!("there is no table at {place}"));
        let manifest = Manifest::read(&folder)?.ok_or_else(missing)?;
        let most = u32::from(manifest.units().unwrap_or(0));
        let sheets = Sheets::named(&manifest.game, most).map_err(Refusal::Sheets)?;
        let mut table = Table::open(&sheets, &folder, TABLE_MEMORY)?;
        let kalah = sheets.game();
        self.check_rules(kalah)?;
        work(kalah, &mut |position| {
            check_pits(kalah, position)?;
            let seeds = position.seeds_in_play();
            let beyond = || {
                let words = format!("{position} has {seeds} seeds, the table ends at {most}");
                Refusal::Unknown(words)
            };
            table.verdict(position)?.ok_or_else(beyond)
        })
    }

    fn check_rules(&self, kalah: &Kalah) -> Result<(), Refusal> {
        let held = kalah.rules();
        match self.rules.filter(|rules| *rules != held) {
            None => Ok(()),
            Some(rules) => {
                Err(Refusal::Other(format!("it was solved with {held}, not with {rules}")))
            }
        }
    }
}

fn check_pits(kalah: &Kalah, position: &Position) -> Result<(), Refusal> {
    let (pits, wanted) = (position.pits(), kalah.pits());
    if pits == wanted {
        return Ok(());
    }
    Err(Refusal::Other(format!("{position} has {pits} pits on a side, not {wanted}")))
}
