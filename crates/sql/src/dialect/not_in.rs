//! NOT IN over rows that may hold NULL.
//!
//! `x not in (..)` is neither true nor false if nothing is equal to `x` but `x` or one of the rows is
//! NULL. DataFusion 55.2 knows that of a column that is one of several conditions joined by AND.
//! Elsewhere it takes NULL for something that is not equal, so here the rows are also asked for
//! NULLs.

use std::sync::Arc;

use datafusion::{
    common::{
        Column, DFSchema, ExprSchema, ScalarValue,
        tree_node::{Transformed, TreeNode},
    },
    error::Result,
    logical_expr::{
        Expr, ExprSchemable, Filter, LogicalPlan, LogicalPlanBuilder, Operator,
        expr::{BinaryExpr, Case, InSubquery},
        expr_fn::{not_exists, when},
        lit,
        utils::{conjunction, split_conjunction_owned},
    },
};

/// A filter whose condition DataFusion reads as SQL has it.
pub(super) fn settled(filter: Filter) -> Result<LogicalPlan> {
    let schema = filter.input.schema().clone();
    let conditions = split_conjunction_owned(filter.predicate).into_iter().map(|condition| {
        match is_known(&condition) {
            true => Ok(condition),
            false => truth(condition, &schema),
        }
    });
    let predicate = conjunction(conditions.collect::<Result<Vec<Expr>>>()?);
    let predicate = predicate.unwrap_or_else(|| lit(true));
    Filter::try_new(predicate, filter.input).map(LogicalPlan::Filter)
}

/// Whether DataFusion does right with one of several conditions joined by AND.
fn is_known(condition: &Expr) -> bool {
    match condition {
        Expr::Not(inner) if matches!(**inner, Expr::InSubquery(_)) => is_known(inner),
        Expr::InSubquery(InSubquery { expr, subquery, .. }) => {
            expr.any_column_refs() && subquery.outer_ref_columns.is_empty()
        }
        other => !has_rows(other),
    }
}

/// Whether an expression asks if something is among rows.
pub(super) fn has_rows(expr: &Expr) -> bool {
    let exists = expr.exists(|expr| Ok(matches!(expr, Expr::InSubquery(_))));
    exists.unwrap_or(true)
}

/// A condition that is true where this one is. Where this one is not, it is false or NULL.
fn truth(expr: Expr, schema: &DFSchema) -> Result<Expr> {
    if !has_rows(&expr) {
        return Ok(expr);
    }
    match expr {
        Expr::Not(inner) => falsity(*inner, schema),
        Expr::BinaryExpr(BinaryExpr { left, op: op @ (Operator::And | Operator::Or), right }) => {
            Ok(both(truth(*left, schema)?, op, truth(*right, schema)?))
        }
        Expr::InSubquery(found) => match found.negated {
            true => not_in(&found, schema),
            false => Ok(Expr::InSubquery(found)),
        },
        Expr::Case(Case { expr: None, when_then_expr, else_expr }) => {
            let when_then_expr = when_then_expr.into_iter().map(|(when, then)| {
                Ok((Box::new(truth(*when, schema)?), Box::new(value(*then, schema)?)))
            });
            let when_then_expr = when_then_expr.collect::<Result<_>>()?;
            let else_expr = else_expr.map(|other| value(*other, schema)).transpose()?;
            Ok(Expr::Case(Case { expr: None, when_then_expr, else_expr: else_expr.map(Box::new) }))
        }
        other => value(other, schema),
    }
}

/// A condition that is true where this one is false.
fn falsity(expr: Expr, schema: &DFSchema) -> Result<Expr> {
    if !has_rows(&expr) {
        return Ok(Expr::Not(Box::new(expr)));
    }
    match expr {
        Expr::Not(inner) => truth(*inner, schema),
        Expr::BinaryExpr(BinaryExpr { left, op: op @ (Operator::And | Operator::Or), right }) => {
            let op = if op == Operator::And { Operator::Or } else { Operator::And };
            Ok(both(falsity(*left, schema)?, op, falsity(*right, schema)?))
        }
        Expr::InSubquery(found) => {
            let found = InSubquery { negated: !found.negated, ..found };
            truth(Expr::InSubquery(found), schema)
        }
        other => Ok(Expr::Not(Box::new(value(other, schema)?))),
    }
}

/// The same value: true, false or NULL.
fn value(expr: Expr, schema: &DFSchema) -> Result<Expr> {
    match expr {
        Expr::InSubquery(found) => {
            let outside = not_in(&found, schema)?;
            let negated = found.negated;
            let inside = Expr::InSubquery(InSubquery { negated: false, ..found });
            when(inside, lit(!negated))
                .when(outside, lit(negated))
                .otherwise(lit(ScalarValue::Boolean(None)))
        }
        other if has_rows(&other) => {
            Ok(other.map_children(|child| value(child, schema).map(Transformed::yes))?.data)
        }
        other => Ok(other),
    }
}

/// Whether a value is certainly not among rows.
fn not_in(found: &InSubquery, schema: &DFSchema) -> Result<Expr> {
    let rows = &found.subquery.subquery;
    let column = Expr::Column(Column::from(rows.schema().qualified_field(0)));
    let such = |condition: Expr| -> Result<Expr> {
        let such = LogicalPlanBuilder::from(rows.clone()).filter(condition)?.build()?;
        Ok(not_exists(Arc::new(such)))
    };
    let outer = outer(&found.expr, schema)?;
    let mut outside = such(column.clone().eq(outer))?;
    if rows.schema().field(0).is_nullable() {
        outside = outside.and(such(column.is_null())?);
    }
    if found.expr.nullable(schema)? {
        let is_empty = not_exists(rows.clone());
        outside = outside.and((*found.expr).clone().is_not_null().or(is_empty));
    }
    Ok(outside)
}

/// An expression as it is written inside of a subquery.
fn outer(expr: &Expr, schema: &DFSchema) -> Result<Expr> {
    let outer = expr.clone().transform(|expr| match expr {
        Expr::Column(column) => {
            let field = schema.field_from_column(&column)?.clone();
            Ok(Transformed::yes(Expr::OuterReferenceColumn(field, column)))
        }
        other => Ok(Transformed::no(other)),
    });
    outer.map(|outer| outer.data)
}

fn both(left: Expr, op: Operator, right: Expr) -> Expr {
    Expr::BinaryExpr(BinaryExpr::new(Box::new(left), op, Box::new(right)))
}
