//! Solves any game completely, into any store: every position that can be reached, its value and
//! its best move.

mod explore;
mod frontier;
mod memory;
mod settle;
mod solve;
mod store;
mod values;
mod work;

pub use explore::explore;
pub use memory::{Memory, unknown};
pub use settle::settle;
pub use solve::{Solution, at_depth, at_level, every_row, is_solved, lookup, solve};
pub use store::{FORMAT, Found, Header, Row, Settled, Stage, State, Store, StoreError};
pub use work::{Limits, Next, Pass, Progress, SolveError};
