//! Texts that stand for positions and puzzles.

use arrow::array::{ArrayRef, AsArray};
use chess::drawing::Drawing;
use kenken::{keen, svg};

/// What a text stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Subject {
    Chess,
    FourPlayers,
    Puzzle,
}

impl Subject {
    /// The address of a text on its page, without the text.
    pub(super) fn page(self) -> &'static str {
        match self {
            Subject::Chess => "/chess?fen=",
            Subject::FourPlayers => "/fourchess?fen4=",
            Subject::Puzzle => "/kenken#",
        }
    }
}

/// Longer texts are none of them.
const LONGEST: usize = 4_096;

/// The picture of a text, and what it stands for.
fn drawn(text: &str) -> Option<(Subject, String)> {
    if text.len() > LONGEST {
        return None;
    }
    // The start has a word; a column of words is no column of positions.
    if text.contains('/')
        && let Ok(position) = chess::Position::from_fen(text)
    {
        return Some((Subject::Chess, Drawing::of(&position).svg()));
    }
    let rules = fourchess::Rules::default();
    if text.contains('-')
        && let Ok(position) = fourchess::Position::from_fen(text, &rules)
    {
        let drawing = fourchess::drawing::Drawing::of(&position, &rules);
        return Some((Subject::FourPlayers, drawing.svg()));
    }
    if text.contains(':')
        && let Ok(puzzle) = keen::parse(text)
    {
        return Some((Subject::Puzzle, svg::draw(&puzzle, None)));
    }
    None
}

/// The picture of a text.
pub(super) fn svg(text: &str) -> Option<String> {
    drawn(text).map(|(_, svg)| svg)
}

/// What the values of a column stand for, by its first one.
pub(super) fn of_column(column: &ArrayRef) -> Option<Subject> {
    let texts = column.as_string_opt::<i32>()?;
    let first = texts.iter().flatten().next()?;
    drawn(first).map(|(subject, _)| subject)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_drawn_by_what_they_are() {
        let rules = fourchess::Rules::default();
        let start = fourchess::Position::start(&rules);
        let four = start.fen(&rules);
        let cases = [
            (chess::Position::default().to_string(), Some(Subject::Chess)),
            (four.to_string(), Some(Subject::FourPlayers)),
            ("4:_a_7a4_a3,a4a5s1s1d2d2m4m6".to_owned(), Some(Subject::Puzzle)),
            ("e2e4".to_owned(), None),
            ("1/2-1/2".to_owned(), None),
            ("12:30:00".to_owned(), None),
            (String::new(), None),
        ];
        for (text, subject) in cases {
            assert_eq!(drawn(&text).map(|(subject, _)| subject), subject, "{text}");
        }
    }
}
