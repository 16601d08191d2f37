//! Everything true of a chess position, found in one pass over its bitboards.
//!
//! ```
//! use chess::{Color, Position};
//! use chess_facts::{Level, facts};
//!
//! let position: Position = "rnb1kbnr/ppp2ppp/8/3qp3/8/2N5/PPPP1PPP/R1BQKBNR w KQkq - 0 4".parse()?;
//! let facts = facts(&position, Level::Everything);
//! assert_eq!(facts[Color::Black].hanging[0].gain, 9);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod exchange;
mod facts;
mod field;
mod forks;
mod level;
mod mobility;
mod pawns;
mod relations;
mod survey;

pub use facts::{Facts, PawnFacts, Side, facts};
pub use field::VALUES;
pub use level::{Definitions, Level};
pub use relations::{Battery, Fork, ForkMove, Hanging, Line, Reach};
