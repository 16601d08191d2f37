//! Boards as text for a terminal and as SVG, both as strings.
//!
//! ```
//! let position = chess::Position::default();
//! let drawing = chess::drawing::Drawing::of(&position);
//! assert!(drawing.plain().starts_with("8 ♜ ♞ ♝ ♛ ♚ ♝ ♞ ♜\n7 ♟ ♟"));
//! assert!(drawing.svg().starts_with("<svg "));
//! ```

use std::fmt::Write;

use crate::{Bitboard, Board, Color, File, Move, Piece, Position, Rank, Role, Square};

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
                self.write_square(&mut svg, square, 40 + 100 * column, 40 + 100 * row);
            }
            label(&mut svg, 20, 90 + 100 * row, rank.digit());
        }
        for (column, file) in self.files().enumerate() {
            label(&mut svg, 90 + 100 * column, 860, file.letter());
        }
        for &(from, to) in &self.arrows {
            self.write_arrow(&mut svg, from, to);
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn write_square(&self, svg: &mut String, square: Square, x: usize, y: usize) {
        let ground = if square.is_light() { "#f3e8d2" } else { "#b28d68" };
        let _ = writeln!(
            svg,
            "<rect x=\"{x}\" y=\"{y}\" width=\"100\" height=\"100\" fill=\"{ground}\"/>"
        );
        let tint = if self.danger.contains(square) {
            Some("#d43b2a")
        } else {
            self.lit.contains(square).then_some("#e8c52e")
        };
        if let Some(tint) = tint {
            let _ = writeln!(
                svg,
                "<rect x=\"{x}\" y=\"{y}\" width=\"100\" height=\"100\" fill=\"{tint}\" fill-opacity=\"0.55\"/>"
            );
        }
        let piece = self.board.piece_at(square);
        if let Some(piece) = piece {
            write_piece(svg, piece, x, y);
        }
        if self.dots.contains(square) {
            let (x, y) = (x + 50, y + 50);
            let _ = match piece {
                None => writeln!(
                    svg,
                    "<circle cx=\"{x}\" cy=\"{y}\" r=\"15\" fill=\"#2f6b3a\" fill-opacity=\"0.7\"/>"
                ),
                Some(_) => writeln!(
                    svg,
                    "<circle cx=\"{x}\" cy=\"{y}\" r=\"44\" fill=\"none\" stroke=\"#2f6b3a\" stroke-opacity=\"0.7\" stroke-width=\"8\"/>"
                ),
            };
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

fn label(svg: &mut String, x: usize, y: usize, letter: char) {
    let _ = writeln!(
        svg,
        "<text x=\"{x}\" y=\"{y}\" fill=\"#f3e8d2\" font-family=\"sans-serif\" font-size=\"24\" \
         text-anchor=\"middle\" dominant-baseline=\"central\">{letter}</text>"
    );
}

fn write_piece(svg: &mut String, piece: Piece, x: usize, y: usize) {
    let (fill, line) = match piece.color {
        Color::White => ("#ffffff", "#1d1a17"),
        Color::Black => ("#332e2a", "#0e0c0b"),
    };
    // Lines inside a black piece must be light to be seen.
    let detail = if piece.color == Color::White { line } else { "#d9cfc2" };
    let (body, details) = outline(piece.role);
    let _ = writeln!(
        svg,
        "<g transform=\"translate({x} {y})\" fill=\"{fill}\" stroke=\"{line}\" stroke-width=\"3.4\" \
         stroke-linejoin=\"round\" stroke-linecap=\"round\">{body}<path d=\"{details}\" fill=\"none\" \
         stroke=\"{detail}\" stroke-width=\"2.8\"/></g>"
    );
}

/// The outline of a piece on a square of 100 by 100 as SVG elements, and the lines inside it as the
/// data of a path.
pub fn outline(role: Role) -> (&'static str, &'static str) {
    match role {
        Role::Pawn => (
            "<path d=\"M43 50C42 62 36 70 30 76H70C64 70 58 62 57 50Z\"/>\
             <path d=\"M36 46H64V52H36Z\"/><circle cx=\"50\" cy=\"33\" r=\"14\"/>\
             <path d=\"M25 76H75V87H25Z\"/>",
            "M33 81.5H67",
        ),
        Role::Knight => (
            "<path d=\"M32 76C32 63 45 58 47 47C42 51 38 52 34 57C31 61 27 63 23 60C19 57 20 53 23 48\
             C27 41 28 33 36 27L37 15L47 23C66 24 76 42 74 76Z\"/><path d=\"M25 76H77V87H25Z\"/>",
            "M39 36L42 34M27 54L28.5 53M52 30C62 35 67 48 67 66M33 81.5H69",
        ),
        Role::Bishop => (
            "<path d=\"M40 64C40 70 34 74 29 76H71C66 74 60 70 60 64Z\"/>\
             <path d=\"M50 20C64 31 71 46 60 59H40C29 46 36 31 50 20Z\"/><path d=\"M35 58H65V65H35Z\"/>\
             <circle cx=\"50\" cy=\"15\" r=\"5.5\"/><path d=\"M25 76H75V87H25Z\"/>",
            "M50 33V49M43 41H57M33 81.5H67",
        ),
        Role::Rook => (
            "<path d=\"M36 40L34 68L28 76H72L66 68L64 40Z\"/>\
             <path d=\"M27 20H38V27H45V20H55V27H62V20H73V38L66 43H34L27 38Z\"/>\
             <path d=\"M23 76H77V87H23Z\"/>",
            "M35 48H65M34 67H66M31 81.5H69",
        ),
        Role::Queen => (
            "<path d=\"M21 33L35 53L35 25L46 50L50 21L54 50L65 25L65 53L79 33L70 66C68 70 71 73 72 76\
             H28C29 73 32 70 30 66Z\"/><circle cx=\"20\" cy=\"29\" r=\"5\"/><circle cx=\"35\" cy=\"20\" r=\"5\"/>\
             <circle cx=\"50\" cy=\"16\" r=\"5\"/><circle cx=\"65\" cy=\"20\" r=\"5\"/>\
             <circle cx=\"80\" cy=\"29\" r=\"5\"/><path d=\"M25 76H75V87H25Z\"/>",
            "M31 67C43 63 57 63 69 67M33 81.5H67",
        ),
        Role::King => (
            "<path d=\"M47 8H53V14H59V20H53V29H47V20H41V14H47Z\"/>\
             <path d=\"M50 44C50 34 44 30 50 26C56 30 50 34 50 44Z\"/>\
             <path d=\"M50 40C54 28 82 27 78 47C76 57 70 59 69 66L72 76H28L31 66C30 59 24 57 22 47\
             C18 27 46 28 50 40Z\"/><path d=\"M25 76H75V87H25Z\"/>",
            "M50 41V61M31 66C43 62 57 62 69 66M33 81.5H67",
        ),
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
