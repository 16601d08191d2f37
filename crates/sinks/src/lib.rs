//! Bytes out: a file is complete under its name or absent, whatever happens while it is written.
//!
//! ```
//! use std::io::Write;
//!
//! use sinks::{Directory, Unfinished};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let place = std::env::temp_dir().join(format!("sinks-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&place)?;
//! let path = place.join("rows.csv");
//! let mut file = Unfinished::create(&path)?; // rows.csv.unfinished
//! writeln!(file, "square,piece")?;
//! assert!(!path.exists());
//! file.complete()?; // synced, renamed, and the directory synced
//! assert_eq!(std::fs::read_to_string(&path)?, "square,piece\n");
//!
//! // A directory of parts has one writer at a time.
//! let parts = Directory::open(&place.join("parts"), |name| name.starts_with("part-"))?;
//! parts.write("part-0", b"some rows")?;
//! assert!(Directory::open(&place.join("parts"), |name| name.starts_with("part-")).is_err());
//! # drop(parts);
//! # std::fs::remove_dir_all(&place)?;
//! # Ok(())
//! # }
//! ```
//!
//! A file is first written as `NAME.unfinished` in the same directory. That file is locked, so a
//! second writer is refused. [`Unfinished::complete`] syncs the data, renames the file and syncs
//! the directory; once it has returned, the file survives a power cut. An error removes the
//! unfinished file. After a kill it stays, without a lock; the next writer of the same file, or of
//! the same directory of parts, removes it. A symbolic link is kept and its target replaced, a file that is
//! replaced keeps its mode, and devices and pipes are written in place.
//!
//! [`Summed`] puts checksums into a file while it is written, and [`Checksums`] check what is read
//! of it later.
//!
//! What it does not do: format anything, make the directory of a single file, or lock against
//! programs that do not use it.

mod checksums;
mod claim;
mod directory;
mod error;
mod sync;
mod target;
mod unfinished;

pub use checksums::{CREATED_BY, Checksums, Damage, Layout, Summed};
pub use claim::abandon;
pub use directory::Directory;
pub use error::SinkError;
pub use sync::create_directory;
pub use unfinished::{Unfinished, write};
