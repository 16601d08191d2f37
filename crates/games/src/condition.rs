//! Conditions on games and positions, as `--where` takes them.

use std::{cmp::Ordering, fmt, str::FromStr};

use chess::pgn::Tags;

/// A condition on a game or a position: a key, an operator and a value, such as
/// `white_elo >= 2000`.
///
/// Keys are `result`, `white_elo`, `black_elo`, `eco` and `ply`; operators are `=`, `!=`, `<`,
/// `<=`, `>`, `>=` and `~`, which asks whether a text contains the value. A tag that is missing
/// satisfies no condition, and one that is no number none that compares numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    key: Key,
    operator: Operator,
    value: String,
    number: Option<f64>,
}

/// What is no condition.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConditionError {
    /// Not three words.
    #[error("'{0}' is not a condition; expected a key, an operator and a value")]
    Words(String),
    /// A key that does not exist.
    #[error("'{0}' is not a key; expected result, white_elo, black_elo, eco or ply")]
    Key(String),
    /// An operator that does not exist.
    #[error("'{0}' is not an operator; expected = != < <= > >= or ~")]
    Operator(String),
    /// A text where a number is compared.
    #[error("'{0}' is not a number")]
    Number(String),
}

const KEYS: [(&str, Key); 5] = [
    ("result", Key::Result),
    ("white_elo", Key::WhiteElo),
    ("black_elo", Key::BlackElo),
    ("eco", Key::Eco),
    ("ply", Key::Ply),
];

const OPERATORS: [(&str, Operator); 8] = [
    ("=", Operator::Equal),
    ("==", Operator::Equal),
    ("!=", Operator::NotEqual),
    ("<", Operator::Less),
    ("<=", Operator::LessOrEqual),
    (">", Operator::Greater),
    (">=", Operator::GreaterOrEqual),
    ("~", Operator::Contains),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    Result,
    WhiteElo,
    BlackElo,
    Eco,
    Ply,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Contains,
}

impl Condition {
    /// The condition of a key, an operator and a value.
    pub fn new(key: &str, operator: &str, value: &str) -> Result<Condition, ConditionError> {
        let key = KEYS
            .iter()
            .find(|(name, _)| *name == key)
            .ok_or_else(|| ConditionError::Key(key.to_owned()))?;
        let operator = OPERATORS
            .iter()
            .find(|(name, _)| *name == operator)
            .ok_or_else(|| ConditionError::Operator(operator.to_owned()))?;
        let (key, operator) = (key.1, operator.1);
        let number = self::number(value);
        let wants_number = matches!(key, Key::WhiteElo | Key::BlackElo | Key::Ply);
        if wants_number && number.is_none() && operator != Operator::Contains {
            return Err(ConditionError::Number(value.to_owned()));
        }
        Ok(Condition { key, operator, value: value.to_owned(), number })
    }

    /// Whether it is a condition on positions, which says nothing of a game.
    pub fn is_of_positions(&self) -> bool {
        self.key == Key::Ply
    }

    /// Whether a game with these tags can satisfy the condition. A position without a game has no
    /// tags.
    pub fn allows_game(&self, tags: &Tags) -> bool {
        let tag = match self.key {
            Key::Result => "Result",
            Key::WhiteElo => "WhiteElo",
            Key::BlackElo => "BlackElo",
            Key::Eco => "ECO",
            Key::Ply => return true,
        };
        tags.get(tag).is_some_and(|value| self.allows(value))
    }

    /// Whether a position so many plies into a game satisfies the condition.
    pub fn allows_ply(&self, ply: u64) -> bool {
        self.key != Key::Ply || self.allows(&ply.to_string())
    }

    /// Numbers are compared as numbers where the value is one, texts as texts.
    fn allows(&self, found: &str) -> bool {
        let is_text = matches!(self.key, Key::Result | Key::Eco);
        let order = match self.number {
            Some(number) if !is_text => {
                let Some(found) = self::number(found) else { return false };
                found.partial_cmp(&number)
            }
            _ => Some(found.cmp(&self.value)),
        };
        match self.operator {
            Operator::Equal => order == Some(Ordering::Equal),
            Operator::NotEqual => order != Some(Ordering::Equal),
            Operator::Less => order == Some(Ordering::Less),
            Operator::LessOrEqual => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            Operator::Greater => order == Some(Ordering::Greater),
            Operator::GreaterOrEqual => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
            Operator::Contains => found.to_lowercase().contains(&self.value.to_lowercase()),
        }
    }
}

/// What compares with other numbers: NaN does not.
fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| !number.is_nan())
}

/// Three words, separated by blanks; the value may have blanks in it.
impl FromStr for Condition {
    type Err = ConditionError;

    fn from_str(text: &str) -> Result<Condition, ConditionError> {
        let words = text.trim().split_once(char::is_whitespace).and_then(|(key, rest)| {
            let (operator, value) = rest.trim_start().split_once(char::is_whitespace)?;
            Some((key, operator, value.trim_start()))
        });
        let (key, operator, value) = words.ok_or_else(|| ConditionError::Words(text.to_owned()))?;
        Condition::new(key, operator, value)
    }
}

/// As it is read.
impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = KEYS.iter().find(|(_, key)| *key == self.key);
        let operator = OPERATORS.iter().find(|(_, operator)| *operator == self.operator);
        let name = |found: Option<&'static str>| found.unwrap_or_default();
        let (key, operator) = (name(key.map(|key| key.0)), name(operator.map(|op| op.0)));
        write!(f, "{key} {operator} {}", self.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(text: &str, tag: (&str, &str)) -> bool {
        let condition: Condition = text.parse().unwrap();
        assert_eq!(condition.to_string(), text);
        let mut tags = Tags::default();
        tags.push(tag.0, tag.1);
        condition.allows_game(&tags)
    }

    #[test]
    fn numbers_compare_as_numbers_and_texts_as_texts() {
        assert!(holds("white_elo >= 900", ("WhiteElo", "1200")));
        assert!(!holds("white_elo < 900", ("WhiteElo", "1200")));
        assert!(!holds("white_elo < 900", ("WhiteElo", "?")), "unknown is not small");
        assert!(!holds("white_elo != 900", ("WhiteElo", "NaN")), "C4: no number either");
        assert!(!holds("black_elo > 0", ("WhiteElo", "1200")), "missing is not large");
        assert!(holds("eco >= B20", ("ECO", "B90")));
        assert!(holds("eco ~ b9", ("ECO", "B90")));
        assert!(holds("result != 1-0", ("Result", "0-1")));
    }

    #[test]
    fn bad_conditions_say_what_is_wrong() {
        let parse = |text: &str| text.parse::<Condition>().unwrap_err().to_string();
        assert!(parse("elo = 1").starts_with("'elo' is not a key"));
        assert!(parse("ply => 1").starts_with("'=>' is not an operator"));
        assert_eq!(parse("ply < many"), "'many' is not a number");
        assert_eq!(parse("ply < nan"), "'nan' is not a number", "C4");
        assert!(parse("ply <").starts_with("'ply <' is not a condition"));
    }
}
