//! Conditions on games and positions.

use std::cmp::Ordering;

use chess::pgn::Tags;

/// `KEY OP VALUE`, such as `white_elo >= 2000`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Condition {
    key: Key,
    operator: Operator,
    value: String,
    number: Option<f64>,
}

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
    /// Reads the words of all conditions, three for each.
    pub(super) fn parse_all(words: &[String]) -> Result<Vec<Condition>, String> {
        words.chunks(3).map(Condition::parse).collect()
    }

    fn parse(words: &[String]) -> Result<Condition, String> {
        let [key, operator, value] = words else { return Err("expected three words".into()) };
        let key = match key.as_str() {
            "result" => Key::Result,
            "white_elo" => Key::WhiteElo,
            "black_elo" => Key::BlackElo,
            "eco" => Key::Eco,
            "ply" => Key::Ply,
            other => {
                return Err(format!(
                    "'{other}' is not a key; expected result, white_elo, black_elo, eco or ply"
                ));
            }
        };
        let operator = match operator.as_str() {
            "=" | "==" => Operator::Equal,
            "!=" => Operator::NotEqual,
            "<" => Operator::Less,
            "<=" => Operator::LessOrEqual,
            ">" => Operator::Greater,
            ">=" => Operator::GreaterOrEqual,
            "~" => Operator::Contains,
            other => {
                return Err(format!("'{other}' is not an operator; expected = != < <= > >= or ~"));
            }
        };
        let number = self::number(value);
        let wants_number = matches!(key, Key::WhiteElo | Key::BlackElo | Key::Ply);
        if wants_number && number.is_none() && operator != Operator::Contains {
            return Err(format!("'{value}' is not a number"));
        }
        Ok(Condition { key, operator, value: value.clone(), number })
    }

    /// Whether a game with these tags can satisfy the condition; a position without a game has
    /// no tags.
    pub(super) fn allows_game(&self, tags: &Tags) -> bool {
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
    pub(super) fn allows_ply(&self, ply: u64) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(words: [&str; 3], tag: (&str, &str)) -> bool {
        let condition = Condition::parse(&words.map(str::to_owned)).unwrap();
        let mut tags = Tags::default();
        tags.push(tag.0, tag.1);
        condition.allows_game(&tags)
    }

    #[test]
    fn numbers_compare_as_numbers_and_texts_as_texts() {
        assert!(holds(["white_elo", ">=", "900"], ("WhiteElo", "1200")));
        assert!(!holds(["white_elo", "<", "900"], ("WhiteElo", "1200")));
        assert!(!holds(["white_elo", "<", "900"], ("WhiteElo", "?")), "unknown is not small");
        assert!(!holds(["white_elo", "!=", "900"], ("WhiteElo", "NaN")), "C4: no number either");
        assert!(!holds(["black_elo", ">", "0"], ("WhiteElo", "1200")), "missing is not large");
        assert!(holds(["eco", ">=", "B20"], ("ECO", "B90")));
        assert!(holds(["eco", "~", "b9"], ("ECO", "B90")));
        assert!(holds(["result", "!=", "1-0"], ("Result", "0-1")));
    }

    #[test]
    fn bad_conditions_say_what_is_wrong() {
        let parse = |words: [&str; 3]| Condition::parse(&words.map(str::to_owned)).unwrap_err();
        assert!(parse(["elo", "=", "1"]).starts_with("'elo' is not a key"));
        assert!(parse(["ply", "=>", "1"]).starts_with("'=>' is not an operator"));
        assert_eq!(parse(["ply", "<", "many"]), "'many' is not a number");
        assert_eq!(parse(["ply", "<", "nan"]), "'nan' is not a number", "C4");
    }
}
