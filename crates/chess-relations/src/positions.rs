//! Positions as rows.

use std::sync::Arc;

use arrow::{
    array::{ArrayRef, RecordBatch, UInt8Array, UInt16Array, UInt64Array},
    datatypes::{DataType, Field, Schema, SchemaRef},
};
use chess::{Bitboard, Board, Color, IllegalPosition, Piece, Position, Role, Setup};

/// The columns of a position: the side to move (0 White, 1 Black), its pieces, the other side's
/// pieces, the pieces of each kind, the rooks that may castle, the square a pawn has just passed
/// over, and the [`CLOCKS`].
pub const COLUMNS: [&str; 13] =
    ["stm", "us", "them", "p", "n", "b", "r", "q", "k", "cr", "ep", "halfmoves", "fullmoves"];

/// The last two of [`COLUMNS`]: plies since the last capture or pawn move, and the number of the
/// move. Two positions can be equal by the rules although these differ.
pub const CLOCKS: [&str; 2] = ["halfmoves", "fullmoves"];

/// A position as a row, in the order of [`COLUMNS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Row(pub [u64; 13]);

/// The type of a column of [`COLUMNS`].
pub fn data_type(column: &str) -> DataType {
    match column {
        "stm" => DataType::UInt8,
        clock if CLOCKS.contains(&clock) => DataType::UInt16,
        _ => DataType::UInt64,
    }
}

/// The schema of a table of positions.
pub fn schema() -> SchemaRef {
    let field = |name: &str| Field::new(name, data_type(name), false);
    Arc::new(Schema::new(COLUMNS.map(field).to_vec()))
}

/// Rows as a table.
pub fn batch(rows: &[Row]) -> RecordBatch {
    let column = |at: usize| -> ArrayRef {
        let values = rows.iter().map(|row| row.0[at]);
        match data_type(COLUMNS[at]) {
            DataType::UInt8 => Arc::new(UInt8Array::from_iter_values(values.map(|n| n as u8))),
            DataType::UInt16 => Arc::new(UInt16Array::from_iter_values(values.map(clock))),
            _ => Arc::new(UInt64Array::from_iter_values(values)),
        }
    };
    let columns = (0..COLUMNS.len()).map(column).collect();
    RecordBatch::try_new(schema(), columns).expect("the columns are those of the schema")
}

impl Row {
    /// The row of a position.
    pub fn of(position: &Position) -> Row {
        let board = position.board();
        let turn = position.turn();
        let kind = |role| board.by_role(role).0;
        Row([
            u64::from(turn == Color::Black),
            board.by_color(turn).0,
            board.by_color(!turn).0,
            kind(Role::Pawn),
            kind(Role::Knight),
            kind(Role::Bishop),
            kind(Role::Rook),
            kind(Role::Queen),
            kind(Role::King),
            position.castling_rooks().0,
            position.en_passant().map_or(0, |square| 1 << square.index()),
            position.halfmoves().into(),
            position.fullmoves().into(),
        ])
    }

    /// The position of a row.
    pub fn position(&self) -> Result<Position, IllegalPosition> {
        let [stm, us, them, kinds @ .., castling, passed, halfmoves, fullmoves] = self.0;
        let turn = if stm == 0 { Color::White } else { Color::Black };
        let mut board = Board::EMPTY;
        for (role, pieces) in Role::ALL.into_iter().zip(kinds) {
            for (color, side) in [(turn, us), (!turn, them)] {
                for square in Bitboard(pieces & side) {
                    board.put(square, Piece { color, role });
                }
            }
        }
        let en_passant = Bitboard(passed).into_iter().next();
        let castling = Bitboard(castling);
        let (halfmoves, fullmoves) = (clock(halfmoves), clock(fullmoves));
        Position::new(Setup { board, turn, castling, en_passant, halfmoves, fullmoves })
    }

    /// The FEN of a row, also of one that only other rules allow.
    pub fn fen(&self) -> String {
        self.position().map_or_else(|_| self.text(), |position| position.to_string())
    }

    fn text(&self) -> String {
        let [stm, us, them, kinds @ .., castling, passed, halfmoves, fullmoves] = self.0;
        let white = if stm == 0 { us } else { them };
        let letter = |cell: u8| -> Option<char> {
            let bit = 1_u64 << cell;
            let kind = kinds.iter().position(|pieces| pieces & bit != 0)?;
            let letter = char::from(b"pnbrqk"[kind]);
            Some(if white & bit != 0 { letter.to_ascii_uppercase() } else { letter })
        };
        let rank = |rank: u8| -> String {
            let cells: String = (0..8).map(|file| letter(rank * 8 + file).unwrap_or('1')).collect();
            // Longest first, so that eight ones become an eight.
            (2..=8).rev().fold(cells, |text, n| text.replace(&"1".repeat(n), &n.to_string()))
        };
        let board = (0..8).rev().map(rank).collect::<Vec<_>>().join("/");
        let turn = if stm == 0 { "w" } else { "b" };
        let rook = |cell: u8| {
            let file = char::from(b'a' + cell % 8);
            if cell < 8 { file.to_ascii_uppercase() } else { file }
        };
        let cells = |set: u64| (0..64_u8).filter(move |cell| set >> cell & 1 == 1);
        let rights: String = cells(castling).map(rook).collect();
        let or_none = |text: String| if text.is_empty() { "-".to_owned() } else { text };
        let passed = cells(passed).map(crate::compile::name).collect();
        let (rights, passed) = (or_none(rights), or_none(passed));
        let (halfmoves, fullmoves) = (clock(halfmoves), clock(fullmoves).max(1));
        format!("{board} {turn} {rights} {passed} {halfmoves} {fullmoves}")
    }
}

/// Clocks stop at the largest number that a position can hold, as those of the bitboards do.
fn clock(value: u64) -> u16 {
    value.try_into().unwrap_or(u16::MAX)
}
