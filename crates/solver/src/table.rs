#![doc = include_str!("table/README.md")]

mod block;
mod build;
mod manifest;
mod place;
mod reader;
mod turn;
mod verify;
mod views;

use game::Sheet;

pub use build::{BuildLimits, BuildProgress, Built, build, repair};
pub use manifest::{Listed, Manifest, VERSION};
pub use place::{Directory, Place};
pub(crate) use reader::Chunks;
pub use reader::{Line, Table};
pub use verify::{TableFault, TableReport, verify};

use crate::StoreError;

/// Why a table was not built or read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TableError {
    /// The place of the table failed, or holds something else.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The limit of memory is too small for a block and one sheet that it leads to.
    #[error(
        "positions with {} and {} units on the two sides need {needed} bytes of memory at once; \
         the limit is {limit}",
        sheet.own,
        sheet.other
    )]
    Memory {
        /// The sheet that cannot be filled.
        sheet: Sheet,
        /// What it takes.
        needed: usize,
        /// What was allowed.
        limit: usize,
    },
    /// A value of the table is a byte, which does not hold as many points.
    #[error("a table of {0} units, expected at most 127, because a value is a signed byte")]
    Units(usize),
    /// The system does not have as much memory as the limit says.
    #[error("cannot allocate {0} bytes of memory for the search")]
    NoMemory(usize),
    /// A search cannot tell all positions apart that follow from its start.
    #[error("a position with {0} units in play is too large to search")]
    Beyond(u16),
    /// The caller asked to stop; every finished block is kept.
    #[error("stopped; finished files are kept and the work can be resumed")]
    Stopped,
}
