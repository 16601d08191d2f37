//! What schedulers and executors have in common.

use std::{sync::Arc, time::Duration};

use datafusion::{
    error::Result,
    execution::{FunctionRegistry, SessionState, SessionStateBuilder, runtime_env::RuntimeEnv},
    physical_optimizer::optimizer::PhysicalOptimizer,
    prelude::SessionConfig,
};
use tokio::runtime::{Builder, Runtime};

use super::one_sided::OneSided;
use crate::{
    SqlError,
    functions::{self, bounded, sums},
    rule_joins::RuleJoins,
    sorted_joins::SortedJoins,
    stacks,
};

/// A session with our functions. Tables come with the plans.
pub(super) fn state(
    config: SessionConfig,
    runtime: Arc<RuntimeEnv>,
    memory_limit: usize,
) -> Result<SessionState> {
    let mut rules = PhysicalOptimizer::new().rules;
    rules.insert(0, Arc::new(RuleJoins));
    rules.insert(0, Arc::new(SortedJoins));
    rules.push(Arc::new(OneSided));
    let mut state = SessionStateBuilder::new()
        .with_config(config)
        .with_runtime_env(runtime)
        .with_default_features()
        .with_physical_optimizer_rules(rules)
        .build();
    for function in functions::scalars() {
        state.register_udf(Arc::new(function.udf()))?;
    }
    bounded::register(&mut state, memory_limit)?;
    sums::register(&mut state)?;
    Ok(state)
}

/// Threads whose stacks are deep enough for any plan.
pub(super) fn threads(count: usize) -> Result<Runtime, SqlError> {
    let count = count.max(2);
    stacks::try_to_start(count)?;
    Builder::new_multi_thread()
        .worker_threads(count)
        .thread_stack_size(stacks::WORKER)
        .thread_name("everyply-cluster")
        .enable_all()
        .build()
        .map_err(|error| SqlError::Io(format!("cannot start threads: {error}")))
}

/// How long it may take until a process notices that it is told to stop.
const TICK: Duration = Duration::from_millis(50);

/// Ends when the process is told to stop.
pub(super) async fn told_to_stop(interrupted: fn() -> bool) {
    while !interrupted() {
        tokio::time::sleep(TICK).await;
    }
}
