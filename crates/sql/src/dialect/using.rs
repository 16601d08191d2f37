//! The columns that USING makes one of two.
//!
//! DataFusion 55.2 takes the column of the left table for both. Behind a right or full join, that
//! one is NULL in the rows that only the right table has, so there the columns are written with
//! their tables, and each USING becomes ON. Behind WHERE and in longer expressions it calls all of
//! them ambiguous, also behind other joins.

use std::{
    collections::{HashMap, HashSet},
    mem,
    ops::ControlFlow,
};

use datafusion::sql::sqlparser::{
    ast::{
        BinaryOperator, ExceptSelectItem, Expr, GroupByExpr, Ident, JoinConstraint, JoinOperator,
        ObjectName, ObjectNamePart, Query, Select, SelectItem, SelectItemQualifiedWildcardKind,
        SetExpr, TableFactor, TableWithJoins, VisitMut, VisitorMut, WildcardAdditionalOptions,
    },
    dialect::GenericDialect,
    parser::Parser,
};

use super::{key, named};
use crate::SqlError;

/// Writes the merged columns of a SELECT so that DataFusion takes them for what they are.
pub(super) fn settle(select: &mut Select) -> Result<(), SqlError> {
    let merged = Merged::of(select)?;
    if !merged.is_outer() {
        qualify(select, &mut Qualifier::of(merged.columns()));
        return Ok(());
    }
    let mut projection = Vec::new();
    let has_others =
        select.projection.iter().any(|item| matches!(item, SelectItem::QualifiedWildcard(..)));
    for item in mem::take(&mut select.projection) {
        match item {
            SelectItem::Wildcard(options) if is_plain(&options) && select.exclude.is_none() => {
                projection.extend(merged.all(&select.from)?);
            }
            SelectItem::Wildcard(_) => {
                return Err(unsupported("'*' with further words", "name the columns"));
            }
            SelectItem::UnnamedExpr(Expr::Identifier(mut alias)) if merged.contains(&alias) => {
                let expr = Expr::Identifier(alias.clone());
                // A table whose columns are all named most likely has this one too.
                if has_others {
                    alias.value.push_str("_1");
                }
                projection.push(SelectItem::ExprWithAlias { expr, alias });
            }
            other => projection.push(other),
        }
    }
    select.projection = projection;
    let mut from = mem::take(&mut select.from);
    Qualifier::of(merged.columns()).qualify(select);
    for (from, merged) in from.iter_mut().zip(merged.0) {
        for (join, on) in from.joins.iter_mut().zip(merged.on) {
            if let (Some((_, constraint)), Some(on)) = (merging_mut(&mut join.join_operator), on) {
                *constraint = JoinConstraint::On(on);
            }
        }
    }
    select.from = from;
    Ok(())
}

/// Qualifies what DataFusion may call ambiguous: all but columns that stand alone.
fn qualify(select: &mut Select, qualifier: &mut Qualifier) {
    for item in &mut select.projection {
        if !matches!(item, SelectItem::UnnamedExpr(Expr::Identifier(_))) {
            qualifier.qualify(item);
        }
    }
    if let GroupByExpr::Expressions(keys, _) = &mut select.group_by {
        let is_alone = |key: &&mut Expr| matches!(key, Expr::Identifier(_));
        keys.iter_mut().filter(|key| !is_alone(key)).for_each(|key| qualifier.qualify(key));
    }
    for condition in [&mut select.selection, &mut select.having, &mut select.qualify] {
        qualifier.qualify(condition);
    }
}

/// The same for ORDER BY, which may also name columns of the answer.
pub(super) fn settle_order(query: &mut Query) -> Result<(), SqlError> {
    let (SetExpr::Select(select), Some(order)) = (&*query.body, &mut query.order_by) else {
        return Ok(());
    };
    let merged = Merged::of(select)?;
    let has_all = select.projection.iter().any(|item| matches!(item, SelectItem::Wildcard(_)));
    if merged.is_outer() && !has_all {
        let answer = select.projection.iter().filter_map(named).map(|(_, name)| name);
        let answer: HashSet<String> = answer.collect();
        let columns = merged.columns().filter(|column| !answer.contains(&key(&column.name)));
        Qualifier::of(columns).qualify(order);
    }
    Ok(())
}

/// A column that is one of two.
#[derive(Clone)]
struct Column {
    name: Ident,
    /// What it is, with the names of tables.
    whole: Expr,
    /// The tables that have it, counted from 0 in the order in which they are joined.
    tables: Vec<usize>,
}

/// What USING merges in the tables of a SELECT, for each list of joined tables.
struct Merged(Vec<MergedTables>);

#[derive(Default)]
struct MergedTables {
    /// In the order of `*`.
    columns: Vec<Column>,
    /// What USING demands, for each join.
    on: Vec<Option<Expr>>,
    /// Whether a right or full join merges columns.
    is_outer: bool,
    /// Why not all merged columns are known.
    obstacle: Option<SqlError>,
}

impl Merged {
    fn of(select: &Select) -> Result<Merged, SqlError> {
        let mut all: Vec<MergedTables> = select.from.iter().map(MergedTables::of).collect();
        if all.iter().any(|tables| tables.is_outer)
            && let Some(obstacle) = all.iter_mut().find_map(|tables| tables.obstacle.take())
        {
            return Err(obstacle);
        }
        Ok(Merged(all))
    }

    fn is_outer(&self) -> bool {
        self.0.iter().any(|tables| tables.is_outer)
    }

    fn columns(&self) -> impl Iterator<Item = &Column> {
        self.0.iter().flat_map(|tables| &tables.columns)
    }

    fn contains(&self, name: &Ident) -> bool {
        self.columns().any(|column| key(&column.name) == key(name))
    }

    /// What `*` stands for: the merged columns, then the others of each table.
    fn all(&self, from: &[TableWithJoins]) -> Result<Vec<SelectItem>, SqlError> {
        let mut items = Vec::new();
        for (merged, from) in self.0.iter().zip(from) {
            let column = |column: &Column| SelectItem::ExprWithAlias {
                expr: Expr::Identifier(column.name.clone()),
                alias: column.name.clone(),
            };
            items.extend(merged.columns.iter().map(column));
            let joined = from.joins.iter().map(|join| {
                let has_columns = merging(&join.join_operator).is_some()
                    || matches!(join.join_operator, JoinOperator::CrossJoin(_));
                has_columns.then_some(&join.relation)
            });
            for (number, table) in [Some(&from.relation)].into_iter().chain(joined).enumerate() {
                let name = table.and_then(name_of).ok_or_else(|| {
                    unsupported("'*' for tables without a name", "name the columns")
                })?;
                let parts = name.into_iter().map(ObjectNamePart::Identifier).collect();
                let kind = SelectItemQualifiedWildcardKind::ObjectName(ObjectName(parts));
                let mut without = merged.columns.iter();
                let mut without = without
                    .by_ref()
                    .filter(|column| column.tables.contains(&number))
                    .map(|column| column.name.clone());
                let opt_except = without.next().map(|first_element| ExceptSelectItem {
                    first_element,
                    additional_elements: without.collect(),
                });
                let options = WildcardAdditionalOptions { opt_except, ..Default::default() };
                items.push(SelectItem::QualifiedWildcard(kind, options));
            }
        }
        Ok(items)
    }
}

impl MergedTables {
    fn of(from: &TableWithJoins) -> MergedTables {
        let mut merged = MergedTables::default();
        merged.nest(&from.relation);
        for (index, join) in from.joins.iter().enumerate() {
            merged.on.push(None);
            merged.nest(&join.relation);
            let Some((kept, constraint)) = merging(&join.join_operator) else { continue };
            let names = match constraint {
                JoinConstraint::Using(names) => names,
                JoinConstraint::Natural => {
                    merged.is_outer |= kept != Kept::Left;
                    merged.be_obstructed("NATURAL");
                    continue;
                }
                JoinConstraint::On(_) | JoinConstraint::None => continue,
            };
            merged.is_outer |= kept != Kept::Left;
            let mut columns = Vec::new();
            let mut on: Option<Expr> = None;
            for name in names.iter().filter_map(single) {
                let at = merged.columns.iter().position(|column| key(&column.name) == key(name));
                let left = match at {
                    Some(at) => Some(merged.columns.remove(at)),
                    // Behind several tables only their schemas could tell which one has the column.
                    None if index > 0 => None,
                    None => qualified(&from.relation, name).map(|whole| Column {
                        name: name.clone(),
                        whole,
                        tables: vec![0],
                    }),
                };
                let right = qualified(&join.relation, name);
                let (Some(mut column), Some(right)) = (left, right) else {
                    merged.be_obstructed(&format!("USING ({name}) behind several tables"));
                    continue;
                };
                let equal = binary(column.whole.clone(), BinaryOperator::Eq, right.clone());
                on = Some(match on {
                    Some(others) => binary(others, BinaryOperator::And, equal),
                    None => equal,
                });
                column.whole = match kept {
                    Kept::Left => column.whole,
                    Kept::Right => right,
                    Kept::Both => match either(&column.whole, &right) {
                        Some(whole) => whole,
                        None => continue,
                    },
                };
                column.tables.push(index + 1);
                columns.push(column);
            }
            merged.columns.splice(0..0, columns);
            merged.on[index] = on;
        }
        merged
    }

    fn nest(&mut self, table: &TableFactor) {
        if let TableFactor::NestedJoin { table_with_joins, .. } = table {
            self.is_outer |= MergedTables::of(table_with_joins).is_outer;
            self.be_obstructed("a join in parentheses");
        }
    }

    fn be_obstructed(&mut self, what: &str) {
        let obstacle =
            || unsupported(&format!("{what} with a right or full join"), "use ON instead");
        self.obstacle.get_or_insert_with(obstacle);
    }
}

/// The sides of a join whose rows are all in the answer, as far as merged columns depend on it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    Left,
    Right,
    Both,
}

fn merging(operator: &JoinOperator) -> Option<(Kept, &JoinConstraint)> {
    use JoinOperator as J;
    match operator {
        J::Join(constraint)
        | J::Inner(constraint)
        | J::Left(constraint)
        | J::LeftOuter(constraint) => Some((Kept::Left, constraint)),
        J::Right(constraint) | J::RightOuter(constraint) => Some((Kept::Right, constraint)),
        J::FullOuter(constraint) => Some((Kept::Both, constraint)),
        _ => None,
    }
}

fn merging_mut(operator: &mut JoinOperator) -> Option<(Kept, &mut JoinConstraint)> {
    use JoinOperator as J;
    match operator {
        J::Join(constraint)
        | J::Inner(constraint)
        | J::Left(constraint)
        | J::LeftOuter(constraint) => Some((Kept::Left, constraint)),
        J::Right(constraint) | J::RightOuter(constraint) => Some((Kept::Right, constraint)),
        J::FullOuter(constraint) => Some((Kept::Both, constraint)),
        _ => None,
    }
}

fn is_plain(options: &WildcardAdditionalOptions) -> bool {
    *options == WildcardAdditionalOptions::default()
}

fn unsupported(what: &str, instead: &str) -> SqlError {
    SqlError::Statement(format!("{what} is not supported; {instead}"))
}

fn single(name: &ObjectName) -> Option<&Ident> {
    match &name.0[..] {
        [ObjectNamePart::Identifier(name)] => Some(name),
        _ => None,
    }
}

/// A column of a table.
fn qualified(table: &TableFactor, column: &Ident) -> Option<Expr> {
    let mut parts = name_of(table)?;
    parts.push(column.clone());
    Some(Expr::CompoundIdentifier(parts))
}

/// The name of a table in front of its columns.
fn name_of(table: &TableFactor) -> Option<Vec<Ident>> {
    let alias = match table {
        TableFactor::Table { alias, .. }
        | TableFactor::Derived { alias, .. }
        | TableFactor::Function { alias, .. }
        | TableFactor::UNNEST { alias, .. } => alias.as_ref(),
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
    Some(parts)
}

fn binary(left: Expr, op: BinaryOperator, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op, right: Box::new(right) }
}

/// The first of two values that is not NULL.
fn either(first: &Expr, second: &Expr) -> Option<Expr> {
    let text = format!("coalesce({first}, {second})");
    Parser::new(&GenericDialect).try_with_sql(&text).ok()?.parse_expr().ok()
}

/// Writes merged columns with the tables that they are of.
struct Qualifier {
    columns: HashMap<String, Expr>,
    /// Inside of how many queries: those have columns of their own.
    depth: usize,
}

impl Qualifier {
    fn of<'a>(columns: impl Iterator<Item = &'a Column>) -> Qualifier {
        let columns = columns.map(|column| (key(&column.name), column.whole.clone()));
        Qualifier { columns: columns.collect(), depth: 0 }
    }

    fn qualify(&mut self, part: &mut impl VisitMut) {
        if !self.columns.is_empty() {
            let _ = part.visit(self);
        }
    }
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
