//! Puzzles from text: game IDs, JSON and drawings.

use kenken::{Puzzle, drawing, json, keen};

use crate::refusal::Refusal;

/// The most puzzles that are read from one text.
const MOST: usize = 1_000;

/// Separates drawings in one text, as in files of the command.
const BETWEEN_DRAWINGS: &str = "---";

/// One puzzle by its id: a game ID, or JSON for what a game ID cannot express.
pub(super) fn one(id: &str) -> Result<Puzzle, Refusal> {
    line(id.trim()).map_err(|error| Refusal::bad(format_args!("this is not a puzzle: {error}")))
}

/// All puzzles of a text. There is at least one.
pub(super) fn all(text: &str) -> Result<Vec<Puzzle>, Refusal> {
    let is_content = |line: &&str| !line.is_empty() && !line.starts_with('#');
    let first = text.lines().map(str::trim).find(is_content);
    let puzzles: Result<Vec<Puzzle>, String> = match first {
        None => Ok(Vec::new()),
        // An object may be spread over lines.
        Some(first) if first.starts_with('{') && line(text.trim()).is_ok() => {
            line(text.trim()).map(|puzzle| vec![puzzle])
        }
        Some(first) if first.starts_with('{') || first.contains(':') => (1..)
            .zip(text.lines().map(str::trim))
            .filter(|(_, line)| is_content(line))
            .take(MOST)
            .map(|(number, text)| line(text).map_err(|error| format!("line {number}: {error}")))
            .collect(),
        Some(_) => drawings(text),
    };
    match puzzles {
        Ok(puzzles) if puzzles.is_empty() => Err(Refusal::bad("there is no puzzle in this text")),
        Ok(puzzles) => Ok(puzzles),
        Err(error) => Err(Refusal::bad(error)),
    }
}

fn line(text: &str) -> Result<Puzzle, String> {
    match text.starts_with('{') {
        true => json::parse(text).map(|document| document.puzzle).map_err(|e| e.to_string()),
        false => keen::parse(text).map_err(|error| error.to_string()),
    }
}

fn drawings(text: &str) -> Result<Vec<Puzzle>, String> {
    // Blank lines before a drawing keep the line numbers of errors right.
    let mut drawings = vec![String::new()];
    for (number, line) in text.lines().enumerate() {
        if line.trim() == BETWEEN_DRAWINGS {
            drawings.push("\n".repeat(number + 1));
        } else if let Some(drawing) = drawings.last_mut() {
            drawing.push_str(line);
            drawing.push('\n');
        }
    }
    drawings
        .iter()
        .filter(|drawing| !drawing.trim().is_empty())
        .take(MOST)
        .map(|drawing| drawing::parse(drawing).map_err(|error| error.to_string()))
        .collect()
}
