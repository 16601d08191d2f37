//! Sets of squares: a whole number of 64 bits, bit 0 for a1, bit 1 for b1, bit 63 for h8.

use std::sync::Arc;

use arrow::{
    array::{Array, ArrayRef, AsArray, Int64Array, ListBuilder, StringBuilder, UInt64Array},
    datatypes::{DataType, Int64Type, UInt64Type},
};
use chess::{Bitboard, File, Rank, Square, attacks};

use super::{Call, FunctionError, Gives, Parameter, Scalar, Takes, boards::square, takes};

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
    Scalar {
        name: "bit_not",
        takes: &[takes("mask", Takes::Mask)],
        gives: Gives::Mask,
        says: "The mask of all squares that are not in a mask.",
        example: "bit_count(bit_not(255))",
        work: |call| {
            let masks = Masks::of(call, 0);
            let column: UInt64Array = call.each(|row| Ok((!masks.get(row)?).0))?;
            Ok(Arc::new(column))
        },
    },
    Scalar {
        name: "chess_mask",
        takes: &[takes("squares", Takes::Words)],
        gives: Gives::Mask,
        says: "The mask of squares: text in which they are separated by spaces or commas, or a \
               list of text. A letter alone is a file, and a digit alone is a rank.",
        example: "squares(chess_mask('e4 d5'))",
        work: mask,
    },
    Scalar {
        name: "chess_between",
        takes: TWO_SQUARES,
        gives: Gives::Mask,
        says: "The squares between two squares of a rank, file or diagonal; otherwise none.",
        example: "squares(chess_between('a1', 'd4'))",
        work: |call| pairs(call, attacks::between),
    },
    Scalar {
        name: "chess_ray",
        takes: TWO_SQUARES,
        gives: Gives::Mask,
        says: "The ray from the first square, which is not part of it, through the second square to \
               the edge of the board; none if the squares are not on a rank, file or diagonal.",
        example: "squares(chess_ray('a1', 'c3'))",
        work: |call| {
            pairs(call, |from, through| {
                // Of the two parts of the line, the one that has the second square.
                let line = attacks::line(from, through);
                let on_that_side = |square: &Square| (*square < from) == (through < from);
                line.filter(|square| *square != from && on_that_side(square)).collect()
            })
        },
    },
];

const TWO_SQUARES: &[Parameter] = &[takes("from", Takes::Text), takes("to", Takes::Text)];

fn pairs(call: &Call<'_>, ask: fn(Square, Square) -> Bitboard) -> Result<ArrayRef, FunctionError> {
    let column: UInt64Array = call.each(|row| {
        let [from, to] = [0, 1].map(|index| square(call, call.text(index).value(row)));
        Ok(ask(from?, to?).0)
    })?;
    Ok(Arc::new(column))
}

fn mask(call: &Call<'_>) -> Result<ArrayRef, FunctionError> {
    let column: UInt64Array = call.each(|row| {
        let words = call.words(0, row);
        let mut set = Bitboard::EMPTY;
        for word in words.split([' ', ',']).filter(|word| !word.is_empty()) {
            set |= match *word.as_bytes() {
                [letter @ b'a'..=b'h'] => File::from_letter(letter).map(Bitboard::file),
                [digit @ b'1'..=b'8'] => Rank::from_digit(digit).map(Bitboard::rank),
                _ => Some(square(call, word)?.into()),
            }
            .unwrap_or_default();
        }
        Ok(set.0)
    })?;
    Ok(Arc::new(column))
}

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
