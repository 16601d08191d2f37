//! Sheets and booklets for print: numbered puzzles on pages, and their solutions.

use std::fmt::Write as _;

use crate::{generate::Generated, keen, puzzle::Puzzle, rule::Level, solution::Solution, svg};

/// A puzzle on a sheet.
#[derive(Clone, Debug)]
pub struct Entry<'a> {
    /// The puzzle.
    pub puzzle: &'a Puzzle,
    /// The solution to print, if any.
    pub solution: Option<&'a Solution>,
    /// What is printed beside the number, such as the level.
    pub caption: &'a str,
    /// What is printed below, such as the game ID.
    pub id: &'a str,
}

/// How a sheet is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout<'a> {
    /// The text at the top of every page.
    pub title: &'a str,
    /// The paper.
    pub paper: Paper,
    /// How many puzzles are side by side.
    pub columns: usize,
    /// How many puzzles are below each other; as many as fit if `None`.
    pub rows: Option<usize>,
    /// Where the solutions are.
    pub solutions: Solutions,
}

/// The size of the pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paper {
    /// 210 x 297 mm.
    A4,
    /// 8.5 x 11 inches.
    Letter,
}

impl Paper {
    /// Every paper.
    pub const ALL: [Paper; 2] = [Paper::A4, Paper::Letter];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Paper::A4 => "a4",
            Paper::Letter => "letter",
        }
    }

    /// Its width and height in points.
    pub const fn points(self) -> (f64, f64) {
        match self {
            Paper::A4 => (595.28, 841.89),
            Paper::Letter => (612.0, 792.0),
        }
    }
}

/// Where the solutions of a sheet are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solutions {
    /// On pages after the puzzles.
    End,
    /// Nowhere.
    None,
    /// On a page after each page of puzzles, in the same places.
    Facing,
}

impl Solutions {
    /// Every choice.
    pub const ALL: [Solutions; 3] = [Solutions::End, Solutions::None, Solutions::Facing];

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self {
            Solutions::End => "end",
            Solutions::None => "none",
            Solutions::Facing => "facing",
        }
    }
}

/// The columns and rows of a page with this many puzzles: 1, 2, 4 or 6.
pub const fn per_page(puzzles: usize) -> Option<(usize, usize)> {
    match puzzles {
        1 => Some((1, 1)),
        2 => Some((1, 2)),
        4 => Some((2, 2)),
        6 => Some((2, 3)),
        _ => None,
    }
}

const MARGIN: f64 = 42.0;
/// The space for the title, and for the caption of a puzzle.
const HEAD: f64 = 44.0;
const CAPTION: f64 = 20.0;
const GAP: f64 = 18.0;
/// The largest cell: an inch.
const LARGEST_CELL: f64 = 72.0;
/// The font sizes of ids, of which the first that leaves enough space for the puzzle is used. The
/// smallest ones are for the ids of the largest grids, which nobody types.
const ID_SIZES: [f64; 7] = [6.0, 5.0, 4.0, 3.0, 2.0, 1.5, 1.0];
/// The part of a puzzle's side that its id may take, if letters are not too small then.
const ID_PART: f64 = 0.14;

/// Draws the pages of a booklet as SVG: generated puzzles with their levels and game IDs. Puzzles
/// that have no game ID have none there.
///
/// # Panics
///
/// Panics if there are no columns or no rows.
pub fn booklet(layout: &Layout<'_>, puzzles: &[(Generated, Option<Level>)]) -> Vec<String> {
    let ids: Vec<String> =
        puzzles.iter().map(|(made, _)| keen::print(&made.puzzle).unwrap_or_default()).collect();
    let entries: Vec<Entry<'_>> = puzzles
        .iter()
        .zip(&ids)
        .map(|((made, level), id)| Entry {
            puzzle: &made.puzzle,
            solution: Some(&made.solution),
            caption: level.map_or("", Level::name),
            id,
        })
        .collect();
    pages(layout, &entries)
}

/// Draws the pages of a sheet as SVG.
///
/// ```
/// use kenken::{keen, sheet::{Entry, Layout, Paper, Solutions, pages}};
///
/// let puzzle = keen::parse("4:_a_7a4_a3,a4a5s1s1d2d2m4m6")?;
/// let entry = Entry { puzzle: &puzzle, solution: None, caption: "easy", id: "" };
/// let layout = Layout {
///     title: "Sunday",
///     paper: Paper::A4,
///     columns: 2,
///     rows: Some(3),
///     solutions: Solutions::End,
/// };
/// assert_eq!(pages(&layout, &vec![entry; 7]).len(), 2);
/// # Ok::<(), keen::KeenError>(())
/// ```
///
/// # Panics
///
/// Panics if there are no columns or no rows.
pub fn pages(layout: &Layout<'_>, entries: &[Entry<'_>]) -> Vec<String> {
    let numbered: Vec<Numbered<'_>> = (1..).zip(entries).collect();
    let puzzles = Grid::of(layout, &numbered);
    let mut pages: Vec<(Print, Vec<Numbered<'_>>, Grid)> = Vec::new();
    for chunk in numbered.chunks(puzzles.per_page()) {
        pages.push((Print::Puzzles, chunk.to_vec(), puzzles));
        if layout.solutions == Solutions::Facing && !solved(chunk).is_empty() {
            pages.push((Print::Solutions, chunk.to_vec(), puzzles));
        }
    }
    if layout.solutions == Solutions::End {
        let solved = solved(&numbered);
        let small = Grid::of_solutions(layout, &solved);
        for chunk in solved.chunks(small.per_page()) {
            pages.push((Print::Solutions, chunk.to_vec(), small));
        }
    }
    let count = pages.len();
    let how = instruction(entries);
    let page = |(number, (print, entries, grid)): (usize, &(Print, Vec<Numbered<'_>>, Grid))| {
        let mut page = begin(layout, *print, &how, (number, count));
        for (index, &entry) in entries.iter().enumerate() {
            put(&mut page, entry, grid, index, *print);
        }
        page + "</svg>\n"
    };
    (1..).zip(&pages).map(page).collect()
}

type Numbered<'a> = (usize, &'a Entry<'a>);

fn solved<'a>(entries: &[Numbered<'a>]) -> Vec<Numbered<'a>> {
    entries.iter().filter(|(_, entry)| entry.solution.is_some()).copied().collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Print {
    Puzzles,
    Solutions,
}

/// The places of a page.
#[derive(Clone, Copy)]
struct Grid {
    columns: usize,
    rows: usize,
    /// How far places are apart.
    step: (f64, f64),
    /// The width of a place.
    width: f64,
    /// The side of the largest puzzle that a place can have.
    side: f64,
    /// The font size of ids.
    id_size: f64,
}

impl Grid {
    fn of(layout: &Layout<'_>, entries: &[Numbered<'_>]) -> Grid {
        let (width, height) = layout.paper.points();
        let columns = layout.columns;
        assert!(columns > 0, "a page has at least one column");
        let (across, down) = (width - 2.0 * MARGIN, height - 2.0 * MARGIN - HEAD);
        let column = (across - GAP * (columns - 1) as f64) / columns as f64;
        let rows = layout.rows.unwrap_or_else(|| {
            // The space for ids is what most of them need.
            (((down + GAP) / (column + CAPTION + 14.0 + GAP)).floor() as usize).max(1)
        });
        assert!(rows > 0, "a page has at least one row");
        let row = (down - GAP * (rows - 1) as f64) / rows as f64;
        let most = column.min(row - CAPTION);
        // The space that the longest id takes below a puzzle of this size.
        let foot = |side: f64, id_size: f64| {
            let lines = entries
                .iter()
                .map(|(_, entry)| wrap(entry.id, id_size, side.min(largest(entry.puzzle))).len());
            lines.max().unwrap_or(0) as f64 * id_size * LEADING + 2.0
        };
        let fits = |id_size: &f64| foot(most, *id_size) <= ID_PART * most;
        let smallest = ID_SIZES[ID_SIZES.len() - 1];
        let id_size = ID_SIZES.into_iter().find(fits).unwrap_or(smallest);
        // A smaller puzzle has more lines below it, which leave less space for the puzzle. The sides
        // only shrink, and soon there is nothing left to shrink.
        let mut side = most;
        for _ in 0..8 {
            side = side.min(row - CAPTION - foot(side, id_size)).max(most / 3.0);
        }
        Grid { columns, rows, step: (column + GAP, row + GAP), width: column, side, id_size }
    }

    /// Solutions are small, but their digits are still readable.
    fn of_solutions(layout: &Layout<'_>, entries: &[Numbered<'_>]) -> Grid {
        let largest = entries.iter().map(|(_, entry)| entry.puzzle.size().side()).max();
        let (columns, rows) = match largest.unwrap_or(0) {
            0..=6 => (4, 5),
            7..=9 => (3, 4),
            10..=16 => (2, 3),
            _ => (1, 1),
        };
        Grid::of(&Layout { columns, rows: Some(rows), ..*layout }, &[])
    }

    fn per_page(&self) -> usize {
        self.columns * self.rows
    }

    /// The upper left corner of a place.
    fn corner(&self, index: usize) -> (f64, f64) {
        let (column, row) = (index % self.columns, index / self.columns);
        (MARGIN + column as f64 * self.step.0, MARGIN + HEAD + row as f64 * self.step.1)
    }
}

/// The side of a puzzle whose cells are as large as they may be.
fn largest(puzzle: &Puzzle) -> f64 {
    LARGEST_CELL * puzzle.size().side() as f64
}

/// How puzzles are solved, if all of them have the same digits.
fn instruction(entries: &[Entry<'_>]) -> String {
    let digits = |entry: &Entry<'_>| {
        let lowest = entry.puzzle.rules().lowest_digit();
        (lowest, lowest + entry.puzzle.size().side() as u64 - 1)
    };
    match entries {
        [first, rest @ ..] if rest.iter().all(|entry| digits(entry) == digits(first)) => {
            let (lowest, largest) = digits(first);
            format!(
                "Every row and column holds each digit from {lowest} to {largest} once. The digits \
                 of a cage give its number."
            )
        }
        _ => String::new(),
    }
}

fn begin(layout: &Layout<'_>, print: Print, how: &str, (number, count): (usize, usize)) -> String {
    let (width, height) = layout.paper.points();
    let heading = match (print, layout.title) {
        (Print::Puzzles, title) => escape(title),
        (Print::Solutions, "") => "Solutions".to_owned(),
        (Print::Solutions, title) => format!("{}: solutions", escape(title)),
    };
    // A long title gets smaller letters.
    let room = width - 2.0 * MARGIN - 60.0;
    let size = (room / (0.62 * layout.title.chars().count() as f64 + 6.0)).min(16.0);
    let (baseline, below) = (MARGIN + 12.0, MARGIN + 28.0);
    let how = if print == Print::Puzzles { how } else { "" };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}pt\" height=\"{height}pt\" font-family=\"sans-serif\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <text x=\"{MARGIN}\" y=\"{baseline}\" font-size=\"{size:.2}\">{heading}</text>\n\
         <text x=\"{}\" y=\"{baseline}\" font-size=\"9\" text-anchor=\"end\" fill=\"#555\">\
         {number} / {count}</text>\n\
         <text x=\"{MARGIN}\" y=\"{below}\" font-size=\"8\" fill=\"#555\">{how}</text>\n",
        width - MARGIN
    )
}

/// Puts one puzzle or solution into its place, with its caption above and its id below.
fn put(page: &mut String, (number, entry): Numbered<'_>, grid: &Grid, index: usize, print: Print) {
    let solution = entry.solution.filter(|_| print == Print::Solutions);
    let side = grid.side.min(largest(entry.puzzle));
    let (left, y) = grid.corner(index);
    let x = left + (grid.width - side) / 2.0;
    let caption = match print {
        Print::Puzzles if !entry.caption.is_empty() => {
            format!("{number}. {}", escape(entry.caption))
        }
        _ => format!("{number}."),
    };
    text(page, (x, y + 13.0), 11.0, &caption);
    let scale = side / svg::inside(entry.puzzle.size());
    let margin = svg::margin() * scale;
    writeln!(
        page,
        "<g transform=\"translate({:.3} {:.3}) scale({scale:.5})\">\n{}</g>",
        x - margin,
        y + CAPTION - margin,
        svg::contents(entry.puzzle, solution)
    )
    .expect("a string takes all text");
    let id = if print == Print::Puzzles { entry.id } else { "" };
    for (index, line) in wrap(id, grid.id_size, side).iter().enumerate() {
        let below = y + CAPTION + side + 2.0 + (index + 1) as f64 * grid.id_size * LEADING;
        text(page, (x, below), grid.id_size, &escape(line));
    }
}

fn text(page: &mut String, (x, y): (f64, f64), size: f64, text: &str) {
    writeln!(page, "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size}\">{text}</text>")
        .expect("a string takes all text");
}

/// The distance of lines, in font sizes.
const LEADING: f64 = 1.25;

/// An id in lines that are not wider than this.
fn wrap(id: &str, size: f64, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut left = 0.0;
    for sign in id.chars() {
        // The widths of DejaVu Sans, which is wider than most fonts.
        let across = if sign == 'm' { 0.98 } else { 0.64 } * size;
        match lines.last_mut() {
            Some(line) if across <= left => line.push(sign),
            _ => {
                lines.push(sign.to_string());
                left = width;
            }
        }
        left -= across;
    }
    lines
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
