//! Joins that stop within a batch. A join compares a batch of one input with all rows of the other
//! before it returns anything, and most pairs may be dropped: with a million rows that takes many
//! seconds. The only thing it asks meanwhile is its condition, so the condition says when to stop.

use std::{
    fmt,
    hash::{Hash, Hasher},
    sync::{Arc, OnceLock},
};

use arrow::{
    datatypes::{FieldRef, Schema},
    record_batch::RecordBatch,
};
use datafusion::{
    common::JoinType,
    error::Result,
    logical_expr::ColumnarValue,
    physical_expr::{PhysicalExpr, expressions},
    physical_plan::{
        ExecutionPlan,
        joins::{
            HashJoinExec, NestedLoopJoinExec, NestedLoopJoinExecBuilder, SortMergeJoinExec,
            utils::JoinFilter,
        },
    },
};

use super::Stop;

/// The stop of a statement. A plan is made before it is known.
pub(super) type Later = OnceLock<Arc<Stop>>;

/// The same join with a condition that fails once `later` is set and says stop; `None` if the plan
/// is not such a join.
pub(super) fn stoppable(
    plan: &Arc<dyn ExecutionPlan>,
    later: &Arc<Later>,
) -> Result<Option<Arc<dyn ExecutionPlan>>> {
    if let Some(join) = plan.downcast_ref::<NestedLoopJoinExec>() {
        let Some(filter) = filter(join.filter(), *join.join_type(), later) else {
            return Ok(None);
        };
        let join = NestedLoopJoinExecBuilder::from(join).with_filter(Some(filter)).build()?;
        return Ok(Some(Arc::new(join)));
    }
    if let Some(join) = plan.downcast_ref::<HashJoinExec>() {
        let Some(filter) = filter(join.filter(), *join.join_type(), later) else {
            return Ok(None);
        };
        let join = join.builder().with_filter(Some(filter)).build()?;
        return Ok(Some(Arc::new(join)));
    }
    // Without a condition it asks each row once whether there is a pair.
    if let Some(join) = plan.downcast_ref::<SortMergeJoinExec>()
        && join.filter.is_some()
    {
        let join = SortMergeJoinExec::try_new(
            join.left.clone(),
            join.right.clone(),
            join.on.clone(),
            filter(join.filter.as_ref(), join.join_type, later),
            join.join_type,
            join.sort_options.clone(),
            join.null_equality,
        )?;
        return Ok(Some(Arc::new(join)));
    }
    Ok(None)
}

/// The condition of a join, watched. A join without one returns a row for every pair, and so it
/// returns often, unless it only asks whether there is a pair: then the condition is `true`.
fn filter(
    filter: Option<&JoinFilter>,
    join_type: JoinType,
    later: &Arc<Later>,
) -> Option<JoinFilter> {
    let watched = |condition: &Arc<dyn PhysicalExpr>| {
        Arc::new(Condition { condition: condition.clone(), stop: later.clone() })
    };
    match filter {
        Some(filter) => Some(JoinFilter::new(
            watched(filter.expression()),
            filter.column_indices().to_vec(),
            filter.schema().clone(),
        )),
        None if only_asks(join_type) => {
            let schema = Arc::new(Schema::empty());
            Some(JoinFilter::new(watched(&expressions::lit(true)), Vec::new(), schema))
        }
        None => None,
    }
}

/// Whether a join returns rows of one input only, each at most once.
fn only_asks(join_type: JoinType) -> bool {
    match join_type {
        JoinType::LeftSemi
        | JoinType::RightSemi
        | JoinType::LeftAnti
        | JoinType::RightAnti
        | JoinType::LeftMark
        | JoinType::RightMark => true,
        JoinType::Inner | JoinType::Left | JoinType::Right | JoinType::Full => false,
    }
}

/// A condition that looks like the one it watches.
#[derive(Debug)]
struct Condition {
    condition: Arc<dyn PhysicalExpr>,
    stop: Arc<Later>,
}

impl PartialEq for Condition {
    fn eq(&self, other: &Condition) -> bool {
        self.condition.eq(&other.condition)
    }
}

impl Eq for Condition {}

impl Hash for Condition {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.condition.hash(state);
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.condition.fmt(f)
    }
}

impl PhysicalExpr for Condition {
    fn return_field(&self, input: &Schema) -> Result<FieldRef> {
        self.condition.return_field(input)
    }

    fn evaluate(&self, batch: &RecordBatch) -> Result<ColumnarValue> {
        if let Some(stop) = self.stop.get() {
            stop.check()?;
        }
        self.condition.evaluate(batch)
    }

    fn children(&self) -> Vec<&Arc<dyn PhysicalExpr>> {
        vec![&self.condition]
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn PhysicalExpr>>,
    ) -> Result<Arc<dyn PhysicalExpr>> {
        Ok(Arc::new(Condition { condition: children.remove(0), stop: self.stop.clone() }))
    }

    fn fmt_sql(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.condition.fmt_sql(f)
    }
}
