//! IS DISTINCT FROM before AND and OR.
//!
//! sqlparser 0.62 takes all that follows for the right side: `a is distinct from b or c` becomes
//! `a is distinct from (b or c)`. So conditions around one are put together again.

use std::{iter::Peekable, mem, ops::ControlFlow, vec};

use datafusion::sql::sqlparser::ast::{
    BinaryOperator, Expr, UnaryOperator, Value, Visit, visit_expressions,
};

/// Whether a part of a statement has taken too much.
pub(super) fn is_in(statement: &impl Visit) -> bool {
    visit_expressions(statement, |expr| match expr {
        Expr::IsDistinctFrom(..) | Expr::IsNotDistinctFrom(..) if has_taken(expr) => {
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    })
    .is_break()
}

/// Puts a condition together again if one of its parts has taken too much.
pub(super) fn settle(expr: &mut Expr) {
    if !has_taken(expr) {
        return;
    }
    let whole = mem::replace(expr, Expr::value(Value::Null));
    let mut words = Vec::new();
    write(whole, &mut words);
    *expr = *read(&mut words.into_iter().peekable(), 0);
}

/// A condition, in the order in which it was written.
enum Word {
    Operand(Box<Expr>),
    Not,
    Joint(BinaryOperator),
}

fn is_joint(op: &BinaryOperator) -> bool {
    matches!(op, BinaryOperator::And | BinaryOperator::Or)
}

fn has_taken(expr: &Expr) -> bool {
    match expr {
        Expr::IsDistinctFrom(_, right) | Expr::IsNotDistinctFrom(_, right) => {
            matches!(&**right, Expr::BinaryOp { op, .. } if is_joint(op)) || has_taken(right)
        }
        Expr::BinaryOp { left, op, right } if is_joint(op) => has_taken(left) || has_taken(right),
        Expr::UnaryOp { op: UnaryOperator::Not, expr } => has_taken(expr),
        _ => false,
    }
}

fn write(expr: Expr, words: &mut Vec<Word>) {
    match expr {
        Expr::BinaryOp { left, op, right } if is_joint(&op) => {
            write(*left, words);
            words.push(Word::Joint(op));
            write(*right, words);
        }
        Expr::UnaryOp { op: UnaryOperator::Not, expr } => {
            words.push(Word::Not);
            write(*expr, words);
        }
        Expr::IsDistinctFrom(left, right) => {
            split(*left, *right, words, Expr::IsDistinctFrom);
        }
        Expr::IsNotDistinctFrom(left, right) => {
            split(*left, *right, words, Expr::IsNotDistinctFrom);
        }
        other => words.push(Word::Operand(Box::new(other))),
    }
}

/// Writes a comparison with the first operand of what it has taken, and then the rest.
fn split(
    left: Expr,
    right: Expr,
    words: &mut Vec<Word>,
    compare: fn(Box<Expr>, Box<Expr>) -> Expr,
) {
    let mut taken = Vec::new();
    write(right, &mut taken);
    let mut taken = taken.into_iter().peekable();
    let right = operand(&mut taken);
    words.push(Word::Operand(Box::new(compare(Box::new(left), right))));
    words.extend(taken);
}

type Words = Peekable<vec::IntoIter<Word>>;

/// Reads operands as long as what joins them binds at least so tightly: OR 0, AND 1.
fn read(words: &mut Words, least: u8) -> Box<Expr> {
    let mut left = operand(words);
    while let Some(Word::Joint(op)) = words.peek() {
        let (op, strength) = (op.clone(), u8::from(*op == BinaryOperator::And));
        if strength < least {
            break;
        }
        words.next();
        let right = read(words, strength + 1);
        left = Box::new(Expr::BinaryOp { left, op, right });
    }
    left
}

fn operand(words: &mut Words) -> Box<Expr> {
    match words.next() {
        Some(Word::Operand(expr)) => expr,
        Some(Word::Not) => Box::new(Expr::UnaryOp { op: UnaryOperator::Not, expr: operand(words) }),
        Some(Word::Joint(_)) | None => unreachable!("a condition has an operand here"),
    }
}
