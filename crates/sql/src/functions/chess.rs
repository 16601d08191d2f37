//! Positions and moves.

use std::{fmt::Write, sync::Arc};

use arrow::array::{ArrayRef, BooleanArray, Int64Array, ListBuilder, StringBuilder, UInt64Array};
use chess::{Position, San, Uci};

use super::{Call, FunctionError, Gives, Parameter, Scalar, Takes, takes};

/// What most functions take: a position and nothing else.
pub(super) const FEN: &[Parameter] = &[takes("fen", Takes::Text)];
const MOVE_IN_UCI: &[Parameter] = &[takes("fen", Takes::Text), takes("uci", Takes::Text)];
const MOVE_IN_SAN: &[Parameter] = &[takes("fen", Takes::Text), takes("san", Takes::Text)];

pub(super) const FUNCTIONS: &[Scalar] = &[
    Scalar {
        name: "chess_fen",
        takes: FEN,
        gives: Gives::Text,
        says: "The FEN of a position in canonical form, so that equal positions have equal texts; \
               'start' is the start position. Fails if the text is not a legal position.",
        example: "chess_fen('rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3')",
        work: |call| {
            texts(call, |_, _, position, out| {
                position.write_fen(out);
                Ok(())
            })
        },
    },
    Scalar {
        name: "try_chess_fen",
        takes: FEN,
        gives: Gives::Text,
        says: "As chess_fen, but NULL if the text is not a legal position. Every function returns \
               NULL for NULL, so chess_is_check(try_chess_fen(fen)) never fails.",
        example: "try_chess_fen('nonsense')",
        work: try_fen,
    },
    Scalar {
        name: "chess_fen_error",
        takes: FEN,
        gives: Gives::Text,
        says: "Why a text is not a legal position; NULL if it is one.",
        example: "chess_fen_error('8/8/8/8/8/8/8/8 w - -')",
        work: fen_error,
    },
    Scalar {
        name: "chess_is_check",
        takes: FEN,
        gives: Gives::Flag,
        says: "Whether the side to move is in check.",
        example: "chess_is_check('4k3/8/8/8/8/8/8/4RK2 b - - 0 1')",
        work: |call| flags(call, Position::is_check),
    },
    Scalar {
        name: "chess_is_mate",
        takes: FEN,
        gives: Gives::Flag,
        says: "Whether the side to move is checkmated.",
        example: "chess_is_mate('R5k1/5ppp/8/8/8/8/8/6K1 b - - 0 1')",
        work: |call| flags(call, Position::is_checkmate),
    },
    Scalar {
        name: "chess_is_stalemate",
        takes: FEN,
        gives: Gives::Flag,
        says: "Whether the side to move has no legal move and is not in check.",
        example: "chess_is_stalemate('7k/5Q2/6K1/8/8/8/8/8 b - - 0 1')",
        work: |call| flags(call, Position::is_stalemate),
    },
    Scalar {
        name: "chess_move_count",
        takes: FEN,
        gives: Gives::Count,
        says: "The number of legal moves.",
        example: "chess_move_count('start')",
        work: move_count,
    },
    Scalar {
        name: "chess_legal_moves",
        takes: FEN,
        gives: Gives::Names,
        says: "The legal moves in UCI notation, in alphabetical order.",
        example: "chess_legal_moves('6k1/5ppp/8/8/8/8/8/K3R3 b - - 0 1')",
        work: legal_moves,
    },
    Scalar {
        name: "chess_san",
        takes: MOVE_IN_UCI,
        gives: Gives::Text,
        says: "A legal move in SAN, from UCI notation.",
        example: "chess_san('start', 'g1f3')",
        work: |call| texts(call, write_san),
    },
    Scalar {
        name: "try_chess_san",
        takes: MOVE_IN_UCI,
        gives: Gives::Text,
        says: "As chess_san, but NULL if the position or the move is not legal.",
        example: "try_chess_san('start', 'e2e5')",
        work: |call| try_texts(call, write_san),
    },
    Scalar {
        name: "chess_uci",
        takes: MOVE_IN_SAN,
        gives: Gives::Text,
        says: "A legal move in UCI notation, from SAN.",
        example: "chess_uci('start', 'Nf3')",
        work: |call| texts(call, write_uci),
    },
    Scalar {
        name: "try_chess_uci",
        takes: MOVE_IN_SAN,
        gives: Gives::Text,
        says: "As chess_uci, but NULL if the position or the move is not legal.",
        example: "try_chess_uci('start', 'Ke2')",
        work: |call| try_texts(call, write_uci),
    },
    Scalar {
        name: "chess_zobrist",
        takes: FEN,
        gives: Gives::Hash,
        says: "The Zobrist key of a position, the same as in every table and every run.",
        example: "chess_zobrist('start')",
        work: zobrist,
    },
];

/// Reads a position.
pub(super) fn position(function: &'static str, fen: &str) -> Result<Position, FunctionError> {
    let wrong = |cause| FunctionError::Fen { function, fen: fen.to_owned(), cause };
    Position::from_text(fen).map_err(wrong)
}

/// The position of a row.
pub(super) fn at(call: &Call<'_>, row: usize) -> Result<Position, FunctionError> {
    position(call.function, call.text(0).value(row))
}

fn flags(call: &Call<'_>, ask: fn(&Position) -> bool) -> Result<ArrayRef, FunctionError> {
    let column: BooleanArray = call.each(|row| Ok(ask(&at(call, row)?)))?;
    Ok(Arc::new(column))
}

/// Writes the text of a row, given its position.
pub(super) type WriteText =
    fn(&Call<'_>, usize, &Position, &mut String) -> Result<(), FunctionError>;

/// A column of texts, each written into a buffer that is used again.
pub(super) fn texts(call: &Call<'_>, write: WriteText) -> Result<ArrayRef, FunctionError> {
    written(call, |row, text| write(call, row, &at(call, row)?, text).map(|()| true))
}

/// The same, with NULL where there is nothing to write.
pub(super) fn try_texts(call: &Call<'_>, write: WriteText) -> Result<ArrayRef, FunctionError> {
    written(call, |row, text| {
        let found = at(call, row).and_then(|position| write(call, row, &position, text));
        Ok(found.is_ok())
    })
}

/// A column of texts, which are there where the function says so.
fn written(
    call: &Call<'_>,
    write: impl Fn(usize, &mut String) -> Result<bool, FunctionError>,
) -> Result<ArrayRef, FunctionError> {
    let mut column = StringBuilder::with_capacity(call.rows, call.rows * 64);
    let mut text = String::new();
    for row in 0..call.rows {
        text.clear();
        match !call.is_null(row) && write(row, &mut text)? {
            true => column.append_value(&text),
            false => column.append_null(),
        }
    }
    Ok(Arc::new(column.finish()))
}

fn write_san(
    call: &Call<'_>,
    row: usize,
    position: &Position,
    out: &mut String,
) -> Result<(), FunctionError> {
    let (fen, text) = (call.text(0).value(row), call.text(1).value(row));
    let uci = text.parse::<Uci>().and_then(|uci| uci.find(position));
    let mv = uci.map_err(|cause| illegal(call, fen, &cause.to_string()))?;
    push(out, San::of(position, mv));
    Ok(())
}

fn write_uci(
    call: &Call<'_>,
    row: usize,
    position: &Position,
    out: &mut String,
) -> Result<(), FunctionError> {
    let (fen, text) = (call.text(0).value(row), call.text(1).value(row));
    let san = text.parse::<San>().and_then(|san| san.find(position));
    let mv = san.map_err(|cause| illegal(call, fen, &cause.to_string()))?;
    push(out, Uci::of(position, mv));
    Ok(())
}

fn try_fen(call: &Call<'_>) -> Result<ArrayRef, FunctionError> {
    let mut column = StringBuilder::new();
    let mut text = String::new();
    for fen in call.text(0) {
        text.clear();
        match fen.map(Position::from_text) {
            Some(Ok(position)) => {
                position.write_fen(&mut text);
                column.append_value(&text);
            }
            _ => column.append_null(),
        }
    }
    Ok(Arc::new(column.finish()))
}

fn fen_error(call: &Call<'_>) -> Result<ArrayRef, FunctionError> {
    let mut column = StringBuilder::new();
    for fen in call.text(0) {
        let error = fen.and_then(|fen| Position::from_text(fen).err());
        column.append_option(error.map(|error| error.to_string()));
    }
    Ok(Arc::new(column.finish()))
}

fn move_count(call: &Call<'_>) -> Result<ArrayRef, FunctionError> {
    let count = |row| Ok(i64::from(at(call, row)?.legal_moves().len()));
    let column: Int64Array = call.each(count)?;
    Ok(Arc::new(column))
}

fn zobrist(call: &Call<'_>) -> Result<ArrayRef, FunctionError> {
    let column: UInt64Array = call.each(|row| Ok(at(call, row)?.zobrist()))?;
    Ok(Arc::new(column))
}

fn legal_moves(call: &Call<'_>) -> Result<ArrayRef, FunctionError> {
    let mut lists = ListBuilder::new(StringBuilder::new());
    for row in 0..call.rows {
        let is_null = call.is_null(row);
        if !is_null {
            let position = at(call, row)?;
            let moves = position.legal_moves();
            let moves = moves.iter().map(|mv| Uci::of(&position, mv).to_string());
            let mut moves: Vec<String> = moves.collect();
            moves.sort_unstable();
            moves.iter().for_each(|uci| lists.values().append_value(uci));
        }
        lists.append(!is_null);
    }
    Ok(Arc::new(lists.finish()))
}

pub(super) fn illegal(call: &Call<'_>, fen: &str, cause: &str) -> FunctionError {
    FunctionError::Move { function: call.function, cause: cause.to_owned(), fen: fen.to_owned() }
}

pub(super) fn push(out: &mut String, text: impl std::fmt::Display) {
    write!(out, "{text}").expect("a string takes what it is given");
}
