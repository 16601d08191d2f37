//! Stands in where the feature `cluster` is off.

use datafusion::{execution::SessionState, prelude::SessionContext};

use super::{Address, Executor, Scheduler};
use crate::SqlError;

pub(super) const IS_BUILT_IN: bool = false;

pub(super) fn scheduler(_: &Scheduler) -> Result<(), SqlError> {
    Err(missing())
}

pub(super) fn executor(_: &Executor) -> Result<(), SqlError> {
    Err(missing())
}

pub(crate) fn session(_: SessionState, _: &Address) -> Result<SessionContext, SqlError> {
    Err(missing())
}

fn missing() -> SqlError {
    SqlError::NotBuiltIn("cluster")
}
