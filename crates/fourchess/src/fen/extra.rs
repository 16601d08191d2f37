//! The part of FEN4 in braces: what else is said about the position, or about the rules.

use super::{FenError, clip};
use crate::{position::Position, seat::Seat};

/// The part in braces: names, and values that are one for all or one for each seat.
#[derive(Default)]
pub(super) struct Extra<'a> {
    entries: Vec<(&'a str, Vec<&'a str>)>,
}

/// What describes the position, or nothing that matters.
const DESCRIPTIONS: [&str; 8] = [
    "enPassant",
    "resigned",
    "flagged",
    "stalemated",
    "royal",
    "kingSquares",
    "gameOver",
    "uniquify",
];

/// Extras that change the rules, with the value that leaves them as they are.
const DEFAULTS: [(&str, &str); 3] =
    [("pawnsBaseRank", "2"), ("pawnBaseRank", "2"), ("dim", "14x14")];

impl<'a> Extra<'a> {
    pub(super) fn parse(text: &'a str) -> Result<Extra<'a>, FenError> {
        let error = |rest: &str| FenError::Extra(clip(rest));
        let mut rest = text
            .strip_prefix('{')
            .and_then(|text| text.strip_suffix('}'))
            .ok_or_else(|| error(text))?;
        let mut entries = Vec::new();
        while !rest.is_empty() {
            let (name, after) = quoted(rest).ok_or_else(|| error(rest))?;
            let after = after.strip_prefix(':').ok_or_else(|| error(after))?;
            let (values, after) = values(after).ok_or_else(|| error(after))?;
            if !DESCRIPTIONS.contains(&name) && !changes_nothing(name, &values) {
                let value = clip(&values.join(","));
                return Err(FenError::UnknownExtra { name: clip(name), value });
            }
            entries.push((name, values));
            rest = match after.strip_prefix(',') {
                Some(more) if !more.is_empty() => more,
                None if after.is_empty() => after,
                _ => return Err(error(after)),
            };
        }
        Ok(Extra { entries })
    }

    /// A seat's value of a list, if the list is there.
    pub(super) fn value(
        &self,
        name: &'static str,
        seat: Seat,
    ) -> Result<Option<&'a str>, FenError> {
        let Some((_, values)) = self.entries.iter().find(|(found, _)| *found == name) else {
            return Ok(None);
        };
        match values[..] {
            [_, _, _, _] => Ok(Some(values[seat.index()])),
            _ => Err(FenError::Entries {
                field: name,
                text: clip(&values.join(",")),
                entries: values.len(),
            }),
        }
    }

    pub(super) fn has_left(&self, seat: Seat) -> Result<bool, FenError> {
        Ok(self.value("resigned", seat)? == Some("true")
            || self.value("flagged", seat)? == Some("true"))
    }

    /// Refuses royal pieces that are not the kings. `kingSquares` is an older name for `royal`.
    pub(super) fn check_royal(&self, position: &Position) -> Result<(), FenError> {
        for (seat, name) in Seat::ALL.into_iter().flat_map(|s| [(s, "royal"), (s, "kingSquares")]) {
            let text = self.value(name, seat)?.unwrap_or("");
            let king = position.king(seat).map(|king| king.to_string());
            if !is_off(text) && king.as_deref() != Some(text) {
                return Err(FenError::Royal { seat, text: clip(text) });
            }
        }
        Ok(())
    }
}

/// Whether an extra says what holds anyway: the default, or that something is off.
fn changes_nothing(name: &str, values: &[&str]) -> bool {
    match DEFAULTS.iter().find(|default| default.0 == name) {
        Some((_, default)) => values.iter().all(|value| value == default),
        None => values.iter().all(|value| is_off(value)),
    }
}

fn is_off(value: &str) -> bool {
    matches!(value, "" | "false" | "null")
}

/// A text in single quotes, and what follows.
fn quoted(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix('\'')?.split_once('\'')
}

/// One value, or several in parentheses, and what follows.
fn values(text: &str) -> Option<(Vec<&str>, &str)> {
    let Some(mut rest) = text.strip_prefix('(') else {
        let (value, rest) = value(text)?;
        return Some((vec![value], rest));
    };
    let mut values = Vec::new();
    loop {
        let (value, after) = value(rest)?;
        values.push(value);
        if let Some(after) = after.strip_prefix(')') {
            return Some((values, after));
        }
        rest = after.strip_prefix(',')?;
    }
}

fn value(text: &str) -> Option<(&str, &str)> {
    if text.starts_with('\'') {
        return quoted(text);
    }
    let end = text.find(|letter: char| !letter.is_ascii_alphanumeric()).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}
