//! Sets of squares: a whole number of 64 bits, bit 0 for a1, bit 1 for b1, bit 63 for h8.

use std::sync::Arc;

use arrow::{
    array::{Array, ArrayRef, AsArray, Int64Array, ListBuilder, StringBuilder},
    datatypes::{DataType, Int64Type, UInt64Type},
};
use chess::Bitboard;

use super::{Call, FunctionError, Gives, Scalar, Takes, takes};

pub(super) const FUNCTIONS: &[Scalar] = &[
    Scalar {
        name: "bit_count",
        takes: &[takes("mask", Takes::Mask)],
        gives: Gives::Count,
        says: "The number of set bits of a mask, which is its number of squares.",
        example: "bit_count(255)",
        work: bit_count,
    },
    Scalar {
        name: "squares",
        takes: &[takes("mask", Takes::Mask)],
        gives: Gives::Names,
        says: "The names of the squares of a mask, from a1 to h8.",
        example: "squares(129)",
        work: squares,
    },
];

fn bit_count(call: &Call<'_>) -> Result<ArrayRef, FunctionError> {
    let masks = Masks::of(call, 0);
    let column: Int64Array = call.each(|row| Ok(i64::from(masks.get(row)?.len())))?;
    Ok(Arc::new(column))
}

fn squares(call: &Call<'_>) -> Result<ArrayRef, FunctionError> {
    let masks = Masks::of(call, 0);
    let mut lists = ListBuilder::new(StringBuilder::new());
    for row in 0..call.rows {
        let is_null = call.is_null(row);
        if !is_null {
            for square in masks.get(row)? {
                lists.values().append_value(square.to_string());
            }
        }
        lists.append(!is_null);
    }
    Ok(Arc::new(lists.finish()))
}

/// An argument that may be numbers or text.
pub(super) struct Masks<'a> {
    function: &'static str,
    column: &'a ArrayRef,
}

impl<'a> Masks<'a> {
    pub(super) fn of(call: &Call<'a>, index: usize) -> Masks<'a> {
        Masks { function: call.function, column: &call.columns[index] }
    }

    pub(super) fn get(&self, row: usize) -> Result<Bitboard, FunctionError> {
        Ok(Bitboard(match self.column.data_type() {
            DataType::UInt64 => self.column.as_primitive::<UInt64Type>().value(row),
            // The same 64 bits; a literal above the largest bigint reads as a negative one.
            DataType::Int64 => self.column.as_primitive::<Int64Type>().value(row) as u64,
            _ => {
                let text = self.column.as_string::<i32>().value(row);
                let is_hex = text.len() == 16 && text.bytes().all(|b| b.is_ascii_hexdigit());
                let mask = is_hex.then(|| u64::from_str_radix(text, 16).ok()).flatten();
                mask.ok_or_else(|| FunctionError::Value {
                    function: self.function,
                    found: text.to_owned(),
                    expected: "mask, expected 16 hexadecimal digits",
                })?
            }
        }))
    }
}
