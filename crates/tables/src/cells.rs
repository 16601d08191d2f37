//! The values of a batch as text: for JSON, for CSV, and for eyes.

use arrow::{
    array::{
        Array, AsArray, BooleanArray, Float64Array, ListArray, PrimitiveArray, RecordBatch,
        StringArray, StructArray,
    },
    datatypes::{DataType, Field, Int64Type, UInt8Type, UInt16Type, UInt32Type, UInt64Type},
};

use crate::{TableError, schema::is_hex};

/// A column whose type is known, so that the loop over rows need not ask again.
pub(crate) enum Cells<'a> {
    Text(&'a StringArray),
    U8(&'a PrimitiveArray<UInt8Type>),
    U16(&'a PrimitiveArray<UInt16Type>),
    U32(&'a PrimitiveArray<UInt32Type>),
    U64(&'a PrimitiveArray<UInt64Type>),
    Hex(&'a PrimitiveArray<UInt64Type>),
    I64(&'a PrimitiveArray<Int64Type>),
    Real(&'a Float64Array),
    Flag(&'a BooleanArray),
    List(&'a ListArray, Box<Cells<'a>>),
    Struct(&'a StructArray, Vec<(&'a str, Cells<'a>)>),
}

impl<'a> Cells<'a> {
    pub(crate) fn of(field: &'a Field, array: &'a dyn Array) -> Result<Cells<'a>, TableError> {
        Ok(match array.data_type() {
            DataType::Utf8 => Cells::Text(array.as_string()),
            DataType::UInt8 => Cells::U8(array.as_primitive()),
            DataType::UInt16 => Cells::U16(array.as_primitive()),
            DataType::UInt32 => Cells::U32(array.as_primitive()),
            DataType::UInt64 if is_hex(field) => Cells::Hex(array.as_primitive()),
            DataType::UInt64 => Cells::U64(array.as_primitive()),
            DataType::Int64 => Cells::I64(array.as_primitive()),
            DataType::Float64 => Cells::Real(array.as_primitive()),
            DataType::Boolean => Cells::Flag(array.as_boolean()),
            DataType::List(item) => {
                let list = array.as_list::<i32>();
                Cells::List(list, Box::new(Cells::of(item, list.values())?))
            }
            DataType::Struct(fields) => {
                let parts = array.as_struct();
                let columns = fields.iter().zip(parts.columns());
                let cells = columns
                    .map(|(field, column)| Ok((field.name().as_str(), Cells::of(field, column)?)));
                Cells::Struct(parts, cells.collect::<Result<_, TableError>>()?)
            }
            other => {
                return Err(TableError::Type {
                    column: field.name().clone(),
                    found: other.to_string(),
                });
            }
        })
    }

    pub(crate) fn is_number(&self) -> bool {
        use Cells::{I64, Real, U8, U16, U32, U64};
        matches!(self, U8(_) | U16(_) | U32(_) | U64(_) | I64(_) | Real(_))
    }

    #[inline]
    fn is_null(&self, row: usize) -> bool {
        match self {
            Cells::Text(array) => array.is_null(row),
            Cells::U8(array) => array.is_null(row),
            Cells::U16(array) => array.is_null(row),
            Cells::U32(array) => array.is_null(row),
            Cells::U64(array) | Cells::Hex(array) => array.is_null(row),
            Cells::I64(array) => array.is_null(row),
            Cells::Real(array) => array.is_null(row),
            Cells::Flag(array) => array.is_null(row),
            Cells::List(array, _) => array.is_null(row),
            Cells::Struct(array, _) => array.is_null(row),
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
            Cells::Hex(array) => {
                out.push(b'"');
                push_hex(out, array.value(row));
                out.push(b'"');
            }
            Cells::List(array, items) => {
                let offsets = array.value_offsets();
                out.push(b'[');
                for item in offsets[row]..offsets[row + 1] {
                    if item > offsets[row] {
                        out.push(b',');
                    }
                    items.push_json(item as usize, out);
                }
                out.push(b']');
            }
            Cells::Struct(_, parts) => {
                for (index, (name, cells)) in parts.iter().enumerate() {
                    out.push(if index == 0 { b'{' } else { b',' });
                    push_json_text(out, name);
                    out.push(b':');
                    cells.push_json(row, out);
                }
                out.push(b'}');
            }
            Cells::Real(array) if !array.value(row).is_finite() => out.extend_from_slice(b"null"),
            _ => self.push_plain(row, out),
        }
    }

    /// Appends the value as it is read by people; nothing for a missing one.
    pub(crate) fn push_plain(&self, row: usize, out: &mut Vec<u8>) {
        if self.is_null(row) {
            return;
        }
        let mut digits = itoa::Buffer::new();
        let text = match self {
            Cells::Text(array) => array.value(row),
            Cells::U8(array) => digits.format(array.value(row)),
            Cells::U16(array) => digits.format(array.value(row)),
            Cells::U32(array) => digits.format(array.value(row)),
            Cells::U64(array) => digits.format(array.value(row)),
            Cells::I64(array) => digits.format(array.value(row)),
            Cells::Flag(array) if array.value(row) => "true",
            Cells::Flag(_) => "false",
            Cells::Hex(array) => return push_hex(out, array.value(row)),
            Cells::Real(array) => {
                return out.extend_from_slice(format!("{:?}", array.value(row)).as_bytes());
            }
            // What has parts has no plain form but JSON.
            Cells::List(..) | Cells::Struct(..) => return self.push_json(row, out),
        };
        out.extend_from_slice(text.as_bytes());
    }
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

/// Appends the rows as lines of CSV.
pub(crate) fn push_csv_rows(batch: &RecordBatch, out: &mut Vec<u8>) -> Result<(), TableError> {
    let columns = columns(batch)?;
    for row in 0..batch.num_rows() {
        for (index, (_, cells)) in columns.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            push_csv_field(out, |out| cells.push_plain(row, out));
        }
        out.push(b'\n');
    }
    Ok(())
}

/// Appends a field, in quotation marks if it needs them.
pub(crate) fn push_csv_field(out: &mut Vec<u8>, write: impl Fn(&mut Vec<u8>)) {
    let start = out.len();
    write(out);
    let special = |byte: &u8| matches!(byte, b'"' | b',' | b'\n' | b'\r');
    if out[start..].iter().any(special) {
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
