//! Timelines that are no longer than a condition on `ply` lets them be.
//!
//! The rows of `chess_timeline` up to a ply are the same for any larger number of plies, so
//! `from chess_timeline('start', 9) where ply = 1` is answered by a timeline of one ply.

use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, FunctionArg, FunctionArgExpr, Ident, ObjectNamePart, Select, TableFactor,
    TableFunctionArgs, TableWithJoins, Value,
};

use crate::functions::relations::{MOST_PLIES, TIMELINE};

/// Shortens the timeline that a query reads, if it reads nothing else.
pub(super) fn shorten(select: &mut Select) {
    let Some(most) = select.selection.as_ref().and_then(most_plies) else { return };
    let [TableWithJoins { relation, joins }] = &mut select.from[..] else { return };
    let TableFactor::Table { name, args: Some(TableFunctionArgs { args, .. }), alias, .. } =
        relation
    else {
        return;
    };
    let is_timeline =
        matches!(&name.0[..], [ObjectNamePart::Identifier(name)] if is(name, TIMELINE));
    // An alias may give another column the name.
    let is_renamed = alias.as_ref().is_some_and(|alias| !alias.columns.is_empty());
    if !is_timeline || is_renamed || !joins.is_empty() {
        return;
    }
    for argument in args {
        if let FunctionArg::Unnamed(FunctionArgExpr::Expr(plies)) = argument
            && let Some(asked) = number(plies)
        {
            if (most..=u64::from(MOST_PLIES)).contains(&asked) {
                *plies = Expr::value(Value::Number(most.to_string(), false));
            }
            return;
        }
    }
}

/// The largest ply that a condition lets through, if it says so.
fn most_plies(condition: &Expr) -> Option<u64> {
    use BinaryOperator as Op;
    match condition {
        Expr::Nested(condition) => most_plies(condition),
        Expr::Between { expr, negated: false, high, .. } if is_ply(expr) => number(high),
        Expr::InList { expr, list, negated: false } if is_ply(expr) => {
            list.iter().map(number).collect::<Option<Vec<_>>>()?.into_iter().max()
        }
        Expr::BinaryOp { left, op: Op::And, right } => {
            let both = [most_plies(left), most_plies(right)];
            both.into_iter().flatten().min()
        }
        Expr::BinaryOp { left, op, right } if is_ply(left) => match op {
            Op::Eq | Op::LtEq => number(right),
            Op::Lt => Some(number(right)?.saturating_sub(1)),
            _ => None,
        },
        Expr::BinaryOp { left, op, right } if is_ply(right) => match op {
            Op::Eq | Op::GtEq => number(left),
            Op::Gt => Some(number(left)?.saturating_sub(1)),
            _ => None,
        },
        _ => None,
    }
}

fn is_ply(expr: &Expr) -> bool {
    match expr {
        Expr::Identifier(name) => is(name, "ply"),
        Expr::CompoundIdentifier(names) => {
            matches!(&names[..], [_, name] if is(name, "ply"))
        }
        _ => false,
    }
}

/// Whether a name means this one, which is in lower case.
fn is(name: &Ident, known: &str) -> bool {
    match name.quote_style {
        Some(_) => name.value == known,
        None => name.value.eq_ignore_ascii_case(known),
    }
}

fn number(expr: &Expr) -> Option<u64> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Number(number, _) => number.to_string().parse().ok(),
            _ => None,
        },
        _ => None,
    }
}
