//! Conditions without `case`, so that their parts can be tested where they belong.
//!
//! `chess_outcomes` tells its `ending` by cases: checkmate if there is no move and the king is in
//! check. A condition `ending = 'checkmate'` is one expression about both, which can be tested only
//! when moves have been counted. Written as `legal_moves = 0 and check`, its second part is brought
//! below the moves by the optimizer, and few positions are in check.

use datafusion::{
    common::tree_node::{Transformed, TreeNode},
    error::Result,
    logical_expr::{
        BinaryExpr, Expr, Filter, LogicalPlan, Operator,
        expr::Case,
        lit,
        utils::{conjunction, split_conjunction},
    },
    optimizer::{ApplyOrder, OptimizerConfig, OptimizerRule},
    scalar::ScalarValue,
};

/// Writes conditions by cases as conditions without, where that is simpler.
#[derive(Debug)]
pub(crate) struct Unfold;

impl OptimizerRule for Unfold {
    fn name(&self) -> &str {
        "unfold_cases"
    }

    fn apply_order(&self) -> Option<ApplyOrder> {
        Some(ApplyOrder::TopDown)
    }

    fn rewrite(
        &self,
        plan: LogicalPlan,
        _config: &dyn OptimizerConfig,
    ) -> Result<Transformed<LogicalPlan>> {
        let LogicalPlan::Filter(filter) = &plan else { return Ok(Transformed::no(plan)) };
        let parts = split_conjunction(&filter.predicate);
        if parts.iter().all(|part| unfolded(part).is_none()) {
            return Ok(Transformed::no(plan));
        }
        let parts = parts.into_iter().map(|part| unfolded(part).unwrap_or_else(|| part.clone()));
        let predicate = conjunction(parts).expect("a condition has a part");
        let filter = Filter::try_new(predicate, filter.input.clone())?;
        Ok(Transformed::yes(LogicalPlan::Filter(filter)))
    }
}

/// A condition that holds for the same rows; none if there is nothing to unfold. What is NULL does
/// not hold, as in any condition.
fn unfolded(condition: &Expr) -> Option<Expr> {
    if !cannot_fail(condition) {
        return None;
    }
    match condition {
        Expr::Case(case) => cases(case, &|then| Some(unfolded(then).unwrap_or(then.clone()))),
        Expr::BinaryExpr(BinaryExpr { left, op: Operator::Eq, right }) => {
            match (left.as_ref(), right.as_ref()) {
                (Expr::Case(case), Expr::Literal(value, _))
                | (Expr::Literal(value, _), Expr::Case(case)) => {
                    cases(case, &|then| equals(then, value))
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// Whether a condition has a value for every row. Of a case only the part that is asked for is
/// computed; of its parts alone each may be computed for every row.
fn cannot_fail(condition: &Expr) -> bool {
    let is_safe = |expr: &Expr| match expr {
        Expr::BinaryExpr(BinaryExpr { op, .. }) => matches!(
            op,
            Operator::And
                | Operator::Or
                | Operator::Eq
                | Operator::NotEq
                | Operator::Lt
                | Operator::LtEq
                | Operator::Gt
                | Operator::GtEq
        ),
        Expr::Column(_)
        | Expr::Literal(..)
        | Expr::Case(_)
        | Expr::Not(_)
        | Expr::IsNull(_)
        | Expr::IsNotNull(_)
        | Expr::IsTrue(_)
        | Expr::IsNotTrue(_) => true,
        _ => false,
    };
    !condition.exists(|expr| Ok(!is_safe(expr))).unwrap_or(true)
}

/// Whether what a case gives is equal to a value.
fn equals(then: &Expr, value: &ScalarValue) -> Option<Expr> {
    match then {
        Expr::Literal(then, _) if then.is_null() || value.is_null() => Some(lit(false)),
        Expr::Literal(then, _) => {
            (then.data_type() == value.data_type()).then(|| lit(then == value))
        }
        then => {
            let equal = then.clone().eq(Expr::Literal(value.clone(), None));
            Some(unfolded(&equal).unwrap_or(equal))
        }
    }
}

fn cases(case: &Case, holds: &dyn Fn(&Expr) -> Option<Expr>) -> Option<Expr> {
    if case.expr.is_some() {
        return None;
    }
    let mut result = match &case.else_expr {
        Some(otherwise) => holds(otherwise)?,
        None => lit(false),
    };
    for (when, then) in case.when_then_expr.iter().rev() {
        let then = holds(then)?;
        let when = || when.as_ref().clone();
        result = match (truth(&then), truth(&result)) {
            (Some(false), Some(false)) => lit(false),
            (Some(false), _) => when().is_not_true().and(result),
            (Some(true), Some(false)) => when(),
            (Some(true), _) => when().or(result),
            (None, Some(false)) => when().and(then),
            // Either of two conditions would be longer, and no part of it could be tested alone.
            (None, _) => return None,
        };
    }
    Some(result)
}

/// What a condition comes to, if it is always the same.
fn truth(condition: &Expr) -> Option<bool> {
    match condition {
        Expr::Literal(ScalarValue::Boolean(truth), _) => Some(truth.unwrap_or(false)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use datafusion::logical_expr::{col, when};

    use super::*;

    #[test]
    fn cases_become_parts() {
        let stuck = || col("moves").eq(lit(0_i64));
        let ending = || {
            when(stuck().and(col("check")), lit("checkmate"))
                .when(stuck(), lit("stalemate"))
                .end()
                .unwrap()
        };
        let known = when(col("fen").is_not_null(), ending()).end().unwrap();
        let mate = stuck().and(col("check"));
        assert_eq!(unfolded(&ending().eq(lit("checkmate"))), Some(mate.clone()));
        let expected = col("fen").is_not_null().and(mate.clone());
        assert_eq!(unfolded(&known.eq(lit("checkmate"))), Some(expected));
        let expected = mate.is_not_true().and(stuck());
        assert_eq!(unfolded(&ending().eq(lit("stalemate"))), Some(expected));
        assert_eq!(unfolded(&ending().eq(lit("check"))), Some(lit(false)));
        let truth = when(col("a"), col("b")).end().unwrap();
        assert_eq!(unfolded(&truth), Some(col("a").and(col("b"))));
        let either = when(col("a"), col("b")).otherwise(col("c")).unwrap();
        assert_eq!(unfolded(&either), None);
    }

    #[test]
    fn a_case_that_guards_what_could_fail_stays() {
        let half = (lit(1_i64) / col("x")).gt(lit(0_i64));
        let guarded = when(col("x").not_eq(lit(0_i64)), half).end().unwrap();
        assert_eq!(unfolded(&guarded), None);
    }
}
