//! What a player types.

use std::{
    io::{self, Write},
    path::PathBuf,
};

use kenken::{Attempt, Cell, Digits};

use crate::prompt::Words;

/// A command of the player.
pub(super) enum Said {
    /// The digit and the marks that a cell shall have.
    Change(Cell, Option<u8>, Digits),
    Marks,
    Tidy,
    Check,
    Hint,
    Follow,
    Undo,
    Solution,
    Show,
    Save(PathBuf),
    Help,
    Quit,
}

pub(super) const HELP: &str = "r1c2=3 (a digit), r1c2=. (none), r1c2+14 and r1c2-4 (pencil marks), marks, tidy, \
                               check, hint, follow, undo, solution, show, save FILE, quit";

/// The next command that makes sense.
pub(super) fn listen(
    words: &mut Words,
    out: &mut impl Write,
    ask: &str,
    attempt: &Attempt<'_>,
) -> io::Result<Said> {
    loop {
        let Some(word) = words.next(out, ask)? else { return Ok(Said::Quit) };
        return Ok(match word.as_str() {
            "marks" => Said::Marks,
            "tidy" => Said::Tidy,
            "check" => Said::Check,
            "hint" => Said::Hint,
            "follow" => Said::Follow,
            "undo" => Said::Undo,
            "solution" => Said::Solution,
            "show" => Said::Show,
            "help" => Said::Help,
            "quit" => Said::Quit,
            "save" => match words.waiting() {
                Some(path) => Said::Save(path.into()),
                None => {
                    writeln!(out, "save: expected a file name")?;
                    continue;
                }
            },
            text => match change(attempt, text) {
                Ok(said) => said,
                Err(error) => {
                    writeln!(out, "{}: {error}", text.escape_debug())?;
                    continue;
                }
            },
        });
    }
}

/// Reads a change of one cell.
fn change(attempt: &Attempt<'_>, text: &str) -> Result<Said, String> {
    let at = text.find(['=', '+', '-']).ok_or("not a command; 'help' lists them")?;
    let (name, rest) = text.split_at(at);
    let cell = cell(attempt, name)?;
    let (sign, value) = rest.split_at(1);
    if sign == "=" {
        let digit = match value {
            "" | "." => None,
            value => Some(digit(attempt, value)?),
        };
        // A filled cell keeps no marks.
        let marks = if digit.is_some() { Digits::NONE } else { attempt.marks(cell) };
        return Ok(Said::Change(cell, digit, marks));
    }
    if attempt.digit(cell).is_some() {
        return Err("the cell has a digit".to_owned());
    }
    let mut marks = attempt.marks(cell);
    for digit in digits(attempt, value)? {
        let rank = attempt.rank(digit).expect("it was read as a digit of the grid");
        match sign {
            "+" => marks.0 |= 1 << rank,
            _ => marks.0 &= !(1 << rank),
        }
    }
    Ok(Said::Change(cell, None, marks))
}

/// The cell with a name such as r1c2.
fn cell(attempt: &Attempt<'_>, name: &str) -> Result<Cell, String> {
    let size = attempt.puzzle().size();
    let parts = name.strip_prefix('r').and_then(|name| name.split_once('c'));
    let number = |text: &str| {
        let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        text.parse().ok().filter(|number| is_number && (1..=size.side()).contains(number))
    };
    let place = parts.and_then(|(row, column)| number(row).zip(number(column)));
    place
        .map(|(row, column)| Cell::at(row - 1, column - 1, size))
        .ok_or_else(|| format!("expected a cell from r1c1 to r{0}c{0}", size.side()))
}

fn digit(attempt: &Attempt<'_>, text: &str) -> Result<u8, String> {
    let (lowest, largest) =
        (attempt.digit_of(0), attempt.digit_of(attempt.puzzle().size().side() - 1));
    text.parse()
        .ok()
        .filter(|digit| attempt.rank(*digit).is_some())
        .ok_or_else(|| format!("expected a digit from {lowest} to {largest}"))
}

/// Digits one after the other, or separated by commas.
fn digits(attempt: &Attempt<'_>, text: &str) -> Result<Vec<u8>, String> {
    let is_wide = attempt.digit_of(attempt.puzzle().size().side() - 1) > 9;
    if is_wide || text.contains(',') || text.is_empty() {
        return text.split(',').map(|text| digit(attempt, text)).collect();
    }
    text.chars().map(|sign| digit(attempt, sign.encode_utf8(&mut [0; 4]))).collect()
}
