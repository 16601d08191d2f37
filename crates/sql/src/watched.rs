//! Operators that stop when their statement has been stopped, and whose panics are errors with the
//! name of a file.

mod joins;

use std::{
    fmt,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use datafusion::{
    common::tree_node::{Transformed, TransformedResult, TreeNode, TreeNodeRecursion},
    config::ConfigOptions,
    datasource::{
        listing::PartitionedFile,
        physical_plan::{FileGroup, FileScanConfig, FileScanConfigBuilder},
        source::DataSourceExec,
    },
    error::{DataFusionError, Result},
    execution::{SendableRecordBatchStream, TaskContext},
    physical_expr::{OrderingRequirements, PhysicalExpr},
    physical_optimizer::PhysicalOptimizerRule,
    physical_plan::{
        DisplayAs, DisplayFormatType, ExecutionPlan, InputDistributionRequirements, PlanProperties,
        joins::{CrossJoinExec, HashJoinExec, NestedLoopJoinExec, SortMergeJoinExec},
        metrics::MetricsSet,
        replace_children_if_necessary,
        stream::RecordBatchStreamAdapter,
        unnest::UnnestExec,
    },
};
use futures_util::{StreamExt, stream};

use self::joins::Later;
use crate::{SqlError, panics, rule_joins::RuleJoinExec};

/// Whether a statement has been stopped. It is an extension of the session's options, which every
/// operator of the statement is given.
#[derive(Debug, Default)]
pub(crate) struct Stop(AtomicBool);

impl Stop {
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Fails once the statement has been stopped.
    pub(crate) fn check(&self) -> Result<()> {
        if self.is_set() {
            return Err(DataFusionError::Execution("the statement was stopped".to_owned()));
        }
        Ok(())
    }
}

/// Puts [`Watched`] around every operator that makes rows out of nothing or many out of few. All
/// others ask these for more, and so they end when these do.
#[derive(Debug)]
pub(crate) struct Watch {
    /// Whether conditions of joins are watched, too. Machines of a cluster could not read them.
    pub(crate) conditions: bool,
}

impl PhysicalOptimizerRule for Watch {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let watch = |plan: Arc<dyn ExecutionPlan>| {
            let multiplies = plan.is::<CrossJoinExec>()
                || plan.is::<HashJoinExec>()
                || plan.is::<NestedLoopJoinExec>()
                || plan.is::<RuleJoinExec>()
                || plan.is::<SortMergeJoinExec>()
                || plan.is::<UnnestExec>();
            if !plan.children().is_empty() && !multiplies {
                return Ok(Transformed::no(plan));
            }
            let later = Arc::new(Later::new());
            let stoppable = if self.conditions { joins::stoppable(&plan, &later)? } else { None };
            let plan = stoppable.unwrap_or(plan);
            Ok(Transformed::yes(Arc::new(Watched { plan, later }) as Arc<dyn ExecutionPlan>))
        };
        plan.transform_up(watch).data()
    }

    fn name(&self) -> &str {
        "watch"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// An operator that looks like the one it watches.
struct Watched {
    plan: Arc<dyn ExecutionPlan>,
    /// Where conditions of the operator find the stop of the statement.
    later: Arc<Later>,
}

impl Watched {
    fn with_plan(&self, plan: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
        Arc::new(Watched { plan, later: self.later.clone() })
    }
}

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.plan.fmt(f)
    }
}

impl DisplayAs for Watched {
    fn fmt_as(&self, kind: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.plan.fmt_as(kind, f)
    }
}

impl ExecutionPlan for Watched {
    fn name(&self) -> &str {
        self.plan.name()
    }

    fn downcast_delegate(&self) -> Option<&dyn ExecutionPlan> {
        Some(&*self.plan)
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.plan.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        self.plan.children()
    }

    fn dynamic_expressions_produced(&self) -> Vec<Arc<dyn PhysicalExpr>> {
        self.plan.dynamic_expressions_produced()
    }

    fn input_distribution_requirements(&self) -> InputDistributionRequirements {
        self.plan.input_distribution_requirements()
    }

    fn required_input_ordering(&self) -> Vec<Option<OrderingRequirements>> {
        self.plan.required_input_ordering()
    }

    fn fetch(&self) -> Option<usize> {
        self.plan.fetch()
    }

    fn maintains_input_order(&self) -> Vec<bool> {
        self.plan.maintains_input_order()
    }

    fn apply_expressions(
        &self,
        visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.plan.apply_expressions(visit)
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self.with_plan(replace_children_if_necessary(self.plan.clone(), children)?))
    }

    fn reset_state(self: Arc<Self>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self.with_plan(self.plan.clone().reset_state()?))
    }

    fn with_new_state(
        &self,
        state: Arc<dyn std::any::Any + Send + Sync>,
    ) -> Option<Arc<dyn ExecutionPlan>> {
        Some(self.with_plan(self.plan.with_new_state(state)?))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        self.plan.metrics()
    }

    fn execute(
        &self,
        partition: usize,
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let stop: Option<Arc<Stop>> = context.session_config().get_extension();
        if let Some(stop) = &stop {
            self.later.get_or_init(|| stop.clone());
        }
        let rows = self.plan.execute(partition, context.clone())?;
        let schema = rows.schema();
        let watching = Watching { rows, stop, plan: self.plan.clone(), context };
        let rows = stream::unfold(Some(watching), |watching| async {
            let mut watching = watching?;
            let next = watching.next().await?;
            let goes_on = next.is_ok().then_some(watching);
            Some((next, goes_on))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(schema, rows)))
    }
}

/// The rows of an operator on their way.
struct Watching {
    rows: SendableRecordBatchStream,
    stop: Option<Arc<Stop>>,
    plan: Arc<dyn ExecutionPlan>,
    context: Arc<TaskContext>,
}

impl Watching {
    async fn next(&mut self) -> Option<Result<arrow::record_batch::RecordBatch>> {
        if let Some(Err(stopped)) = self.stop.as_ref().map(|stop| stop.check()) {
            return Some(Err(stopped));
        }
        let failure = match panics::caught(self.rows.next()).await {
            Ok(Some(Err(error))) => Failure::Error(error),
            Err(panic) => Failure::Panic(panic),
            Ok(rows) => return rows,
        };
        let files = self
            .plan
            .downcast_ref::<DataSourceExec>()
            .and_then(|source| source.data_source().downcast_ref::<FileScanConfig>());
        match files {
            Some(files) => Some(Err(failure.named(files, &self.context).await)),
            None => Some(Err(failure.unnamed())),
        }
    }
}

enum Failure {
    Error(DataFusionError),
    Panic(String),
}

impl Failure {
    fn unnamed(self) -> DataFusionError {
        match self {
            Failure::Error(error) => error,
            Failure::Panic(message) => DataFusionError::Internal(message),
        }
    }

    /// The failure with the name of the file that it comes from. Files are handed to whoever has
    /// time to read them, so which one it was is found by reading one after the other.
    async fn named(self, files: &FileScanConfig, context: &Arc<TaskContext>) -> DataFusionError {
        let message = match &self {
            Failure::Panic(message) => message.clone(),
            // A limit and a disk are not the fault of a file.
            Failure::Error(error) => match SqlError::from_ref(error) {
                SqlError::Statement(message) | SqlError::Engine(message) => message,
                _ => return self.unnamed(),
            },
        };
        let all = files.file_groups.iter().flat_map(FileGroup::files);
        let mut culprit = None;
        for file in all {
            if culprit.is_none() && fails(files, file, context).await {
                culprit = Some(file);
            }
        }
        let Some(file) = culprit else { return self.unnamed() };
        let name = path(files, file);
        DataFusionError::Execution(match self {
            Failure::Panic(_) => panics::damaged(&name, &message),
            Failure::Error(_) if message.contains(file.object_meta.location.as_ref()) => message,
            Failure::Error(_) => format!("{name}: {message}"),
        })
    }
}

/// Whether a file cannot be read, alone.
async fn fails(files: &FileScanConfig, file: &PartitionedFile, context: &Arc<TaskContext>) -> bool {
    let alone = FileScanConfigBuilder::from(files.clone())
        .with_file_groups(vec![FileGroup::new(vec![file.clone()])])
        .with_limit(None)
        .build();
    let stop: Option<Arc<Stop>> = context.session_config().get_extension();
    let read = async {
        let mut rows = DataSourceExec::from_data_source(alone).execute(0, context.clone())?;
        while let Some(batch) = rows.next().await {
            batch?;
            if stop.as_ref().is_some_and(|stop| stop.is_set()) {
                break;
            }
        }
        Ok::<_, DataFusionError>(())
    };
    !matches!(panics::caught(read).await, Ok(Ok(())))
}

/// The name of a file as a person would write it.
fn path(files: &FileScanConfig, file: &PartitionedFile) -> String {
    let store = files.object_store_url.as_str();
    let location = file.object_meta.location.as_ref();
    if !store.starts_with("file:") {
        return format!("{store}{location}");
    }
    let path = format!("/{location}");
    let here = std::env::current_dir().unwrap_or_default();
    match Path::new(&path).strip_prefix(here) {
        Ok(below) => below.display().to_string(),
        Err(_) => path,
    }
}
