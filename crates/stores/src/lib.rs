//! Stores for solved games, each named by a URL.
//!
//! ```
//! use solver::{Access, FORMAT, Header};
//!
//! let header = Header { game: "nim stones=21".to_owned(), key_bits: 8, format: FORMAT };
//! let mut store = stores::open("memory:", Access::Create(header))?;
//! assert!(store.ranks()?.is_empty());
//! # Ok::<(), solver::StoreError>(())
//! ```
//!
//! | URL | feature | what it is |
//! |---|---|---|
//! | `memory:` | | gone with the process |
//! | `sqlite:PATH` | `sqlite` (default) | one file, bundled SQLite |
//!
//! Every store passes `solver::conformance`. Where two processes would write the same store, the
//! second is refused. Passwords and keys come from the environment or the standard places of each
//! service, and are left out of every error.
//!
//! Nothing here knows rules or the meaning of a score, and nothing retries for ever: an error
//! leaves the store as of its last commit, to be opened again and gone on with.

mod guard;
mod place;

#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(not(feature = "sqlite"))]
#[path = "disabled/sqlite.rs"]
mod sqlite;

#[cfg(feature = "sqlite")]
mod tally;

use solver::{Memory, Store, StoreError};

pub use solver::Access;

use guard::Guard;
use place::Place;

/// Opens the store that a URL names.
pub fn open(url: &str, access: Access) -> Result<Box<dyn Store>, StoreError> {
    let place = Place::parse(url)?;
    let reading = access == Access::Read;
    let store: Box<dyn Store> = match &place {
        Place::Memory => match access {
            Access::Create(header) | Access::Resume(header) => Box::new(Memory::new(header)),
            Access::Read => return Err(StoreError::Missing(place.to_string())),
        },
        Place::Sqlite(path) => sqlite::open(path, &access)?,
    };
    Ok(Box::new(Guard::new(store, place.to_string(), reading)))
}

/// The URL as it may be shown: without any password.
pub fn shown(url: &str) -> String {
    place::without_password(url)
}
