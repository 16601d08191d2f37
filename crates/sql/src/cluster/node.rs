//! What schedulers and executors have in common.

use std::{future::Future, sync::Arc};

use datafusion::{
    error::Result,
    execution::{FunctionRegistry, SessionState, SessionStateBuilder, runtime_env::RuntimeEnv},
    prelude::SessionConfig,
};
use tokio::{
    runtime::{Builder, Runtime},
    signal::unix::{SignalKind, signal},
};

use crate::{SqlError, context, functions};

/// A session with our functions. Tables come with the plans.
pub(super) fn state(config: SessionConfig, runtime: Arc<RuntimeEnv>) -> Result<SessionState> {
    let mut state = SessionStateBuilder::new()
        .with_config(config)
        .with_runtime_env(runtime)
        .with_default_features()
        .build();
    for function in functions::scalars() {
        state.register_udf(Arc::new(function.udf()))?;
    }
    Ok(state)
}

/// Threads whose stacks are deep enough for any plan.
pub(super) fn threads(count: usize) -> Result<Runtime, SqlError> {
    Builder::new_multi_thread()
        .worker_threads(count.max(2))
        .thread_stack_size(context::STACK)
        .thread_name("everyply-cluster")
        .enable_all()
        .build()
        .map_err(|error| SqlError::Io(format!("cannot start threads: {error}")))
}

/// Ends when the process is told to stop.
pub(super) fn told_to_stop() -> Result<impl Future<Output = ()>, SqlError> {
    let listen = |kind| {
        signal(kind).map_err(|error| SqlError::Io(format!("cannot listen for signals: {error}")))
    };
    let mut interrupt = listen(SignalKind::interrupt())?;
    let mut terminate = listen(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}
