//! Draws a board, as text and as SVG.

use std::fmt::Write;

use crate::Standing;

/// The side of the board that is drawn below.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Below {
    /// That of the side to move.
    Mover,
    /// That of the other side.
    Other,
}

/// Draws a board. `notes` are printed below the pits of the side to move; a missing note is blank.
///
/// ```
/// let standing: kalah::Standing = "4,0,5/3,1,2/1-0".parse()?;
/// let notes = [Some("+2".into()), None, Some("-1".into())];
/// assert_eq!(format!("\n{}", kalah::drawing::board(&standing, &notes)), "
///        3    2    1
///     ┌────┬────┬────┐
///   0 │  2 │  1 │  3 │
///     ├────┼────┼────┤
///     │  4 │  0 │  5 │ 1
///     └────┴────┴────┘
///        1    2    3
///       +2        -1
/// ");
/// # Ok::<(), kalah::ParsePositionError>(())
/// ```
pub fn board(standing: &Standing, notes: &[Option<String>]) -> String {
    board_from(standing, Below::Mover, notes)
}

/// Draws a board with either side below, so that it can stay where it is when the turn passes.
/// `notes` are printed at the pits of the side to move.
///
/// ```
/// use kalah::drawing::{Below, board_from};
///
/// let standing: kalah::Standing = "4,0,5/3,1,2/1-0".parse()?;
/// let notes = [Some("+2".into()), None, Some("-1".into())];
/// assert_eq!(format!("\n{}", board_from(&standing, Below::Other, &notes)), "
///       -1        +2
///        3    2    1
///     ┌────┬────┬────┐
///   1 │  5 │  0 │  4 │
///     ├────┼────┼────┤
///     │  3 │  1 │  2 │ 0
///     └────┴────┴────┘
///        1    2    3
/// ");
/// # Ok::<(), kalah::ParsePositionError>(())
/// ```
pub fn board_from(standing: &Standing, below: Below, notes: &[Option<String>]) -> String {
    let position = &standing.position;
    let (mover, other) = (position.own().pits(), position.other().pits());
    let stores = standing.stores.map_or((String::new(), String::new()), |(own, other)| {
        (own.to_string(), other.to_string())
    });
    let (low, high, low_store, high_store) = match below {
        Below::Mover => (mover, other, stores.0, stores.1),
        Below::Other => (other, mover, stores.1, stores.0),
    };
    let pits = low.len();
    let rule =
        |left, middle, right| format!("    {left}{}{right}\n", vec!["────"; pits].join(middle));
    let row = |pits: &mut dyn Iterator<Item = &u8>| {
        pits.fold(String::from("│"), |row, seeds| format!("{row} {seeds:>2} │"))
    };
    let words = |words: &mut dyn Iterator<Item = String>| {
        let line = words.fold(String::from("    "), |line, word| format!("{line} {word:>3} "));
        format!("{}\n", line.trim_end())
    };
    let note = |pit: usize| notes.get(pit).cloned().flatten().unwrap_or_default();
    let has_notes = notes.iter().any(Option::is_some);
    let mut text = String::new();
    if has_notes && below == Below::Other {
        text += &words(&mut (0..pits).rev().map(note));
    }
    text += &words(&mut (1..=pits).rev().map(|number| number.to_string()));
    text += &rule("┌", "┬", "┐");
    let _ = writeln!(text, "{high_store:>3} {}", row(&mut high.iter().rev()));
    text += &rule("├", "┼", "┤");
    let _ = writeln!(text, "{}", format!("    {} {low_store}", row(&mut low.iter())).trim_end());
    text += &rule("└", "┴", "┘");
    text += &words(&mut (1..=pits).map(|number| number.to_string()));
    if has_notes && below == Below::Mover {
        text += &words(&mut (0..pits).map(note));
    }
    text
}

/// The distance between the middles of two pits in a picture.
const STEP: usize = 80;

/// A picture of a board as SVG, the side to move below, its pits numbered.
///
/// ```
/// let standing: kalah::Standing = "4,0,5/3,1,2/1-0".parse()?;
/// let svg = kalah::drawing::svg(&standing);
/// assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
/// assert_eq!(svg.matches("<circle ").count(), 6);
/// # Ok::<(), kalah::ParsePositionError>(())
/// ```
pub fn svg(standing: &Standing) -> String {
    let position = &standing.position;
    let pits = position.pits();
    let (width, height) = (STEP * (pits + 2), 2 * STEP + 40);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" \
         text-anchor=\"middle\">\n\
         <rect width=\"{width}\" height=\"{height}\" rx=\"24\" fill=\"#e8dfd0\"/>\n"
    );
    let mut text = |x: usize, y: usize, size: usize, fill: &str, words: String| {
        let _ = writeln!(
            svg,
            "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\" fill=\"{fill}\">{words}</text>"
        );
    };
    let mut holes = String::new();
    for index in 0..pits {
        let x = STEP * (index + 1) + STEP / 2;
        for (y, seeds) in [
            (STEP / 2 + 10, position.other().pits()[pits - 1 - index]),
            (STEP + STEP / 2 + 10, position.own().pits()[index]),
        ] {
            let _ = writeln!(holes, "<circle cx=\"{x}\" cy=\"{y}\" r=\"33\" fill=\"#cdbfa6\"/>");
            text(x, y + 9, 26, "#2b2620", seeds.to_string());
        }
        text(x, height - 8, 14, "#6b6255", (index + 1).to_string());
    }
    let stores = standing.stores.map(|(own, other)| [(STEP / 2, other), (width - STEP / 2, own)]);
    for x in [STEP / 2, width - STEP / 2] {
        let left = x - 27;
        let _ = writeln!(
            holes,
            "<rect x=\"{left}\" y=\"18\" width=\"54\" height=\"{}\" rx=\"27\" fill=\"#cdbfa6\"/>",
            2 * STEP - 16
        );
    }
    for (x, seeds) in stores.into_iter().flatten() {
        text(x, STEP + 19, 26, "#2b2620", seeds.to_string());
    }
    // Texts lie above the holes.
    let at = svg.find("<text").unwrap_or(svg.len());
    svg.insert_str(at, &holes);
    svg + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_every_number_where_it_belongs() {
        let standing: Standing = "4,0,5/3,1,2/7-8".parse().unwrap();
        let svg = svg(&standing);
        let texts: Vec<(usize, usize, &str)> = svg
            .split("<text x=\"")
            .skip(1)
            .map(|text| {
                let (x, rest) = text.split_once("\" y=\"").unwrap();
                let (y, rest) = rest.split_once('"').unwrap();
                let words = rest.split_once('>').unwrap().1.split_once('<').unwrap().0;
                (x.parse().unwrap(), y.parse().unwrap(), words)
            })
            .collect();
        let row = |y: usize| {
            let mut row: Vec<_> = texts.iter().filter(|text| text.1 == y).collect();
            row.sort();
            row.iter().map(|text| text.2).collect::<Vec<_>>()
        };
        assert_eq!(row(59), ["2", "1", "3"], "the other side, from right to left");
        assert_eq!(row(139), ["4", "0", "5"], "the side to move");
        assert_eq!(row(99), ["8", "7"], "the stores, that of the mover to the right");
        assert_eq!(row(192), ["1", "2", "3"], "the numbers of the pits");
        assert_eq!(texts.len(), 11);
        let bare: Standing = "4,0,5/3,1,2".parse().unwrap();
        assert_eq!(super::svg(&bare).matches("<text").count(), 9);
    }
}
