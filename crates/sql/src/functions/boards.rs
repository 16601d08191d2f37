//! What stands where on a board, and patterns of boards.

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, StringBuilder, UInt64Array};
use chess::{Bitboard, Board, Color, Flips, PartialBoard, Places, Shifts, Square};

use super::{
    Call, FunctionError, Gives, Parameter, Scalar, Takes,
    chess::{FEN, at, push, texts},
    may_take, takes,
};

/// A position, a square of it, and whose pieces are meant.
const SQUARE: &[Parameter] =
    &[takes("fen", Takes::Text), takes("square", Takes::Text), may_take("color", Takes::Text)];

pub(super) const FUNCTIONS: &[Scalar] = &[
    Scalar {
        name: "chess_turn",
        takes: FEN,
        gives: Gives::Text,
        says: "The side to move: white or black.",
        example: "chess_turn('start')",
        work: |call| {
            texts(call, |_, _, position, out| {
                out.push_str(position.turn().name());
                Ok(())
            })
        },
    },
    Scalar {
        name: "chess_piece_at",
        takes: &[takes("fen", Takes::Text), takes("square", Takes::Text)],
        gives: Gives::Text,
        says: "The piece on a square, such as white knight; NULL if the square is empty.",
        example: "chess_piece_at('start', 'g1')",
        work: piece_at,
    },
    Scalar {
        name: "chess_material",
        takes: FEN,
        gives: Gives::Text,
        says: "The material of both sides, such as KQRPPvKR: White's pieces, then Black's, each \
               from king to pawn.",
        example: "chess_material('4k3/8/8/8/8/8/8/R3K3 w - - 0 1')",
        work: |call| {
            texts(call, |_, _, position, out| {
                push(out, position.board().material());
                Ok(())
            })
        },
    },
    Scalar {
        name: "chess_matches",
        takes: &[
            takes("fen", Takes::Text),
            takes("pattern", Takes::Text),
            may_take("shift", Takes::Flag),
            may_take("flip", Takes::Text),
        ],
        gives: Gives::Flag,
        says: "Whether the board matches a pattern of a partial board. If shift is true, the \
               pattern may be anywhere on the board. flip adds mirror images: any of colors, \
               files, ranks and diagonal, separated by commas.",
        example: "chess_matches('start', '*/*/*/*/*/*/PPPPPPPP/*')",
        work: matches,
    },
    Scalar {
        name: "chess_attackers",
        takes: SQUARE,
        gives: Gives::Mask,
        says: "The squares of the pieces, pawns included, that attack a square: those of white, of \
               black, or of both.",
        example: "squares(chess_attackers('start', 'f3', 'white'))",
        work: |call| {
            masks(call, |board, square, color| board.attackers(square, color, board.occupied()))
        },
    },
    Scalar {
        name: "chess_xray_attackers",
        takes: SQUARE,
        gives: Gives::Mask,
        says: "The squares of the bishops, rooks and queens that would attack a square if exactly \
               one piece between, of either side, were away: those of white, of black, or of \
               both. On a square of their own side they are x-ray defenders.",
        example: "squares(chess_xray_attackers('start', 'a3'))",
        work: |call| masks(call, Board::xray_attackers),
    },
];

/// The square that a text names.
pub(super) fn square(call: &Call<'_>, name: &str) -> Result<Square, FunctionError> {
    Square::from_ascii(name.as_bytes()).ok_or_else(|| FunctionError::Value {
        function: call.function,
        found: name.to_owned(),
        expected: "square, expected a1 to h8",
    })
}

/// What is asked of a board, a square and a side.
type Ask = fn(&Board, Square, Color) -> Bitboard;

fn masks(call: &Call<'_>, ask: Ask) -> Result<ArrayRef, FunctionError> {
    let column: UInt64Array = call.each(|row| {
        let position = at(call, row)?;
        let square = square(call, call.text(1).value(row))?;
        let colors: &[Color] = match call.columns.get(2).map(|_| call.text(2).value(row)) {
            None => &Color::ALL,
            Some("white") => &[Color::White],
            Some("black") => &[Color::Black],
            Some(other) => {
                return Err(FunctionError::Value {
                    function: call.function,
                    found: other.to_owned(),
                    expected: "colour, expected white or black",
                });
            }
        };
        let sets = colors.iter().map(|&color| ask(position.board(), square, color));
        Ok(sets.fold(0, |all, set| all | set.0))
    })?;
    Ok(Arc::new(column))
}

fn piece_at(call: &Call<'_>) -> Result<ArrayRef, FunctionError> {
    let mut column = StringBuilder::new();
    for row in 0..call.rows {
        if call.is_null(row) {
            column.append_null();
            continue;
        }
        let square = square(call, call.text(1).value(row))?;
        let piece = at(call, row)?.board().piece_at(square);
        column.append_option(
            piece.map(|piece| format!("{} {}", piece.color.name(), piece.role.name())),
        );
    }
    Ok(Arc::new(column.finish()))
}

fn matches(call: &Call<'_>) -> Result<ArrayRef, FunctionError> {
    // Most statements have one pattern for all rows.
    let mut last: Option<(String, bool, String, Places)> = None;
    let column: BooleanArray = call.each(|row| {
        let position = at(call, row)?;
        let (pattern, shift) = (call.text(1).value(row), call.flag(2, row));
        let flip = if call.columns.len() > 3 { call.text(3).value(row) } else { "" };
        let is_last = last.as_ref().is_some_and(|(text, shifts, flips, _)| {
            (text.as_str(), *shifts, flips.as_str()) == (pattern, shift, flip)
        });
        if !is_last {
            let places = places(call, pattern, shift, flip)?;
            last = Some((pattern.to_owned(), shift, flip.to_owned(), places));
        }
        Ok(last.as_ref().is_some_and(|(.., places)| places.matches(position.board())))
    })?;
    Ok(Arc::new(column))
}

fn places(
    call: &Call<'_>,
    pattern: &str,
    shift: bool,
    flip: &str,
) -> Result<Places, FunctionError> {
    let wrong = |cause: String| FunctionError::Pattern {
        function: call.function,
        pattern: pattern.to_owned(),
        cause,
    };
    let flips: Flips =
        flip.parse().map_err(|cause: chess::UnknownFlip| wrong(cause.to_string()))?;
    let shifts = if shift { Shifts::All } else { Shifts::None };
    let board = pattern.parse::<PartialBoard>();
    board.and_then(|board| board.places(shifts, flips)).map_err(|cause| wrong(cause.to_string()))
}
