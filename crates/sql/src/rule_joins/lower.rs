//! From expressions of DataFusion to nodes of a graph. Whatever is not known here is `None`, and
//! then a join stays what it was.

use std::sync::Arc;

use arrow::datatypes::DataType;
use datafusion::{
    logical_expr::Operator,
    physical_expr::{
        PhysicalExpr,
        expressions::{BinaryExpr, CaseExpr, Column, IsNotNullExpr, IsNullExpr, Literal, NotExpr},
    },
    scalar::ScalarValue,
};

use super::nodes::{Graph, Id, Node, Op, Place};

/// What an expression comes to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Value {
    /// A whole number of 64 bits without a sign.
    Number(Known),
    /// A truth. Where it is NULL, its bits are those of no.
    Truth(Known),
    /// A column of another type, which can only be taken along. It may hold NULL or not.
    Other { place: Place, valid: Option<Id> },
}

/// A value and whether it is there, which it always is if nothing says so.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) value: Id,
    pub(super) valid: Option<Id>,
}

impl Known {
    fn always(value: Id) -> Known {
        Known { value, valid: None }
    }

    fn valid(self, graph: &mut Graph) -> Id {
        self.valid.unwrap_or_else(|| graph.yes())
    }
}

impl Value {
    /// A column.
    pub(super) fn column(
        graph: &mut Graph,
        place: Place,
        data_type: &DataType,
        nulls: bool,
    ) -> Value {
        let valid = nulls.then(|| graph.add(Node::Valid(place)));
        match data_type {
            DataType::UInt64 => Value::Number(Known { value: graph.value(place), valid }),
            DataType::Boolean => Value::Truth(Known { value: graph.value(place), valid }),
            _ => Value::Other { place, valid },
        }
    }

    fn valid(self) -> Option<Id> {
        match self {
            Value::Number(known) | Value::Truth(known) => known.valid,
            Value::Other { valid, .. } => valid,
        }
    }

    pub(super) fn number(self) -> Option<Known> {
        match self {
            Value::Number(known) => Some(known),
            _ => None,
        }
    }

    pub(super) fn truth(self) -> Option<Known> {
        match self {
            Value::Truth(known) => Some(known),
            _ => None,
        }
    }
}

/// The value of an expression over columns whose values are known.
pub(super) fn lower(
    graph: &mut Graph,
    expr: &Arc<dyn PhysicalExpr>,
    columns: &[Value],
) -> Option<Value> {
    if let Some(column) = expr.downcast_ref::<Column>() {
        return columns.get(column.index()).copied();
    }
    if let Some(literal) = expr.downcast_ref::<Literal>() {
        return constant(graph, literal.value());
    }
    if let Some(binary) = expr.downcast_ref::<BinaryExpr>() {
        let a = lower(graph, binary.left(), columns)?;
        let b = lower(graph, binary.right(), columns)?;
        return both(graph, *binary.op(), a, b);
    }
    if let Some(not) = expr.downcast_ref::<NotExpr>() {
        let truth = lower(graph, not.arg(), columns)?.truth()?;
        return Some(Value::Truth(negated(graph, truth)));
    }
    if let Some(is_null) = expr.downcast_ref::<IsNullExpr>() {
        let valid = lower(graph, is_null.arg(), columns)?.valid();
        let there = valid.unwrap_or_else(|| graph.yes());
        return Some(Value::Truth(Known::always(graph.not(there))));
    }
    if let Some(is_there) = expr.downcast_ref::<IsNotNullExpr>() {
        let valid = lower(graph, is_there.arg(), columns)?.valid();
        return Some(Value::Truth(Known::always(valid.unwrap_or_else(|| graph.yes()))));
    }
    cases(graph, expr.downcast_ref::<CaseExpr>()?, columns)
}

fn constant(graph: &mut Graph, value: &ScalarValue) -> Option<Value> {
    let known = |graph: &mut Graph, bits: Option<u64>| Known {
        value: graph.lit(bits.unwrap_or(0)),
        valid: bits.is_none().then(|| graph.lit(0)),
    };
    match value {
        ScalarValue::UInt64(number) => Some(Value::Number(known(graph, *number))),
        ScalarValue::Boolean(truth) => {
            let bits = truth.map(|truth| if truth { u64::MAX } else { 0 });
            Some(Value::Truth(known(graph, bits)))
        }
        _ => None,
    }
}

fn both(graph: &mut Graph, op: Operator, a: Value, b: Value) -> Option<Value> {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => numbers(graph, op, a, b),
        (Value::Truth(a), Value::Truth(b)) => truths(graph, op, a, b).map(Value::Truth),
        _ => None,
    }
}

/// Where both are there.
fn valid(graph: &mut Graph, a: Known, b: Known) -> Option<Id> {
    match (a.valid, b.valid) {
        (Some(a), Some(b)) => Some(graph.and(a, b)),
        (a, b) => a.or(b),
    }
}

fn numbers(graph: &mut Graph, op: Operator, a: Known, b: Known) -> Option<Value> {
    let valid = valid(graph, a, b);
    let computed = match op {
        Operator::BitwiseAnd => Some(Op::And),
        Operator::BitwiseOr => Some(Op::Or),
        Operator::BitwiseXor => Some(Op::Xor),
        Operator::BitwiseShiftRight => Some(Op::Shr),
        Operator::Plus => Some(Op::Add),
        Operator::Minus => Some(Op::Sub),
        Operator::Multiply => Some(Op::Mul),
        _ => None,
    };
    if let Some(op) = computed {
        let value = graph.two(op, a.value, b.value);
        return Some(Value::Number(Known { value, valid }));
    }
    let value = match op {
        Operator::Eq | Operator::IsNotDistinctFrom => graph.two(Op::Eq, a.value, b.value),
        Operator::NotEq | Operator::IsDistinctFrom => {
            let equal = graph.two(Op::Eq, a.value, b.value);
            graph.not(equal)
        }
        Operator::Lt => graph.two(Op::Less, a.value, b.value),
        Operator::Gt => graph.two(Op::Less, b.value, a.value),
        Operator::LtEq => {
            let more = graph.two(Op::Less, b.value, a.value);
            graph.not(more)
        }
        Operator::GtEq => {
            let less = graph.two(Op::Less, a.value, b.value);
            graph.not(less)
        }
        _ => return None,
    };
    let is_distinct = matches!(op, Operator::IsDistinctFrom | Operator::IsNotDistinctFrom);
    let truth = match is_distinct {
        true => distinct(graph, op, value, a, b),
        false => normal(graph, Known { value, valid }),
    };
    Some(Value::Truth(truth))
}

/// A comparison for which NULL is a value like any other.
fn distinct(graph: &mut Graph, op: Operator, compared: Id, a: Known, b: Known) -> Known {
    let (here, there) = (a.valid(graph), b.valid(graph));
    let both = graph.and(here, there);
    let differ = graph.two(Op::Xor, here, there);
    let value = match op {
        Operator::IsDistinctFrom => {
            let known = graph.and(compared, both);
            graph.or(known, differ)
        }
        _ => {
            let neither = graph.or(here, there);
            let neither = graph.not(neither);
            let known = graph.and(compared, both);
            graph.or(known, neither)
        }
    };
    Known::always(value)
}

/// A truth whose bits are those of no where it is NULL.
fn normal(graph: &mut Graph, truth: Known) -> Known {
    match truth.valid {
        Some(valid) => Known { value: graph.and(truth.value, valid), valid: truth.valid },
        None => truth,
    }
}

fn negated(graph: &mut Graph, truth: Known) -> Known {
    let value = graph.not(truth.value);
    normal(graph, Known { value, valid: truth.valid })
}

fn truths(graph: &mut Graph, op: Operator, a: Known, b: Known) -> Option<Known> {
    match op {
        Operator::And => {
            let value = graph.and(a.value, b.value);
            if a.valid.is_none() && b.valid.is_none() {
                return Some(Known::always(value));
            }
            // Known if both are, or if one is known to be no.
            let (no_a, no_b) = (negated(graph, a).value, negated(graph, b).value);
            let (valid_a, valid_b) = (a.valid(graph), b.valid(graph));
            let both = graph.and(valid_a, valid_b);
            let no = graph.or(no_a, no_b);
            Some(Known { value, valid: Some(graph.or(both, no)) })
        }
        Operator::Or => {
            let value = graph.or(a.value, b.value);
            if a.valid.is_none() && b.valid.is_none() {
                return Some(Known::always(value));
            }
            let (valid_a, valid_b) = (a.valid(graph), b.valid(graph));
            let both = graph.and(valid_a, valid_b);
            Some(Known { value, valid: Some(graph.or(both, value)) })
        }
        Operator::Eq | Operator::NotEq => {
            let differ = graph.two(Op::Xor, a.value, b.value);
            let value = if op == Operator::Eq { graph.not(differ) } else { differ };
            let valid = valid(graph, a, b);
            Some(normal(graph, Known { value, valid }))
        }
        Operator::IsDistinctFrom | Operator::IsNotDistinctFrom => {
            let differ = graph.two(Op::Xor, a.value, b.value);
            let compared = if op == Operator::IsDistinctFrom { differ } else { graph.not(differ) };
            Some(distinct(graph, op, compared, a, b))
        }
        _ => None,
    }
}

/// The first case that holds.
fn cases(graph: &mut Graph, case: &CaseExpr, columns: &[Value]) -> Option<Value> {
    if case.expr().is_some() {
        return None;
    }
    let mut whens = Vec::new();
    for (when, then) in case.when_then_expr() {
        whens.push((lower(graph, when, columns)?.truth()?, lower(graph, then, columns)?));
    }
    let otherwise = match case.else_expr() {
        Some(otherwise) => Some(lower(graph, otherwise, columns)?),
        None => None,
    };
    let is_number = matches!(whens.first()?.1, Value::Number(_));
    let known = |value: Value| if is_number { value.number() } else { value.truth() };
    let mut result = match otherwise {
        Some(value) => known(value)?,
        None => Known { value: graph.lit(0), valid: Some(graph.lit(0)) },
    };
    for (when, then) in whens.into_iter().rev() {
        let then = known(then)?;
        let value = graph.select(when.value, then.value, result.value);
        let valid = match (then.valid, result.valid) {
            (None, None) => None,
            _ => {
                let (yes, no) = (then.valid(graph), result.valid(graph));
                Some(graph.select(when.value, yes, no))
            }
        };
        result = Known { value, valid };
    }
    Some(if is_number { Value::Number(result) } else { Value::Truth(result) })
}
