//! Sheets for print: numbered puzzles on pages of A4, and their solutions at the end.

use std::fmt::Write as _;

use crate::{puzzle::Puzzle, solution::Solution, svg};

/// A puzzle on a sheet.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// The puzzle.
    pub puzzle: &'a Puzzle,
    /// The solution to print at the end, if any.
    pub solution: Option<&'a Solution>,
    /// What is printed beside the number, such as the level.
    pub caption: &'a str,
    /// What is printed below, such as the game ID.
    pub id: &'a str,
}

/// The width and the height of A4 in points, and the margin.
const PAPER: (f64, f64) = (595.0, 842.0);
const MARGIN: f64 = 42.0;
/// The space for the title, and for the caption of a puzzle.
const HEAD: f64 = 30.0;
const CAPTION: f64 = 20.0;
/// The space for the line below a puzzle.
const FOOT: f64 = 14.0;
const GAP: f64 = 16.0;

/// Draws the pages of a sheet as SVG, with `columns` puzzles side by side. Pages with the solutions
/// follow, if any entry has one.
///
/// ```
/// use kenken::{keen, sheet::{Entry, pages}};
///
/// let puzzle = keen::parse("4:_a_7a4_a3,a4a5s1s1d2d2m4m6")?;
/// let entry = Entry { puzzle: &puzzle, solution: None, caption: "easy", id: "" };
/// assert_eq!(pages("Sunday", &vec![entry; 7], 2).len(), 2);
/// # Ok::<(), keen::KeenError>(())
/// ```
///
/// # Panics
///
/// Panics if there are no columns.
pub fn pages(title: &str, entries: &[Entry<'_>], columns: usize) -> Vec<String> {
    assert!(columns > 0, "a page has at least one column");
    let numbered: Vec<(usize, &Entry<'_>)> = (1..).zip(entries).collect();
    let mut pages = lay_out(title, &numbered, columns, Print::Puzzles);
    let solved: Vec<(usize, &Entry<'_>)> =
        numbered.into_iter().filter(|(_, entry)| entry.solution.is_some()).collect();
    let heading = if title.is_empty() { "Solutions" } else { &format!("{title}: solutions") };
    pages.extend(lay_out(heading, &solved, columns.max(3), Print::Solutions));
    pages
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Print {
    Puzzles,
    Solutions,
}

fn lay_out(
    title: &str,
    entries: &[(usize, &Entry<'_>)],
    columns: usize,
    print: Print,
) -> Vec<String> {
    let across = PAPER.0 - 2.0 * MARGIN;
    let down = PAPER.1 - 2.0 * MARGIN - HEAD;
    let side = (across - GAP * (columns - 1) as f64) / columns as f64;
    // A single puzzle would be wider than the page is high below its title.
    let side = side.min(down - CAPTION - FOOT);
    let step = side + CAPTION + FOOT + GAP;
    let rows = (((down + GAP) / step).floor() as usize).max(1);
    let mut pages: Vec<String> = Vec::new();
    let count = entries.len().div_ceil(rows * columns);
    for (number, entries) in entries.chunks(rows * columns).enumerate() {
        let mut page = begin(title, number + 1, count);
        for (index, &(number, entry)) in entries.iter().enumerate() {
            let x = MARGIN + (index % columns) as f64 * (side + GAP);
            let y = MARGIN + HEAD + (index / columns) as f64 * step;
            put(&mut page, entry, number, (x, y, side), print);
        }
        page.push_str("</svg>\n");
        pages.push(page);
    }
    pages
}

fn begin(title: &str, number: usize, count: usize) -> String {
    let (width, height) = PAPER;
    let baseline = MARGIN + 14.0;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <text x=\"{MARGIN}\" y=\"{baseline}\" font-size=\"16\">{}</text>\n\
         <text x=\"{}\" y=\"{baseline}\" font-size=\"9\" text-anchor=\"end\" fill=\"#555\">\
         {number} / {count}</text>\n",
        escape(title),
        width - MARGIN
    )
}

/// Puts one puzzle or solution into a square with its caption above.
fn put(
    page: &mut String,
    entry: &Entry<'_>,
    number: usize,
    (x, y, side): (f64, f64, f64),
    print: Print,
) {
    let solution = entry.solution.filter(|_| print == Print::Solutions);
    let scale = side / svg::extent(entry.puzzle.size()) as f64;
    let mut line = |x: f64, y: f64, size: f64, text: &str| {
        writeln!(page, "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size:.2}\">{text}</text>")
            .expect("a string takes all text");
    };
    // The drawing has a margin of its own, with which the texts are in line.
    let inside = x + 12.0 * scale;
    let caption = match print {
        Print::Puzzles if !entry.caption.is_empty() => {
            format!("{number}. {}", escape(entry.caption))
        }
        _ => format!("{number}."),
    };
    line(inside, y + 13.0, 11.0, &caption);
    if print == Print::Puzzles && !entry.id.is_empty() {
        // A long id gets smaller letters, so that it stays inside its column.
        let widest = 0.65 * entry.id.chars().count() as f64;
        let size = ((side - 24.0 * scale) / widest).min(6.0);
        line(inside, y + CAPTION + side + 6.0, size, &escape(entry.id));
    }
    writeln!(
        page,
        "<g transform=\"translate({x:.2} {:.2}) scale({scale:.5})\">\n{}</g>",
        y + CAPTION,
        svg::contents(entry.puzzle, solution)
    )
    .expect("a string takes all text");
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            // XML has no other control characters.
            sign if sign.is_control() => escaped.push(' '),
            sign => escaped.push(sign),
        }
    }
    escaped
}
