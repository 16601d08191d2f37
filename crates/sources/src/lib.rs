//! Bytes in: opens files and standard input, decompresses gzip and zstd, reads in
//! constant memory, detects the format and names the place in every error,
//! URLs without their passwords ([`shown`], [`redacted`]).
//!
//! ```
//! use sources::{Content, Source};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let directory = std::env::temp_dir().join(format!("sources-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&directory)?;
//! # let path = directory.join("positions.epd");
//! std::fs::write(&path, "8/8/8/4k3/8/4K3/4P3/8 w - - bm Kd3;\n")?;
//!
//! let mut source = Source::open(&path)?; // "-" is standard input
//! assert_eq!(source.guess(), Content::Epd);
//!
//! let mut lines = source.lines(1 << 20);
//! while let Some(line) = lines.next_line()? {
//!     assert_eq!(line.number, 1);
//!     assert!(line.bytes.ends_with(b"bm Kd3;"));
//! }
//! # std::fs::remove_dir_all(&directory)?;
//! # Ok(())
//! # }
//! ```
//!
//! A [`Source`] is a [`BufRead`](std::io::BufRead) over the decompressed bytes.
//! The first bytes decide whether a file is compressed, never its name. A plain
//! file is copied once: from the system into the buffer, or straight into the
//! caller's slice if that is larger.
//!
//! What it does not do: parse anything, look inside archives (tar, zip), or
//! open addresses on a network.

mod error;
mod guess;
mod lines;
mod packing;
mod printable;
mod progress;
mod secrets;
mod source;
mod window;

pub use error::SourceError;
pub use guess::Content;
pub use lines::{Line, Lines};
pub use packing::Packing;
pub use printable::printable;
pub use progress::Progress;
pub use secrets::{redacted, shown};
pub use source::Source;
