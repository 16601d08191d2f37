//! The values of a batch as text: for JSON, for CSV, and for eyes.

use std::{fmt::Display, io::Write, ops::Range};

use arrow::{
    array::{
        Array, ArrowPrimitiveType, AsArray, BooleanArray, FixedSizeListArray, LargeListArray,
        LargeStringArray, ListArray, MapArray, PrimitiveArray, RecordBatch, StringArray,
        StringViewArray, StructArray,
    },
    datatypes::{
        DataType, Field, Float16Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
        Int64Type, Schema, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
    },
    util::display::{ArrayFormatter, FormatOptions},
};

use crate::{TableError, schema::is_hex};

/// A column whose type is known, so that the loop over rows need not ask again.
pub(crate) enum Cells<'a> {
    /// A column without values.
    Nothing,
    Text(&'a StringArray),
    LongText(&'a LargeStringArray),
    ViewedText(&'a StringViewArray),
    U8(&'a PrimitiveArray<UInt8Type>),
    U16(&'a PrimitiveArray<UInt16Type>),
    U32(&'a PrimitiveArray<UInt32Type>),
    U64(&'a PrimitiveArray<UInt64Type>),
    Hex(&'a PrimitiveArray<UInt64Type>),
    I8(&'a PrimitiveArray<Int8Type>),
    I16(&'a PrimitiveArray<Int16Type>),
    I32(&'a PrimitiveArray<Int32Type>),
    I64(&'a PrimitiveArray<Int64Type>),
    F16(&'a PrimitiveArray<Float16Type>),
    F32(&'a PrimitiveArray<Float32Type>),
    Real(&'a PrimitiveArray<Float64Type>),
    Flag(&'a BooleanArray),
    List(Lists<'a>, Box<Cells<'a>>),
    /// Keys, values, and which of them belong to a row.
    Map(&'a MapArray, Box<[Cells<'a>; 2]>),
    Struct(&'a StructArray, Vec<(&'a str, Cells<'a>)>),
    /// For each row the place of its value.
    Coded(&'a dyn Array, Vec<usize>, Box<Cells<'a>>),
    /// Exact numbers with a point, which Arrow writes.
    Decimal(&'a dyn Array, ArrayFormatter<'a>),
    /// Dates, times, spans, bytes and whatever else Arrow knows how to write.
    Written(&'a dyn Array, ArrayFormatter<'a>),
}

/// The arrays that hold lists.
#[derive(Clone, Copy)]
pub(crate) enum Lists<'a> {
    Short(&'a ListArray),
    Long(&'a LargeListArray),
    Equal(&'a FixedSizeListArray),
}

impl<'a> Lists<'a> {
    fn items(self) -> &'a dyn Array {
        match self {
            Lists::Short(array) => array.values(),
            Lists::Long(array) => array.values(),
            Lists::Equal(array) => array.values(),
        }
    }

    fn is_null(self, row: usize) -> bool {
        match self {
            Lists::Short(array) => array.is_null(row),
            Lists::Long(array) => array.is_null(row),
            Lists::Equal(array) => array.is_null(row),
        }
    }

    /// Which items belong to a row.
    #[inline]
    fn range(self, row: usize) -> Range<usize> {
        match self {
            Lists::Short(array) => {
                let offsets = array.value_offsets();
                offsets[row] as usize..offsets[row + 1] as usize
            }
            Lists::Long(array) => {
                let offsets = array.value_offsets();
                offsets[row] as usize..offsets[row + 1] as usize
            }
            Lists::Equal(array) => {
                let length = array.value_length() as usize;
                let start = array.value_offset(row) as usize;
                start..start + length
            }
        }
    }
}

/// How Arrow writes what has no form of our own: a missing value is nothing.
const WRITTEN: FormatOptions<'static> = FormatOptions::new();

impl<'a> Cells<'a> {
    pub(crate) fn of(field: &'a Field, array: &'a dyn Array) -> Result<Cells<'a>, TableError> {
        let list = |lists: Lists<'a>, item: &'a Field| {
            Ok::<_, TableError>(Cells::List(lists, Box::new(Cells::of(item, lists.items())?)))
        };
        Ok(match array.data_type() {
            DataType::Null => Cells::Nothing,
            DataType::Utf8 => Cells::Text(array.as_string()),
            DataType::LargeUtf8 => Cells::LongText(array.as_string()),
            DataType::Utf8View => Cells::ViewedText(array.as_string_view()),
            DataType::UInt8 => Cells::U8(array.as_primitive()),
            DataType::UInt16 => Cells::U16(array.as_primitive()),
            DataType::UInt32 => Cells::U32(array.as_primitive()),
            DataType::UInt64 if is_hex(field) => Cells::Hex(array.as_primitive()),
            DataType::UInt64 => Cells::U64(array.as_primitive()),
            DataType::Int8 => Cells::I8(array.as_primitive()),
            DataType::Int16 => Cells::I16(array.as_primitive()),
            DataType::Int32 => Cells::I32(array.as_primitive()),
            DataType::Int64 => Cells::I64(array.as_primitive()),
            DataType::Float16 => Cells::F16(array.as_primitive()),
            DataType::Float32 => Cells::F32(array.as_primitive()),
            DataType::Float64 => Cells::Real(array.as_primitive()),
            DataType::Boolean => Cells::Flag(array.as_boolean()),
            DataType::List(item) => list(Lists::Short(array.as_list()), item)?,
            DataType::LargeList(item) => list(Lists::Long(array.as_list()), item)?,
            DataType::FixedSizeList(item, _) => {
                list(Lists::Equal(array.as_fixed_size_list()), item)?
            }
            DataType::Map(..) => {
                let map = array.as_map();
                let (keys, values) = map.entries_fields();
                let cells = [Cells::of(keys, map.keys())?, Cells::of(values, map.values())?];
                Cells::Map(map, Box::new(cells))
            }
            DataType::Struct(fields) => {
                let parts = array.as_struct();
                let columns = fields.iter().zip(parts.columns());
                let cells = columns
                    .map(|(field, column)| Ok((field.name().as_str(), Cells::of(field, column)?)));
                Cells::Struct(parts, cells.collect::<Result<_, TableError>>()?)
            }
            DataType::Dictionary(..) => {
                let coded = array.as_any_dictionary();
                let values = Cells::of(field, coded.values().as_ref())?;
                Cells::Coded(array, coded.normalized_keys(), Box::new(values))
            }
            DataType::Decimal32(..)
            | DataType::Decimal64(..)
            | DataType::Decimal128(..)
            | DataType::Decimal256(..) => Cells::Decimal(array, formatter(field, array)?),
            _ => Cells::Written(array, formatter(field, array)?),
        })
    }

    pub(crate) fn is_number(&self) -> bool {
        use Cells::{Decimal, F16, F32, I8, I16, I32, I64, Real, U8, U16, U32, U64};
        match self {
            Cells::Coded(_, _, values) => values.is_number(),
            U8(_) | U16(_) | U32(_) | U64(_) | I8(_) | I16(_) | I32(_) | I64(_) => true,
            F16(_) | F32(_) | Real(_) | Decimal(..) => true,
            _ => false,
        }
    }

    #[inline]
    fn is_null(&self, row: usize) -> bool {
        match self {
            Cells::Nothing => true,
            Cells::Text(array) => array.is_null(row),
            Cells::LongText(array) => array.is_null(row),
            Cells::ViewedText(array) => array.is_null(row),
            Cells::U8(array) => array.is_null(row),
            Cells::U16(array) => array.is_null(row),
            Cells::U32(array) => array.is_null(row),
            Cells::U64(array) | Cells::Hex(array) => array.is_null(row),
            Cells::I8(array) => array.is_null(row),
            Cells::I16(array) => array.is_null(row),
            Cells::I32(array) => array.is_null(row),
            Cells::I64(array) => array.is_null(row),
            Cells::F16(array) => array.is_null(row),
            Cells::F32(array) => array.is_null(row),
            Cells::Real(array) => array.is_null(row),
            Cells::Flag(array) => array.is_null(row),
            Cells::List(lists, _) => lists.is_null(row),
            Cells::Map(array, _) => array.is_null(row),
            Cells::Struct(array, _) => array.is_null(row),
            Cells::Coded(array, keys, values) => array.is_null(row) || values.is_null(keys[row]),
            Cells::Decimal(array, _) | Cells::Written(array, _) => array.is_null(row),
        }
    }

    /// Appends the value as JSON.
    #[inline]
    fn push_json(&self, row: usize, out: &mut Vec<u8>) {
        if self.is_null(row) {
            return out.extend_from_slice(b"null");
        }
        match self {
            Cells::Text(array) => push_json_text(out, array.value(row)),
            Cells::LongText(array) => push_json_text(out, array.value(row)),
            Cells::ViewedText(array) => push_json_text(out, array.value(row)),
            Cells::Hex(array) => {
                out.push(b'"');
                push_hex(out, array.value(row));
                out.push(b'"');
            }
            Cells::List(lists, items) => {
                let range = lists.range(row);
                out.push(b'[');
                for item in range.clone() {
                    if item > range.start {
                        out.push(b',');
                    }
                    items.push_json(item, out);
                }
                out.push(b']');
            }
            Cells::Map(array, entries) => {
                let [keys, values] = &**entries;
                let offsets = array.value_offsets();
                out.push(b'{');
                for entry in offsets[row]..offsets[row + 1] {
                    if entry > offsets[row] {
                        out.push(b',');
                    }
                    // The keys of JSON are text, whatever those of the map are.
                    push_json_text(out, &keys.plain(entry as usize));
                    out.push(b':');
                    values.push_json(entry as usize, out);
                }
                out.push(b'}');
            }
            Cells::Struct(_, parts) if parts.is_empty() => out.extend_from_slice(b"{}"),
            Cells::Struct(_, parts) => {
                for (index, (name, cells)) in parts.iter().enumerate() {
                    out.push(if index == 0 { b'{' } else { b',' });
                    push_json_text(out, name);
                    out.push(b':');
                    cells.push_json(row, out);
                }
                out.push(b'}');
            }
            Cells::Coded(_, keys, values) => values.push_json(keys[row], out),
            Cells::Written(..) => push_json_text(out, &self.plain(row)),
            Cells::Real(array) if !array.value(row).is_finite() => out.extend_from_slice(b"null"),
            Cells::F32(array) if !array.value(row).is_finite() => out.extend_from_slice(b"null"),
            Cells::F16(array) if !array.value(row).is_finite() => out.extend_from_slice(b"null"),
            _ => self.push_plain(row, out),
        }
    }

    /// Appends the value as it is read by people; nothing for a missing one.
    pub(crate) fn push_plain(&self, row: usize, out: &mut Vec<u8>) {
        if self.is_null(row) {
            return;
        }
        match self {
            Cells::Nothing => {}
            Cells::Text(array) => out.extend_from_slice(array.value(row).as_bytes()),
            Cells::LongText(array) => out.extend_from_slice(array.value(row).as_bytes()),
            Cells::ViewedText(array) => out.extend_from_slice(array.value(row).as_bytes()),
            Cells::U8(array) => push_digits(out, array, row),
            Cells::U16(array) => push_digits(out, array, row),
            Cells::U32(array) => push_digits(out, array, row),
            Cells::U64(array) => push_digits(out, array, row),
            Cells::I8(array) => push_digits(out, array, row),
            Cells::I16(array) => push_digits(out, array, row),
            Cells::I32(array) => push_digits(out, array, row),
            Cells::I64(array) => push_digits(out, array, row),
            Cells::Flag(array) if array.value(row) => out.extend_from_slice(b"true"),
            Cells::Flag(_) => out.extend_from_slice(b"false"),
            Cells::Hex(array) => push_hex(out, array.value(row)),
            Cells::F16(array) => push(out, format_args!("{:?}", array.value(row).to_f32())),
            Cells::F32(array) => push(out, format_args!("{:?}", array.value(row))),
            Cells::Real(array) => push(out, format_args!("{:?}", array.value(row))),
            Cells::Coded(_, keys, values) => values.push_plain(keys[row], out),
            Cells::Decimal(_, written) | Cells::Written(_, written) => {
                push(out, format_args!("{}", written.value(row)));
            }
            // What has parts has no plain form but JSON.
            Cells::List(..) | Cells::Map(..) | Cells::Struct(..) => self.push_json(row, out),
        }
    }

    fn plain(&self, row: usize) -> String {
        let mut text = Vec::new();
        self.push_plain(row, &mut text);
        String::from_utf8_lossy(&text).into_owned()
    }
}

fn formatter<'a>(field: &Field, array: &'a dyn Array) -> Result<ArrayFormatter<'a>, TableError> {
    ArrayFormatter::try_new(array, &WRITTEN).map_err(|_| TableError::Type {
        column: field.name().clone(),
        found: array.data_type().to_string(),
    })
}

#[inline]
fn push_digits<T>(out: &mut Vec<u8>, array: &PrimitiveArray<T>, row: usize)
where
    T: ArrowPrimitiveType<Native: itoa::Integer>,
{
    out.extend_from_slice(itoa::Buffer::new().format(array.value(row)).as_bytes());
}

fn push(out: &mut Vec<u8>, text: impl Display) {
    write!(out, "{text}").expect("a vector takes what it is given");
}

/// The typed columns of a batch, with their fields.
pub(crate) fn columns(batch: &RecordBatch) -> Result<Vec<(&Field, Cells<'_>)>, TableError> {
    let fields = batch.schema_ref().fields().iter();
    fields
        .zip(batch.columns())
        .map(|(field, array)| Ok((field.as_ref(), Cells::of(field, array)?)))
        .collect()
}

/// Appends the rows as JSON objects, each between two texts.
pub(crate) fn push_json_rows(
    batch: &RecordBatch,
    before: impl Fn(usize) -> &'static str,
    after: &str,
    out: &mut Vec<u8>,
) -> Result<(), TableError> {
    let columns = columns(batch)?;
    let keys: Vec<Vec<u8>> = columns
        .iter()
        .enumerate()
        .map(|(index, (field, _))| {
            let mut key = vec![if index == 0 { b'{' } else { b',' }];
            push_json_text(&mut key, field.name());
            key.push(b':');
            key
        })
        .collect();
    for row in 0..batch.num_rows() {
        out.extend_from_slice(before(row).as_bytes());
        for (key, (_, cells)) in keys.iter().zip(&columns) {
            out.extend_from_slice(key);
            cells.push_json(row, out);
        }
        out.push(b'}');
        out.extend_from_slice(after.as_bytes());
    }
    Ok(())
}

/// The names of the columns as a line of CSV.
pub(crate) fn csv_header(schema: &Schema) -> Vec<u8> {
    let mut line = Vec::new();
    for (index, field) in schema.fields().iter().enumerate() {
        if index > 0 {
            line.push(b',');
        }
        push_csv_field(&mut line, |out| out.extend_from_slice(field.name().as_bytes()));
    }
    line.push(b'\n');
    line
}

/// Appends the rows as lines of CSV.
pub(crate) fn push_csv_rows(batch: &RecordBatch, out: &mut Vec<u8>) -> Result<(), TableError> {
    let columns = columns(batch)?;
    for row in 0..batch.num_rows() {
        for (index, (_, cells)) in columns.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            if !cells.is_null(row) {
                push_csv_field(out, |out| cells.push_plain(row, out));
            }
        }
        out.push(b'\n');
    }
    Ok(())
}

/// Appends a value that is there, in quotation marks if it needs them. Empty text does: without
/// them it would be missing.
fn push_csv_field(out: &mut Vec<u8>, write: impl Fn(&mut Vec<u8>)) {
    let start = out.len();
    write(out);
    let special = |byte: &u8| matches!(byte, b'"' | b',' | b'\n' | b'\r');
    if out.len() == start {
        out.extend_from_slice(b"\"\"");
    } else if out[start..].iter().any(special) {
        let field = out.split_off(start);
        out.push(b'"');
        for byte in field {
            if byte == b'"' {
                out.push(b'"');
            }
            out.push(byte);
        }
        out.push(b'"');
    }
}

fn push_json_text(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    let plain = |byte: u8| byte >= b' ' && byte != b'"' && byte != b'\\';
    if text.bytes().all(plain) {
        out.extend_from_slice(text.as_bytes());
    } else {
        for byte in text.bytes() {
            match byte {
                b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
                b'\n' => out.extend_from_slice(b"\\n"),
                b'\r' => out.extend_from_slice(b"\\r"),
                b'\t' => out.extend_from_slice(b"\\t"),
                _ if plain(byte) => out.push(byte),
                _ => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            }
        }
    }
    out.push(b'"');
}

fn push_hex(out: &mut Vec<u8>, number: u64) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    out.extend((0..16).rev().map(|digit| DIGITS[(number >> (4 * digit) & 15) as usize]));
}
