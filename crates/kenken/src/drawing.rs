//! Puzzles as plain text: one form to type and one to read.
//!
//! The form to type is a square of letters with one letter for each cage, then a blank line, then
//! one line for each clue. The operators are `+ - * / ?`, and none for a given digit. `x` and `:`
//! are also read.
//!
//! ```text
//! AAB
//! CBB
//! CDD
//!
//! A 3+
//! B 18*
//! C 2-
//! D 3+
//! ```
//!
//! With more cages than letters, names are separated by blanks (`A1 A1 B7`). A line such as `rules
//! zero wide` before the square selects rule variants. `#` starts a comment.

use std::{collections::BTreeMap, fmt::Write as _};

use crate::{
    attempt::Attempt,
    grid::{Cell, LARGEST, Size},
    puzzle::{Clue, Operator, Puzzle, PuzzleError, Rules},
    solution::Solution,
    svg,
};

/// Why a text is not a drawing. Lines are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DrawingError {
    /// No rows.
    #[error("no rows of cage names")]
    Empty,
    /// Too many rows.
    #[error("line {line}: more than {LARGEST} rows")]
    TooLarge {
        /// The line.
        line: usize,
    },
    /// A row of the wrong length.
    #[error("line {line}: {found} cells, expected {expected}")]
    Row {
        /// The line.
        line: usize,
        /// The number of its cells.
        found: usize,
        /// The number of rows of the drawing.
        expected: usize,
    },
    /// An unknown word after `rules`.
    #[error("line {line}: unknown rule {word:?}, expected zero, wide, loose or max=N")]
    Rule {
        /// The line.
        line: usize,
        /// The word.
        word: String,
    },
    /// A line that is not a clue.
    #[error("line {line}: expected a cage name and a clue such as 12+")]
    Clue {
        /// The line.
        line: usize,
    },
    /// A clue for a cage that does not exist.
    #[error("line {line}: no cage {} in the drawing", name.escape_debug())]
    NoCage {
        /// The line.
        line: usize,
        /// The name.
        name: String,
    },
    /// Two clues for one cage.
    #[error("line {line}: cage {} has a clue already", name.escape_debug())]
    SecondClue {
        /// The line.
        line: usize,
        /// The name.
        name: String,
    },
    /// A cage without a clue.
    #[error("cage {} has no clue", name.escape_debug())]
    NoClue {
        /// The name.
        name: String,
    },
    /// Cages that do not form a puzzle.
    #[error("{error} (cages are numbered by name: {})", names.escape_debug())]
    Puzzle {
        /// What is wrong.
        error: PuzzleError,
        /// The names of the cages in their order.
        names: String,
    },
}

/// Reads the form to type.
pub fn parse(text: &str) -> Result<Puzzle, DrawingError> {
    let mut rules = Rules::default();
    let mut rows: Vec<(usize, &str)> = Vec::new();
    let mut clues: Vec<(usize, &str)> = Vec::new();
    let mut square_done = false;
    for (number, line) in text.lines().enumerate().map(|(index, line)| (index + 1, line)) {
        let line = line.split('#').next().unwrap_or("").trim();
        if line.is_empty() {
            square_done = !rows.is_empty();
        } else if square_done {
            clues.push((number, line));
        } else if let Some(words) = line.strip_prefix("rules ").filter(|_| rows.is_empty()) {
            parse_rules(number, words, &mut rules)?;
        } else if rows.len() == LARGEST {
            return Err(DrawingError::TooLarge { line: number });
        } else {
            rows.push((number, line));
        }
    }
    let size = Size::new(rows.len()).ok_or(DrawingError::Empty)?;
    let mut cages = parse_square(size, &rows)?;
    parse_clues(&clues, &mut cages)?;
    let mut complete = Vec::with_capacity(cages.len());
    let mut names = Vec::with_capacity(cages.len());
    for (name, (clue, cells)) in cages {
        names.push(name.clone());
        complete.push((clue.ok_or(DrawingError::NoClue { name })?, cells));
    }
    Puzzle::new(size, rules, &complete)
        .map_err(|error| DrawingError::Puzzle { error, names: names.join(" ") })
}

/// Writes the form to type.
pub fn print(puzzle: &Puzzle) -> String {
    let mut text = print_rules(puzzle.rules());
    let blank = if puzzle.len() > LETTERS.len() { " " } else { "" };
    for row in puzzle.cage_map().chunks(puzzle.size().side()) {
        let names: Vec<String> =
            row.iter().map(|&cage| name(usize::from(cage), puzzle.len())).collect();
        text.push_str(&names.join(blank));
        text.push('\n');
    }
    text.push('\n');
    for (number, cage) in puzzle.cages().enumerate() {
        writeln!(text, "{} {}", name(number, puzzle.len()), cage.clue)
            .expect("a string takes all text");
    }
    text
}

/// Draws the cages with their borders and clues, and the digits if a solution is given.
pub fn boxes(puzzle: &Puzzle, solution: Option<&Solution>) -> String {
    let digit = |cell: Cell| solution.map(|solution| solution.digit(cell));
    draw(puzzle, 1, &|cell, width, _| match digit(cell) {
        Some(digit) => format!("{digit:^width$}"),
        None => " ".repeat(width),
    })
}

/// Draws a half-filled grid. Pencil marks stand below the clue, each digit in a place of its own;
/// `·` is the place of a digit that is not marked.
pub fn attempt_boxes(attempt: &Attempt<'_>) -> String {
    styled_boxes(attempt, &|_, text| text)
}

/// The same, with a style that may wrap the text of a cell, such as in a colour.
pub fn styled_boxes(attempt: &Attempt<'_>, style: &dyn Fn(Cell, String) -> String) -> String {
    let puzzle = attempt.puzzle();
    let size = puzzle.size();
    let columns = svg::mark_columns(size);
    let rows = if attempt.cells().all(|cell| attempt.marks(cell).is_empty()) {
        1
    } else {
        size.side().div_ceil(columns)
    };
    draw(puzzle, rows, &|cell, width, row| match (attempt.digit(cell), attempt.marks(cell)) {
        (Some(digit), _) if row == (rows - 1) / 2 => style(cell, format!("{digit:^width$}")),
        (None, marks) if !marks.is_empty() => {
            let places = row * columns..size.side().min((row + 1) * columns);
            let letters = attempt.digit_of(size.side() - 1).to_string().len();
            let marks: Vec<String> = places
                .map(|rank| match marks.contains(rank) {
                    true => format!("{:>letters$}", attempt.digit_of(rank)),
                    false => format!("{:>letters$}", '·'),
                })
                .collect();
            style(cell, format!("{:^width$}", marks.join(if letters > 1 { " " } else { "" })))
        }
        _ => " ".repeat(width),
    })
}

/// Draws cages and clues, and below each clue the lines of its cell, which `line` writes from the
/// cell, the width and the number of the line.
fn draw(puzzle: &Puzzle, lines: usize, line: &dyn Fn(Cell, usize, usize) -> String) -> String {
    let size = puzzle.size();
    let side = size.side();
    let clue_of = |cell: Cell| {
        let cage = puzzle.cage(puzzle.cage_of(cell));
        if cage.cells[0] == cell { cage.clue.to_string() } else { String::new() }
    };
    let mut width = puzzle.cages().map(|cage| cage.clue.to_string().len()).max().unwrap_or(0) + 1;
    width = width.max(3);
    if lines > 1 {
        let letters = if side > 9 { 3 } else { 1 };
        width = width.max(svg::mark_columns(size) * letters + 1);
    }
    let mut text = String::new();
    for row in 0..=side {
        for column in 0..=side {
            text.push(corner(puzzle, row, column));
            if column < side {
                let wall = walls(puzzle, row.wrapping_sub(1), column, row, column);
                text.extend(std::iter::repeat_n(if wall { '─' } else { ' ' }, width));
            }
        }
        text.push('\n');
        if row == side {
            break;
        }
        for inner in 0..=lines {
            for column in 0..=side {
                let wall = walls(puzzle, row, column.wrapping_sub(1), row, column);
                text.push(if wall { '│' } else { ' ' });
                if column == side {
                    break;
                }
                let cell = Cell::at(row, column, size);
                text.push_str(&match inner {
                    0 => format!("{:<width$}", clue_of(cell)),
                    inner => line(cell, width, inner - 1),
                });
            }
            text.push('\n');
        }
    }
    text
}

const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The name of a cage: a letter, or a letter and a number of fixed width if there are not enough
/// letters.
fn name(cage: usize, cages: usize) -> String {
    let letter = LETTERS[cage % LETTERS.len()] as char;
    let rounds = cages.div_ceil(LETTERS.len());
    if rounds == 1 {
        return letter.to_string();
    }
    let width = (rounds - 1).to_string().len();
    format!("{letter}{:0width$}", cage / LETTERS.len())
}

type NamedCages = BTreeMap<String, (Option<Clue>, Vec<Cell>)>;

fn parse_rules(line: usize, words: &str, rules: &mut Rules) -> Result<(), DrawingError> {
    for word in words.split_whitespace() {
        match word {
            "zero" => rules.zero = true,
            "wide" => rules.wide_sub_div = true,
            "loose" => rules.connected = false,
            _ => {
                let most = word.strip_prefix("max=").and_then(|most| most.parse().ok());
                let most = most.ok_or(DrawingError::Rule { line, word: word.to_owned() })?;
                rules.max_cage = Some(most);
            }
        }
    }
    Ok(())
}

fn print_rules(rules: &Rules) -> String {
    if *rules == Rules::default() {
        return String::new();
    }
    let mut text = String::from("rules");
    for (set, word) in
        [(rules.zero, " zero"), (rules.wide_sub_div, " wide"), (!rules.connected, " loose")]
    {
        if set {
            text.push_str(word);
        }
    }
    if let Some(most) = rules.max_cage {
        write!(text, " max={most}").expect("a string takes all text");
    }
    text.push('\n');
    text
}

fn parse_square(size: Size, rows: &[(usize, &str)]) -> Result<NamedCages, DrawingError> {
    let mut cages = NamedCages::new();
    for (row, &(line, text)) in rows.iter().enumerate() {
        let spaced = text.contains(char::is_whitespace) || size.side() == 1;
        let names: Vec<String> = if spaced {
            text.split_whitespace().map(str::to_owned).collect()
        } else {
            text.chars().map(String::from).collect()
        };
        if names.len() != size.side() {
            return Err(DrawingError::Row { line, found: names.len(), expected: size.side() });
        }
        for (column, name) in names.into_iter().enumerate() {
            cages.entry(name).or_default().1.push(Cell::at(row, column, size));
        }
    }
    Ok(cages)
}

fn parse_clues(lines: &[(usize, &str)], cages: &mut NamedCages) -> Result<(), DrawingError> {
    for &(line, text) in lines {
        let (name, clue) =
            text.split_once(char::is_whitespace).ok_or(DrawingError::Clue { line })?;
        let clue = parse_clue(clue.trim()).ok_or(DrawingError::Clue { line })?;
        match cages.get_mut(name) {
            None => return Err(DrawingError::NoCage { line, name: name.to_owned() }),
            Some((Some(_), _)) => {
                return Err(DrawingError::SecondClue { line, name: name.to_owned() });
            }
            Some((place, _)) => *place = Some(clue),
        }
    }
    Ok(())
}

fn parse_clue(text: &str) -> Option<Clue> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let target = text[..digits].parse().ok()?;
    let mut signs = text[digits..].trim().chars();
    let operator = match signs.next() {
        None => Operator::Given,
        Some(sign) => Operator::from_sign(sign)?,
    };
    signs.next().is_none().then_some(Clue { operator, target })
}

/// Whether there is a border between two cells, one of which may be outside the grid.
fn walls(
    puzzle: &Puzzle,
    row: usize,
    column: usize,
    other_row: usize,
    other_column: usize,
) -> bool {
    let cage = |row: usize, column: usize| {
        let side = puzzle.size().side();
        (row < side && column < side).then(|| puzzle.cage_of(Cell::at(row, column, puzzle.size())))
    };
    cage(row, column) != cage(other_row, other_column)
}

/// The box-drawing character where four cells meet.
fn corner(puzzle: &Puzzle, row: usize, column: usize) -> char {
    let (above, left) = (row.wrapping_sub(1), column.wrapping_sub(1));
    let up = walls(puzzle, above, left, above, column);
    let down = walls(puzzle, row, left, row, column);
    let to_left = walls(puzzle, above, left, row, left);
    let to_right = walls(puzzle, above, column, row, column);
    match (up, down, to_left, to_right) {
        (false, false, false, false) => ' ',
        (true, true, true, true) => '┼',
        (false, true, true, true) => '┬',
        (true, false, true, true) => '┴',
        (true, true, false, true) => '├',
        (true, true, true, false) => '┤',
        (false, true, false, true) => '┌',
        (false, true, true, false) => '┐',
        (true, false, false, true) => '└',
        (true, false, true, false) => '┘',
        (up, down, ..) if up || down => '│',
        _ => '─',
    }
}
