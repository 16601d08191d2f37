//! EXCEPT ALL and INTERSECT ALL, which tell equal rows apart by their number.
//!
//! Of rows that are on the left `m` times and on the right `n` times, `m - n` are left of the first
//! and the smaller number of the second. DataFusion 55.2 leaves none or all.

use std::sync::Arc;

use datafusion::{
    common::{Column, JoinType, NullEquality},
    error::Result,
    functions_window::expr_fn::row_number,
    logical_expr::{Expr, ExprFunctionExt, Join, LogicalPlan, LogicalPlanBuilder},
};

/// The number of a row among those that are equal to it.
const NUMBER: &str = "number of equal rows so far";

/// Whether a join stands for EXCEPT ALL or INTERSECT ALL. Without ALL its rows on the left are
/// distinct, and then it makes no difference; no other join takes NULLs for equal before it is
/// optimised.
pub(super) fn is_one(join: &Join) -> bool {
    join.null_equality == NullEquality::NullEqualsNull
        && matches!(join.join_type, JoinType::LeftAnti | JoinType::LeftSemi)
        && !matches!(*join.left, LogicalPlan::Distinct(_))
}

/// The same join, of numbered rows.
pub(super) fn numbered(join: Join) -> Result<LogicalPlan> {
    let columns: Vec<Expr> = join.left.schema().columns().into_iter().map(Expr::Column).collect();
    let left = number(join.left)?;
    let right = number(join.right)?;
    let keys = |plan: &LogicalPlan| plan.schema().columns();
    let keys: (Vec<Column>, Vec<Column>) = (keys(&left), keys(&right));
    LogicalPlanBuilder::from(left)
        .join_detailed(right, join.join_type, keys, None, join.null_equality)?
        .project(columns)?
        .build()
}

fn number(plan: Arc<LogicalPlan>) -> Result<LogicalPlan> {
    let columns: Vec<Expr> = plan.schema().columns().into_iter().map(Expr::Column).collect();
    let number = row_number().partition_by(columns.clone()).build()?;
    let name = number.schema_name().to_string();
    let number = LogicalPlanBuilder::from(plan).window([number])?;
    let numbers = Expr::Column(Column::from_name(name)).alias(NUMBER);
    number.project(columns.into_iter().chain([numbers]))?.build()
}
