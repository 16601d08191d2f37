//! Solves any game completely, into any store.

mod memory;
mod store;

pub use memory::{Memory, unknown};
pub use store::{FORMAT, Found, Header, Row, Settled, Stage, State, Store, StoreError};
