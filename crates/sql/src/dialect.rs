//! What DataFusion reads but does not do as SQL has it: refused here, or said in another way.

mod all_rows;
mod distinct;
mod in_lists;
mod natural;
mod not_in;
mod using;

use std::{collections::HashSet, ops::ControlFlow};

use datafusion::{
    common::tree_node::Transformed,
    error::DataFusionError,
    logical_expr::LogicalPlan,
    sql::{
        parser::{CopyToSource, Statement},
        sqlparser::ast::{
            self, Expr, Ident, Query, Select, SelectItem, SetExpr, TableFactor, VisitMut,
            VisitorMut,
        },
    },
};

use crate::SqlError;

/// The plan as DataFusion is to see it.
pub(crate) fn settled_plan(plan: LogicalPlan) -> Result<LogicalPlan, DataFusionError> {
    let settled = plan.transform_up_with_subqueries(|plan| {
        in_lists::settled(plan)?.transform_data(|plan| match plan {
            LogicalPlan::Filter(filter) if not_in::has_rows(&filter.predicate) => {
                not_in::settled(filter).map(Transformed::yes)
            }
            LogicalPlan::Join(join) if all_rows::is_one(&join) => {
                all_rows::numbered(join).map(Transformed::yes)
            }
            other => Ok(Transformed::no(other)),
        })
    });
    settled.map(|settled| settled.data)
}

/// The statement as DataFusion is to see it.
pub(crate) fn settled(mut statement: Statement) -> Result<Statement, SqlError> {
    settle(&mut statement)?;
    Ok(statement)
}

fn settle(statement: &mut Statement) -> Result<(), SqlError> {
    let visited = match statement {
        Statement::Statement(statement) => {
            if let ast::Statement::Query(query) = &mut **statement {
                tell_apart(query);
            }
            let mut settler = Settler { has_taken: distinct::is_in(statement) };
            statement.visit(&mut settler)
        }
        Statement::CopyTo(copy) => match &mut copy.source {
            CopyToSource::Query(query) => {
                tell_apart(query);
                let mut settler = Settler { has_taken: distinct::is_in(query) };
                query.visit(&mut settler)
            }
            CopyToSource::Relation(_) => ControlFlow::Continue(()),
        },
        Statement::Explain(explain) => return settle(&mut explain.statement),
        Statement::CreateExternalTable(_) | Statement::Reset(_) => ControlFlow::Continue(()),
    };
    match visited {
        ControlFlow::Break(error) => Err(error),
        ControlFlow::Continue(()) => Ok(()),
    }
}

/// Gives columns of an answer different names. DataFusion refuses two of one name in a SELECT, also
/// if one of them has the name of its table in front, but not in `select *` from a join, where
/// [`tables::distinct`] does the same.
fn tell_apart(query: &mut Query) {
    let SetExpr::Select(select) = &mut *query.body else { return };
    let columns = || select.projection.iter().filter_map(named);
    let mut names: HashSet<String> = columns().map(|(column, _)| column).collect();
    let bare: HashSet<String> =
        columns().filter(|(column, name)| column == name).map(|(_, name)| name).collect();
    let mut seen = HashSet::new();
    for item in &mut select.projection {
        let Some((column, name)) = named(item) else { continue };
        let is_bare = column == name;
        let alias = match seen.insert(if bare.contains(&name) { name.clone() } else { column }) {
            true if is_bare || !bare.contains(&name) => continue,
            true => name,
            false => {
                let mut others = (1u32..).map(|number| format!("{name}_{number}"));
                let fresh = others.find(|name| names.insert(name.clone()));
                fresh.expect("there is always another number")
            }
        };
        let alias = Ident::with_quote('"', alias);
        if let SelectItem::ExprWithAlias { expr, .. } | SelectItem::UnnamedExpr(expr) = item {
            *item = SelectItem::ExprWithAlias { expr: expr.clone(), alias };
        }
    }
}

/// What a column must not have in common with another one of a SELECT, and its name.
fn named(item: &SelectItem) -> Option<(String, String)> {
    match item {
        SelectItem::ExprWithAlias { alias: name, .. }
        | SelectItem::UnnamedExpr(Expr::Identifier(name)) => Some((key(name), key(name))),
        SelectItem::UnnamedExpr(Expr::CompoundIdentifier(names)) => {
            let path: Vec<String> = names.iter().map(key).collect();
            Some((path.join("."), key(names.last()?)))
        }
        _ => None,
    }
}

struct Settler {
    /// Whether some IS DISTINCT FROM has taken too much.
    has_taken: bool,
}

impl VisitorMut for Settler {
    type Break = SqlError;

    fn pre_visit_table_factor(&mut self, table: &mut TableFactor) -> ControlFlow<SqlError> {
        match table {
            // DataFusion would answer with every row.
            TableFactor::Table { sample: Some(_), .. }
            | TableFactor::Derived { sample: Some(_), .. } => {
                ControlFlow::Break(SqlError::Statement(
                    "TABLESAMPLE is not supported; 'where random() < 0.1' keeps about a tenth \
                     of the rows"
                        .to_owned(),
                ))
            }
            _ => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<SqlError> {
        if self.has_taken {
            distinct::settle(expr);
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<SqlError> {
        natural::merge(query);
        told(using::settle_order(query))
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<SqlError> {
        told(using::settle(select))
    }
}

fn told(settled: Result<(), SqlError>) -> ControlFlow<SqlError> {
    match settled {
        Ok(()) => ControlFlow::Continue(()),
        Err(error) => ControlFlow::Break(error),
    }
}

/// A name as DataFusion compares it.
fn key(name: &Ident) -> String {
    if name.quote_style.is_some() { name.value.clone() } else { name.value.to_lowercase() }
}
