//! Deductions in words.

use crate::{
    chain::Link,
    explain::Step,
    grid::{Cell, Digits},
    puzzle::Puzzle,
    rule::Rule,
};

/// `a, b and c`.
fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn cells(puzzle: &Puzzle, cells: &[Cell]) -> String {
    list(&cells.iter().map(|cell| cell.name(puzzle.size())).collect::<Vec<_>>())
}

fn digits(puzzle: &Puzzle, digits: Digits) -> String {
    let lowest = puzzle.rules().lowest_digit() as usize;
    list(&digits.ranks().map(|rank| (rank + lowest).to_string()).collect::<Vec<_>>())
}

fn cage_name(puzzle: &Puzzle, cage: usize) -> String {
    let cage = puzzle.cage(cage);
    format!("cage {} ({})", cage.clue, cells(puzzle, cage.cells))
}

/// What a step places and removes. Cells that lose the same digits are listed together.
fn removals(puzzle: &Puzzle, step: &Step) -> String {
    let mut parts: Vec<String> = step
        .placed
        .iter()
        .map(|(cell, digit)| format!("{} is {digit}", cell.name(puzzle.size())))
        .collect();
    let mut groups: Vec<(Digits, Vec<Cell>)> = Vec::new();
    for &(cell, gone) in &step.removed {
        if step.placed.iter().any(|(other, _)| *other == cell) {
            continue;
        }
        match groups.iter_mut().find(|(digits, _)| *digits == gone) {
            Some((_, cells)) => cells.push(cell),
            None => groups.push((gone, vec![cell])),
        }
    }
    parts.extend(groups.into_iter().map(|(gone, losers)| {
        format!("{} cannot be {}", cells(puzzle, &losers), or(&digits(puzzle, gone)))
    }));
    parts.join("; ")
}

fn or(list: &str) -> String {
    list.replace(" and ", " or ")
}

fn line(puzzle: &Puzzle, step: &Step) -> String {
    step.line.map_or_else(String::new, |line| line.name(puzzle.size()))
}

/// The marks of a cell, such as `1 or 3 in r2c2`.
pub(crate) fn note(puzzle: &Puzzle, cell: Cell, note: Digits) -> String {
    let lowest = puzzle.rules().lowest_digit() as usize;
    let digits: Vec<String> = note.ranks().map(|rank| (rank + lowest).to_string()).collect();
    format!("{} in {}", digits.join(" or "), cell.name(puzzle.size()))
}

/// Where to look for a deduction.
pub(crate) fn look(puzzle: &Puzzle, step: &Step) -> String {
    let size = puzzle.size();
    let because = || cells(puzzle, &step.because);
    match (step.rule, step.cage, step.line) {
        (_, Some(number), _) if puzzle.cage(number).cells.len() == 1 => {
            format!("look at {}, a cage of its own", puzzle.cage(number).cells[0].name(size))
        }
        (_, Some(number), Some(line)) => {
            format!("look at {} and at {}", cage_name(puzzle, number), line.name(size))
        }
        (_, Some(number), None) => format!("look at {}", cage_name(puzzle, number)),
        (Rule::NakedSingle, ..) => {
            let placed: Vec<Cell> = step.placed.iter().map(|placed| placed.0).collect();
            format!("look at {}", cells(puzzle, &placed))
        }
        (_, None, Some(line)) => format!("look at {}", line.name(size)),
        (Rule::Fish, ..) => {
            let gone = step.removed.iter().fold(0, |gone, (_, digits)| gone | digits.0);
            format!("look at where {} can go: {}", digits(puzzle, Digits(gone)), because())
        }
        (Rule::Chain, ..) => format!("look at cells with two candidates: {}", because()),
        _ => format!("look at {}", because()),
    }
}

/// A cell with one candidate left; `marks` are those that the player has made there.
pub(crate) fn last_candidate(puzzle: &Puzzle, step: &Step, marks: Digits) -> String {
    let size = puzzle.size();
    let (cell, digit) = step.placed[0];
    let gone = step.removed[0].1;
    if gone.is_empty() {
        return format!("{} has only one candidate left, so it is {digit}", cell.name(size));
    }
    let row = step.because.iter().any(|other| other.row(size) == cell.row(size));
    let column = step.because.iter().any(|other| other.column(size) == cell.column(size));
    let row_name = format!("row {}", cell.row(size) + 1);
    let column_name = format!("column {}", cell.column(size) + 1);
    let (lines, have) = match (row, column) {
        (true, true) => (format!("{row_name} and {column_name}"), "have"),
        (true, false) => (row_name, "has"),
        _ => (column_name, "has"),
    };
    let known = format!(
        "{lines} already {have} {} (in {})",
        digits(puzzle, gone),
        cells(puzzle, &step.because)
    );
    match marks.is_empty() {
        true => format!("{known}, so {} is {digit}", cell.name(size)),
        false => format!("{known}, so of the marks in {} only {digit} is left", cell.name(size)),
    }
}

pub(crate) fn naked_single(puzzle: &Puzzle, step: &Step, gone: Digits) -> String {
    let line = line(puzzle, step);
    format!(
        "{line} already has {} (in {}), so {}",
        digits(puzzle, gone),
        cells(puzzle, &step.because),
        removals(puzzle, step)
    )
}

pub(crate) fn hidden_single(puzzle: &Puzzle, step: &Step) -> String {
    let size = puzzle.size();
    let parts: Vec<String> = step
        .placed
        .iter()
        .map(|(cell, digit)| format!("the digit {digit} fits only {}", cell.name(size)))
        .collect();
    format!("in {} {}", line(puzzle, step), list(&parts))
}

pub(crate) fn cage(puzzle: &Puzzle, step: &Step, domains: &[u32]) -> String {
    let number = step.cage.unwrap_or(0);
    let cage = puzzle.cage(number);
    if let [cell] = cage.cells {
        return format!(
            "{} is a cage of its own: it is {}",
            cell.name(puzzle.size()),
            cage.clue.target
        );
    }
    let union = cage.cells.iter().fold(0, |union, cell| union | domains[cell.index()]);
    match step.rule {
        Rule::CageDigits => format!(
            "{} can only be made from {}, so {}",
            cage_name(puzzle, number),
            digits(puzzle, Digits(union)),
            removals(puzzle, step)
        ),
        _ => format!(
            "{} cannot be filled otherwise, so {}",
            cage_name(puzzle, number),
            removals(puzzle, step)
        ),
    }
}

pub(crate) fn must_appear(puzzle: &Puzzle, step: &Step) -> String {
    let gone = step.removed.iter().fold(0, |gone, (_, digits)| gone | digits.0);
    format!(
        "every way to fill {} puts {} into {} (at {}), so {}",
        cage_name(puzzle, step.cage.unwrap_or(0)),
        digits(puzzle, Digits(gone)),
        line(puzzle, step),
        cells(puzzle, &step.because),
        removals(puzzle, step)
    )
}

pub(crate) fn line_set(puzzle: &Puzzle, step: &Step, kept: Digits) -> String {
    format!(
        "in {} the cells {} need {} among themselves, so {}",
        line(puzzle, step),
        cells(puzzle, &step.because),
        digits(puzzle, kept),
        removals(puzzle, step)
    )
}

pub(crate) fn fish(puzzle: &Puzzle, step: &Step, digit: usize, rows: u32, columns: u32) -> String {
    let numbers = |places: u32| {
        list(&Digits(places).ranks().map(|place| (place + 1).to_string()).collect::<Vec<_>>())
    };
    format!(
        "in rows {} the digit {} fits only columns {} (at {}), so {}",
        numbers(rows),
        digit as u64 + puzzle.rules().lowest_digit(),
        numbers(columns),
        cells(puzzle, &step.because),
        removals(puzzle, step)
    )
}

pub(crate) fn chain(puzzle: &Puzzle, link: &Link) -> String {
    let size = puzzle.size();
    let lowest = puzzle.rules().lowest_digit();
    let digit = |bit: u32| u64::from(bit.trailing_zeros()) + lowest;
    let path: Vec<String> = link
        .path
        .iter()
        .map(|&(cell, bit)| format!("{} is {}", Cell(cell).name(size), digit(bit)))
        .collect();
    let targets: Vec<Cell> = link.targets.iter().map(|&cell| Cell(cell)).collect();
    let (start, end) = (link.path[0].0, link.path[link.path.len() - 1].0);
    format!(
        "if {start} is not {digit}, then {}; so {start} or {end} is {digit}, and {} cannot be {digit}",
        path.join(", "),
        cells(puzzle, &targets),
        start = Cell(start).name(size),
        end = Cell(end).name(size),
        digit = digit(link.digit),
    )
}

pub(crate) fn trial(puzzle: &Puzzle, step: &Step, rank: usize, guesses: u64) -> String {
    let cell = step.because[0].name(puzzle.size());
    let digit = rank as u64 + puzzle.rules().lowest_digit();
    let how = match guesses {
        0 => "the other rules lead to a contradiction".to_owned(),
        guesses => format!("no solution is left (after {guesses} guesses)"),
    };
    format!("if {cell} were {digit}, {how}, so {}", removals(puzzle, step))
}
