//! Positions and moves.

use std::{fmt::Write, sync::Arc};

use arrow::array::{ArrayRef, BooleanArray, Int64Array, StringBuilder, UInt64Array};
use chess::{Color, Position, San, Square, Uci, find_move, typed_moves};

use super::{Call, FunctionError, Gives, Parameter, Scalar, Takes, may_take, takes};

/// What most functions take: a position and nothing else.
const FEN: &[Parameter] = &[takes("fen", Takes::Text)];

pub(super) const FUNCTIONS: &[Scalar] = &[
    Scalar {
        name: "chess_fen",
        takes: FEN,
        gives: Gives::Text,
        says: "The FEN of a position in canonical form, so that equal positions have equal texts; \
               'start' is the start position. Fails if the text is not a legal position.",
        example: "chess_fen('rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3')",
        work: |call| {
            texts(call, |_, position, out| {
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
        name: "chess_san",
        takes: &[takes("fen", Takes::Text), takes("uci", Takes::Text)],
        gives: Gives::Text,
        says: "A legal move in SAN, from UCI notation.",
        example: "chess_san('start', 'g1f3')",
        work: |call| {
            texts(call, |row, position, out| {
                let (fen, text) = (call.text(0).value(row), call.text(1).value(row));
                let uci = text.parse::<Uci>().and_then(|uci| uci.find(position));
                let mv = uci.map_err(|cause| illegal(call, fen, &cause.to_string()))?;
                push(out, San::of(position, mv));
                Ok(())
            })
        },
    },
    Scalar {
        name: "chess_uci",
        takes: &[takes("fen", Takes::Text), takes("san", Takes::Text)],
        gives: Gives::Text,
        says: "A legal move in UCI notation, from SAN.",
        example: "chess_uci('start', 'Nf3')",
        work: |call| {
            texts(call, |row, position, out| {
                let (fen, text) = (call.text(0).value(row), call.text(1).value(row));
                let san = text.parse::<San>().and_then(|san| san.find(position));
                let mv = san.map_err(|cause| illegal(call, fen, &cause.to_string()))?;
                push(out, Uci::of(position, mv));
                Ok(())
            })
        },
    },
    Scalar {
        name: "chess_play",
        takes: &[takes("fen", Takes::Text), takes("moves", Takes::Text)],
        gives: Gives::Text,
        says: "The position after moves in SAN or UCI notation, separated by spaces; move numbers \
               are ignored.",
        example: "chess_play('start', '1. e4 e5 2. Nf3')",
        work: play,
    },
    Scalar {
        name: "chess_zobrist",
        takes: FEN,
        gives: Gives::Hash,
        says: "The Zobrist key of a position, the same as in every table and every run.",
        example: "chess_zobrist('start')",
        work: zobrist,
    },
    Scalar {
        name: "chess_attackers",
        takes: &[
            takes("fen", Takes::Text),
            takes("square", Takes::Text),
            may_take("color", Takes::Text),
        ],
        gives: Gives::Mask,
        says: "The squares of the pieces, pawns included, that attack a square: those of white, of \
               black, or of both.",
        example: "squares(chess_attackers('start', 'f3', 'white'))",
        work: attackers,
    },
];

/// Reads a position.
pub(super) fn position(function: &'static str, fen: &str) -> Result<Position, FunctionError> {
    let wrong = |cause| FunctionError::Fen { function, fen: fen.to_owned(), cause };
    Position::from_text(fen).map_err(wrong)
}

/// The position of a row.
fn at(call: &Call<'_>, row: usize) -> Result<Position, FunctionError> {
    position(call.function, call.text(0).value(row))
}

fn flags(call: &Call<'_>, ask: fn(&Position) -> bool) -> Result<ArrayRef, FunctionError> {
    let column: BooleanArray = call.each(|row| Ok(ask(&at(call, row)?)))?;
    Ok(Arc::new(column))
}

/// A column of texts, each written into a buffer that is used again.
fn texts(
    call: &Call<'_>,
    write: impl Fn(usize, &Position, &mut String) -> Result<(), FunctionError>,
) -> Result<ArrayRef, FunctionError> {
    let mut column = StringBuilder::with_capacity(call.rows, call.rows * 64);
    let mut text = String::new();
    for row in 0..call.rows {
        if call.is_null(row) {
            column.append_null();
            continue;
        }
        text.clear();
        write(row, &at(call, row)?, &mut text)?;
        column.append_value(&text);
    }
    Ok(Arc::new(column.finish()))
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

fn play(call: &Call<'_>) -> Result<ArrayRef, FunctionError> {
    texts(call, |row, position, out| {
        let mut position = *position;
        for word in typed_moves(call.text(1).value(row)) {
            let mv = find_move(&position, word)
                .map_err(|cause| illegal(call, &position.to_string(), &cause.to_string()))?;
            position = position.play(mv);
        }
        position.write_fen(out);
        Ok(())
    })
}

fn attackers(call: &Call<'_>) -> Result<ArrayRef, FunctionError> {
    let value = |found: &str, expected| FunctionError::Value {
        function: call.function,
        found: found.to_owned(),
        expected,
    };
    let column: UInt64Array = call.each(|row| {
        let position = at(call, row)?;
        let name = call.text(1).value(row);
        let square = Square::from_ascii(name.as_bytes())
            .ok_or_else(|| value(name, "square, expected a1 to h8"))?;
        let colors: &[Color] = match call.columns.get(2).map(|_| call.text(2).value(row)) {
            None => &Color::ALL,
            Some("white") => &[Color::White],
            Some("black") => &[Color::Black],
            Some(other) => return Err(value(other, "colour, expected white or black")),
        };
        let board = position.board();
        let sets = colors.iter().map(|&color| board.attackers(square, color, board.occupied()));
        Ok(sets.fold(0, |all, set| all | set.0))
    })?;
    Ok(Arc::new(column))
}

fn illegal(call: &Call<'_>, fen: &str, cause: &str) -> FunctionError {
    FunctionError::Move { function: call.function, cause: cause.to_owned(), fen: fen.to_owned() }
}

fn push(out: &mut String, text: impl std::fmt::Display) {
    write!(out, "{text}").expect("a string takes what it is given");
}
