//! What DataFusion reads but does not do as SQL has it: refused here, or said in another way.

mod joins;

use std::{
    collections::{HashMap, HashSet},
    ops::ControlFlow,
};

use datafusion::sql::{
    parser::{CopyToSource, Statement},
    sqlparser::{
        ast::{
            self, Expr, Ident, Join, JoinConstraint, JoinOperator, ObjectName, ObjectNamePart,
            Query, Select, SelectItem, SetExpr, TableFactor, VisitMut, VisitorMut,
        },
        dialect::GenericDialect,
        parser::Parser,
    },
};

use crate::SqlError;

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
            statement.visit(&mut Settler)
        }
        Statement::CopyTo(copy) => match &mut copy.source {
            CopyToSource::Query(query) => {
                tell_apart(query);
                query.visit(&mut Settler)
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

/// Gives columns of an answer different names. DataFusion refuses two of one name in a SELECT, but
/// not in `select *` from a join, where [`tables::distinct`] does the same.
fn tell_apart(query: &mut Query) {
    let SetExpr::Select(select) = &mut *query.body else { return };
    let mut names = HashSet::new();
    let mut seen = HashSet::new();
    names.extend(select.projection.iter().filter_map(named).map(|(column, _)| column));
    for item in &mut select.projection {
        let Some((column, name)) = named(item) else { continue };
        if seen.insert(column) {
            continue;
        }
        let mut others = (1u32..).map(|number| format!("{name}_{number}"));
        let fresh = others.find(|name| names.insert(name.clone()));
        let alias = Ident::with_quote('"', fresh.expect("there is always another number"));
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

struct Settler;

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

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<SqlError> {
        joins::merge(query);
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<SqlError> {
        if let Some(selection) = &mut select.selection {
            let columns = select.from.iter().flat_map(|from| merged(&from.relation, &from.joins));
            let columns: HashMap<String, Expr> = columns.collect();
            if !columns.is_empty() {
                let _ = selection.visit(&mut Qualifier { columns, depth: 0 });
            }
        }
        ControlFlow::Continue(())
    }
}

/// The columns that USING makes one of two, with what each is. DataFusion 55.2 knows them behind
/// SELECT and calls them ambiguous behind WHERE.
fn merged(first: &TableFactor, joins: &[Join]) -> HashMap<String, Expr> {
    let mut columns: HashMap<String, Expr> = HashMap::new();
    for (index, join) in joins.iter().enumerate() {
        use JoinOperator as J;
        let (J::Join(constraint)
        | J::Inner(constraint)
        | J::Left(constraint)
        | J::LeftOuter(constraint)
        | J::Right(constraint)
        | J::RightOuter(constraint)
        | J::FullOuter(constraint)) = &join.join_operator
        else {
            continue;
        };
        let JoinConstraint::Using(names) = constraint else { continue };
        for name in names.iter().filter_map(single) {
            let known = columns.remove(&key(name));
            // Behind several tables only their schemas could tell which one has the column.
            let left = known.or_else(|| (index == 0).then(|| qualified(first, name)).flatten());
            let right = qualified(&join.relation, name);
            let (Some(left), Some(right)) = (left, right) else { continue };
            let whole = match &join.join_operator {
                J::Right(_) | J::RightOuter(_) => Some(right),
                J::FullOuter(_) => parsed(&format!("coalesce({left}, {right})")),
                _ => Some(left),
            };
            columns.extend(whole.map(|whole| (key(name), whole)));
        }
    }
    columns
}

fn single(name: &ObjectName) -> Option<&Ident> {
    match &name.0[..] {
        [ObjectNamePart::Identifier(name)] => Some(name),
        _ => None,
    }
}

/// A name as DataFusion compares it.
fn key(name: &Ident) -> String {
    if name.quote_style.is_some() { name.value.clone() } else { name.value.to_lowercase() }
}

/// A column of a table.
fn qualified(table: &TableFactor, column: &Ident) -> Option<Expr> {
    let alias = match table {
        TableFactor::Table { alias, .. } | TableFactor::Derived { alias, .. } => alias.as_ref(),
        _ => None,
    };
    let mut parts = match (alias, table) {
        (Some(alias), _) => vec![alias.name.clone()],
        (None, TableFactor::Table { name, .. }) => {
            let ident = |part: &ObjectNamePart| part.as_ident().cloned();
            name.0.iter().map(ident).collect::<Option<Vec<Ident>>>()?
        }
        _ => return None,
    };
    // A path stands in single quotation marks, where a name cannot.
    for part in parts.iter_mut().filter(|part| part.quote_style == Some('\'')) {
        part.quote_style = Some('"');
    }
    parts.push(column.clone());
    Some(Expr::CompoundIdentifier(parts))
}

fn parsed(text: &str) -> Option<Expr> {
    Parser::new(&GenericDialect).try_with_sql(text).ok()?.parse_expr().ok()
}

/// Says of which table the columns of a condition are.
struct Qualifier {
    columns: HashMap<String, Expr>,
    /// Inside of how many queries: those have columns of their own.
    depth: usize,
}

impl VisitorMut for Qualifier {
    type Break = ();

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<()> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if self.depth == 0
            && let Expr::Identifier(name) = expr
            && let Some(whole) = self.columns.get(&key(name))
        {
            *expr = whole.clone();
        }
        ControlFlow::Continue(())
    }
}
