//! How large conditions become while a plan is optimised.
//!
//! The optimizer moves a condition below the columns that are computed for it, and writes in place
//! of each column what computes it. Where each of thirty steps is `x + x`, a short text becomes a
//! condition of 2^30 terms. So the terms are counted before they are written.

use datafusion::{
    common::{
        Column,
        tree_node::{TreeNode, TreeNodeRecursion},
    },
    error::Result,
    logical_expr::{Aggregate, Expr, Filter, Join, LogicalPlan, Projection},
};

/// The terms of the largest condition of a plan, if each of its columns is written as what computes
/// it.
pub(super) fn largest_condition(plan: &LogicalPlan) -> Result<usize> {
    let mut largest = 0;
    columns(plan, &mut largest)?;
    Ok(largest)
}

/// The terms of each column of a plan. `largest` grows to those of the largest condition in it.
fn columns(plan: &LogicalPlan, largest: &mut usize) -> Result<Vec<usize>> {
    let inputs = plan.inputs().into_iter().map(|input| columns(input, largest));
    let inputs = inputs.collect::<Result<Vec<_>>>()?;
    plan.apply_subqueries(|query| {
        columns(query, largest)?;
        Ok(TreeNodeRecursion::Continue)
    })?;
    let width = plan.schema().fields().len();
    let mut written = match plan {
        LogicalPlan::Projection(Projection { expr, input, .. })
        // Conditions on what is grouped by are moved, those on sums are not.
        | LogicalPlan::Aggregate(Aggregate { group_expr: expr, input, .. }) => {
            let size = |column: &Column| size(input, &inputs[0], column);
            expr.iter().map(|expr| terms(expr, &size)).collect::<Result<Vec<_>>>()?
        }
        LogicalPlan::Union(_) => {
            let of = |column| inputs.iter().filter_map(|input| input.get(column)).max().copied();
            (0..width).map(|column| of(column).unwrap_or(1)).collect()
        }
        LogicalPlan::Filter(Filter { predicate, input, .. }) => {
            let terms = terms(predicate, &|column| size(input, &inputs[0], column))?;
            *largest = terms.max(*largest);
            inputs.concat()
        }
        LogicalPlan::Join(Join { left, right, on, filter, .. }) => {
            let size = |column: &Column| {
                size(left, &inputs[0], column).or_else(|| size(right, &inputs[1], column))
            };
            for condition in on.iter().flat_map(|(left, right)| [left, right]).chain(filter) {
                *largest = terms(condition, &size)?.max(*largest);
            }
            inputs.concat()
        }
        _ => inputs.concat(),
    };
    // Conditions do not pass what else a plan adds, such as the columns of windows.
    written.resize(width, 1);
    Ok(written)
}

/// The terms of a column of a plan.
fn size(plan: &LogicalPlan, columns: &[usize], column: &Column) -> Option<usize> {
    plan.schema().maybe_index_of_column(column).map(|at| columns[at])
}

/// The terms of an expression over columns that have so many.
fn terms(expr: &Expr, size: &dyn Fn(&Column) -> Option<usize>) -> Result<usize> {
    let mut sum: usize = 0;
    expr.apply(|part| {
        let terms = match part {
            Expr::Column(column) => size(column).unwrap_or(1),
            Expr::Alias(_) => 0,
            _ => 1,
        };
        sum = sum.saturating_add(terms);
        Ok(TreeNodeRecursion::Continue)
    })?;
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use std::iter;

    use datafusion::prelude::SessionContext;

    use super::*;

    /// A statement in which each of so many steps adds a column to itself, with a condition at its
    /// end.
    fn doubled(steps: usize) -> String {
        let step = |at| format!(", t{} as (select x + x as x from t{at})", at + 1);
        let all: String = iter::once("with t0 as (select 1 as x)".to_owned())
            .chain((0..steps).map(step))
            .collect();
        format!("{all} select x from t{steps} where x > 0")
    }

    fn largest(text: &str) -> usize {
        let context = SessionContext::new();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let plan = runtime.block_on(context.state().create_logical_plan(text)).unwrap();
        largest_condition(&plan).unwrap()
    }

    #[test]
    fn the_terms_of_conditions_are_counted_through_columns() {
        let base = "(select 1 as x, 2 as y) t";
        for (statement, terms) in [
            (format!("select x + x from {base}"), 0),
            // An operator, a number and what computes the column.
            (format!("select x from {base} where x > y"), 3),
            (format!("select * from (select x + y as z from {base}) where z > 0"), 5),
            (
                format!("select * from (select sum(x) as z, y from {base} group by y) where z > 0"),
                3,
            ),
            (format!("select x from {base} where y in (select x from {base} where x + y > 0)"), 5),
        ] {
            assert_eq!(largest(&statement), terms, "{statement}");
        }
    }

    #[test]
    fn conditions_that_double_are_counted_without_being_written() {
        let sizes = [0, 1, 10, 60].map(|steps| largest(&doubled(steps)));
        assert_eq!(sizes[0], 3);
        assert!(sizes[1] > 4 && sizes[2] > 1 << 10 && sizes[3] > 1 << 60, "{sizes:?}");
    }
}
