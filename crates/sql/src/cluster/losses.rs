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
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
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

use super::job::PAUSE;

/// An executor is given tasks when it is heard of, which is noted in whole seconds.
const HEARD_LATER: Duration = Duration::from_millis(1500);
/// How long the scheduler may take to be reached by itself.
const PATIENCE: Duration = Duration::from_secs(10);

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
        loop {
            match tokio::time::timeout(PATIENCE, self.cancel(begun_before)).await {
                Ok(Ok(())) => return,
                Ok(Err(error)) => ::log::error!("jobs could not be cancelled: {error}"),
                Err(_) => {
                    ::log::error!("jobs could not be cancelled: {} is silent", self.scheduler);
                }
            }
            tokio::time::sleep(Duration::from_secs(1)).await;
        }
    }
}

/// The executors of a scheduler: none is removed before its jobs are cancelled.
struct Executors {
    all: Arc<dyn ClusterState>,
    jobs: Jobs,
    /// When executors were removed. One that ends, or was silent for too long, still asks for tasks;
    /// what it did for a job that begins now would count as lost, and yet be in the answer.
    removed: Mutex<HashMap<String, Instant>>,
    /// Executors are removed one after the other.
    removing: tokio::sync::Mutex<()>,
}

impl Executors {
    /// Refuses what an executor says that was just removed.
    fn heed(&self, executor: &str) -> Result<()> {
        let removed = self.removed.lock().unwrap_or_else(PoisonError::into_inner);
        match removed.get(executor) {
            Some(when) if when.elapsed() < PAUSE => {
                Err(BallistaError::General(format!("executor {executor} was just removed")))
            }
            _ => Ok(()),
        }
    }

    fn note_removal(&self, executor: &str) {
        let mut removed = self.removed.lock().unwrap_or_else(PoisonError::into_inner);
        removed.retain(|_, when| when.elapsed() < PAUSE);
        removed.insert(executor.to_owned(), Instant::now());
    }
}

/// The cluster, with executors that are not removed before their jobs are cancelled.
pub(super) fn cancelling(cluster: &BallistaCluster, jobs: Jobs) -> BallistaCluster {
    let executors = Executors {
        all: cluster.cluster_state(),
        jobs,
        removed: Mutex::default(),
        removing: tokio::sync::Mutex::default(),
    };
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
        self.heed(&metadata.id)?;
        self.all.register_executor(metadata, spec).await
    }

    async fn save_executor_metadata(&self, metadata: ExecutorMetadata) -> Result<()> {
        self.heed(&metadata.id)?;
        self.all.save_executor_metadata(metadata).await
    }

    async fn get_executor_metadata(&self, executor_id: &str) -> Result<ExecutorMetadata> {
        self.all.get_executor_metadata(executor_id).await
    }

    async fn registered_executor_metadata(&self) -> Vec<ExecutorMetadata> {
        self.all.registered_executor_metadata().await
    }

    async fn save_executor_heartbeat(&self, heartbeat: ExecutorHeartbeat) -> Result<()> {
        self.heed(&heartbeat.executor_id)?;
        self.all.save_executor_heartbeat(heartbeat).await
    }

    /// The scheduler hears of the loss only after this.
    async fn remove_executor(&self, executor_id: &str) -> Result<()> {
        self.note_removal(executor_id);
        let _one = self.removing.lock().await;
        // One that was removed before has not been heard of since.
        if let Some(heartbeat) = self.get_executor_heartbeat(executor_id) {
            let last_heard = Duration::from_secs(heartbeat.timestamp);
            self.jobs.surely_cancel(last_heard + HEARD_LATER).await;
        }
        self.note_removal(executor_id);
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

#[cfg(test)]
mod tests {
    use ballista_core::serde::scheduler::{
        ExecutorOperatingSystemSpecification, ExecutorSpecification,
    };
    use datafusion::{execution::SessionStateBuilder, prelude::SessionConfig};

    use super::*;

    #[tokio::test]
    async fn an_executor_that_was_removed_is_not_heard_for_some_time() {
        let cluster = BallistaCluster::new_memory(
            "scheduler",
            Arc::new(|config| Ok(SessionStateBuilder::new().with_config(config).build())),
            Arc::new(SessionConfig::new),
        );
        let scheduler = SocketAddr::from(([127, 0, 0, 1], 1));
        let jobs = Jobs { state: cluster.job_state(), scheduler };
        let executors = cancelling(&cluster, jobs).cluster_state();
        let metadata = |id: &str| ExecutorMetadata {
            id: id.to_owned(),
            host: "localhost".to_owned(),
            port: 1,
            grpc_port: 1,
            specification: ExecutorSpecification::default(),
            os_info: ExecutorOperatingSystemSpecification::default(),
        };
        for id in ["a", "b"] {
            executors.save_executor_metadata(metadata(id)).await.unwrap();
        }
        executors.remove_executor("a").await.unwrap();
        let refused = executors.save_executor_metadata(metadata("a")).await.unwrap_err();
        assert!(refused.to_string().contains("executor a was just removed"), "{refused}");
        assert_eq!(executors.get_executor_heartbeat("a"), None);
        executors.save_executor_metadata(metadata("b")).await.unwrap();
        tokio::time::sleep(PAUSE).await;
        executors.save_executor_metadata(metadata("a")).await.unwrap();
    }
}
