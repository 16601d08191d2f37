//! Conditions that are tested before the moves of a game are played, or before a position is looked
//! at. They mean what the statement means by them: where a value is missing, they are unknown.

use std::{cmp::Ordering, fmt};

use chess::pgn::Tags;
use datafusion::{
    logical_expr::{Between, BinaryExpr, Expr, Like, Operator, expr::InList},
    scalar::ScalarValue,
};
use tables::{Cell, chess::tag_cell};

/// A condition on columns that are known early.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Condition {
    Compare(Key, Comparison, Value),
    IsNull(Key),
    In(Key, Vec<Value>),
    Like(Key, String),
    Not(Box<Condition>),
    And(Box<[Condition; 2]>),
    Or(Box<[Condition; 2]>),
}

/// What is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Key {
    Source,
    Game,
    Ply,
    /// A column that a tag tells.
    Column(String),
    /// A tag without a column.
    Tag(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Comparison {
    fn of(operator: Operator) -> Option<Comparison> {
        Some(match operator {
            Operator::Eq => Comparison::Equal,
            Operator::NotEq => Comparison::NotEqual,
            Operator::Lt => Comparison::Less,
            Operator::LtEq => Comparison::LessOrEqual,
            Operator::Gt => Comparison::Greater,
            Operator::GtEq => Comparison::GreaterOrEqual,
            _ => return None,
        })
    }

    /// The same seen from the other side.
    fn swapped(self) -> Comparison {
        match self {
            Comparison::Less => Comparison::Greater,
            Comparison::LessOrEqual => Comparison::GreaterOrEqual,
            Comparison::Greater => Comparison::Less,
            Comparison::GreaterOrEqual => Comparison::LessOrEqual,
            same => same,
        }
    }

    fn holds(self, order: Ordering) -> bool {
        match self {
            Comparison::Equal => order.is_eq(),
            Comparison::NotEqual => order.is_ne(),
            Comparison::Less => order.is_lt(),
            Comparison::LessOrEqual => order.is_le(),
            Comparison::Greater => order.is_gt(),
            Comparison::GreaterOrEqual => order.is_ge(),
        }
    }

    fn sign(self) -> &'static str {
        match self {
            Comparison::Equal => "=",
            Comparison::NotEqual => "!=",
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
        }
    }
}

/// A value that stands in the statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Text(String),
    Count(u64),
}

/// When a condition can be tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Time {
    /// When the tags of a game have been read.
    Game,
    /// When the ply of a position is known.
    Ply,
}

/// What a condition is tested on.
#[derive(Clone, Copy)]
pub(crate) struct Tested<'a> {
    pub(crate) source: &'a str,
    pub(crate) game: u64,
    pub(crate) ply: u64,
    pub(crate) tags: &'a Tags,
}

impl Condition {
    /// The condition that an expression means, if all of it can be tested at one time before the
    /// rows are made. `is_known` says which columns can be.
    pub(crate) fn of(expression: &Expr, is_known: &dyn Fn(&str) -> bool) -> Option<Condition> {
        let condition = Condition::read(expression, is_known)?;
        condition.time().map(|_| condition)
    }

    fn read(expression: &Expr, is_known: &dyn Fn(&str) -> bool) -> Option<Condition> {
        let read = |expression: &Expr| Condition::read(expression, is_known);
        let key = |expression: &Expr| Key::of(expression, is_known);
        Some(match expression {
            Expr::BinaryExpr(BinaryExpr { left, op: Operator::And, right }) => {
                Condition::And(Box::new([read(left)?, read(right)?]))
            }
            Expr::BinaryExpr(BinaryExpr { left, op: Operator::Or, right }) => {
                Condition::Or(Box::new([read(left)?, read(right)?]))
            }
            Expr::BinaryExpr(BinaryExpr { left, op, right }) => {
                let comparison = Comparison::of(*op)?;
                match key(left) {
                    Some(key) => Condition::compare(key, comparison, right)?,
                    None => Condition::compare(key(right)?, comparison.swapped(), left)?,
                }
            }
            Expr::Between(Between { expr, negated, low, high }) => {
                let low = Condition::compare(key(expr)?, Comparison::GreaterOrEqual, low)?;
                let high = Condition::compare(key(expr)?, Comparison::LessOrEqual, high)?;
                Condition::And(Box::new([low, high])).negated(*negated)
            }
            Expr::InList(InList { expr, list, negated }) => {
                let key = key(expr)?;
                let values = list.iter().map(|value| Value::of(&key, value));
                let values = values.collect::<Option<Vec<Value>>>()?;
                Condition::In(key, values).negated(*negated)
            }
            Expr::Like(like) => Condition::like(key(&like.expr)?, like)?,
            Expr::IsNull(inner) => Condition::IsNull(key(inner)?),
            Expr::IsNotNull(inner) => Condition::IsNull(key(inner)?).negated(true),
            Expr::Not(inner) => read(inner)?.negated(true),
            _ => return None,
        })
    }

    fn compare(key: Key, comparison: Comparison, value: &Expr) -> Option<Condition> {
        let value = Value::of(&key, value)?;
        Some(Condition::Compare(key, comparison, value))
    }

    /// Patterns with a placeholder for one letter, or with escapes, are left to others.
    fn like(key: Key, like: &Like) -> Option<Condition> {
        let Value::Text(pattern) = Value::of(&key, &like.pattern)? else { return None };
        if like.case_insensitive || like.escape_char.is_some() || pattern.contains(['_', '\\']) {
            return None;
        }
        Some(Condition::Like(key, pattern).negated(like.negated))
    }

    fn negated(self, is_negated: bool) -> Condition {
        if is_negated { Condition::Not(Box::new(self)) } else { self }
    }

    /// When it can be tested, if all of it can be at one time.
    pub(crate) fn time(&self) -> Option<Time> {
        match self {
            Condition::Compare(key, ..)
            | Condition::IsNull(key)
            | Condition::In(key, _)
            | Condition::Like(key, _) => {
                Some(if *key == Key::Ply { Time::Ply } else { Time::Game })
            }
            Condition::Not(inner) => inner.time(),
            Condition::And(both) | Condition::Or(both) => {
                let [first, second] = both.each_ref().map(Condition::time);
                first.filter(|_| first == second)
            }
        }
    }

    /// Whether it asks for the number of the game.
    pub(crate) fn asks_for_game(&self) -> bool {
        match self {
            Condition::Compare(key, ..)
            | Condition::IsNull(key)
            | Condition::In(key, _)
            | Condition::Like(key, _) => *key == Key::Game,
            Condition::Not(inner) => inner.asks_for_game(),
            Condition::And(both) | Condition::Or(both) => both.iter().any(Condition::asks_for_game),
        }
    }

    /// Whether it holds; nothing if that is unknown.
    pub(crate) fn holds(&self, tested: Tested<'_>) -> Option<bool> {
        match self {
            Condition::Compare(key, comparison, value) => {
                Some(comparison.holds(value.compared(&key.cell(tested))?))
            }
            Condition::IsNull(key) => Some(key.cell(tested) == Cell::Nothing),
            Condition::In(key, values) => {
                let cell = key.cell(tested);
                let mut orders = values.iter().map(|value| value.compared(&cell));
                orders
                    .clone()
                    .all(|order| order.is_some())
                    .then(|| orders.any(|order| order == Some(Ordering::Equal)))
            }
            Condition::Like(key, pattern) => match key.cell(tested) {
                Cell::Text(text) => Some(is_like(&text, pattern)),
                _ => None,
            },
            Condition::Not(inner) => inner.holds(tested).map(|holds| !holds),
            Condition::And(both) => match both.each_ref().map(|it| it.holds(tested)) {
                [Some(false), _] | [_, Some(false)] => Some(false),
                [Some(true), Some(true)] => Some(true),
                _ => None,
            },
            Condition::Or(both) => match both.each_ref().map(|it| it.holds(tested)) {
                [Some(true), _] | [_, Some(true)] => Some(true),
                [Some(false), Some(false)] => Some(false),
                _ => None,
            },
        }
    }
}

impl Key {
    fn of(expression: &Expr, is_known: &dyn Fn(&str) -> bool) -> Option<Key> {
        match expression {
            Expr::Column(column) if is_known(&column.name) => match column.name.as_str() {
                "source" => Some(Key::Source),
                "game" => Some(Key::Game),
                "ply" => Some(Key::Ply),
                "tags" => None,
                name => {
                    let is_tag = tag_cell(name, &Tags::default()).is_some();
                    is_tag.then(|| Key::Column(name.to_owned()))
                }
            },
            Expr::ScalarFunction(call) if call.func.name() == "get_field" => match &call.args[..] {
                [Expr::Column(column), Expr::Literal(tag, _)]
                    if column.name == "tags" && is_known("tags") =>
                {
                    text_of(tag).map(|tag| Key::Tag(tag.to_owned()))
                }
                _ => None,
            },
            Expr::Alias(alias) => Key::of(&alias.expr, is_known),
            _ => None,
        }
    }

    fn is_number(&self) -> bool {
        match self {
            Key::Game | Key::Ply => true,
            Key::Column(name) => matches!(name.as_str(), "white_elo" | "black_elo"),
            Key::Source | Key::Tag(_) => false,
        }
    }

    fn cell<'a>(&self, tested: Tested<'a>) -> Cell<'a> {
        match self {
            Key::Source => tested.source.into(),
            Key::Game => tested.game.into(),
            Key::Ply => tested.ply.into(),
            Key::Column(name) => tag_cell(name, tested.tags).unwrap_or(Cell::Nothing),
            Key::Tag(name) => match tag_cell("tags", tested.tags) {
                Some(Cell::Map(tags)) => {
                    tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| *value).into()
                }
                _ => Cell::Nothing,
            },
        }
    }
}

impl Value {
    /// A value of the type of a key.
    fn of(key: &Key, expression: &Expr) -> Option<Value> {
        let Expr::Literal(value, _) = expression else { return None };
        if !key.is_number() {
            return text_of(value).map(|text| Value::Text(text.to_owned()));
        }
        let count = match *value {
            ScalarValue::UInt64(count) => count,
            ScalarValue::UInt32(count) => count.map(u64::from),
            ScalarValue::Int64(count) => count.and_then(|count| u64::try_from(count).ok()),
            ScalarValue::Int32(count) => count.and_then(|count| u64::try_from(count).ok()),
            _ => None,
        };
        count.map(Value::Count)
    }

    /// How what a cell holds compares with it; nothing if the cell holds nothing.
    fn compared(&self, cell: &Cell<'_>) -> Option<Ordering> {
        match (cell, self) {
            (Cell::Text(found), Value::Text(text)) => Some(found.as_ref().cmp(text)),
            (Cell::Count(found), Value::Count(count)) => Some(found.cmp(count)),
            _ => None,
        }
    }
}

fn text_of(value: &ScalarValue) -> Option<&str> {
    match value {
        ScalarValue::Utf8(text) | ScalarValue::Utf8View(text) | ScalarValue::LargeUtf8(text) => {
            text.as_deref()
        }
        _ => None,
    }
}

/// Whether a text is like a pattern in which `%` stands for any text.
fn is_like(text: &str, pattern: &str) -> bool {
    let mut parts = pattern.split('%');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.split_once(part) {
            Some((_, behind)) => rest = behind,
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// As a statement would say it.
impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::Compare(key, comparison, value) => {
                write!(f, "{key} {} {value}", comparison.sign())
            }
            Condition::IsNull(key) => write!(f, "{key} is null"),
            Condition::In(key, values) => {
                let values: Vec<String> = values.iter().map(Value::to_string).collect();
                write!(f, "{key} in ({})", values.join(", "))
            }
            Condition::Like(key, pattern) => write!(f, "{key} like '{pattern}'"),
            Condition::Not(inner) => write!(f, "not ({inner})"),
            Condition::And(both) => write!(f, "({} and {})", both[0], both[1]),
            Condition::Or(both) => write!(f, "({} or {})", both[0], both[1]),
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Key::Source => f.write_str("source"),
            Key::Game => f.write_str("game"),
            Key::Ply => f.write_str("ply"),
            Key::Column(name) => f.write_str(name),
            Key::Tag(name) => write!(f, "tags['{name}']"),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Text(text) => write!(f, "'{text}'"),
            Value::Count(count) => count.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_stands_for_any_text_where_it_says_so() {
        for (text, pattern, expected) in [
            ("Carlsen", "Carl%", true),
            ("Carlsen", "%sen", true),
            ("Carlsen", "%rl%", true),
            ("Carlsen", "C%n", true),
            ("Carlsen", "Carlsen", true),
            ("Carlsen", "Carl", false),
            ("Carlsen", "%Carl", false),
            ("aba", "ab%ba", false),
            ("", "%", true),
            ("", "", true),
            ("x", "", false),
            ("abcabd", "%ab%d", true),
        ] {
            assert_eq!(is_like(text, pattern), expected, "{text} like {pattern}");
        }
    }
}
