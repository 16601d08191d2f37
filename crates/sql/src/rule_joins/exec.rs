//! The operator.

use std::{fmt, sync::Arc};

use arrow::{array::RecordBatch, datatypes::SchemaRef};
use datafusion::{
    common::tree_node::TreeNodeRecursion,
    error::Result,
    execution::{SendableRecordBatchStream, TaskContext},
    physical_expr::{EquivalenceProperties, PhysicalExpr},
    physical_plan::{
        DisplayAs, DisplayFormatType, ExecutionPlan, ExecutionPlanProperties, Partitioning,
        PlanProperties,
        execution_plan::EmissionType,
        metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricBuilder, MetricsSet},
        stream::RecordBatchStreamAdapter,
    },
};
use futures_util::{StreamExt, stream};

use super::{
    machine::{Counts, Machine},
    stages::{Draft, Join, Recipe, Then},
};

/// A join of a stream of rows with a rule table, and what follows it.
#[derive(Debug)]
pub(crate) struct RuleJoinExec {
    recipe: Arc<Recipe>,
    /// The operators that it stands for, over no rows: what is sent to another machine.
    origin: Arc<dyn ExecutionPlan>,
    input: Arc<dyn ExecutionPlan>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl RuleJoinExec {
    /// One that stands for a plan; nothing if the recipe has something in it that is not known here.
    pub(super) fn new(
        recipe: Recipe,
        input: Arc<dyn ExecutionPlan>,
        origin: Arc<dyn ExecutionPlan>,
    ) -> Option<RuleJoinExec> {
        // Of input without NULL nothing is asked that is not asked of input with it.
        Draft::new(&recipe, &vec![true; recipe.input.fields().len()])?;
        Some(RuleJoinExec::of(Arc::new(recipe), input, origin))
    }

    fn of(
        recipe: Arc<Recipe>,
        input: Arc<dyn ExecutionPlan>,
        origin: Arc<dyn ExecutionPlan>,
    ) -> RuleJoinExec {
        let properties = PlanProperties::new(
            EquivalenceProperties::new(origin.schema()),
            Partitioning::UnknownPartitioning(input.output_partitioning().partition_count()),
            EmissionType::Incremental,
            input.boundedness(),
        );
        let metrics = ExecutionPlanMetricsSet::new();
        RuleJoinExec { recipe, origin, input, properties: Arc::new(properties), metrics }
    }

    /// The operators that it stands for, over no rows.
    pub(crate) fn origin(&self) -> &Arc<dyn ExecutionPlan> {
        &self.origin
    }

    pub(super) fn recipe(&self) -> &Recipe {
        &self.recipe
    }

    pub(super) fn input(&self) -> &Arc<dyn ExecutionPlan> {
        &self.input
    }
}

impl DisplayAs for RuleJoinExec {
    fn fmt_as(&self, _: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RuleJoinExec: ")?;
        tell(&self.recipe.join, f)?;
        for then in &self.recipe.then {
            match then {
                Then::Guard(join) => {
                    write!(f, ", then ")?;
                    tell(join, f)?;
                }
                Then::Project(exprs) => {
                    let exprs: Vec<String> = exprs.iter().map(ToString::to_string).collect();
                    write!(f, ", projection=[{}]", exprs.join(", "))?;
                }
            }
        }
        Ok(())
    }
}

fn tell(join: &Join, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let on: Vec<String> = join.on.iter().map(|(rule, row)| format!("({rule}, {row})")).collect();
    write!(f, "{} {}, on=[{}]", join.how, join.name, on.join(", "))?;
    if let Some(filter) = &join.filter {
        write!(f, ", filter={}", filter.expression())?;
    }
    Ok(())
}

impl ExecutionPlan for RuleJoinExec {
    fn name(&self) -> &str {
        "RuleJoinExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        vec![&self.input]
    }

    // Rows come in the order of the input, and the rules of one row in their own. But whoever says so
    // is handed sorts of its output to pass on to its input, column by column, and columns of the
    // input have other places in the output.

    /// Rows are shared among threads before the first join, if at all: what comes of it comes in
    /// batches of very different numbers.
    fn benefits_from_input_partitioning(&self) -> Vec<bool> {
        vec![!self.input.is::<RuleJoinExec>()]
    }

    fn apply_expressions(
        &self,
        visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        for (_, row) in &self.recipe.join.on {
            if visit(row)? == TreeNodeRecursion::Stop {
                return Ok(TreeNodeRecursion::Stop);
            }
        }
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let (recipe, origin) = (self.recipe.clone(), self.origin.clone());
        Ok(Arc::new(RuleJoinExec::of(recipe, children.remove(0), origin)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let limit = context.session_config().batch_size();
        let count = |name| MetricBuilder::new(&self.metrics).counter(name, partition);
        let counts = Counts {
            looked_up: count("looked_up_rows"),
            pairs: count("pairs"),
            guard_looked_up: count("then_looked_up_rows"),
            guard_pairs: count("then_pairs"),
        };
        let schema: SchemaRef = self.schema();
        let stop = context.session_config().get_extension();
        let running = Running {
            machine: Machine::new(self.recipe.clone(), schema.clone(), limit, counts, stop),
            input: Some(self.input.execute(partition, context)?),
            metrics: BaselineMetrics::new(&self.metrics, partition),
        };
        let rows = stream::try_unfold(running, |mut running| async move {
            let next = running.next().await?;
            Ok(next.map(|batch| (batch, running)))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
    }
}

/// The rows of the operator on their way.
struct Running {
    machine: Machine,
    /// Nothing once it has ended.
    input: Option<SendableRecordBatchStream>,
    metrics: BaselineMetrics,
}

impl Running {
    async fn next(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            let timer = self.metrics.elapsed_compute().timer();
            let made = match self.input {
                Some(_) => self.machine.work()?,
                None => self.machine.rest()?,
            };
            drop(timer);
            if let Some(batch) = made {
                self.metrics.record_output(batch.num_rows());
                return Ok(Some(batch));
            }
            let Some(input) = &mut self.input else { return Ok(None) };
            match input.next().await {
                Some(batch) => self.machine.begin(batch?)?,
                None => self.input = None,
            }
        }
    }
}
