//! Puzzles as SVG, for screens and for print.

use std::fmt::Write as _;

use crate::{
    attempt::Attempt,
    grid::{Cell, Size},
    puzzle::{Clue, Puzzle},
    solution::Solution,
};

/// The side of one cell in user units.
const CELL: usize = 60;
/// The margin around the grid.
const MARGIN: usize = 12;
/// The space before and after a clue.
const INDENT: usize = 4;
/// Where the marks of a cell begin, below its clue.
const MARKS_TOP: usize = 21;

/// Draws the puzzle, and the digits if a solution is given.
pub fn draw(puzzle: &Puzzle, solution: Option<&Solution>) -> String {
    frame(puzzle.size(), &contents(puzzle, solution))
}

/// Draws a half-filled grid with its pencil marks.
pub fn draw_attempt(attempt: &Attempt<'_>) -> String {
    let puzzle = attempt.puzzle();
    let mut svg = grid(puzzle);
    for cell in attempt.cells() {
        match attempt.digit(cell) {
            Some(digit) => draw_digit(&mut svg, puzzle.size(), cell, digit),
            None => draw_marks(&mut svg, attempt, cell),
        }
    }
    frame(puzzle.size(), &svg)
}

/// A drawing of its own: white, with a margin.
fn frame(size: Size, contents: &str) -> String {
    let extent = size.side() * CELL + 2 * MARGIN;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {extent} {extent}\" \
         width=\"{extent}\" height=\"{extent}\" font-family=\"sans-serif\">\n\
         <rect width=\"{extent}\" height=\"{extent}\" fill=\"#fff\"/>\n{contents}</svg>\n"
    )
}

/// The side of the grid, without margins.
pub(crate) fn inside(size: Size) -> f64 {
    (size.side() * CELL) as f64
}

/// The margin around the grid.
pub(crate) fn margin() -> f64 {
    MARGIN as f64
}

/// The elements of a drawing.
pub(crate) fn contents(puzzle: &Puzzle, solution: Option<&Solution>) -> String {
    let mut svg = grid(puzzle);
    if let Some(solution) = solution {
        for index in 0..puzzle.size().cells() {
            let cell = Cell(index as u16);
            draw_digit(&mut svg, puzzle.size(), cell, solution.digit(cell));
        }
    }
    svg
}

/// The cages and their clues.
fn grid(puzzle: &Puzzle) -> String {
    let size = puzzle.size();
    let mut svg = format!(
        "<path d=\"{}\" fill=\"none\" stroke=\"#999\" stroke-width=\"1\"/>\n\
         <path d=\"{}\" fill=\"none\" stroke=\"#000\" stroke-width=\"3\" \
         stroke-linecap=\"square\"/>\n",
        lines(puzzle, |same| same),
        lines(puzzle, |same| !same)
    );
    for cage in puzzle.cages() {
        let (x, y) = corner(cage.cells[0], size);
        let clue = print_clue(cage.clue);
        let height = clue_height(&clue);
        writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" font-size=\"{height}\">{clue}</text>",
            x + INDENT,
            (y + 3) as f64 + height
        )
        .expect("a string takes all text");
    }
    svg
}

fn draw_digit(svg: &mut String, size: Size, cell: Cell, digit: u8) {
    let (x, y) = corner(cell, size);
    writeln!(
        svg,
        "<text x=\"{}\" y=\"{}\" font-size=\"26\" text-anchor=\"middle\">{digit}</text>",
        x + CELL / 2,
        y + CELL - 12
    )
    .expect("a string takes all text");
}

/// Draws the marks of a cell below its clue, every digit in a place of its own.
fn draw_marks(svg: &mut String, attempt: &Attempt<'_>, cell: Cell) {
    let size = attempt.puzzle().size();
    let columns = mark_columns(size);
    let rows = size.side().div_ceil(columns);
    let step = (
        (CELL - 2 * INDENT) as f64 / columns as f64,
        (CELL - MARKS_TOP - INDENT) as f64 / rows as f64,
    );
    let letters = attempt.digit_of(size.side() - 1).to_string().len() as f64;
    let height = (step.0 * 0.9 / (letters * width('0'))).min(step.1 * 0.95).min(11.0);
    let (x, y) = corner(cell, size);
    for rank in attempt.marks(cell).ranks() {
        writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"{height:.1}\" text-anchor=\"middle\" \
             fill=\"#555\">{}</text>",
            (x + INDENT) as f64 + step.0 * ((rank % columns) as f64 + 0.5),
            (y + MARKS_TOP) as f64 + step.1 * (rank / columns + 1) as f64 - height * 0.1,
            attempt.digit_of(rank)
        )
        .expect("a string takes all text");
    }
}

/// How many marks are side by side in a cell.
pub(crate) fn mark_columns(size: Size) -> usize {
    (1..).find(|columns| columns * columns >= size.side()).expect("a square is large enough")
}

/// The font size of a clue. A long clue gets smaller letters, so that it fits its cell.
fn clue_height(clue: &str) -> f64 {
    let width: f64 = clue.chars().map(width).sum();
    let room = (CELL - 2 * INDENT) as f64;
    // Tenths are precise enough. Rounding down keeps the clue inside the cell.
    (room / width * 10.0).floor().min(150.0) / 10.0
}

/// The width of a character at font size 1, as `pictures` draws it. The sans-serif fonts of
/// browsers are not wider.
fn width(sign: char) -> f64 {
    if sign.is_ascii_digit() { 0.637 } else { 0.838 }
}

fn print_clue(clue: Clue) -> String {
    format!("{}{}", clue.target, clue.operator.print_sign())
}

/// The upper left corner of a cell.
fn corner(cell: Cell, size: Size) -> (usize, usize) {
    (MARGIN + cell.column(size) * CELL, MARGIN + cell.row(size) * CELL)
}

/// The borders between cells of the same cage, or of different cages, as a path.
fn lines(puzzle: &Puzzle, wanted: impl Fn(bool) -> bool) -> String {
    let size = puzzle.size();
    let side = size.side();
    let mut path = String::new();
    let mut border = |cell: Cell, other: Option<Cell>, dx: usize, dy: usize, step: &str| {
        let same = other.is_some_and(|other| puzzle.cage_of(cell) == puzzle.cage_of(other));
        if wanted(same) {
            let (x, y) = corner(cell, size);
            write!(path, "M{} {}{step}", x + dx, y + dy).expect("a string takes all text");
        }
    };
    let across = format!("h{CELL}");
    let down = format!("v{CELL}");
    for row in 0..side {
        for column in 0..side {
            let cell = Cell::at(row, column, size);
            if row == 0 {
                border(cell, None, 0, 0, &across);
            }
            if column == 0 {
                border(cell, None, 0, 0, &down);
            }
            let below = (row + 1 < side).then(|| Cell::at(row + 1, column, size));
            let right = (column + 1 < side).then(|| Cell::at(row, column + 1, size));
            border(cell, below, 0, CELL, &across);
            border(cell, right, CELL, 0, &down);
        }
    }
    path
}
