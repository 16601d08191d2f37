//! Boards as text for a terminal and as SVG, both as strings.
//!
//! ```
//! let position = chess::Position::default();
//! let drawing = chess::drawing::Drawing::of(&position);
//! assert!(drawing.plain().starts_with("8 ♜ ♞ ♝ ♛ ♚ ♝ ♞ ♜\n7 ♟ ♟"));
//! assert!(drawing.svg().starts_with("<svg "));
//! ```

pub mod svg;

use std::fmt::Write;

use crate::{Bitboard, Board, Color, File, Move, Piece, Position, Rank, Square};

/// The colour of the labels beside the board.
const LABEL: &str = "#f3e8d2";

/// A board and what is to be pointed out on it.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// The pieces.
    pub board: Board,
    /// Whose side is at the bottom.
    pub viewpoint: Color,
    /// Squares in another colour, such as those of the last move.
    pub lit: Bitboard,
    /// Squares in the colour of danger, such as that of a king in check.
    pub danger: Bitboard,
    /// Squares with a dot or a ring, such as those a piece may go to.
    pub dots: Bitboard,
    /// Arrows from square to square.
    pub arrows: Vec<(Square, Square)>,
}

impl Drawing {
    /// The position from White's side, a king in check pointed out.
    pub fn of(position: &Position) -> Drawing {
        let king = Bitboard::of(position.king(position.turn()));
        Drawing {
            board: *position.board(),
            viewpoint: Color::White,
            lit: Bitboard::EMPTY,
            danger: if position.is_check() { king } else { Bitboard::EMPTY },
            dots: Bitboard::EMPTY,
            arrows: Vec::new(),
        }
    }

    /// Points out the move that led here.
    pub fn after(mut self, mv: Move) -> Drawing {
        self.lit = Bitboard::of(mv.from) | mv.to;
        self
    }

    /// The squares row by row as they are seen.
    fn rows(&self) -> impl Iterator<Item = (Rank, impl Iterator<Item = Square>)> {
        let viewpoint = self.viewpoint;
        (0..8).map(move |row| {
            let rank = Rank::all().nth(row).expect("eight ranks").of(!viewpoint);
            (rank, self.files().map(move |file| Square::new(file, rank)))
        })
    }

    fn files(&self) -> impl Iterator<Item = File> + use<> {
        let viewpoint = self.viewpoint;
        (0..8).map(move |column| {
            let column = if viewpoint == Color::White { column } else { 7 - column };
            File::all().nth(column).expect("eight files")
        })
    }

    /// Nine lines of text without any colour.
    pub fn plain(&self) -> String {
        let mut text = String::new();
        for (rank, row) in self.rows() {
            text.push(rank.digit());
            for square in row {
                let empty = if self.dots.contains(square) { '*' } else { '.' };
                text.push(' ');
                text.push(self.board.piece_at(square).map_or(empty, Piece::figurine));
            }
            text.push('\n');
        }
        text.push(' ');
        for file in self.files() {
            text.push(' ');
            text.push(file.letter());
        }
        text.push('\n');
        text
    }

    /// Nine lines of text with the colours of a terminal that knows 256.
    pub fn colored(&self) -> String {
        let mut text = String::new();
        for (rank, row) in self.rows() {
            let _ = write!(text, "{rank} ");
            for square in row {
                let ground = if self.danger.contains(square) {
                    167
                } else if self.lit.contains(square) {
                    179
                } else if square.is_light() {
                    180
                } else {
                    137
                };
                let (ink, mark) = match self.board.piece_at(square) {
                    // The filled figurines serve both sides; the ink tells them apart.
                    Some(Piece { color: Color::White, role }) => {
                        (231, Piece { color: Color::Black, role }.figurine())
                    }
                    Some(piece) => (16, piece.figurine()),
                    None if self.dots.contains(square) => (22, '•'),
                    None => (16, ' '),
                };
                let _ = write!(text, "\x1b[48;5;{ground}m\x1b[38;5;{ink}m {mark} ");
            }
            text.push_str("\x1b[0m\n");
        }
        text.push_str("  ");
        for file in self.files() {
            let _ = write!(text, " {file} ");
        }
        text.push('\n');
        text
    }

    /// A picture of 880 units a side, 100 for each square.
    pub fn svg(&self) -> String {
        let mut svg = String::from(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 880 880\" width=\"440\" \
             height=\"440\">\n<rect width=\"880\" height=\"880\" fill=\"#4d3f33\"/>\n",
        );
        for (row, (rank, squares)) in self.rows().enumerate() {
            for (column, square) in squares.enumerate() {
                self.write_square(&mut svg, square, (40 + 100 * column, 40 + 100 * row));
            }
            svg::label(&mut svg, (20, 90 + 100 * row), LABEL, rank);
        }
        for (column, file) in self.files().enumerate() {
            svg::label(&mut svg, (90 + 100 * column, 860), LABEL, file);
        }
        for &(from, to) in &self.arrows {
            self.write_arrow(&mut svg, from, to);
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn write_square(&self, svg: &mut String, square: Square, at: (usize, usize)) {
        let ground = if square.is_light() { "#f3e8d2" } else { "#b28d68" };
        svg::ground(svg, at, ground, self.danger.contains(square), self.lit.contains(square));
        let piece = self.board.piece_at(square);
        if let Some(Piece { color, role }) = piece {
            // Lines inside a black piece must be light to be seen.
            let (fill, line, detail) = match color {
                Color::White => ("#ffffff", "#1d1a17", "#1d1a17"),
                Color::Black => ("#332e2a", "#0e0c0b", "#d9cfc2"),
            };
            svg::piece(svg, at, role, (fill, line), Some(detail));
        }
        if self.dots.contains(square) {
            svg::dot(svg, at, ("#2f6b3a", "0.7"), piece.is_some());
        }
    }

    fn write_arrow(&self, svg: &mut String, from: Square, to: Square) {
        let (x1, y1) = self.centre(from);
        let (x2, y2) = self.centre(to);
        let length = (x2 - x1).hypot(y2 - y1);
        if length == 0.0 {
            return;
        }
        let (dx, dy) = ((x2 - x1) / length, (y2 - y1) / length);
        // The shaft ends where the head begins; the head's tip is in the middle of the square.
        let (bx, by) = (x2 - 34.0 * dx, y2 - 34.0 * dy);
        let _ = writeln!(
            svg,
            "<g fill=\"#2f6b3a\" stroke=\"#2f6b3a\" opacity=\"0.75\"><path d=\"M{x1:.1} {y1:.1}L{bx:.1} {by:.1}\" stroke-width=\"14\" \
             stroke-linecap=\"round\"/><path d=\"M{x2:.1} {y2:.1}L{:.1} {:.1}L{:.1} {:.1}Z\" stroke=\"none\"/></g>",
            bx - 22.0 * dy,
            by + 22.0 * dx,
            bx + 22.0 * dy,
            by - 22.0 * dx,
        );
    }

    fn centre(&self, square: Square) -> (f64, f64) {
        let flip = |index: usize, flipped: bool| if flipped { 7 - index } else { index };
        let column = flip(square.file().index(), self.viewpoint == Color::Black);
        let row = flip(square.rank().index(), self.viewpoint == Color::White);
        (90.0 + 100.0 * column as f64, 90.0 + 100.0 * row as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn black_sees_h1_in_the_upper_left_corner() {
        let position = Position::default();
        let drawing = Drawing { viewpoint: Color::Black, ..Drawing::of(&position) };
        let expected = "\
1 ♖ ♘ ♗ ♔ ♕ ♗ ♘ ♖
2 ♙ ♙ ♙ ♙ ♙ ♙ ♙ ♙
3 . . . . . . . .
4 . . . . . . . .
5 . . . . . . . .
6 . . . . . . . .
7 ♟ ♟ ♟ ♟ ♟ ♟ ♟ ♟
8 ♜ ♞ ♝ ♚ ♛ ♝ ♞ ♜
  h g f e d c b a
";
        assert_eq!(drawing.plain(), expected);
        assert!(drawing.colored().starts_with("1 "));
    }

    #[test]
    fn every_man_and_mark_is_in_the_picture() {
        let position = Position::default();
        let mut drawing = Drawing::of(&position);
        let pieces = |svg: &str| svg.matches("<g transform").count();
        assert_eq!(pieces(&drawing.svg()), 32);
        let bare = drawing.svg().len();
        drawing.lit = Square::E2.into();
        drawing.dots = Square::E4.into();
        drawing.arrows.push((Square::E2, Square::E4));
        let marked = drawing.svg();
        assert_eq!(pieces(&marked), 32);
        assert!(
            marked.len() > bare
                && marked.contains("#e8c52e")
                && marked.contains("<circle cx=\"490\"")
        );
    }
}
