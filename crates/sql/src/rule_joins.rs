//! Joins with rule tables, computed by an operator of their own.
//!
//! A hash join copies eight columns of every pair of a row and a rule, and runs a kernel for every
//! part of the condition, to drop four pairs of five. Rules are few, known before, and their
//! conditions are sets of squares that must or must not meet. So the operator looks a row up in the
//! rules in the order of their key, tests each pair with a few instructions, and computes columns
//! only of pairs that are left. What it does not know stays a hash join, and so it knows nothing
//! of chess: any rule file is computed by the same loops.

mod exec;
mod index;
mod lower;
mod machine;
mod nodes;
mod stages;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use datafusion::{
    common::tree_node::{Transformed, TransformedResult, TreeNode},
    config::ConfigOptions,
    error::Result,
    physical_optimizer::PhysicalOptimizerRule,
    physical_plan::{ExecutionPlan, joins::HashJoinExec, projection::ProjectionExec},
};

pub(crate) use self::exec::RuleJoinExec;
use self::stages::{How, Join, Recipe, Then};

/// Puts [`RuleJoinExec`] in the place of hash joins whose build side is a rule table, and of what
/// follows them: projections, and another such join that only drops rows. It comes before the rules
/// of DataFusion, which then have a third of the operators to look at.
#[derive(Debug)]
pub(crate) struct RuleJoins;

impl PhysicalOptimizerRule for RuleJoins {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let replace = |plan: Arc<dyn ExecutionPlan>| {
            let replaced = match plan.downcast_ref::<HashJoinExec>() {
                Some(join) => of_join(join)?,
                None => plan.downcast_ref::<ProjectionExec>().and_then(of_projection),
            };
            Ok(match replaced {
                Some(join) => Transformed::yes(Arc::new(join) as Arc<dyn ExecutionPlan>),
                None => Transformed::no(plan),
            })
        };
        plan.transform_up(replace).data()
    }

    fn name(&self) -> &str {
        "rule_joins"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

fn of_join(plan: &HashJoinExec) -> Result<Option<RuleJoinExec>> {
    let Some(join) = Join::of(plan)? else { return Ok(None) };
    let input = plan.right();
    // A join that drops rows is computed before the columns of the join below it.
    if let (How::Semi | How::Anti, Some(below)) = (join.how, input.downcast_ref::<RuleJoinExec>())
        && below.recipe().join.how == How::Inner
        && !below.recipe().has_guard()
        && let Some(fused) = with(below, Then::Guard(join.clone()), plan.schema())
    {
        return Ok(Some(fused));
    }
    let recipe = Recipe { input: input.schema(), join, then: Vec::new() };
    Ok(RuleJoinExec::new(recipe, input.clone(), plan.schema()))
}

fn of_projection(plan: &ProjectionExec) -> Option<RuleJoinExec> {
    let below = plan.input().downcast_ref::<RuleJoinExec>()?;
    let exprs = plan.expr().iter().map(|column| column.expr.clone()).collect();
    with(below, Then::Project(exprs), plan.schema())
}

fn with(below: &RuleJoinExec, then: Then, schema: SchemaRef) -> Option<RuleJoinExec> {
    let mut recipe = below.recipe().clone();
    recipe.then.push(then);
    RuleJoinExec::new(recipe, below.input().clone(), schema)
}
