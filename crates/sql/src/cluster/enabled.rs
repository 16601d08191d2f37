//! Clusters, on Ballista.

use datafusion::{execution::SessionState, prelude::SessionContext};

use super::{Address, Executor, Scheduler, client, executor as executes, scheduler as schedules};
use crate::SqlError;

pub(super) const IS_BUILT_IN: bool = true;

pub(super) fn scheduler(settings: &Scheduler) -> Result<(), SqlError> {
    schedules::run(settings)
}

pub(super) fn executor(settings: &Executor) -> Result<(), SqlError> {
    executes::run(settings)
}

pub(crate) fn session(state: SessionState, at: &Address) -> Result<SessionContext, SqlError> {
    client::session(state, at)
}
