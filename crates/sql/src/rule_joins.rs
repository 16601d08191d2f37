//! Joins with rule tables, computed by an operator of their own.
//!
//! A hash join copies eight columns of every pair of a row and a rule, and runs a kernel for every
//! part of the condition, to drop four pairs of five. Rules are few, known before, and their
//! conditions are sets of squares that must or must not meet. So the operator finds a row's rules
//! by key, tests each pair with a few instructions, and computes columns only for matching pairs.
//! Joins with unsupported conditions stay hash joins. The operator contains no chess rules: it
//! computes any rule file with the same loops.

mod exec;
mod index;
mod lower;
mod machine;
mod nodes;
mod stages;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use datafusion::{
    common::tree_node::{Transformed, TransformedResult, TreeNode},
    config::ConfigOptions,
    error::Result,
    physical_optimizer::PhysicalOptimizerRule,
    physical_plan::{
        ExecutionPlan,
        empty::EmptyExec,
        execution_plan::{ChildrenPropertiesMode::Recompute, ReplaceChildrenOptions},
        joins::HashJoinExec,
        projection::ProjectionExec,
    },
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
                Some(join) => of_join(&plan, join)?,
                None => of_projection(&plan)?,
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

fn of_join(plan: &Arc<dyn ExecutionPlan>, join: &HashJoinExec) -> Result<Option<RuleJoinExec>> {
    let (rules, input) = (join.left(), join.right());
    let Some(join) = Join::of(join)? else { return Ok(None) };
    // A join that drops rows is computed before the columns of the join below it.
    if let (How::Semi | How::Anti, Some(below)) = (join.how, input.downcast_ref::<RuleJoinExec>())
        && below.recipe().join.how == How::Inner
        && !below.recipe().has_guard()
    {
        let origin = over(plan, vec![rules.clone(), below.origin().clone()])?;
        if let Some(fused) = with(below, Then::Guard(join.clone()), origin) {
            return Ok(Some(fused));
        }
    }
    let recipe = Recipe { input: input.schema(), join, then: Vec::new() };
    let origin = over(plan, vec![rules.clone(), Arc::new(EmptyExec::new(input.schema()))])?;
    Ok(RuleJoinExec::new(recipe, input.clone(), origin))
}

fn of_projection(plan: &Arc<dyn ExecutionPlan>) -> Result<Option<RuleJoinExec>> {
    let Some(projection) = plan.downcast_ref::<ProjectionExec>() else { return Ok(None) };
    let Some(below) = projection.input().downcast_ref::<RuleJoinExec>() else { return Ok(None) };
    let exprs = projection.expr().iter().map(|column| column.expr.clone()).collect();
    Ok(with(below, Then::Project(exprs), over(plan, vec![below.origin().clone()])?))
}

/// An operator of a plan, over other children.
fn over(
    plan: &Arc<dyn ExecutionPlan>,
    children: Vec<Arc<dyn ExecutionPlan>>,
) -> Result<Arc<dyn ExecutionPlan>> {
    plan.clone().replace_children(children, ReplaceChildrenOptions::new(Recompute))
}

fn with(below: &RuleJoinExec, then: Then, origin: Arc<dyn ExecutionPlan>) -> Option<RuleJoinExec> {
    let mut recipe = below.recipe().clone();
    recipe.then.push(then);
    RuleJoinExec::new(recipe, below.input().clone(), origin)
}
