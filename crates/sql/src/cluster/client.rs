//! Sessions whose plans are computed by a cluster.

use std::sync::Arc;

use async_trait::async_trait;
use ballista_core::{
    execution_plans::DistributedQueryExec,
    extension::{SessionConfigExt, SessionStateExt},
    planner::BallistaQueryPlanner,
};
use datafusion::{
    catalog::Session,
    common::tree_node::Transformed,
    config::ConfigOptions,
    error::Result,
    execution::{SessionState, SessionStateBuilder, context::QueryPlanner},
    logical_expr::{LogicalPlan, LogicalPlanBuilder, lit},
    physical_plan::ExecutionPlan,
    prelude::SessionContext,
};
use datafusion_proto::protobuf::LogicalPlanNode;

use super::{
    Address, codec,
    job::{Job, JobExec},
};
use crate::SqlError;

/// Into how many parts a plan is cut at least. What comes of a position is not the same for every
/// position, so there are several parts for each executor.
const PARTS: usize = 16;

/// Makes of a session in this process one whose plans are computed by a cluster.
pub(super) fn session(state: SessionState, at: &Address) -> Result<SessionContext, SqlError> {
    let codec = Arc::new(codec::Logical::default());
    let mut config = state.config().clone().upgrade_for_ballista();
    let parts = config.target_partitions().max(PARTS);
    config = config.with_target_partitions(parts);
    configure(config.options_mut())?;
    let planner = Planner {
        at: at.clone(),
        others: BallistaQueryPlanner::with_extension(
            http(at),
            config.ballista_config(),
            codec.clone(),
        ),
        codec,
    };
    let config = config.with_ballista_query_planner(Arc::new(planner));
    let state = SessionStateBuilder::new_from_existing(state).with_config(config).build();
    Ok(SessionContext::new_with_state(state.upgrade_for_ballista(http(at))?))
}

/// These options travel with every plan, and hold on every machine.
fn configure(options: &mut ConfigOptions) -> Result<(), SqlError> {
    // Ballista turns hash joins off, because their tables cannot be spilled. Those of rules are
    // small.
    options.optimizer.prefer_hash_join = true;
    let ballista = [
        // The planner whose plans the tests of clusters found to be exact.
        ("ballista.planner.adaptive.enabled", "false"),
        // A scheduler has ten seconds to answer, be it only that it is still there.
        ("ballista.client.grpc_connect_timeout_seconds", "10"),
        ("ballista.client.grpc_http2_keepalive_interval_seconds", "10"),
        ("ballista.client.io_retry_wait_time_ms", "500"),
    ];
    for (key, value) in ballista {
        options.set(key, value)?;
    }
    Ok(())
}

/// A scheduler as Ballista names it.
pub(super) fn http(at: &Address) -> String {
    format!("http://{}:{}", at.host, at.port)
}

/// Has plans computed by the cluster, but for those that ask about the session.
#[derive(Debug)]
struct Planner {
    at: Address,
    codec: Arc<codec::Logical>,
    others: BallistaQueryPlanner<LogicalPlanNode>,
}

#[async_trait]
impl QueryPlanner for Planner {
    async fn create_physical_plan(
        &self,
        plan: &LogicalPlan,
        session: &dyn Session,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let plan = with_rows_in_memory(plan)?;
        let physical = self.others.create_physical_plan(&plan, session).await?;
        if !physical.is::<DistributedQueryExec<LogicalPlanNode>>() {
            return Ok(physical);
        }
        Ok(Arc::new(JobExec::new(Job {
            at: self.at.clone(),
            config: session.config().ballista_config(),
            plan,
            codec: self.codec.clone(),
            session: session.session_id().to_owned(),
        })))
    }
}

/// Makes tables in memory of the rows that no table gives, those of `select 1`. Ballista 55 waits
/// forever for a union of such a row with a table of many partitions.
fn with_rows_in_memory(plan: &LogicalPlan) -> Result<LogicalPlan> {
    let replaced = plan.clone().transform_up_with_subqueries(|plan| match &plan {
        LogicalPlan::EmptyRelation(rows) if rows.produce_one_row => {
            let row = vec![lit(0_u8)];
            Ok(Transformed::yes(LogicalPlanBuilder::values(vec![row])?.build()?))
        }
        _ => Ok(Transformed::no(plan)),
    });
    Ok(replaced?.data)
}
