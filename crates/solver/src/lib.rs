//! Solves any game completely, into any store.

pub mod conformance;
mod memory;
mod scans;
mod store;

pub use memory::{Memory, unknown};
pub use scans::{at_depth, at_level, count, get};
pub use store::{Access, FORMAT, Found, Header, Row, Settled, Stage, State, Store, StoreError};
