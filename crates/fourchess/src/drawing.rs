//! Boards as text for a terminal and as SVG, both as strings.
//!
//! ```
//! use fourchess::drawing::Drawing;
//! use fourchess::{Game, Rules};
//!
//! let game = Game::new(&Rules::FFA);
//! let drawing = Drawing::of(game.position(), game.rules());
//! assert!(drawing.plain().starts_with("14          y♜ y♞ y♝ y♚ y♛ y♝ y♞ y♜\n"));
//! assert!(drawing.svg().starts_with("<svg "));
//! ```

mod animation;

use std::fmt::Write;

use chess::{Color, drawing::svg};

use crate::{
    Role,
    moves::Move,
    position::{Position, Status},
    rules::Rules,
    seat::{Edge, Seat, Seating},
    square::{Square, Squares, WIDTH},
};

pub use animation::{animated_svg, frames};

/// A board and what is to be pointed out on it.
#[derive(Clone, Debug)]
pub struct Drawing {
    /// The position whose pieces are drawn.
    pub position: Position,
    /// Which way round the seats sit.
    pub seating: Seating,
    /// The edge at the bottom.
    pub viewpoint: Edge,
    /// Squares in another colour, such as those of the last move.
    pub lit: Squares,
    /// Squares in the colour of danger, such as those of kings in check.
    pub danger: Squares,
    /// Squares with a dot or a ring, such as those a piece may go to.
    pub dots: Squares,
    /// Whether squares in text are two columns wide instead of three, for narrow windows.
    pub narrow: bool,
}

impl Drawing {
    /// How many columns a board in text takes, unless it is narrow.
    pub const COLUMNS: usize = 2 + 3 * WIDTH as usize;

    /// The position from Red's side, kings in check pointed out.
    pub fn of(position: &Position, rules: &Rules) -> Drawing {
        let checked = |seat: &Seat| position.in_check(*seat, rules);
        let kings = Seat::ALL.into_iter().filter(checked);
        Drawing {
            position: *position,
            seating: rules.seating,
            viewpoint: Edge::South,
            lit: Squares::EMPTY,
            danger: kings.filter_map(|seat| position.king(seat)).collect(),
            dots: Squares::EMPTY,
            narrow: false,
        }
    }

    /// Points out the move that led here.
    pub fn after(mut self, mv: Move) -> Drawing {
        self.lit = Squares::EMPTY.with(mv.from).with(mv.to);
        self
    }

    /// The square at a column from the left and a row from the top.
    fn square(&self, column: u8, row: u8) -> Option<Square> {
        Square::at(column, WIDTH - 1 - row).map(|square| square.shown_to(self.viewpoint))
    }

    /// What is written beside a row: the rank, or the file where the board lies on its side.
    fn row_label(&self, row: u8) -> String {
        // The middle columns are not cut.
        self.square(WIDTH / 2, row).map_or(String::new(), |square| match self.viewpoint {
            Edge::South | Edge::North => (square.rank() + 1).to_string(),
            Edge::West | Edge::East => file_letter(square).to_string(),
        })
    }

    /// What is written below a column.
    fn column_label(&self, column: u8) -> String {
        self.square(column, WIDTH / 2).map_or(String::new(), |square| match self.viewpoint {
            Edge::South | Edge::North => file_letter(square).to_string(),
            Edge::West | Edge::East => (square.rank() + 1).to_string(),
        })
    }

    /// Fifteen lines of text without any colour: figurines behind the letter of their seat, `d`
    /// for a dead one.
    pub fn plain(&self) -> String {
        self.lines(|square| {
            let mark = match self.position.piece(square) {
                Some(piece) => {
                    let owner =
                        piece.owner().map_or('d', |seat| seat.letter().to_ascii_lowercase());
                    format!("{owner}{}", figurine(piece.role()))
                }
                None if self.dots.contains(square) => " *".to_owned(),
                None => " .".to_owned(),
            };
            if self.narrow { mark } else { format!(" {mark}") }
        })
    }

    /// Fifteen lines of text with the colours of a terminal that knows 256: figurines in the
    /// colours of their seats, dead ones grey.
    pub fn colored(&self) -> String {
        self.lines(|square| {
            let ground = if self.danger.contains(square) {
                217
            } else if self.lit.contains(square) {
                229
            } else if is_light(square) {
                255
            } else {
                252
            };
            let (ink, mark) = match self.position.piece(square) {
                Some(piece) => (piece.owner().map_or(244, ink), figurine(piece.role())),
                None if self.dots.contains(square) => (240, '•'),
                None => (240, ' '),
            };
            let room = if self.narrow { "" } else { " " };
            format!("\x1b[48;5;{ground}m\x1b[38;5;{ink}m {mark}{room}\x1b[0m")
        })
    }

    /// Rows of cells that are three columns wide, or two, with their labels.
    fn lines(&self, cell: impl Fn(Square) -> String) -> String {
        let mut text = String::new();
        for row in 0..WIDTH {
            let mut line = format!("{:>2}", self.row_label(row));
            for column in 0..WIDTH {
                match self.square(column, row) {
                    Some(square) => line += &cell(square),
                    None => line += if self.narrow { "  " } else { "   " },
                }
            }
            text += line.trim_end_matches(' ');
            text.push('\n');
        }
        text += "  ";
        for column in 0..WIDTH {
            let label = self.column_label(column);
            // Numbers of two digits would run together.
            let _ = match self.narrow {
                true => write!(text, "{:>2}", &label[label.len().saturating_sub(1)..]),
                false => write!(text, "{label:^3}"),
            };
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
        text
    }

    /// A picture of 1,480 units a side, 100 for each square. In the corners stand the players:
    /// their colour, their points, and whose turn it is.
    pub fn svg(&self) -> String {
        let mut svg = String::new();
        self.write_ground(&mut svg);
        for row in 0..WIDTH {
            for column in 0..WIDTH {
                if let Some(square) = self.square(column, row) {
                    self.write_square(&mut svg, square, Drawing::place(column, row));
                }
            }
        }
        for seat in Seat::ALL {
            self.write_player(&mut svg, seat);
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// The beginning of a picture: what is behind the board and beside it.
    fn write_ground(&self, svg: &mut String) {
        svg.push_str(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 1480 1480\" width=\"740\" \
             height=\"740\">\n<rect width=\"1480\" height=\"1480\" fill=\"#2e2b29\"/>\n",
        );
        for row in 0..WIDTH {
            svg::label(svg, (20, 90 + 100 * usize::from(row)), LIGHT, self.row_label(row));
        }
        for column in 0..WIDTH {
            let at = (90 + 100 * usize::from(column), 1460);
            svg::label(svg, at, LIGHT, self.column_label(column));
        }
    }

    /// Where the square at a column and a row is drawn.
    fn place(column: u8, row: u8) -> (usize, usize) {
        (40 + 100 * usize::from(column), 40 + 100 * usize::from(row))
    }

    fn write_square(&self, svg: &mut String, square: Square, at: (usize, usize)) {
        let ground = if is_light(square) { LIGHT } else { "#c9bfae" };
        svg::ground(svg, at, ground, self.danger.contains(square), self.lit.contains(square));
        let piece = self.position.piece(square);
        if let Some(piece) = piece {
            svg::piece(svg, at, piece.role(), piece.owner().map_or(GREY, colors), None);
        }
        if self.dots.contains(square) {
            svg::dot(svg, at, ("#3a3a3a", "0.6"), piece.is_some());
        }
    }

    /// In the corner to the left of a seat's back line, as that player sees it.
    fn write_player(&self, svg: &mut String, seat: Seat) {
        let (fill, line) = colors(seat);
        // How many quarter turns, clockwise, the seat's edge is away from the bottom.
        let turns = (4 + self.seating.edge(seat) as usize - self.viewpoint as usize) % 4;
        let (x, y) = [(190, 1290), (190, 190), (1290, 190), (1290, 1290)][turns];
        let status = self.position.status(seat);
        let fill = if status == Status::Active { fill } else { GREY.0 };
        let ring =
            if self.position.turn() == seat && status != Status::Out { "#ffffff" } else { line };
        let points = self.position.points()[seat.index()];
        let _ = writeln!(
            svg,
            "<circle class=\"{seat}\" cx=\"{x}\" cy=\"{y}\" r=\"80\" fill=\"{fill}\" stroke=\"{ring}\" stroke-width=\"10\"/>\n\
             <text x=\"{x}\" y=\"{y}\" fill=\"#ffffff\" font-family=\"sans-serif\" font-size=\"60\" \
             text-anchor=\"middle\" dominant-baseline=\"central\">{points}</text>"
        );
    }
}

fn file_letter(square: Square) -> char {
    char::from(b'a' + square.file())
}

fn is_light(square: Square) -> bool {
    (square.file() + square.rank()) % 2 == 1
}

fn figurine(role: Role) -> char {
    chess::Piece { color: Color::Black, role }.figurine()
}

/// A seat's colour among the 256 of a terminal.
fn ink(seat: Seat) -> u8 {
    [160, 26, 136, 28][seat.index()]
}

/// A seat's colour, and a darker one for outlines.
fn colors(seat: Seat) -> (&'static str, &'static str) {
    [("#d23b3b", "#5c1414"), ("#3d7ad6", "#12305e"), ("#e0a91f", "#5f4504"), ("#3f9f4f", "#123f1a")]
        [seat.index()]
}

/// Of light squares and labels.
const LIGHT: &str = "#f1ece2";

const GREY: (&str, &str) = ("#9a9a9a", "#4a4a4a");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Game;

    #[test]
    fn blue_sees_its_own_pieces_at_the_bottom() {
        let rules = &Rules::FFA;
        let mut drawing = Drawing::of(&Position::start(rules), rules);
        let expected = "\
14          y♜ y♞ y♝ y♚ y♛ y♝ y♞ y♜
13          y♟ y♟ y♟ y♟ y♟ y♟ y♟ y♟
12           .  .  .  .  .  .  .  .
11 b♜ b♟  .  .  .  .  .  .  .  .  .  . g♟ g♜
10 b♞ b♟  .  .  .  .  .  .  .  .  .  . g♟ g♞
 9 b♝ b♟  .  .  .  .  .  .  .  .  .  . g♟ g♝
 8 b♛ b♟  .  .  .  .  .  .  .  .  .  . g♟ g♚
 7 b♚ b♟  .  .  .  .  .  .  .  .  .  . g♟ g♛
 6 b♝ b♟  .  .  .  .  .  .  .  .  .  . g♟ g♝
 5 b♞ b♟  .  .  .  .  .  .  .  .  .  . g♟ g♞
 4 b♜ b♟  .  .  .  .  .  .  .  .  .  . g♟ g♜
 3           .  .  .  .  .  .  .  .
 2          r♟ r♟ r♟ r♟ r♟ r♟ r♟ r♟
 1          r♜ r♞ r♝ r♛ r♚ r♝ r♞ r♜
   a  b  c  d  e  f  g  h  i  j  k  l  m  n
";
        assert_eq!(drawing.plain(), expected);
        drawing.viewpoint = Edge::West;
        let turned = drawing.plain();
        let lines: Vec<&str> = turned.lines().collect();
        assert_eq!(lines[0], " n          g♜ g♞ g♝ g♚ g♛ g♝ g♞ g♜");
        assert_eq!(lines[13], " a          b♜ b♞ b♝ b♛ b♚ b♝ b♞ b♜");
        assert_eq!(lines[14], "  14 13 12 11 10  9  8  7  6  5  4  3  2  1");
        assert!(expected.lines().all(|line| line.chars().count() <= Drawing::COLUMNS));
    }

    #[test]
    fn a_narrow_board_has_two_columns_for_a_square() {
        let rules = &Rules::FFA;
        let mut drawing = Drawing::of(&Position::start(rules), rules);
        drawing.narrow = true;
        let plain = drawing.plain();
        let lines: Vec<&str> = plain.lines().collect();
        assert_eq!(lines[3], "11b♜b♟ . . . . . . . . . .g♟g♜");
        assert_eq!(lines[13], " 1      r♜r♞r♝r♛r♚r♝r♞r♜");
        assert_eq!(lines[14], "   a b c d e f g h i j k l m n");
        drawing.viewpoint = Edge::West;
        let turned = drawing.plain();
        assert_eq!(turned.lines().last(), Some("   4 3 2 1 0 9 8 7 6 5 4 3 2 1"));
        let colored = drawing.colored();
        assert!(colored.lines().next().is_some_and(|line| line.contains("m ♜\x1b[0m")));
    }

    #[test]
    fn colours_name_seats_and_the_dead_are_grey() {
        let mut game = Game::new(&Rules::JAX);
        game.leave(Seat::Blue);
        let drawing = Drawing::of(game.position(), game.rules());
        let colored = drawing.colored();
        let count = |ink: u8| colored.matches(&format!("\x1b[38;5;{ink}m")).count();
        let inks = Seat::ALL.map(ink).map(count);
        assert_eq!((inks, count(244)), ([16, 0, 16, 16], 16));
        let svg = drawing.svg();
        let pieces = |fill: &str| svg.matches(&format!(")\" fill=\"{fill}\"")).count();
        assert_eq!(Seat::ALL.map(|seat| pieces(colors(seat).0)), [16, 0, 16, 16]);
        assert_eq!(pieces(GREY.0), 16);
        assert_eq!(svg.matches("width=\"100\" height=\"100\"").count(), Square::COUNT);
        // With these rules Blue sits on the right: in the corner below there.
        assert!(
            svg.contains(
                "<circle class=\"Blue\" cx=\"1290\" cy=\"1290\" r=\"80\" fill=\"#9a9a9a\""
            )
        );
        assert!(svg.contains("<circle class=\"Green\" cx=\"190\" cy=\"190\""));
    }

    #[test]
    fn marks_are_where_their_squares_are() {
        let rules = &Rules::FFA;
        let mut game = Game::new(rules);
        let mv = game.find_move("h2-h4").unwrap();
        game.play(mv).unwrap();
        let drawing = Drawing::of(game.position(), rules).after(mv);
        let tint = "width=\"100\" height=\"100\" fill=\"#e8c52e\"";
        let svg = drawing.svg();
        assert_eq!(svg.matches(tint).count(), 2);
        for (x, y) in [(740, 1240), (740, 1040)] {
            assert!(svg.contains(&format!("<rect x=\"{x}\" y=\"{y}\" {tint}")), "{x} {y}");
        }
        // Seen from the left, the h-file is a row and rank 4 is in column 10.
        let turned = Drawing { viewpoint: Edge::West, dots: drawing.lit, ..drawing }.svg();
        assert!(turned.contains(&format!("<rect x=\"1040\" y=\"640\" {tint}")));
        assert!(turned.contains("<circle cx=\"1090\" cy=\"690\" r=\"44\""));
        assert!(turned.contains("<circle cx=\"1290\" cy=\"690\" r=\"15\""));
    }

    #[test]
    fn kings_in_check_are_in_danger() {
        let rules = &Rules::FFA;
        let mut game = Game::new(rules);
        for text in ["h2-h3", "b8-c8", "g13-g12", "m10-l10", "Qg1xm7"] {
            let mv = game.find_move(text).unwrap();
            game.play(mv).unwrap();
        }
        let drawing = Drawing::of(game.position(), rules);
        // Yellow's queen looks along the long diagonal that two pawns have left.
        let kings = [Seat::Blue, Seat::Green].map(|seat| game.position().king(seat).unwrap());
        assert_eq!(drawing.danger, kings.into_iter().collect());
        assert_eq!(drawing.svg().matches("fill=\"#d43b2a\"").count(), 2);
    }
}
