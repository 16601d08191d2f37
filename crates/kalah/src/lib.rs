//! Kalah of any size, with its rule variants.
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
//! | name a size and its rules | [`Kalah`], [`Rules`] |
//! | make a move and see what it did | [`Kalah::sow`] |
//! | read and write positions | [`Position`]'s `FromStr` and `Display` |
//! | draw a board with a note at every pit | [`drawing`] |
//! | number all layouts without gaps | [`Layouts`] |
//! | fill dense tables row by row | [`Sheets`] |
//! | let the second player swap | [`pie`] |
//!
//! A position is seen from the side to move and has no stores: what they hold changes nothing
//! about the best move, so a move's gain rides on its edge and Kalah(4,3) has 849,460 positions
//! instead of 5,255,649.
//!
//! Nothing here searches, stores or starts a thread; the crate `solver` does.

mod dense;
pub mod drawing;
mod layouts;
mod notation;
pub mod pie;
mod position;
mod rules;
mod sowing;

pub use dense::{Sheets, SheetsError};
pub use layouts::Layouts;
pub use notation::{ParsePositionError, Standing};
pub use position::{MAX_PITS, MAX_SEEDS, Pit, Position, Side};
pub use rules::{Capture, End, ParseRulesError, Rules};
pub use sowing::{Kalah, ParseKalahError, SizeError, Sown};
