//! Calls of [`MoveTable`]s whose table only the planner of a statement knows: a subquery, or the
//! name of a CTE.

use std::{fmt, sync::Arc};

use chess_relations::Relations;
use datafusion::{
    common::DFSchema,
    dataframe::DataFrame,
    datasource::provider_as_source,
    error::Result,
    execution::SessionState,
    logical_expr::{
        LogicalPlan, LogicalPlanBuilder, lit,
        planner::{PlannedRelation, RelationPlanner, RelationPlannerContext, RelationPlanning},
    },
    sql::sqlparser::ast::{
        self, FunctionArg, FunctionArgExpr, Ident, ObjectName, ObjectNamePart, TableFactor,
        TableFunctionArgs, Value,
    },
};

use super::relations::{FUNCTIONS, MoveTable, Positions, with_rows};
use crate::kinds::Named;

/// Plans such calls; every other relation is planned as usual.
pub(crate) struct Inputs {
    pub(crate) relations: Arc<Relations>,
    /// Plans are made with its settings.
    pub(crate) state: SessionState,
}

impl fmt::Debug for Inputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Inputs")
    }
}

impl RelationPlanner for Inputs {
    fn plan_relation(
        &self,
        relation: TableFactor,
        context: &mut dyn RelationPlannerContext,
    ) -> Result<RelationPlanning> {
        let Some((function, arguments)) = called(&relation, context) else {
            return Ok(RelationPlanning::Original(Box::new(relation)));
        };
        let Some(input) = input(&relation, &arguments, context)? else {
            return Ok(RelationPlanning::Original(Box::new(with_names(relation, &arguments))));
        };
        let mut exprs = vec![lit(""), lit(column(&arguments))];
        for argument in arguments.into_iter().skip(2) {
            exprs.push(context.sql_to_expr(argument, &DFSchema::empty())?);
        }
        let call = function.read(&exprs)?;
        let Positions::Column { column, .. } = &call.positions else {
            unreachable!("two texts are a table and a column")
        };
        let table = DataFrame::new(self.state.clone(), input);
        let given = with_rows(table, column, function.rows(call.asked))?;
        let table = provider_as_source(function.table(&self.relations, given, call.asked)?);
        let plan = LogicalPlanBuilder::scan(function.name, table, None)?;
        let TableFactor::Table { alias, .. } = relation else {
            unreachable!("a call is a table with arguments")
        };
        let planned = PlannedRelation::new(plan.build()?, alias);
        Ok(RelationPlanning::Planned(Box::new(planned)))
    }
}

/// The function that is called on a table, and its arguments: a table, a column, and more.
fn called(
    relation: &TableFactor,
    context: &dyn RelationPlannerContext,
) -> Option<(&'static MoveTable, Vec<ast::Expr>)> {
    let TableFactor::Table { name, args: Some(TableFunctionArgs { args, .. }), .. } = relation
    else {
        return None;
    };
    let [ObjectNamePart::Identifier(name)] = &name.0[..] else { return None };
    let name = context.normalize_ident(name.clone());
    let function = FUNCTIONS.iter().find(|function| function.name == name)?;
    let arguments = args.iter().map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(argument)) => Some(argument.clone()),
        _ => None,
    });
    let arguments: Vec<ast::Expr> = arguments.collect::<Option<_>>()?;
    let is_column = |argument: &ast::Expr| {
        matches!(argument, ast::Expr::Identifier(_)) || text(argument).is_some()
    };
    (arguments.len() >= 2 && is_column(&arguments[1])).then_some((function, arguments))
}

/// The plan of the first argument; nothing if it is the name of a table or a file, which are opened
/// where a function is called.
fn input(
    relation: &TableFactor,
    arguments: &[ast::Expr],
    context: &mut dyn RelationPlannerContext,
) -> Result<Option<LogicalPlan>> {
    let name = match &arguments[0] {
        ast::Expr::Subquery(query) => {
            let subquery = query.clone();
            return context
                .plan(TableFactor::Derived { lateral: false, subquery, alias: None, sample: None })
                .map(Some);
        }
        ast::Expr::Identifier(name) => name.clone(),
        argument => match text(argument) {
            Some(name) if Named::of(&name).is_none() && !name.contains('.') => {
                Ident::with_quote('"', name)
            }
            _ => return Ok(None),
        },
    };
    let mut table = relation.clone();
    if let TableFactor::Table { name: called, args, alias, .. } = &mut table {
        *called = ObjectName::from(vec![name]);
        *args = None;
        *alias = None;
    }
    // The planner knows CTEs; what it does not know may still be a table.
    Ok(context.plan(table).ok())
}

/// The call with names of a table and a column in quotes, as the function itself takes them.
fn with_names(mut relation: TableFactor, arguments: &[ast::Expr]) -> TableFactor {
    let quoted = |name: &Ident| {
        let name = match name.quote_style {
            Some(_) => name.value.clone(),
            None => name.value.to_ascii_lowercase(),
        };
        ast::Expr::value(Value::SingleQuotedString(name))
    };
    if let TableFactor::Table { args: Some(TableFunctionArgs { args, .. }), .. } = &mut relation {
        for (arg, argument) in args.iter_mut().zip(arguments).take(2) {
            if let ast::Expr::Identifier(name) = argument {
                *arg = FunctionArg::Unnamed(FunctionArgExpr::Expr(quoted(name)));
            }
        }
    }
    relation
}

fn column(arguments: &[ast::Expr]) -> String {
    match &arguments[1] {
        ast::Expr::Identifier(name) if name.quote_style.is_none() => {
            name.value.to_ascii_lowercase()
        }
        ast::Expr::Identifier(name) => name.value.clone(),
        argument => text(argument).unwrap_or_default(),
    }
}

fn text(argument: &ast::Expr) -> Option<String> {
    match argument {
        ast::Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) => Some(text.clone()),
            _ => None,
        },
        _ => None,
    }
}
