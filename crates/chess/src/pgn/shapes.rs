//! Arrows and circles inside comments, and comments without what is made for programs.

use crate::Square;

/// An arrow or a circle that a comment draws on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Its colour.
    pub brush: Brush,
    /// Where an arrow begins, or the square of a circle.
    pub from: Square,
    /// Where an arrow ends; nothing for a circle.
    pub to: Option<Square>,
}

/// The colour of a [`Shape`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Brush {
    /// `G`
    Green,
    /// `R`
    Red,
    /// `Y`
    Yellow,
    /// `B`
    Blue,
    /// `O`
    Orange,
    /// `C`
    Cyan,
}

impl Brush {
    /// The six colours.
    pub const ALL: [Brush; 6] =
        [Brush::Green, Brush::Red, Brush::Yellow, Brush::Blue, Brush::Orange, Brush::Cyan];

    /// The letter in a comment.
    pub const fn letter(self) -> char {
        match self {
            Brush::Green => 'G',
            Brush::Red => 'R',
            Brush::Yellow => 'Y',
            Brush::Blue => 'B',
            Brush::Orange => 'O',
            Brush::Cyan => 'C',
        }
    }

    /// Its name, in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Brush::Green => "green",
            Brush::Red => "red",
            Brush::Yellow => "yellow",
            Brush::Blue => "blue",
            Brush::Orange => "orange",
            Brush::Cyan => "cyan",
        }
    }
}

/// The circles and arrows of a comment, from `[%csl Gd4,Re5]` and `[%cal Ge2e4]`, in their order.
/// What is none of these is skipped.
///
/// ```
/// use chess::{Square, pgn::{Brush, shapes}};
/// let drawn = shapes("look [%csl Rd5][%cal Gc3d5,Yh1h8]");
/// assert_eq!(drawn.len(), 3);
/// assert_eq!((drawn[0].brush, drawn[0].from, drawn[0].to), (Brush::Red, Square::D5, None));
/// assert_eq!(drawn[1].to, Some(Square::D5));
/// ```
pub fn shapes(comment: &str) -> Vec<Shape> {
    let mut shapes = Vec::new();
    for (name, list) in commands(comment) {
        for word in list.split(',').map(str::trim) {
            match name {
                "csl" => shapes.extend(shape(word).filter(|shape| shape.to.is_none())),
                "cal" => shapes.extend(shape(word).filter(|shape| shape.to.is_some())),
                _ => {}
            }
        }
    }
    shapes
}

/// The text of a comment without the commands in it, such as `[%clk 0:01:02]`. White space around
/// and beside them becomes one space.
///
/// ```
/// use chess::pgn::remark;
/// assert_eq!(remark("[%eval 0.3] a sound [%clk 0:01:02]\nmove "), "a sound move");
/// ```
pub fn remark(comment: &str) -> String {
    let mut text = String::with_capacity(comment.len());
    let mut rest = comment;
    while let Some((before, _, _, after)) = next_command(rest) {
        text.push_str(before);
        text.push(' ');
        rest = after;
    }
    text.push_str(rest);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn shape(word: &str) -> Option<Shape> {
    let (letter, squares) = word.split_at_checked(1)?;
    let brush = Brush::ALL.into_iter().find(|brush| letter.starts_with(brush.letter()))?;
    let square = |range| squares.as_bytes().get(range).and_then(Square::from_ascii);
    let from = square(0..2)?;
    match squares.len() {
        2 => Some(Shape { brush, from, to: None }),
        // An arrow from a square to itself cannot be drawn.
        4 => square(2..4).filter(|to| *to != from).map(|to| Shape { brush, from, to: Some(to) }),
        _ => None,
    }
}

/// The names and the arguments of all commands.
fn commands(comment: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = comment;
    std::iter::from_fn(move || {
        let (_, name, list, after) = next_command(rest)?;
        rest = after;
        Some((name, list))
    })
}

/// What stands before the next command, its name, its argument and what stands behind it.
fn next_command(text: &str) -> Option<(&str, &str, &str, &str)> {
    let (before, command) = text.split_once("[%")?;
    let (command, after) = command.split_once(']')?;
    let (name, list) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
    Some((before, name, list, after))
}
