//! Joins that hand over rows of a side which all tasks have.
//!
//! A join that collects its left side knows at the end which of those rows have met one on the right.
//! In one process the parts of the right side tell each other; the tasks of Ballista 55 do not, and
//! each would hand over the same rows. So there is one task for such a join.

use std::sync::Arc;

use datafusion::{
    common::{
        JoinType,
        config::ConfigOptions,
        tree_node::{Transformed, TransformedResult, TreeNode},
    },
    error::Result,
    physical_optimizer::PhysicalOptimizerRule,
    physical_plan::{
        ExecutionPlan, ExecutionPlanProperties,
        coalesce_partitions::CoalescePartitionsExec,
        execution_plan::{ChildrenPropertiesMode::Recompute, ReplaceChildrenOptions},
        joins::{HashJoinExec, NestedLoopJoinExec, PartitionMode},
        limit::GlobalLimitExec,
    },
};

/// Lets one task read the whole right side of such joins.
#[derive(Debug)]
pub(super) struct OneSided;

impl PhysicalOptimizerRule for OneSided {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let settled = plan.transform_up(|plan| {
            let children = plan.children();
            let [left, right] = children[..] else { return Ok(Transformed::no(plan)) };
            if !keeps_left(&plan) || right.output_partitioning().partition_count() == 1 {
                return Ok(Transformed::no(plan));
            }
            let right = Arc::new(CoalescePartitionsExec::new(right.clone()));
            // A limit without a number needs its input whole. By itself the operator below it
            // would be removed when the scheduler arranges the plan anew.
            let right = Arc::new(GlobalLimitExec::new(right, 0, None));
            let children: Vec<Arc<dyn ExecutionPlan>> = vec![left.clone(), right];
            let options = ReplaceChildrenOptions::new(Recompute);
            plan.replace_children(children, options).map(Transformed::yes)
        });
        settled.data()
    }

    fn name(&self) -> &str {
        "one_sided"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

fn keeps_left(plan: &Arc<dyn ExecutionPlan>) -> bool {
    let kind = if let Some(join) = plan.downcast_ref::<NestedLoopJoinExec>() {
        *join.join_type()
    } else if let Some(join) = plan.downcast_ref::<HashJoinExec>() {
        if *join.partition_mode() != PartitionMode::CollectLeft {
            return false;
        }
        *join.join_type()
    } else {
        return false;
    };
    use JoinType as J;
    matches!(kind, J::Left | J::Full | J::LeftSemi | J::LeftAnti | J::LeftMark)
}
