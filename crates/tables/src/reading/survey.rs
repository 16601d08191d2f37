//! Columns and types, learned from whole texts.

use std::{collections::HashMap, io::Read, sync::Arc};

use arrow::datatypes::{DataType, Field, Schema, SchemaRef};

use super::{
    Notation, TextError, distinct,
    feed::Feed,
    json::{Broken, Cursor, Objects, Token},
    separated::Lines,
    values::Looks,
};

/// The columns of one text or several, in the order in which they first occur, with a type that
/// holds every value exactly.
#[derive(Clone, Debug, Default)]
pub struct Survey(Keys);

#[derive(Clone, Debug, Default)]
struct Keys {
    names: Vec<String>,
    seen: Vec<Seen>,
    places: HashMap<String, usize>,
    /// The place behind the last one that was asked for: keys nearly always come in one order.
    next: usize,
}

/// What has been seen of a column, or of a part of one.
#[derive(Clone, Debug, Default)]
struct Seen {
    looks: Looks,
    items: Option<Box<Seen>>,
    parts: Option<Keys>,
}

/// An object with more keys than this is a dictionary, not a row of columns, and kept as text.
const PARTS: usize = 1_000;

/// How often whoever waits is asked whether it still does.
const ROWS_BETWEEN_QUESTIONS: u32 = 4_096;

impl Survey {
    /// The names of the columns of a text, from its first row.
    pub fn names(text: impl Read, notation: Notation) -> Result<Vec<String>, TextError> {
        let mut survey = Survey::default();
        match notation {
            Notation::Separated { separator, has_header } => {
                let mut lines = Lines::new(Feed::new(text), separator);
                names(&mut lines, has_header)
            }
            Notation::Json => {
                let mut objects = Objects::new(Feed::new(text), &Schema::empty());
                objects.look(|name, cursor| survey.0.see(name, cursor))?;
                Ok(survey.0.names)
            }
        }
    }

    /// Looks at a whole text, as long as somebody waits for it.
    pub fn look(
        &mut self,
        text: impl Read,
        notation: Notation,
        is_awaited: impl Fn() -> bool,
    ) -> Result<(), TextError> {
        let mut rows = 0;
        let mut goes_on = || {
            rows += 1;
            rows % ROWS_BETWEEN_QUESTIONS != 0 || is_awaited()
        };
        match notation {
            Notation::Separated { separator, has_header } => {
                let mut lines = Lines::new(Feed::new(text), separator);
                let names = names(&mut lines, has_header)?;
                let places: Vec<usize> = names.iter().map(|name| self.0.place(name)).collect();
                let seen = &mut self.0.seen;
                while lines.look(|index, value| seen[places[index]].plain(value))? {
                    if !goes_on() {
                        return Err(TextError::GivenUp);
                    }
                }
            }
            Notation::Json => {
                let mut objects = Objects::new(Feed::new(text), &Schema::empty());
                while objects.look(|name, cursor| self.0.see(name, cursor))? {
                    if !goes_on() {
                        return Err(TextError::GivenUp);
                    }
                }
            }
        }
        Ok(())
    }

    /// The columns that were found.
    pub fn schema(&self) -> SchemaRef {
        Arc::new(Schema::new(self.0.fields()))
    }
}

/// The names of the columns of values; where there is no header, their places.
fn names<R: Read>(lines: &mut Lines<R>, has_header: bool) -> Result<Vec<String>, TextError> {
    if has_header {
        return lines.header();
    }
    let width = lines.width()?;
    Ok(distinct(std::iter::repeat_n("", width)))
}

impl Keys {
    /// The place of a key, which is the last one if it is new.
    fn place(&mut self, name: &str) -> usize {
        let is_next = self.names.get(self.next).is_some_and(|next| next == name);
        let known = if is_next { Some(self.next) } else { self.places.get(name).copied() };
        if let Some(place) = known {
            self.next = if place + 1 == self.names.len() { 0 } else { place + 1 };
            return place;
        }
        self.places.insert(name.to_owned(), self.names.len());
        self.names.push(name.to_owned());
        self.seen.push(Seen::default());
        self.names.len() - 1
    }

    fn see(&mut self, name: &str, cursor: &mut Cursor<'_>) -> Result<(), Broken> {
        let place = self.place(name);
        self.seen[place].json(cursor)
    }

    fn is_full(&self) -> bool {
        self.names.len() > PARTS
    }

    fn fields(&self) -> Vec<Field> {
        let typed = self.names.iter().zip(&self.seen);
        typed.map(|(name, seen)| Field::new(name, seen.data_type(), true)).collect()
    }
}

impl Seen {
    fn plain(&mut self, value: Option<&str>) {
        if let Some(text) = value
            && !self.looks.is_text()
        {
            self.looks.add(Looks::of(text));
        }
    }

    fn json(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Broken> {
        match cursor.token()? {
            Token::Null => {}
            Token::Flag(_) => self.looks.add(Looks::flag()),
            Token::Number(text) => self.looks.add(Looks::number(text)),
            Token::Text(_) => self.looks.add(Looks::text()),
            Token::List => {
                let items = self.items.get_or_insert_default();
                cursor.items(|cursor| items.json(cursor))?;
            }
            Token::Object => {
                let parts = self.parts.get_or_insert_default();
                cursor.entries(|name, cursor| match parts.is_full() {
                    true => cursor.skip(),
                    false => parts.see(name, cursor),
                })?;
            }
        }
        Ok(())
    }

    fn data_type(&self) -> DataType {
        match self {
            Seen { looks, items: None, parts: None } => looks.data_type(),
            Seen { looks, items: Some(items), parts: None } if looks.is_empty() => {
                DataType::new_list(items.data_type(), true)
            }
            Seen { looks, items: None, parts: Some(parts) }
                if looks.is_empty() && !parts.names.is_empty() && !parts.is_full() =>
            {
                DataType::Struct(parts.fields().into())
            }
            // Values of several shapes stay as they are written.
            _ => DataType::Utf8,
        }
    }
}
