//! Solves any two-player game of perfect information completely, into any store: every reachable
//! position with its value, its best move and the plies to the end.
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
//! | count positions by level, depth, value and number of moves | [`statistics`](statistics()) |
//! | keep positions in a store of your own | implement [`Store`], and test it with [`conformance`] |
//! | compute all positions up to a size into a dense table | [`table::build`], for a [`game::Dense`] |
//! | look up values, best moves and lines in a table, and verify it | [`table::Table`], [`table::verify`](table::verify()) |
//! | solve a position with more units than the table has | [`search::search`] over a table |
//!
//! Every position has a rank, and every move leads to a lower rank. Exploring goes through the
//! ranks once from the highest to the lowest: a rank is complete when all higher ranks are done.
//! Settling goes through them once from the lowest to the highest: a rank can be settled when all
//! lower ranks are done. Positions of one rank do not depend on each other, so the threads of the
//! current rayon pool share them. The rows are the same for any number of threads.
//!
//! This crate knows no database and no game. Only [`table`] uses files, in a
//! [`table::Directory`].

mod batched;
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
mod solvable;
mod solve;
mod statistics;
mod store;
pub mod table;
pub mod tasks;
mod values;
mod verify;
mod work;

pub use batched::{Batch, Batched, Edges};
pub use explore::explore;
pub use line::{Step, line};
pub use memory::{Memory, unknown};
pub use random::mix;
pub use repair::repair;
pub use scans::{at_depth, at_level, count, every_row, get};
pub use settle::settle;
pub use solvable::Solvable;
pub use solve::{Solution, is_solved, lookup, solve};
pub use statistics::{Count, Statistics, statistics};
pub use store::{
    Access, FORMAT, Found, Header, OLDEST_FORMAT, Row, Settled, Stage, State, Store, StoreError,
};
pub use verify::{Fault, Report, Sample, verify};
pub use work::{Limits, Next, Pass, Progress, SolveError};

/// Compiles and runs the page, which is one program.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/your-own-game.md")]
struct YourOwnGame;
