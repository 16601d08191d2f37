//! Reads chess games and positions from PGN, FEN and EPD files, plain or compressed with gzip or
//! zstd, and from standard input: filtered, in order, on any number of threads. Every bad record is
//! reported with its place.
//!
//! ```
//! use games::{Condition, Reader, Record, Wanted};
//! use sources::Source;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let text = "[White \"A\"]\n[WhiteElo \"2100\"]\n\n1. e4 e5 1-0\n\n[White \"B\"]\n\n1. e5 *\n";
//! let source = Source::from_reader("games.pgn", text.as_bytes());
//! let mut reader = Reader::of_source(source, Wanted::default()); // or Reader::new(paths, wanted)
//! let (mut plies, mut bad) = (0, Vec::new());
//! while let Some(record) = reader.read() {
//!     match record {
//!         Ok(Record::Game { game, .. }) => plies += game.moves.len(),
//!         Ok(Record::Position { .. }) => unreachable!("PGN holds games"),
//!         Err(error) => bad.push(error.to_string()),
//!     }
//! }
//! assert_eq!(plies, 2);
//! assert_eq!(bad, ["games.pgn: game 2, line 8: e5 is not a legal move here (move 1 of white)"]);
//!
//! let strong: Condition = "white_elo >= 2000".parse()?;
//! # assert_eq!(strong.to_string(), "white_elo >= 2000");
//! # Ok(())
//! # }
//! ```
//!
//! | to | use |
//! |---|---|
//! | say what is wanted | [`Wanted`], [`Condition`] |
//! | read games and positions one by one | [`Reader`] |
//! | read positions or whole games in chunks that end where a game ends | [`Chunks`] |
//! | read a part of a large file that begins and ends between two games | [`find_start`], [`count`] |
//! | read games of four-player chess from PGN4 files | [`fourchess::Reader`] |
//! | work on chunks on several threads and take the results in order | [`in_order`] |
//!
//! A reader holds one game at a time and a chunk a bounded number of positions and errors, so
//! memory does not grow with the files, whatever they hold.
//!
//! What it does not do: write anything, or keep variations and comments (`chess::pgn::Game` does).

mod chunks;
mod condition;
mod error;
pub mod fourchess;
mod order;
mod reader;
mod starts;

pub use chunks::{Chunk, Chunks, Place, Played};
pub use condition::{Condition, ConditionError};
pub use error::{Placed, RecordError};
pub use order::in_order;
pub use reader::{Filter, Kind, Reader, Record, Wanted, is_pgn};
pub use starts::{BEHIND, Before, count, find_start};
