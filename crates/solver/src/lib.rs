//! Solves any game completely, into any store: every position that can be reached, its value and
//! its best move.
//!
//! ```
//! use kalah::{Kalah, Rules};
//! use solver::{Header, Limits, Memory, Next, solve};
//!
//! let kalah = Kalah::new(3, 3, Rules::STD_EITHER)?;
//! let mut store = Memory::new(Header::of(&kalah));
//! let solution = solve(&kalah, &mut store, &Limits::default(), &mut |_| Next::Continue)?;
//! assert_eq!(solution.verdict.score.to_string(), "+2");
//! assert_eq!(solution.positions, 7_779);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | solve a game, or resume solving it | [`solve`](solve()), or [`explore`](explore()) and [`settle`](settle()) |
//! | look up a position, list positions by level or depth | [`lookup`], [`at_level`], [`at_depth`], [`every_row`] |
//! | list the best moves to the end of the game | [`line`](line()) |
//! | check a finished store, and solve again what is damaged | [`verify`](verify()), [`repair`](repair()) |
//! | count positions by level, depth and value | [`statistics`](statistics()) |
//! | keep positions elsewhere | implement [`Store`], tested by [`conformance`] |
//! | put all positions up to a size into a dense table | [`table::build`], for a [`game::Dense`] |
//! | look up value, best move and line there, check it | [`table::Table`], [`table::verify`](table::verify()) |
//! | solve a start that no table reaches | [`search::search`] over a table |
//!
//! Positions come in ranks, and every move leads to a lower one. Exploring goes down once: when
//! all ranks above are done, a rank is complete. Settling goes up once: when all ranks below are
//! done, a rank can be judged. Inside a rank nothing depends on anything, so it is shared among
//! the threads of the current rayon pool; the rows are the same for any number of them.
//!
//! Nothing here knows a database or the rules of a game. Only [`table`] knows files, and those by
//! name through [`table::Place`].

pub mod conformance;
mod explore;
mod frontier;
mod line;
mod memory;
mod pages;
mod random;
mod repair;
mod scans;
pub mod search;
mod settle;
mod solve;
mod statistics;
mod store;
pub mod table;
mod values;
mod verify;
mod work;

pub use explore::explore;
pub use line::{Step, line};
pub use memory::{Memory, unknown};
pub use random::mix;
pub use repair::repair;
pub use scans::{at_depth, at_level, count, every_row, get};
pub use settle::settle;
pub use solve::{Solution, is_solved, lookup, solve};
pub use statistics::{Count, Statistics, statistics};
pub use store::{Access, FORMAT, Found, Header, Row, Settled, Stage, State, Store, StoreError};
pub use verify::{Fault, Report, Sample, verify};
pub use work::{Limits, Next, Pass, Progress, SolveError};

/// The page is a program; this compiles and runs it.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/your-own-game.md")]
struct YourOwnGame;
