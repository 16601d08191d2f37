//! The process that cuts plans into tasks and gives them to executors.

use std::{
    collections::HashMap,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::Arc,
    time::{Duration, Instant},
};

use ballista_core::{
    config::TaskSchedulingPolicy,
    error::BallistaError,
    extension::SessionConfigExt,
    serde::protobuf::{
        CancelJobParams, ExecutorHeartbeat, job_status::Status,
        scheduler_grpc_client::SchedulerGrpcClient,
    },
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
/// An executor takes tasks only when it is heard of, by whole seconds, of which the last may be
/// missed by one look.
const HEARD_LATER: Duration = Duration::from_secs(3);

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
        tokio::spawn(watch(cluster.clone(), reached_at(address), settings.executor_timeout));
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

/// Calls off what an executor has worked on when it is gone, so that clients hand it in again, and
/// everything when there has been none for some time, so that they do not wait for ever.
///
/// Ballista 55 tries to compute again only what was lost, and was then seen to wait until it was
/// ended after 500 seconds, ten stages taken back and nothing scheduled any more.
async fn watch(cluster: BallistaCluster, at: SocketAddr, patience: Duration) {
    let mut known = HashMap::new();
    let mut peopled = Instant::now();
    loop {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let present = cluster.cluster_state().executor_heartbeats();
        if !present.is_empty() {
            peopled = Instant::now();
        }
        let lost = known.iter().filter(|(executor, _)| !present.contains_key(*executor));
        let last_heard = lost.map(|(_, heartbeat): (&String, &ExecutorHeartbeat)| {
            Duration::from_secs(heartbeat.timestamp) + HEARD_LATER
        });
        let begun_before = match peopled.elapsed() > patience {
            true => Some(Duration::MAX),
            false => last_heard.max(),
        };
        if let Some(begun_before) = begun_before
            && let Err(error) = call_off(&cluster, at, begun_before).await
        {
            ::log::error!("statements could not be cancelled: {error}");
        }
        known = present;
    }
}

/// Calls off the jobs that had begun before this time of the clock.
async fn call_off(
    cluster: &BallistaCluster,
    at: SocketAddr,
    begun_before: Duration,
) -> Result<(), BallistaError> {
    let jobs = cluster.job_state();
    let mut scheduler = SchedulerGrpcClient::connect(format!("http://{at}")).await?;
    for job in jobs.get_all_jobs().await? {
        let status = jobs.get_job_status(&job).await?.and_then(|job| job.status);
        if let Some(Status::Running(running)) = status
            && Duration::from_millis(running.started_at) < begun_before
        {
            ::log::warn!("executors were lost; job {job} is cancelled, its client retries it");
            scheduler.cancel_job(CancelJobParams { job_id: job.into() }).await?;
        }
    }
    Ok(())
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
