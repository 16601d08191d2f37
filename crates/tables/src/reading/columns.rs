//! Columns that are filled value by value.

use std::sync::Arc;

use arrow::{
    array::{
        Array, ArrayRef, BooleanBufferBuilder, BooleanBuilder, Float64Builder, Int64Builder,
        ListArray, MapArray, StringArray, StringBuilder, StructArray, UInt8Builder, UInt64Builder,
    },
    buffer::{NullBuffer, OffsetBuffer, ScalarBuffer},
    compute::{CastOptions, cast_with_options},
    datatypes::{DataType, Field, FieldRef, Fields},
};

use super::{
    json::{Broken, Cursor, Token},
    values,
};
use crate::schema::is_hex;

/// A column of a batch that is being read.
pub(super) enum Column {
    Text(StringBuilder),
    Flag(BooleanBuilder),
    Number(Int64Builder),
    Count(UInt64Builder),
    Small(UInt8Builder),
    Hex(UInt64Builder),
    Real(Float64Builder),
    List(FieldRef, Vec<i32>, BooleanBufferBuilder, Box<Column>),
    Struct(Fields, BooleanBufferBuilder, Vec<Column>),
    /// The entries, where those of each row end, and the columns of names and values.
    Map(FieldRef, Vec<i32>, BooleanBufferBuilder, Box<[Column; 2]>),
    /// What Arrow makes of text, a batch at a time.
    Other(DataType, StringBuilder),
}

/// What a value should be.
pub(super) struct Expected(pub(super) String);

impl From<Broken> for Expected {
    fn from(_: Broken) -> Expected {
        Expected("JSON".into())
    }
}

/// A value of a batch that is none of its column's type.
pub(super) struct Misfit {
    pub(super) row: usize,
    pub(super) value: String,
    pub(super) expected: String,
}

impl Column {
    pub(super) fn of(field: &Field) -> Column {
        match field.data_type() {
            DataType::Utf8 => Column::Text(StringBuilder::with_capacity(0, 0)),
            DataType::Boolean => Column::Flag(BooleanBuilder::with_capacity(0)),
            DataType::Int64 => Column::Number(Int64Builder::with_capacity(0)),
            DataType::UInt64 if is_hex(field) => Column::Hex(UInt64Builder::with_capacity(0)),
            DataType::UInt64 => Column::Count(UInt64Builder::with_capacity(0)),
            DataType::UInt8 => Column::Small(UInt8Builder::with_capacity(0)),
            DataType::Float64 => Column::Real(Float64Builder::with_capacity(0)),
            DataType::List(item) => {
                let nulls = BooleanBufferBuilder::new(0);
                Column::List(item.clone(), vec![0], nulls, Box::new(Column::of(item)))
            }
            DataType::Struct(fields) => {
                let parts = fields.iter().map(|field| Column::of(field)).collect();
                Column::Struct(fields.clone(), BooleanBufferBuilder::new(0), parts)
            }
            DataType::Map(entries, false) if let Some([key, value]) = texts(entries) => {
                let columns = Box::new([Column::of(key), Column::of(value)]);
                Column::Map(entries.clone(), vec![0], BooleanBufferBuilder::new(0), columns)
            }
            other => Column::Other(other.clone(), StringBuilder::with_capacity(0, 0)),
        }
    }

    pub(super) fn push_null(&mut self) {
        match self {
            Column::Text(builder) | Column::Other(_, builder) => builder.append_null(),
            Column::Flag(builder) => builder.append_null(),
            Column::Number(builder) => builder.append_null(),
            Column::Count(builder) | Column::Hex(builder) => builder.append_null(),
            Column::Small(builder) => builder.append_null(),
            Column::Real(builder) => builder.append_null(),
            Column::List(_, offsets, nulls, _) | Column::Map(_, offsets, nulls, _) => {
                offsets.push(*offsets.last().expect("offsets begin with 0"));
                nulls.append(false);
            }
            Column::Struct(_, nulls, parts) => {
                nulls.append(false);
                parts.iter_mut().for_each(Column::push_null);
            }
        }
    }

    /// Appends a value from its plain text. Empty text is missing where it is no text.
    pub(super) fn push_plain(&mut self, text: &str) -> Result<(), Expected> {
        if text.is_empty() && !matches!(self, Column::Text(_)) {
            self.push_null();
            return Ok(());
        }
        let pushed = match self {
            Column::Text(builder) | Column::Other(_, builder) => {
                builder.append_value(text);
                Some(())
            }
            Column::Flag(builder) => values::flag(text).map(|value| builder.append_value(value)),
            Column::Number(builder) => text.parse().ok().map(|value| builder.append_value(value)),
            Column::Count(builder) => text.parse().ok().map(|value| builder.append_value(value)),
            Column::Small(builder) => text.parse().ok().map(|value| builder.append_value(value)),
            Column::Hex(builder) => values::hex(text).map(|value| builder.append_value(value)),
            Column::Real(builder) => text.parse().ok().map(|value| builder.append_value(value)),
            Column::List(..) | Column::Struct(..) | Column::Map(..) => {
                let mut cursor = Cursor::new(text);
                let pushed = self.push_json(&mut cursor);
                pushed.ok().filter(|()| cursor.is_at_end())
            }
        };
        pushed.ok_or_else(|| self.expected())
    }

    /// Appends the next value of a JSON text. What cannot be the value is told by what it should
    /// be; that the text is JSON has been seen before.
    pub(super) fn push_json(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Expected> {
        let start = cursor.place();
        let token = cursor.token()?;
        let pushed = match (&mut *self, token) {
            (_, Token::Null) => {
                self.push_null();
                Some(())
            }
            (Column::Text(builder) | Column::Other(_, builder), Token::Text(text)) => {
                builder.append_value(text);
                Some(())
            }
            (Column::Hex(builder), Token::Text(text)) => {
                values::hex(&text).map(|value| builder.append_value(value))
            }
            (Column::Flag(builder), Token::Flag(value)) => {
                builder.append_value(value);
                Some(())
            }
            (Column::List(_, offsets, nulls, items), Token::List) => {
                let mut count = 0;
                cursor.items(|cursor| {
                    count += 1;
                    items.push_json(cursor)
                })?;
                offsets.push(offsets.last().expect("offsets begin with 0") + count);
                nulls.append(true);
                Some(())
            }
            (Column::Struct(fields, nulls, parts), Token::Object) => {
                nulls.append(true);
                let length = nulls.len();
                cursor.entries(|name, cursor| {
                    match fields.iter().position(|field| field.name() == name) {
                        Some(index) if parts[index].len() == length => {
                            Err(Expected("an object without repeated keys".into()))
                        }
                        Some(index) => parts[index].push_json(cursor),
                        None => Ok(cursor.skip()?),
                    }
                })?;
                for part in parts.iter_mut().filter(|part| part.len() < length) {
                    part.push_null();
                }
                Some(())
            }
            (Column::Map(_, offsets, nulls, columns), Token::Object) => {
                let mut count = 0;
                let [keys, values] = &mut **columns;
                cursor.entries(|name, cursor| {
                    count += 1;
                    keys.push_plain(name)?;
                    values.push_json(cursor)
                })?;
                offsets.push(offsets.last().expect("offsets begin with 0") + count);
                nulls.append(true);
                Some(())
            }
            // Beside text, anything is text, as it is written.
            (Column::Text(builder), _) => {
                cursor.rewind(start);
                cursor.skip()?;
                builder.append_value(cursor.since(start));
                Some(())
            }
            (Column::Other(_, builder), Token::Number(text)) => {
                builder.append_value(text);
                Some(())
            }
            (
                Column::Number(_) | Column::Count(_) | Column::Small(_) | Column::Real(_),
                Token::Number(text),
            ) => return self.push_plain(text),
            _ => None,
        };
        pushed.ok_or_else(|| self.expected())
    }

    fn len(&self) -> usize {
        use arrow::array::ArrayBuilder as _;
        match self {
            Column::Text(builder) | Column::Other(_, builder) => builder.len(),
            Column::Flag(builder) => builder.len(),
            Column::Number(builder) => builder.len(),
            Column::Count(builder) | Column::Hex(builder) => builder.len(),
            Column::Small(builder) => builder.len(),
            Column::Real(builder) => builder.len(),
            Column::List(_, _, nulls, _)
            | Column::Struct(_, nulls, _)
            | Column::Map(_, _, nulls, _) => nulls.len(),
        }
    }

    fn expected(&self) -> Expected {
        Expected(match self {
            Column::Text(_) => "text".into(),
            Column::Flag(_) => "true or false".into(),
            Column::Number(_) => "a 64-bit integer".into(),
            Column::Count(_) => "an unsigned 64-bit integer".into(),
            Column::Small(_) => "an integer from 0 to 255".into(),
            Column::Hex(_) => "a string of 16 hexadecimal digits".into(),
            Column::Real(_) => "a number".into(),
            Column::List(..) => "a list of the column's type".into(),
            Column::Struct(..) | Column::Map(..) => "an object of the column's type".into(),
            Column::Other(data_type, _) => format!("of type {data_type}"),
        })
    }

    /// The values, and an empty column again.
    pub(super) fn finish(&mut self) -> Result<ArrayRef, Misfit> {
        Ok(match self {
            Column::Text(builder) => Arc::new(builder.finish()),
            Column::Flag(builder) => Arc::new(builder.finish()),
            Column::Number(builder) => Arc::new(builder.finish()),
            Column::Count(builder) | Column::Hex(builder) => Arc::new(builder.finish()),
            Column::Small(builder) => Arc::new(builder.finish()),
            Column::Real(builder) => Arc::new(builder.finish()),
            Column::List(item, offsets, nulls, items) => {
                let offsets = std::mem::replace(offsets, vec![0]);
                let items = items.finish().map_err(|misfit| in_list(&offsets, misfit))?;
                let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets));
                let nulls = NullBuffer::new(nulls.finish());
                Arc::new(ListArray::new(item.clone(), offsets, items, Some(nulls)))
            }
            Column::Struct(fields, nulls, parts) => {
                let arrays = parts.iter_mut().map(Column::finish).collect::<Result<_, _>>()?;
                let nulls = NullBuffer::new(nulls.finish());
                Arc::new(StructArray::new(fields.clone(), arrays, Some(nulls)))
            }
            Column::Map(entries, offsets, nulls, columns) => {
                let offsets = std::mem::replace(offsets, vec![0]);
                let [keys, values] = &mut **columns;
                let of_row = |misfit| in_list(&offsets, misfit);
                let arrays = vec![keys.finish().map_err(of_row)?, values.finish().map_err(of_row)?];
                let DataType::Struct(fields) = entries.data_type().clone() else {
                    unreachable!("entries have a name and a value")
                };
                let pairs = StructArray::new(fields, arrays, None);
                let nulls = Some(NullBuffer::new(nulls.finish()));
                let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets.clone()));
                Arc::new(MapArray::new(entries.clone(), offsets, pairs, nulls, false))
            }
            Column::Other(data_type, builder) => converted(&builder.finish(), data_type)?,
        })
    }
}

/// The names and values of a map of text.
fn texts(entries: &Field) -> Option<[&Field; 2]> {
    match entries.data_type() {
        DataType::Struct(fields) => match &fields[..] {
            [key, value] if *key.data_type() == DataType::Utf8 => Some([key, value]),
            _ => None,
        },
        _ => None,
    }
}

/// The row whose list has a bad item.
fn in_list(offsets: &[i32], misfit: Misfit) -> Misfit {
    let row = offsets.partition_point(|&offset| offset as usize <= misfit.row) - 1;
    Misfit { row, ..misfit }
}

/// Text as another type, or the first value that is not of it.
fn converted(texts: &StringArray, data_type: &DataType) -> Result<ArrayRef, Misfit> {
    const STRICT: CastOptions<'static> =
        CastOptions { safe: false, format_options: arrow::util::display::FormatOptions::new() };
    cast_with_options(texts, data_type, &STRICT).map_err(|_| {
        let is_bad =
            |&row: &usize| cast_with_options(&texts.slice(row, 1), data_type, &STRICT).is_err();
        let row = (0..texts.len()).find(is_bad).unwrap_or(0);
        let value = if texts.is_null(row) { String::new() } else { texts.value(row).to_owned() };
        Misfit { row, value, expected: format!("of type {data_type}") }
    })
}
