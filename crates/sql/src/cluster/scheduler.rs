//! The process that cuts plans into tasks and gives them to executors.

use std::{sync::Arc, time::Duration};

use ballista_core::{
    config::TaskSchedulingPolicy, error::BallistaError, extension::SessionConfigExt,
};
use ballista_scheduler::{
    cluster::BallistaCluster,
    config::{SchedulerConfig, TaskDistributionPolicy},
    scheduler_process::start_server,
};
use datafusion::prelude::SessionConfig;

use super::{Scheduler, codec, log, node};
use crate::{Settings, SqlError, context};

/// Seconds after which the rows of an answer are removed, if its client has not read them by then.
const ANSWERS_KEPT: u64 = 600;

pub(super) fn run(settings: &Scheduler) -> Result<(), SqlError> {
    log::begin(settings.log);
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let runtime = node::threads(threads)?;
    let config = config(settings)?;
    let address = settings.bind;
    let ended = runtime.block_on(async move {
        let stop = node::told_to_stop()?;
        let cluster = BallistaCluster::new_from_config(&config).await.map_err(failed)?;
        tokio::select! {
            ended = start_server(cluster, address, Arc::new(config)) => {
                ended.map_err(|error| SqlError::Io(format!("cannot listen at {address}: {error}")))
            }
            () = stop => Ok(()),
        }
    });
    runtime.shutdown_timeout(Duration::from_millis(500));
    ended
}

fn config(settings: &Scheduler) -> Result<SchedulerConfig, SqlError> {
    let timeout = settings.executor_timeout.as_secs().max(1);
    let environment = context::runtime(&Settings::default())?;
    Ok(SchedulerConfig {
        external_host: settings.advertise.clone(),
        bind_host: settings.bind.ip().to_string(),
        bind_port: settings.bind.port(),
        // Executors that ask for work cannot be told to leave off.
        scheduling_policy: TaskSchedulingPolicy::PushStaged,
        task_distribution: TaskDistributionPolicy::RoundRobin,
        finished_job_data_clean_up_interval_seconds: ANSWERS_KEPT,
        executor_timeout_seconds: timeout,
        expire_dead_executor_interval_seconds: (timeout / 3).max(1),
        no_executors_grace_period_seconds: timeout,
        override_config_producer: Some(Arc::new(SessionConfig::new_with_ballista)),
        override_session_builder: Some(Arc::new(move |config| {
            node::state(config, environment.clone())
        })),
        override_logical_codec: Some(Arc::new(codec::Logical::default())),
        override_physical_codec: Some(Arc::new(codec::Physical::default())),
        ..SchedulerConfig::default()
    })
}

fn failed(error: BallistaError) -> SqlError {
    SqlError::Engine(error.to_string())
}
