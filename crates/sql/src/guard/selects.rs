//! How large a plan a statement makes: what it says once may be planned many times.
//!
//! DataFusion puts the plan of a common table expression and of a view in each of the places that
//! name it. Where each of thirty reads the one before twice, a short text makes 2^30 plans. So the
//! selects are counted as often as they are planned, before anything is planned.

use std::{collections::HashMap, ops::ControlFlow, ptr};

use datafusion::sql::{
    parser::{CopyToSource, Statement},
    sqlparser::ast::{
        self, Expr, FunctionArg, FunctionArgExpr, Ident, ObjectName, Query, Select, TableFactor,
        Value, Visit, Visitor,
    },
};

/// The views of a session, and of how many selects each is made.
pub(crate) type Views = HashMap<String, usize>;

/// How many selects a statement plans.
pub(super) fn planned(statement: &Statement, views: &Views) -> usize {
    let mut count = Count { views, queries: vec![Level::default()] };
    let _: ControlFlow<()> = match statement {
        Statement::Statement(statement) => statement.visit(&mut count),
        Statement::CopyTo(copy) => match &copy.source {
            CopyToSource::Query(query) => query.visit(&mut count),
            CopyToSource::Relation(name) => {
                count.read(name);
                ControlFlow::Continue(())
            }
        },
        Statement::Explain(explain) => return planned(&explain.statement, views),
        Statement::CreateExternalTable(_) | Statement::Reset(_) => ControlFlow::Continue(()),
    };
    count.queries.first().map_or(0, |level| level.selects)
}

/// The name of the view that a statement creates.
pub(crate) fn view(statement: &Statement) -> Option<String> {
    let Statement::Statement(statement) = statement else { return None };
    match &**statement {
        ast::Statement::CreateView(view) => key(&view.name),
        _ => None,
    }
}

/// The last part of a name, as DataFusion compares it. Two views of one name in two schemas count
/// as one.
fn key(name: &ObjectName) -> Option<String> {
    name.0.last()?.as_ident().map(folded)
}

fn folded(name: &Ident) -> String {
    if name.quote_style.is_some() { name.value.clone() } else { name.value.to_lowercase() }
}

/// Counts while a statement is walked.
struct Count<'a> {
    views: &'a Views,
    /// What stands in queries within queries, the outermost first. The first is the statement.
    queries: Vec<Level>,
}

/// A query.
#[derive(Default)]
struct Level {
    selects: usize,
    /// The selects of its common table expressions that have been walked.
    tables: HashMap<String, usize>,
    /// Those that are still to come, by the place of their query.
    coming: HashMap<*const Query, String>,
}

impl Count<'_> {
    fn add(&mut self, selects: usize) {
        if let Some(level) = self.queries.last_mut() {
            level.selects = level.selects.saturating_add(selects);
        }
    }

    /// Counts what a name stands for.
    fn read(&mut self, name: &ObjectName) {
        if let Some(name) = key(name) {
            self.add(self.selects_of(&name));
        }
    }

    fn selects_of(&self, name: &str) -> usize {
        let table = self.queries.iter().rev().find_map(|level| level.tables.get(name));
        table.or_else(|| self.views.get(name)).copied().unwrap_or(0)
    }
}

impl Visitor for Count<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        let tables = query.with.iter().flat_map(|with| &with.cte_tables);
        let coming = tables.map(|table| (ptr::from_ref(&*table.query), folded(&table.alias.name)));
        self.queries.push(Level { coming: coming.collect(), ..Level::default() });
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        let selects = self.queries.pop().map_or(0, |level| level.selects);
        let place = ptr::from_ref(query);
        let table = self.queries.last_mut().and_then(|outer| outer.coming.remove(&place));
        match table {
            None => self.add(selects),
            Some(name) => {
                if let Some(outer) = self.queries.last_mut() {
                    outer.tables.insert(name, selects);
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, _: &Select) -> ControlFlow<()> {
        self.add(1);
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, table: &TableFactor) -> ControlFlow<()> {
        let TableFactor::Table { name, args, .. } = table else {
            return ControlFlow::Continue(());
        };
        let Some(args) = args else {
            self.read(name);
            return ControlFlow::Continue(());
        };
        // Functions of tables of moves take the name of a table.
        for arg in &args.args {
            if let FunctionArg::Unnamed(FunctionArgExpr::Expr(arg)) = arg {
                let name = match arg {
                    Expr::Identifier(name) => Some(folded(name)),
                    Expr::CompoundIdentifier(names) => names.last().map(folded),
                    Expr::Value(value) => match &value.value {
                        Value::SingleQuotedString(name) => Some(name.clone()),
                        _ => None,
                    },
                    _ => None,
                };
                self.add(name.map_or(0, |name| self.selects_of(&name)));
            }
        }
        self.add(1);
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Guard;

    fn count(text: &str, views: &Views) -> usize {
        planned(&Guard::default().read(text).unwrap()[0].0, views)
    }

    #[test]
    fn what_is_named_twice_is_planned_twice() {
        let views = Views::from([("v".to_owned(), 10)]);
        let cases = [
            ("select 1", 1),
            ("select 1 union all select 2", 2),
            ("select (select 1), (select 2)", 3),
            ("select * from (select 1) a, (select 2) b", 3),
            ("with a as (select 1) select 2", 1),
            ("with a as (select 1) select * from a", 2),
            ("with a as (select 1) select * from a x join a y using (z)", 3),
            ("with a as (select 1), b as (select * from a, A) select * from b, b", 7),
            ("with a as (with b as (select 1) select * from b, b) select * from a, b", 4),
            ("with a as (select 1) select * from t where x in (select * from a)", 3),
            ("with recursive a as (select 1 union all select * from a) select * from a", 3),
            ("select * from v, public.v, \"V\"", 21),
            ("select * from chess_moves(v, fen), chess_moves('v', 'fen')", 23),
            ("with v as (select 1) select * from v", 2),
            ("create view w as select * from v", 11),
            ("explain select * from v", 11),
            ("copy v to 'file.csv'", 10),
            ("copy (select * from v) to 'file.csv'", 11),
        ];
        for (text, expected) in cases {
            assert_eq!(count(text, &views), expected, "{text}");
        }
    }

    #[test]
    fn doubling_does_not_overflow() {
        let tables: Vec<String> =
            (1..200).map(|n| format!("t{n} as (select * from t{0}, t{0})", n - 1)).collect();
        let text = format!("with t0 as (select 1), {} select * from t199", tables.join(", "));
        assert_eq!(count(&text, &Views::new()), usize::MAX);
    }

    #[test]
    fn views_are_known_by_their_names() {
        let name = |text: &str| view(&Guard::default().read(text).unwrap()[0].0);
        assert_eq!(name("create view public.V as select 1").as_deref(), Some("v"));
        assert_eq!(name("create or replace view \"V\" as select 1").as_deref(), Some("V"));
        assert_eq!(name("create table t as select 1"), None);
    }
}
