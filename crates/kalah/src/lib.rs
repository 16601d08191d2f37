//! Kalah with up to 8 pits on each side and 255 seeds, in four rule variants.
//!
//! ```
//! use game::{Game, Turn};
//! use kalah::{Kalah, Rules};
//!
//! let kalah = Kalah::new(6, 4, Rules::STD_EITHER)?;
//! let opening = kalah.sow(&kalah.start(), kalah.pit(3).expect("a pit of six"));
//! assert_eq!(opening.to.to_string(), "4,4,0,5,5,5/4,4,4,4,4,4");
//! assert_eq!(opening.turn, Turn::Keeps);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | choose a size and its rules | [`Kalah`], [`Rules`] |
//! | make a move and see its effect, or the way of its seeds | [`Kalah::sow`], [`Kalah::path`] |
//! | read and write positions | [`Position`]'s `FromStr` and `Display` |
//! | draw a board with a note at every pit | [`drawing`] |
//! | record a game, and read the record | [`Record`] |
//! | find a way from the start to a position | [`Kalah::way_to`] |
//! | number all layouts without gaps | [`Layouts`] |
//! | compute dense tables row by row | [`Sheets`] |
//! | let the second player swap | [`pie`] |
//!
//! A position is seen from the side to move and does not include the stores, because their contents
//! do not change the best move. The seeds that a move stores are the gain of its edge. So
//! Kalah(4,3) has 849,460 positions instead of 5,255,649.
//!
//! This crate does not search, store or start threads; the crate `solver` does.

mod dense;
pub mod drawing;
mod layouts;
mod notation;
mod path;
pub mod pie;
mod position;
mod record;
mod rules;
mod sowing;
mod unsow;
mod way;

pub use dense::{Sheets, SheetsError};
pub use layouts::Layouts;
pub use notation::{ParsePositionError, Standing};
pub use path::Hole;
pub use position::{MAX_PITS, MAX_SEEDS, Pit, Position, Side};
pub use record::{Ply, Record, RecordError};
pub use rules::{Capture, End, ParseRulesError, Rules};
pub use sowing::{Kalah, ParseKalahError, SizeError, Sown};
pub use way::Way;
