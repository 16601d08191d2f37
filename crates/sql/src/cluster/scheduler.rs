//! The process that cuts plans into tasks and gives them to executors.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
    time::{Duration, Instant},
};

use ballista_core::{config::TaskSchedulingPolicy, extension::SessionConfigExt};
use ballista_scheduler::{
    cluster::{BallistaCluster, ClusterState},
    config::{SchedulerConfig, TaskDistributionPolicy},
    scheduler_process::start_server,
};
use datafusion::prelude::SessionConfig;

use super::{
    Scheduler, codec, log,
    losses::{self, Jobs},
    node,
};
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
        let cluster = BallistaCluster::new_from_config(&config)
            .await
            .map_err(|error| SqlError::Engine(error.to_string()))?;
        let jobs = Jobs { state: cluster.job_state(), scheduler: reached_at(address) };
        tokio::spawn(watch(cluster.cluster_state(), jobs.clone(), settings.executor_timeout));
        let cluster = losses::cancelling(&cluster, jobs);
        tokio::select! {
            ended = start_server(cluster, address, Arc::new(config)) => {
                ended.map_err(|error| SqlError::Io(format!("cannot listen at {address}: {error}")))
            }
            () = node::told_to_stop(settings.interrupted) => Ok(()),
        }
    });
    runtime.shutdown_timeout(Duration::from_millis(500));
    ended
}

fn config(settings: &Scheduler) -> Result<SchedulerConfig, SqlError> {
    let timeout = settings.executor_timeout.as_secs().max(1);
    let limits = Settings::default();
    let environment = context::runtime(&limits, Arc::default())?;
    Ok(SchedulerConfig {
        external_host: settings.advertise.clone(),
        bind_host: settings.bind.ip().to_string(),
        bind_port: settings.bind.port(),
        // Where executors were given work instead of asking for it, statements were seen to hang
        // after one of them was killed.
        scheduling_policy: TaskSchedulingPolicy::PullStaged,
        task_distribution: TaskDistributionPolicy::RoundRobin,
        finished_job_data_clean_up_interval_seconds: ANSWERS_KEPT,
        executor_timeout_seconds: timeout,
        expire_dead_executor_interval_seconds: (timeout / 3).max(1),
        no_executors_grace_period_seconds: timeout,
        // A stage whose input is lost is not computed again: see `repeats`.
        stage_max_failures: 1,
        override_config_producer: Some(Arc::new(SessionConfig::new_with_ballista)),
        override_session_builder: Some(Arc::new(move |config| {
            node::state(config, environment.clone(), limits.memory_limit)
        })),
        override_logical_codec: Some(Arc::new(codec::Logical::default())),
        override_physical_codec: Some(Arc::new(codec::Physical::default())),
        ..SchedulerConfig::default()
    })
}

/// Cancels all jobs when there has been no executor for some time, so that clients do not wait for
/// ever.
async fn watch(executors: Arc<dyn ClusterState>, jobs: Jobs, patience: Duration) {
    let mut peopled = Instant::now();
    loop {
        tokio::time::sleep(Duration::from_secs(1)).await;
        if !executors.executor_heartbeats().is_empty() {
            peopled = Instant::now();
        } else if peopled.elapsed() > patience {
            jobs.surely_cancel(Duration::MAX).await;
        }
    }
}

/// Where this machine itself reaches what listens at an address.
fn reached_at(mut bind: SocketAddr) -> SocketAddr {
    if bind.ip().is_unspecified() {
        let own: IpAddr = match bind {
            SocketAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        };
        bind.set_ip(own);
    }
    bind
}
