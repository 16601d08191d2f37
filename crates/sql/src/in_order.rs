//! Parts of a plan one after the other, where one thread works: then an answer is the same every
//! time. DataFusion takes rows from whichever part has some.

use std::{fmt, sync::Arc};

use datafusion::{
    common::{
        config::ConfigOptions,
        tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion},
    },
    error::Result,
    execution::{SendableRecordBatchStream, TaskContext},
    physical_expr::{EquivalenceProperties, PhysicalExpr},
    physical_optimizer::PhysicalOptimizerRule,
    physical_plan::{
        DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, Partitioning,
        PlanProperties,
        coalesce_partitions::CoalescePartitionsExec,
        limit::LimitStream,
        metrics::{BaselineMetrics, ExecutionPlanMetricsSet},
        stream::RecordBatchStreamAdapter,
    },
};
use futures_util::{StreamExt, TryStreamExt, stream};

/// Puts parts one after the other if there is one thread.
#[derive(Debug)]
pub(crate) struct OneThread;

impl PhysicalOptimizerRule for OneThread {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if config.execution.target_partitions > 1 {
            return Ok(plan);
        }
        let plan = plan.transform_up(|node| {
            Ok(match node.downcast_ref::<CoalescePartitionsExec>() {
                Some(merged) => {
                    Transformed::yes(InOrder::of(merged.input().clone(), merged.fetch()))
                }
                None => Transformed::no(node),
            })
        });
        let plan = plan.data()?;
        let is_whole = plan.output_partitioning().partition_count() == 1;
        Ok(if is_whole { plan } else { InOrder::of(plan, None) })
    }

    fn name(&self) -> &str {
        "one_thread"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// The parts of a plan, one after the other.
#[derive(Debug)]
struct InOrder {
    input: Arc<dyn ExecutionPlan>,
    /// How many rows are wanted, if not all.
    fetch: Option<usize>,
    properties: Arc<PlanProperties>,
}

impl InOrder {
    fn of(input: Arc<dyn ExecutionPlan>, fetch: Option<usize>) -> Arc<dyn ExecutionPlan> {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(input.schema()),
            Partitioning::UnknownPartitioning(1),
            input.pipeline_behavior(),
            input.boundedness(),
        );
        Arc::new(InOrder { input, fetch, properties: Arc::new(properties) })
    }
}

impl DisplayAs for InOrder {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.fetch {
            Some(rows) => write!(f, "InOrder: fetch={rows}"),
            None => write!(f, "InOrder"),
        }
    }
}

impl ExecutionPlan for InOrder {
    fn name(&self) -> &str {
        "InOrder"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    fn apply_expressions(
        &self,
        _visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(InOrder::of(children.remove(0), self.fetch))
    }

    fn execute(&self, _: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let input = self.input.clone();
        let parts = stream::iter(0..input.output_partitioning().partition_count());
        let rows = parts.map(move |part| input.execute(part, context.clone())).try_flatten();
        let rows: SendableRecordBatchStream =
            Box::pin(RecordBatchStreamAdapter::new(self.schema(), rows));
        Ok(match self.fetch {
            Some(fetch) => {
                let metrics = BaselineMetrics::new(&ExecutionPlanMetricsSet::new(), 0);
                Box::pin(LimitStream::new(rows, 0, Some(fetch), metrics))
            }
            None => rows,
        })
    }
}
