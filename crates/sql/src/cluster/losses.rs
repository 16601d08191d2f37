//! Executors that are lost, and the jobs that they have worked on.
//!
//! Ballista 55 computes again what a lost executor has not finished. But what it has finished of the
//! last stage stays a part of the answer, and these tasks are computed again as well: their rows can
//! come twice. And it was seen to wait until it was ended after 500 seconds, ten stages taken back
//! and nothing scheduled any more. So an executor is removed only after the jobs are cancelled that
//! it may have worked on. Their clients submit them again.

use std::{
    collections::{HashMap, HashSet},
    net::SocketAddr,
    sync::Arc,
    time::Duration,
};

use async_trait::async_trait;
use ballista_core::{
    JobId,
    error::{BallistaError, Result},
    serde::{
        protobuf::{
            CancelJobParams, ExecutorHeartbeat, job_status::Status,
            scheduler_grpc_client::SchedulerGrpcClient,
        },
        scheduler::{ExecutorData, ExecutorMetadata},
    },
};
use ballista_scheduler::{
    cluster::{
        BallistaCluster, BoundTask, ClusterState, ClusterStateEventStream, ExecutorSlot, JobState,
    },
    config::TaskDistributionPolicy,
    state::task_manager::JobInfoCache,
};

/// An executor is given tasks when it is heard of, which is noted in whole seconds.
const HEARD_LATER: Duration = Duration::from_millis(1500);

/// The jobs of the scheduler that listens at an address.
#[derive(Clone)]
pub(super) struct Jobs {
    pub(super) state: Arc<dyn JobState>,
    pub(super) scheduler: SocketAddr,
}

impl Jobs {
    /// Cancels the running jobs that had begun before this time of the clock.
    pub(super) async fn cancel(&self, begun_before: Duration) -> Result<()> {
        let mut jobs = Vec::new();
        for job in self.state.get_all_jobs().await? {
            let status = self.state.get_job_status(&job).await?.and_then(|job| job.status);
            if let Some(Status::Running(running)) = status
                && Duration::from_millis(running.started_at) < begun_before
            {
                jobs.push(job);
            }
        }
        if jobs.is_empty() {
            return Ok(());
        }
        let scheduler = format!("http://{}", self.scheduler);
        let mut scheduler = SchedulerGrpcClient::connect(scheduler).await?;
        for job in jobs {
            ::log::warn!("executors were lost; job {job} is cancelled, its client retries it");
            let cancelled = scheduler.cancel_job(CancelJobParams { job_id: job.into() }).await;
            cancelled.map_err(|status| BallistaError::General(status.to_string()))?;
        }
        Ok(())
    }

    /// The same, until it has succeeded.
    pub(super) async fn surely_cancel(&self, begun_before: Duration) {
        while let Err(error) = self.cancel(begun_before).await {
            ::log::error!("jobs could not be cancelled: {error}");
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
}

/// The executors of a scheduler: none is removed before its jobs are cancelled.
struct Executors {
    all: Arc<dyn ClusterState>,
    jobs: Jobs,
}

/// The cluster, with executors that are not removed before their jobs are cancelled.
pub(super) fn cancelling(cluster: &BallistaCluster, jobs: Jobs) -> BallistaCluster {
    let executors = Executors { all: cluster.cluster_state(), jobs };
    BallistaCluster::new(Arc::new(executors), cluster.job_state())
}

#[async_trait]
impl ClusterState for Executors {
    async fn init(&self) -> Result<()> {
        self.all.init().await
    }

    async fn bind_schedulable_tasks(
        &self,
        distribution: TaskDistributionPolicy,
        active_jobs: Arc<HashMap<JobId, JobInfoCache>>,
        executors: Option<HashSet<String>>,
    ) -> Result<Vec<BoundTask>> {
        self.all.bind_schedulable_tasks(distribution, active_jobs, executors).await
    }

    async fn unbind_tasks(&self, executor_slots: Vec<ExecutorSlot>) -> Result<()> {
        self.all.unbind_tasks(executor_slots).await
    }

    async fn register_executor(
        &self,
        metadata: ExecutorMetadata,
        spec: ExecutorData,
    ) -> Result<()> {
        self.all.register_executor(metadata, spec).await
    }

    async fn save_executor_metadata(&self, metadata: ExecutorMetadata) -> Result<()> {
        self.all.save_executor_metadata(metadata).await
    }

    async fn get_executor_metadata(&self, executor_id: &str) -> Result<ExecutorMetadata> {
        self.all.get_executor_metadata(executor_id).await
    }

    async fn registered_executor_metadata(&self) -> Vec<ExecutorMetadata> {
        self.all.registered_executor_metadata().await
    }

    async fn save_executor_heartbeat(&self, heartbeat: ExecutorHeartbeat) -> Result<()> {
        self.all.save_executor_heartbeat(heartbeat).await
    }

    /// The scheduler hears of the loss only after this.
    async fn remove_executor(&self, executor_id: &str) -> Result<()> {
        // One that was removed before has not been heard of since.
        if let Some(heartbeat) = self.get_executor_heartbeat(executor_id) {
            let last_heard = Duration::from_secs(heartbeat.timestamp);
            self.jobs.surely_cancel(last_heard + HEARD_LATER).await;
        }
        self.all.remove_executor(executor_id).await
    }

    fn executor_heartbeats(&self) -> HashMap<String, ExecutorHeartbeat> {
        self.all.executor_heartbeats()
    }

    fn get_executor_heartbeat(&self, executor_id: &str) -> Option<ExecutorHeartbeat> {
        self.all.get_executor_heartbeat(executor_id)
    }

    async fn cluster_state_events(&self) -> Result<ClusterStateEventStream> {
        self.all.cluster_state_events().await
    }
}
