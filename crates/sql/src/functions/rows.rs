//! Positions as rows of sets of squares, and back.

use std::sync::Arc;

use arrow::{
    array::{ArrayRef, StringArray, StructArray},
    buffer::NullBuffer,
    datatypes::{DataType, Field, Fields},
};
use chess_relations::positions::{self, Row};

use super::{
    Call, FunctionError, Gives, Scalar, Takes, bits::Masks, chess::position, may_take, takes,
};

/// An optimiser moves a filter as far down a plan as it can, and there a move may still be one
/// that is not legal, which most functions refuse. What this function gives is the text it takes,
/// but a filter does not go below it, because for all that is known it gives something else each
/// time.
pub(super) const KEPT: &str = "chess_kept";

pub(super) const FUNCTIONS: &[Scalar] = &[
    Scalar {
        name: KEPT,
        takes: &[takes("text", Takes::Text)],
        gives: Gives::Text,
        says: "Returns the text unchanged. Prevents predicate push-down: a filter on it is applied \
               where it is written.",
        example: "chess_kept('e2e4')",
        work: |call| Ok(Arc::clone(&call.columns[0])),
    },
    Scalar {
        name: "chess_row",
        takes: &[takes("fen", Takes::Text)],
        gives: Gives::Row,
        says: "A position as a struct of bitboards for the rules: the side to move, the pieces of \
               each side and of each kind, rooks that may castle, the en-passant square, and the \
               two move counters.",
        example: "chess_row('start')['us']",
        work: rows,
    },
    Scalar {
        name: "chess_row_fen",
        takes: &[
            takes("stm", Takes::Mask),
            takes("us", Takes::Mask),
            takes("them", Takes::Mask),
            takes("p", Takes::Mask),
            takes("n", Takes::Mask),
            takes("b", Takes::Mask),
            takes("r", Takes::Mask),
            takes("q", Takes::Mask),
            takes("k", Takes::Mask),
            takes("cr", Takes::Mask),
            takes("ep", Takes::Mask),
            may_take("halfmoves", Takes::Mask),
            may_take("fullmoves", Takes::Mask),
        ],
        gives: Gives::Text,
        says: "The FEN of a position given as the columns of chess_row. The last two are optional; \
               their defaults are the move counters of a new game.",
        example: "chess_row_fen(0, 16, 1152921504606846976, 0, 0, 0, 0, 0, 1152921504606846992, 0, 0)",
        work: fens,
    },
];

/// The struct that `chess_row` gives.
pub(super) fn field(name: &str) -> Field {
    let columns = positions::COLUMNS.map(|column| match positions::data_type(column) {
        DataType::UInt64 => tables::mask(column).into(),
        small => Field::new(column, small, true),
    });
    Field::new(name, DataType::Struct(Fields::from(columns.to_vec())), true)
}

fn rows(call: &Call<'_>) -> Result<ArrayRef, FunctionError> {
    let found: Vec<Option<Row>> =
        call.each(|row| Ok(Row::of(&position(call.function, call.text(0).value(row))?)))?;
    let nulls: NullBuffer = found.iter().map(Option::is_some).collect::<Vec<bool>>().into();
    let found: Vec<Row> = found.into_iter().map(|row| row.unwrap_or(Row([0; 13]))).collect();
    let DataType::Struct(fields) = field(call.function).data_type().clone() else {
        unreachable!("a row is a struct")
    };
    let columns = positions::batch(&found).columns().to_vec();
    Ok(Arc::new(StructArray::new(fields, columns, Some(nulls))))
}

fn fens(call: &Call<'_>) -> Result<ArrayRef, FunctionError> {
    let columns: Vec<Masks<'_>> = (0..call.columns.len()).map(|at| Masks::of(call, at)).collect();
    let fens: StringArray = call.each(|row| {
        let mut cells = [0; 13];
        cells[12] = 1;
        for (cell, column) in cells.iter_mut().zip(&columns) {
            *cell = column.get(row)?.0;
        }
        Ok(Row(cells).fen())
    })?;
    Ok(Arc::new(fens))
}
