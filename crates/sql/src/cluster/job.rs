//! A plan on its way through a cluster: handed in, waited for, handed in again if what was
//! computed is lost, and called off if nobody waits any more.

use std::{
    fmt, io,
    net::{SocketAddr, ToSocketAddrs},
    sync::Arc,
    time::Duration,
};

use arrow::{datatypes::SchemaRef, record_batch::RecordBatch};
use ballista_core::{
    config::BallistaConfig,
    execution_plans::DistributedQueryExec,
    serde::protobuf::{
        CancelJobParams, GetJobStatusParams, scheduler_grpc_client::SchedulerGrpcClient,
    },
};
use datafusion::{
    common::tree_node::TreeNodeRecursion,
    error::{DataFusionError, Result},
    execution::{SendableRecordBatchStream, TaskContext},
    logical_expr::LogicalPlan,
    physical_expr::PhysicalExpr,
    physical_plan::{
        DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties,
        stream::RecordBatchStreamAdapter,
    },
};
use datafusion_proto::protobuf::LogicalPlanNode;
use futures_util::{StreamExt, stream};

use super::{
    Address,
    client::http,
    codec,
    trouble::{Trouble, gone, trouble},
};

/// How often a plan is handed in before its loss is told.
const ATTEMPTS: u32 = 3;
/// How long a client waits before it submits a job again. An executor that was told to stop asks for
/// tasks until it has ended.
pub(super) const PAUSE: Duration = Duration::from_secs(3);
/// How long a scheduler may take to be reached.
const PATIENCE: Duration = Duration::from_secs(10);

type Query = DistributedQueryExec<LogicalPlanNode>;

/// A plan, and where it is to be computed.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) at: Address,
    pub(super) config: BallistaConfig,
    pub(super) plan: LogicalPlan,
    pub(super) codec: Arc<codec::Logical>,
    pub(super) session: String,
}

impl Job {
    /// As Ballista hands it in.
    fn query(&self) -> Query {
        Query::with_extension(
            http(&self.at),
            self.config.clone(),
            self.plan.clone(),
            self.codec.clone(),
            self.session.clone(),
        )
    }
}

/// A plan that a cluster computes, as a source of rows.
#[derive(Debug)]
pub(super) struct JobExec {
    job: Job,
    query: Query,
}

impl JobExec {
    pub(super) fn new(job: Job) -> JobExec {
        JobExec { query: job.query(), job }
    }
}

impl DisplayAs for JobExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "JobExec: {}", self.job.at)
    }
}

impl ExecutionPlan for JobExec {
    fn name(&self) -> &str {
        "JobExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.query.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(&self, _: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let schema: SchemaRef = self.query.schema();
        let waiting = Waiting {
            job: self.job.clone(),
            context,
            attempt: None,
            attempts_left: ATTEMPTS,
            has_rows: false,
        };
        let rows = stream::unfold(waiting, |mut waiting| async {
            let next = waiting.next().await?;
            Some((next, waiting))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
    }
}

/// A client that waits for the rows of a job.
struct Waiting {
    job: Job,
    context: Arc<TaskContext>,
    attempt: Option<Attempt>,
    attempts_left: u32,
    /// Whether rows have been handed on; then the job cannot begin again.
    has_rows: bool,
}

impl Waiting {
    async fn next(&mut self) -> Option<Result<RecordBatch>> {
        loop {
            if self.attempt.is_none() {
                self.attempts_left = self.attempts_left.checked_sub(1)?;
                match self.begin().await {
                    Ok(attempt) => self.attempt = Some(attempt),
                    Err(error) => return self.end(Some(error)),
                }
            }
            let attempt = self.attempt.as_mut().expect("one has begun");
            let error = match attempt.rows.next().await {
                Some(Ok(batch)) => {
                    self.has_rows = true;
                    return Some(Ok(batch));
                }
                Some(Err(error)) => error,
                None => return self.end(None),
            };
            let trouble = match ask(&self.job.at).await {
                Ok(()) => Trouble::of(&error, &self.job.at),
                Err(error) => Trouble::gone(&self.job.at, &error),
            };
            attempt.is_over = trouble.is_over;
            self.attempt = None;
            if !trouble.may_pass || self.has_rows || self.attempts_left == 0 {
                return self.end(Some(trouble.error));
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Nothing comes after this.
    fn end(&mut self, error: Option<DataFusionError>) -> Option<Result<RecordBatch>> {
        if let Some(attempt) = &mut self.attempt {
            attempt.is_over = true;
        }
        self.attempt = None;
        self.attempts_left = 0;
        error.map(Err)
    }

    async fn begin(&mut self) -> Result<Attempt> {
        let (at, is_first) = (&self.job.at, self.attempts_left == ATTEMPTS - 1);
        reach(at).await.map_err(|error| match is_first {
            true => trouble(error.kind(), format!("no scheduler answers at {at}: {error}")),
            // One that is about to die may still have answered when the trouble was looked into.
            false => gone(at, &error),
        })?;
        let query = self.job.query();
        let rows = query.execute(0, self.context.clone())?;
        Ok(Attempt { at: self.job.at.clone(), query, rows, is_over: false })
    }
}

/// A job that has been handed in. Whoever drops it before it is over calls it off.
struct Attempt {
    at: Address,
    query: Query,
    rows: SendableRecordBatchStream,
    is_over: bool,
}

impl Drop for Attempt {
    fn drop(&mut self) {
        let Some(job) = self.query.job_id().filter(|_| !self.is_over) else { return };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        let scheduler = http(&self.at);
        runtime.spawn(async move {
            // If it cannot be called off it ends by itself.
            if let Ok(mut client) = SchedulerGrpcClient::connect(scheduler).await {
                let _ = client.cancel_job(CancelJobParams { job_id: job.into() }).await;
            }
        });
    }
}

/// Asks a scheduler about no job, to know whether it answers: whoever takes connections may be no
/// scheduler, or hand on nothing.
async fn ask(at: &Address) -> io::Result<()> {
    reach(at).await?;
    let asking = async {
        let connected = SchedulerGrpcClient::connect(http(at)).await;
        let about = GetJobStatusParams { job_id: String::new() };
        let answer = connected.map_err(io::Error::other)?.get_job_status(about).await;
        answer.map(|_| ()).map_err(|status| io::Error::other(status.message().to_owned()))
    };
    match tokio::time::timeout(PATIENCE, asking).await {
        Ok(answered) => answered,
        Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "no answer")),
    }
}

/// Connects to a scheduler, and leaves it at that.
async fn reach(at: &Address) -> io::Result<()> {
    let place = (at.host.trim_matches(['[', ']']).to_owned(), at.port);
    let found = tokio::task::spawn_blocking(move || place.to_socket_addrs());
    let found: Vec<SocketAddr> = found.await.map_err(io::Error::other)??.collect();
    let tried = tokio::net::TcpStream::connect(&found[..]);
    match tokio::time::timeout(PATIENCE, tried).await {
        Ok(reached) => reached.map(|_| ()),
        Err(_) => Err(io::Error::new(io::ErrorKind::TimedOut, "no answer")),
    }
}
