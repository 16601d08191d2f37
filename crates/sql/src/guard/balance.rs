//! Long chains of AND and OR as trees of small height.
//!
//! A parser makes `a or b or c or d` a tree as high as it has terms, and DataFusion compares every
//! term with all terms below it: 10,000 of them took 53 seconds to plan. AND and OR are
//! associative, also where values are missing, so any tree over the same terms in the same order
//! is the same condition.

use std::ops::ControlFlow;

use datafusion::sql::{
    parser::{CopyToSource, Statement},
    sqlparser::ast::{BinaryOperator, Expr, Value, VisitMut, VisitorMut},
};

/// Shorter chains are left as they are, and so are the names of columns that are made of them.
const SHORT: usize = 16;

/// Balances every chain of a statement.
pub(super) fn statement(statement: &mut Statement) {
    let _: ControlFlow<()> = match statement {
        Statement::Statement(statement) => statement.visit(&mut Balance),
        Statement::CopyTo(copy) => match &mut copy.source {
            CopyToSource::Query(query) => query.visit(&mut Balance),
            CopyToSource::Relation(_) => ControlFlow::Continue(()),
        },
        Statement::Explain(explain) => {
            self::statement(&mut explain.statement);
            ControlFlow::Continue(())
        }
        Statement::CreateExternalTable(_) | Statement::Reset(_) => ControlFlow::Continue(()),
    };
}

struct Balance;

impl VisitorMut for Balance {
    type Break = ();

    /// Comes before the children are visited, so that no walk is ever as deep as a chain is long.
    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        let op = match expr {
            Expr::BinaryOp { op: BinaryOperator::And, .. } => BinaryOperator::And,
            Expr::BinaryOp { op: BinaryOperator::Or, .. } => BinaryOperator::Or,
            _ => return ControlFlow::Continue(()),
        };
        if length(expr, &op) <= SHORT {
            return ControlFlow::Continue(());
        }
        let mut terms = terms(expr, &op);
        *expr = tree(&mut terms, &op);
        ControlFlow::Continue(())
    }
}

fn length(mut expr: &Expr, chain: &BinaryOperator) -> usize {
    let mut length = 1;
    while let Expr::BinaryOp { left, op, .. } = expr
        && op == chain
    {
        length += 1;
        expr = left;
    }
    length
}

/// Takes a chain apart, the first term first.
fn terms(expr: &mut Expr, chain: &BinaryOperator) -> Vec<Expr> {
    let mut terms = Vec::new();
    let mut rest = take(expr);
    loop {
        match rest {
            Expr::BinaryOp { left, op, right } if op == *chain => {
                terms.push(*right);
                rest = *left;
            }
            first => {
                terms.push(first);
                break;
            }
        }
    }
    terms.reverse();
    terms
}

fn tree(terms: &mut [Expr], op: &BinaryOperator) -> Expr {
    match terms {
        [] => unreachable!("a chain has terms"),
        [term] => take(term),
        terms => {
            let (left, right) = terms.split_at_mut(terms.len() / 2);
            let (left, right) = (Box::new(tree(left, op)), Box::new(tree(right, op)));
            Expr::BinaryOp { left, op: op.clone(), right }
        }
    }
}

fn take(expr: &mut Expr) -> Expr {
    std::mem::replace(expr, Expr::value(Value::Null))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Guard;

    #[test]
    fn b8_a_balanced_chain_keeps_its_terms_in_order() {
        let terms: Vec<String> = (0..1_000).map(|n| format!("a = {n}")).collect();
        for op in [" OR ", " AND "] {
            let text = format!("SELECT * FROM t WHERE {}", terms.join(op));
            let statements = Guard::default().read(&text).unwrap();
            assert_eq!(statements[0].0.to_string(), text);
            let Statement::Statement(statement) = &statements[0].0 else { panic!("{text}") };
            assert!(height(&format!("{statement:?}")) < 200);
        }
    }

    /// How deeply the brackets of a text are nested.
    fn height(text: &str) -> usize {
        let (mut open, mut most) = (0usize, 0);
        for byte in text.bytes() {
            match byte {
                b'{' => open += 1,
                b'}' => open -= 1,
                _ => {}
            }
            most = most.max(open);
        }
        most
    }
}
