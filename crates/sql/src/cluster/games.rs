//! Tables of games, written so that another process of this program can read them.

use std::{num::NonZeroUsize, sync::Arc};

use datafusion::{
    datasource::listing::ListingTableUrl,
    error::{DataFusionError, Result},
    physical_plan::ExecutionPlan,
};
use url::Url;

use crate::pgn::{
    conditions::{Comparison, Condition, Key, Value},
    scan::{GamesScan, Reading},
    table::{GamesTable, Place, Rows},
};

/// A table of games, or the reading of one.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct GamesMessage {
    /// What a row is: one of [`ROWS`].
    #[prost(uint32, tag = "1")]
    rows: u32,
    #[prost(uint64, tag = "2")]
    every: u64,
    /// Where the files of a table are looked for.
    #[prost(message, repeated, tag = "3")]
    places: Vec<PlaceMessage>,
    #[prost(uint32, repeated, tag = "4")]
    wanted: Vec<u32>,
    #[prost(message, repeated, tag = "5")]
    conditions: Vec<ConditionMessage>,
    #[prost(uint64, optional, tag = "6")]
    limit: Option<u64>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct PlaceMessage {
    #[prost(string, tag = "1")]
    url: String,
    #[prost(string, optional, tag = "2")]
    pattern: Option<String>,
    #[prost(string, tag = "3")]
    path: String,
}

/// A condition. Which one is told by `kind`.
#[derive(Clone, PartialEq, prost::Message)]
struct ConditionMessage {
    #[prost(enumeration = "ConditionKind", tag = "1")]
    kind: i32,
    #[prost(enumeration = "KeyKind", tag = "2")]
    key: i32,
    /// The name of a column or a tag.
    #[prost(string, tag = "3")]
    name: String,
    /// One of [`COMPARISONS`].
    #[prost(uint32, tag = "4")]
    comparison: u32,
    #[prost(message, repeated, tag = "5")]
    values: Vec<ValueMessage>,
    #[prost(message, repeated, tag = "6")]
    inner: Vec<ConditionMessage>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct ValueMessage {
    #[prost(string, optional, tag = "1")]
    text: Option<String>,
    #[prost(uint64, tag = "2")]
    count: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
enum ConditionKind {
    Compare = 0,
    IsNull = 1,
    In = 2,
    Like = 3,
    Not = 4,
    And = 5,
    Or = 6,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, prost::Enumeration)]
#[repr(i32)]
enum KeyKind {
    Source = 0,
    Game = 1,
    Ply = 2,
    Column = 3,
    Tag = 4,
}

const ROWS: [Rows; 3] = [Rows::Games, Rows::Positions, Rows::Bad];
/// A message names a comparison by its place here.
const COMPARISONS: [Comparison; 6] = [
    Comparison::Equal,
    Comparison::NotEqual,
    Comparison::Less,
    Comparison::LessOrEqual,
    Comparison::Greater,
    Comparison::GreaterOrEqual,
];

impl GamesMessage {
    pub(super) fn of_table(table: &GamesTable) -> GamesMessage {
        GamesMessage {
            rows: number(table.rows),
            every: table.every.get() as u64,
            places: table.places.iter().map(PlaceMessage::of).collect(),
            ..GamesMessage::default()
        }
    }

    pub(super) fn of_scan(scan: &GamesScan) -> GamesMessage {
        let Reading { rows, every, wanted, conditions, limit, .. } = &scan.reading;
        GamesMessage {
            rows: number(*rows),
            every: every.get() as u64,
            places: Vec::new(),
            wanted: wanted.iter().map(|&index| index as u32).collect(),
            conditions: conditions.iter().map(ConditionMessage::of).collect(),
            limit: limit.map(|limit| limit as u64),
        }
    }

    pub(super) fn table(self) -> Result<GamesTable> {
        let (rows, every) = (self.rows()?, self.every());
        let places = self.places.into_iter().map(PlaceMessage::place).collect::<Result<_>>()?;
        Ok(GamesTable { is_shared: true, ..GamesTable::new(rows, places).every(every) })
    }

    /// The reading of parts that another operator tells.
    pub(super) fn scan(self, input: Option<&Arc<dyn ExecutionPlan>>) -> Result<GamesScan> {
        let (rows, every) = (self.rows()?, self.every());
        let input = input.ok_or_else(unreadable)?.clone();
        let conditions = self.conditions.into_iter().map(ConditionMessage::condition);
        let reading = Reading {
            rows,
            every,
            groups: Vec::new(),
            wanted: self.wanted.into_iter().map(|index| index as usize).collect(),
            conditions: conditions.collect::<Option<_>>().ok_or_else(unreadable)?,
            limit: self.limit.map(|limit| limit as usize),
        };
        GamesScan::over(reading, input)
    }

    fn rows(&self) -> Result<Rows> {
        ROWS.get(self.rows as usize).copied().ok_or_else(unreadable)
    }

    fn every(&self) -> NonZeroUsize {
        NonZeroUsize::new(self.every as usize).unwrap_or(NonZeroUsize::MIN)
    }
}

fn number(rows: Rows) -> u32 {
    ROWS.iter().position(|other| *other == rows).map_or(0, |at| at as u32)
}

fn unreadable() -> DataFusionError {
    super::codec::unreadable("a table of games")
}

impl PlaceMessage {
    fn of(place: &Place) -> PlaceMessage {
        PlaceMessage {
            url: place.url.get_url().to_string(),
            pattern: place.url.get_glob().as_ref().map(|pattern| pattern.as_str().to_owned()),
            path: place.path.clone(),
        }
    }

    fn place(self) -> Result<Place> {
        let url = Url::parse(&self.url).map_err(|_| unreadable())?;
        let url = ListingTableUrl::try_new(url, None)?;
        let url = match self.pattern {
            Some(pattern) => url.with_glob(&pattern)?,
            None => url,
        };
        Ok(Place { url, path: self.path })
    }
}

impl ConditionMessage {
    fn of(condition: &Condition) -> ConditionMessage {
        match condition {
            Condition::Compare(key, comparison, value) => {
                let place = COMPARISONS.iter().position(|other| other == comparison);
                ConditionMessage {
                    comparison: place.map_or(0, |place| place as u32),
                    ..ConditionMessage::of_key(
                        ConditionKind::Compare,
                        key,
                        std::slice::from_ref(value),
                    )
                }
            }
            Condition::IsNull(key) => ConditionMessage::of_key(ConditionKind::IsNull, key, &[]),
            Condition::In(key, values) => ConditionMessage::of_key(ConditionKind::In, key, values),
            Condition::Like(key, pattern) => {
                let pattern = [Value::Text(pattern.clone())];
                ConditionMessage::of_key(ConditionKind::Like, key, &pattern)
            }
            Condition::Not(inner) => {
                ConditionMessage::of_inner(ConditionKind::Not, std::slice::from_ref(&**inner))
            }
            Condition::And(both) => ConditionMessage::of_inner(ConditionKind::And, &both[..]),
            Condition::Or(both) => ConditionMessage::of_inner(ConditionKind::Or, &both[..]),
        }
    }

    fn of_key(kind: ConditionKind, key: &Key, values: &[Value]) -> ConditionMessage {
        let (key, name) = match key {
            Key::Source => (KeyKind::Source, ""),
            Key::Game => (KeyKind::Game, ""),
            Key::Ply => (KeyKind::Ply, ""),
            Key::Column(name) => (KeyKind::Column, name.as_str()),
            Key::Tag(name) => (KeyKind::Tag, name.as_str()),
        };
        let values = values.iter().map(|value| match value {
            Value::Text(text) => ValueMessage { text: Some(text.clone()), count: 0 },
            Value::Count(count) => ValueMessage { text: None, count: *count },
        });
        ConditionMessage {
            kind: kind.into(),
            key: key.into(),
            name: name.to_owned(),
            values: values.collect(),
            ..ConditionMessage::default()
        }
    }

    fn of_inner(kind: ConditionKind, inner: &[Condition]) -> ConditionMessage {
        let inner = inner.iter().map(ConditionMessage::of).collect();
        ConditionMessage { kind: kind.into(), inner, ..ConditionMessage::default() }
    }

    fn condition(self) -> Option<Condition> {
        let key = match KeyKind::try_from(self.key).ok()? {
            KeyKind::Source => Key::Source,
            KeyKind::Game => Key::Game,
            KeyKind::Ply => Key::Ply,
            KeyKind::Column => Key::Column(self.name),
            KeyKind::Tag => Key::Tag(self.name),
        };
        let values = self.values.into_iter();
        let mut values: Vec<Value> =
            values.map(|value| value.text.map_or(Value::Count(value.count), Value::Text)).collect();
        let inner = self.inner.into_iter().map(ConditionMessage::condition);
        let mut inner = inner.collect::<Option<Vec<Condition>>>()?;
        Some(match ConditionKind::try_from(self.kind).ok()? {
            ConditionKind::Compare => {
                let comparison = *COMPARISONS.get(self.comparison as usize)?;
                Condition::Compare(key, comparison, values.pop()?)
            }
            ConditionKind::IsNull => Condition::IsNull(key),
            ConditionKind::In => Condition::In(key, values),
            ConditionKind::Like => match values.pop()? {
                Value::Text(pattern) => Condition::Like(key, pattern),
                Value::Count(_) => return None,
            },
            ConditionKind::Not => Condition::Not(Box::new(inner.pop()?)),
            ConditionKind::And => Condition::And(Box::new(inner.try_into().ok()?)),
            ConditionKind::Or => Condition::Or(Box::new(inner.try_into().ok()?)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_come_back_as_they_were() {
        let compare = |comparison| {
            Condition::Compare(Key::Column("white_elo".into()), comparison, Value::Count(7))
        };
        let mut conditions: Vec<Condition> = COMPARISONS.into_iter().map(compare).collect();
        conditions.extend([
            Condition::IsNull(Key::Source),
            Condition::In(Key::Game, vec![Value::Count(1), Value::Count(u64::MAX)]),
            Condition::In(Key::Tag("A".into()), vec![Value::Text(String::new())]),
            Condition::Like(Key::Source, "%x".into()),
            Condition::Not(Box::new(Condition::IsNull(Key::Ply))),
        ]);
        let both = Box::new([conditions[0].clone(), conditions[9].clone()]);
        conditions.extend([Condition::And(both.clone()), Condition::Or(both)]);
        for condition in conditions {
            let message = ConditionMessage::of(&condition);
            assert_eq!(message.condition(), Some(condition));
        }
    }
}
