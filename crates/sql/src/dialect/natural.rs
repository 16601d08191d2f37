//! Joins whose merged columns cannot be told from the text of a statement: natural ones, and USING
//! behind several tables.
//!
//! DataFusion 55.2 calls such a column ambiguous behind WHERE. Behind `select *` it is one column, so
//! the joined tables become a query of their own. That needs no schema, but hides the column of the
//! table on the right, so it is done only where no column is named with its table.

use std::{mem, ops::ControlFlow};

use datafusion::sql::sqlparser::{
    ast::{
        Expr, JoinConstraint, JoinOperator, Query, Select, SelectItem, SetExpr, TableFactor,
        TableWithJoins, Visit, Visitor,
    },
    dialect::GenericDialect,
    parser::Parser,
};

/// Makes joined tables a query of their own, in each SELECT of a query that has a condition.
pub(super) fn merge(query: &mut Query) {
    let mut selects = Vec::new();
    conditional(&mut query.body, &mut selects);
    if selects.is_empty() || query.visit(&mut Names).is_break() {
        return;
    }
    let mut selects = Vec::new();
    conditional(&mut query.body, &mut selects);
    for select in selects {
        if let [from] = &mut select.from[..]
            && let Some(mut subquery) = skeleton()
            && let SetExpr::Select(inner) = &mut *subquery.body
            && let [place] = &mut inner.from[..]
        {
            mem::swap(place, from);
            let (lateral, alias, sample) = (false, None, None);
            from.relation = TableFactor::Derived { lateral, subquery, alias, sample };
        }
    }
}

/// The SELECTs with a condition on tables that are joined so.
fn conditional<'a>(body: &'a mut SetExpr, selects: &mut Vec<&'a mut Select>) {
    match body {
        SetExpr::SetOperation { left, right, .. } => {
            conditional(left, selects);
            conditional(right, selects);
        }
        SetExpr::Select(select) if select.selection.is_some() => {
            if matches!(&select.from[..], [from] if is_merged(from)) {
                selects.push(select);
            }
        }
        _ => {}
    }
}

/// Finds out whether a query names a column, or all of them, with a table.
struct Names;

impl Visitor for Names {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::CompoundIdentifier(_)
            | Expr::CompoundFieldAccess { .. }
            | Expr::QualifiedWildcard(..) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<()> {
        let is_named = |item: &SelectItem| matches!(item, SelectItem::QualifiedWildcard(..));
        match select.projection.iter().any(is_named) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }
}

/// Whether `select *` from these tables has each merged column once, and with the value that it is to
/// have: that of the left table, which a right or full join may not have.
fn is_merged(from: &TableWithJoins) -> bool {
    use JoinOperator as J;
    let constraint = |operator: &JoinOperator| match operator {
        J::Join(constraint)
        | J::Inner(constraint)
        | J::Left(constraint)
        | J::LeftOuter(constraint) => match constraint {
            JoinConstraint::Natural => Some(true),
            JoinConstraint::Using(_) => Some(false),
            _ => None,
        },
        _ => None,
    };
    let natural: Option<Vec<bool>> =
        from.joins.iter().map(|join| constraint(&join.join_operator)).collect();
    natural.is_some_and(|natural| natural.len() > 1 || natural.contains(&true))
}

/// A query of all columns of one table.
fn skeleton() -> Option<Box<Query>> {
    Parser::new(&GenericDialect).try_with_sql("SELECT * FROM t").ok()?.parse_query().ok()
}
