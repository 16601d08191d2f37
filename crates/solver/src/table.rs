#![doc = include_str!("table/README.md")]

mod block;
mod build;
mod directory;
mod manifest;
mod reader;
mod turn;
mod verify;
mod views;

use game::Sheet;

pub use build::{BuildLimits, BuildProgress, Built, build, repair};
pub use directory::Directory;
pub use manifest::{Listed, Manifest, VERSION};
pub(crate) use reader::{Chunks, Spot};
pub use reader::{Line, Table};
pub use verify::{TableFault, TableReport, verify};

use crate::StoreError;

/// Why a table was not built or read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TableError {
    /// The files of the table failed, or hold another game.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The memory limit is too small for a block and one of the sheets that it depends on.
    #[error(
        "positions with {} and {} units on the two sides need {needed} bytes of memory at once; \
         the limit is {limit}",
        sheet.own,
        sheet.other
    )]
    Memory {
        /// The sheet that cannot be computed.
        sheet: Sheet,
        /// The bytes that it needs.
        needed: usize,
        /// The memory limit.
        limit: usize,
    },
    /// A value is one byte, which cannot hold as many points.
    #[error("a table of {0} units, expected at most 127, because a value is a signed byte")]
    Units(usize),
    /// The system cannot allocate as much memory as the limit allows.
    #[error("cannot allocate {0} bytes of memory for the search")]
    NoMemory(usize),
    /// The keys of positions that follow from the start would not be unique.
    #[error("a position with {0} units in play is too large to search")]
    Beyond(u16),
    /// The caller asked to stop. Finished files are kept.
    #[error("stopped; finished files are kept and the work can be resumed")]
    Stopped,
}
