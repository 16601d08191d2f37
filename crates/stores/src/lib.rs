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
//! | `memory:` | | RAM, lost when the process ends |
//! | `sqlite:PATH` | `sqlite` (default) | one file, bundled SQLite |
//! | `file:DIR` | `file` (default) | a directory of Parquet parts |
//! | `postgres://USER@HOST/DATABASE?schema=NAME` | `postgres` | a schema of a database |
//! | `bigtable://PROJECT/INSTANCE/TABLE` | `bigtable` | a table of Bigtable |
//! | `s3://BUCKET/PREFIX` | `s3` | Parquet parts in a bucket |
//! | `gs://BUCKET/PREFIX` | `gs` | Parquet parts in a bucket |
//!
//! `file` adds Arrow and Parquet. `postgres`, `s3`, `gs` and `bigtable` add tokio, the last three
//! also rustls, and `bigtable` tonic. docs/stores.md describes the layouts.
//!
//! Every store passes `solver::conformance`. If two processes want to write the same store, the
//! second is refused. Passwords and keys come from the environment, for PostgreSQL and Google's
//! services also from their standard files, and never appear in errors.
//!
//! With the feature `s3`, `s3::client` is the client of buckets, which SQL uses for its tables too.
//!
//! This crate knows no rules and does not interpret scores. Retries are limited. After an error the
//! store is back at its last commit; it can be opened again and the work resumed.

// docs.rs shows which items need a feature.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod guard;
mod place;

#[cfg(feature = "bigtable")]
mod bigtable;
#[cfg(not(feature = "bigtable"))]
#[path = "disabled/bigtable.rs"]
mod bigtable;
#[cfg(feature = "file")]
mod file;
#[cfg(not(feature = "file"))]
#[path = "disabled/file.rs"]
mod file;
#[cfg(feature = "gs")]
mod gs;
#[cfg(not(feature = "gs"))]
#[path = "disabled/gs.rs"]
mod gs;
#[cfg(feature = "postgres")]
mod postgres;
#[cfg(not(feature = "postgres"))]
#[path = "disabled/postgres.rs"]
mod postgres;
#[cfg(feature = "s3")]
pub mod s3;
#[cfg(not(feature = "s3"))]
#[path = "disabled/s3.rs"]
mod s3;
#[cfg(feature = "sqlite")]
mod sqlite;
#[cfg(not(feature = "sqlite"))]
#[path = "disabled/sqlite.rs"]
mod sqlite;

#[cfg(any(feature = "bigtable", feature = "objects"))]
mod lease;
#[cfg(feature = "objects")]
mod objects;
#[cfg(feature = "parts")]
mod parts;
#[cfg(any(feature = "bigtable", feature = "gs", feature = "s3"))]
#[allow(dead_code, reason = "each of them uses a part")]
mod patience;
#[cfg(any(feature = "bigtable", feature = "postgres", feature = "sqlite"))]
#[allow(dead_code, reason = "each of them uses a part")]
mod tally;
#[cfg(feature = "parts")]
pub mod tasks;
#[cfg(not(feature = "parts"))]
#[path = "disabled/tasks.rs"]
pub mod tasks;

use solver::{Memory, Store, StoreError};

pub use solver::Access;
pub use sources::shown;

use guard::Guard;
use place::Place;

/// Opens the store that a URL names.
pub fn open(url: &str, access: Access) -> Result<Box<dyn Store>, StoreError> {
    let place = Place::parse(url)?;
    let reading = access == Access::Read;
    let store = open_place(&place, access).map_err(told)?;
    Ok(Box::new(Guard::new(store, place.to_string(), reading)))
}

fn open_place(place: &Place, access: Access) -> Result<Box<dyn Store>, StoreError> {
    match place {
        Place::Memory => match access {
            Access::Create(header) | Access::Resume(header) => Ok(Box::new(Memory::new(header))),
            Access::Read => Err(StoreError::Missing(place.to_string())),
        },
        Place::Bigtable { project, instance, table } => {
            bigtable::open(project, instance, table, &access)
        }
        Place::File(directory) => file::open(directory, &access),
        Place::Gs { bucket, prefix } => gs::open(bucket, prefix, &access),
        Place::Postgres { url, schema } => postgres::open(url, schema, &access),
        Place::S3 { bucket, prefix } => s3::open(bucket, prefix, &access),
        Place::Sqlite(path) => sqlite::open(path, &access),
    }
}

/// The error with secrets removed from every URL in it. A library that gets the address of a server
/// from the environment may repeat it, with the password.
fn told(error: StoreError) -> StoreError {
    let told = |text: String| sources::redacted(&text).into_owned();
    match error {
        StoreError::Unavailable { place, cause } => {
            StoreError::Unavailable { place: told(place), cause: told(cause) }
        }
        StoreError::Corrupt { place, cause } => {
            StoreError::Corrupt { place: told(place), cause: told(cause) }
        }
        other => other,
    }
}
