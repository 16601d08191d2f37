//! Where the values of positions come from.

use std::path::PathBuf;

use game::{Game, Numbered, Verdict};
use kalah::{Kalah, Position, Rules, Sheets};
use solver::{
    Access, Header, Stage, Store, StoreError, lookup,
    table::{Folder, Manifest, Table},
};

use crate::exit::{bad_command, bad_input};

/// Bytes of a table that are kept at hand for a few questions.
pub(super) const TABLE_MEMORY: usize = 64 << 20;

/// Where a solved game is.
#[derive(Clone, clap::Args)]
pub(super) struct Stored {
    /// The store of a solved game
    #[arg(long, value_name = "URL")]
    store: String,
}

/// Where values are.
#[derive(Clone, clap::Args)]
pub(super) struct Place {
    #[command(flatten)]
    kept: Kept,
    /// The rules; they have to be those of the values
    #[arg(long, value_name = "RULES")]
    rules: Option<Rules>,
}

/// How they are kept: one of the two.
#[derive(Clone, clap::Args)]
#[group(required = true, multiple = false)]
struct Kept {
    /// The store of a solved game
    #[arg(long, value_name = "URL")]
    store: Option<String>,
    /// The folder of a dense table
    #[arg(long, value_name = "DIR")]
    table: Option<PathBuf>,
}

/// A solved game that was opened.
pub(super) struct Solved {
    pub(super) kalah: Kalah,
    pub(super) store: Box<dyn Store>,
}

/// A dense table that was opened.
pub(super) struct Tabled {
    pub(super) sheets: &'static Sheets,
    pub(super) folder: &'static Folder,
    pub(super) table: Table<'static, Sheets>,
}

/// Something that knows values.
pub(super) enum Known {
    Solved(Solved),
    Tabled(Box<Tabled>),
}

impl Stored {
    pub(super) fn open(&self) -> anyhow::Result<Solved> {
        open_store(&self.store)
    }
}

impl Place {
    /// Opens it, if it has the rules that were asked for. A table keeps at most `memory` bytes of
    /// values at hand.
    pub(super) fn open(&self, memory: usize) -> anyhow::Result<Known> {
        let (known, place) = match (&self.kept.store, &self.kept.table) {
            (Some(url), _) => (Known::Solved(open_store(url)?), stores::shown(url)),
            (None, Some(folder)) => {
                let tabled = open_table(folder, memory)?;
                (Known::Tabled(Box::new(tabled)), folder.display().to_string())
            }
            (None, None) => unreachable!("the group is required"),
        };
        let held = known.kalah().rules();
        match self.rules.filter(|rules| *rules != held) {
            None => Ok(known),
            Some(rules) => {
                Err(bad_input(format!("{place} was solved with {held}, not with {rules}")))
            }
        }
    }

    /// Opens the store of a solved game to write to it.
    pub(super) fn open_to_write(&self, kalah: &Kalah) -> anyhow::Result<Box<dyn Store>> {
        let url = self.kept.store.as_deref().expect("it was opened as a store");
        stores::open(url, Access::Resume(Header::of(kalah))).map_err(refused)
    }
}

pub(super) fn open_store(url: &str) -> anyhow::Result<Solved> {
    let store = stores::open(url, Access::Read).map_err(refused)?;
    let name = &store.state().header.game;
    let kalah: Kalah =
        name.parse().map_err(|error| bad_input(format!("{}: {error}", stores::shown(url))))?;
    Ok(Solved { kalah, store })
}

/// Who is at fault where a store cannot be used.
pub(super) fn refused(error: StoreError) -> anyhow::Error {
    match error {
        StoreError::Url { .. } => bad_command(error),
        // The machine or the server.
        StoreError::Unavailable { .. } => error.into(),
        error => bad_input(error),
    }
}

/// Opens a table of whatever size and rules it says to have.
pub(super) fn open_table(folder: &PathBuf, memory: usize) -> anyhow::Result<Tabled> {
    let place = folder.display();
    // Both live as long as the command, which opens one table.
    let folder: &'static Folder = Box::leak(Box::new(Folder::new(folder)));
    let manifest = Manifest::read(folder).map_err(bad_input)?;
    let manifest = manifest.ok_or_else(|| bad_input(format!("there is no table at {place}")))?;
    let seeds = u32::from(manifest.units().unwrap_or(0));
    let sheets = Sheets::named(&manifest.game, seeds)
        .map_err(|error| bad_input(format!("{place}: {error}")))?;
    let sheets: &'static Sheets = Box::leak(Box::new(sheets));
    let table = Table::open(sheets, folder, memory).map_err(bad_input)?;
    Ok(Tabled { sheets, folder, table })
}

impl Known {
    pub(super) fn kalah(&self) -> Kalah {
        match self {
            Known::Solved(solved) => solved.kalah,
            Known::Tabled(tabled) => *tabled.sheets.game(),
        }
    }

    /// What is known of a position.
    pub(super) fn verdict(&mut self, position: &Position) -> anyhow::Result<Verdict> {
        let (kalah, pits) = (self.kalah(), position.pits());
        if pits != kalah.pits() {
            let cause = format!("{position} has {pits} pits on a side, not {}", kalah.pits());
            return Err(bad_input(cause));
        }
        match self {
            Known::Solved(solved) => solved.verdict(position),
            Known::Tabled(tabled) => {
                let verdict = tabled.table.verdict(position)?;
                verdict.ok_or_else(|| {
                    let (seeds, most) = (position.seeds_in_play(), tabled.sheets.seeds());
                    bad_input(format!("{position} has {seeds} seeds, the table ends at {most}"))
                })
            }
        }
    }
}

impl Solved {
    fn verdict(&mut self, position: &Position) -> anyhow::Result<Verdict> {
        let game = self.kalah.name();
        let row = match position.seeds_in_play() <= self.kalah.seeds() {
            true => lookup(&self.kalah, &mut *self.store, position)?,
            false => None,
        };
        // While positions are still being found, one that is not there may yet come.
        if row.is_none() && matches!(self.store.state().stage, Stage::Exploring(_)) {
            return Err(not_solved(&self.kalah));
        }
        let row =
            row.ok_or_else(|| bad_input(format!("{position} cannot be reached in {game}")))?;
        row.verdict.ok_or_else(|| not_solved(&self.kalah))
    }
}

pub(super) fn not_solved(kalah: &Kalah) -> anyhow::Error {
    bad_input(format_args!("{} is not solved yet; resume solving it", kalah.name()))
}
