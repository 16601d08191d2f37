//! Puzzles as SVG, for screens and for print.

use std::fmt::Write as _;

use crate::{
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

/// Draws the puzzle, and the digits if a solution is given.
pub fn draw(puzzle: &Puzzle, solution: Option<&Solution>) -> String {
    let extent = extent(puzzle.size());
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {extent} {extent}\" \
         width=\"{extent}\" height=\"{extent}\" font-family=\"sans-serif\">\n{}</svg>\n",
        contents(puzzle, solution)
    )
}

/// The side of a drawing, margins included.
pub(crate) fn extent(size: Size) -> usize {
    size.side() * CELL + 2 * MARGIN
}

/// The elements of a drawing.
pub(crate) fn contents(puzzle: &Puzzle, solution: Option<&Solution>) -> String {
    let size = puzzle.size();
    let extent = extent(size);
    let mut svg = format!("<rect width=\"{extent}\" height=\"{extent}\" fill=\"#fff\"/>\n");
    svg.push_str(&format!(
        "<path d=\"{}\" fill=\"none\" stroke=\"#999\" stroke-width=\"1\"/>\n",
        lines(puzzle, |same| same)
    ));
    svg.push_str(&format!(
        "<path d=\"{}\" fill=\"none\" stroke=\"#000\" stroke-width=\"3\" \
         stroke-linecap=\"square\"/>\n",
        lines(puzzle, |same| !same)
    ));
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
    if let Some(solution) = solution {
        for index in 0..size.cells() {
            let cell = Cell(index as u16);
            let (x, y) = corner(cell, size);
            writeln!(
                svg,
                "<text x=\"{}\" y=\"{}\" font-size=\"26\" text-anchor=\"middle\">{}</text>",
                x + CELL / 2,
                y + CELL - 12,
                solution.digit(cell)
            )
            .expect("a string takes all text");
        }
    }
    svg
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
