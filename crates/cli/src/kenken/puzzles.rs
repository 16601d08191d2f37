//! Reads puzzles from the command line, from files and from standard input, as a stream.

use std::path::Path;

use kenken::{Puzzle, Solution, Solver, drawing, json, keen};
use rayon::prelude::*;
use sources::{Lines, Source, SourceError};
use tables::TableError;

use super::convert::BETWEEN_DRAWINGS;
use crate::{
    exit::{Exit, bad_input, say},
    interrupt,
    threads::Threads,
};

/// The puzzles of a command.
#[derive(clap::Args)]
pub(crate) struct Inputs {
    /// Game IDs, JSON objects, or files of them; '-' reads standard input
    #[arg(value_name = "PUZZLE", required = true)]
    puzzles: Vec<String>,
}

/// A puzzle that was read.
pub(crate) struct Item {
    /// The given id, else the game ID, else the number of the line.
    pub(crate) id: String,
    pub(crate) puzzle: Puzzle,
    /// The given solution, not checked.
    pub(crate) solution: Option<Solution>,
}

/// The number of puzzles processed together: enough for all cores, few enough to stream.
const TOGETHER: usize = 1024;

/// The longest line. No puzzle is longer in any format.
const LONGEST_LINE: usize = 1 << 20;

impl Inputs {
    /// A single puzzle that is not an argument of its own.
    pub(crate) fn of(puzzle: &str) -> Inputs {
        Inputs { puzzles: vec![puzzle.to_owned()] }
    }

    /// Passes the puzzles to `work` in order, several at a time. Errors are printed and determine
    /// the exit code.
    pub(crate) fn each(
        &self,
        mut work: impl FnMut(&[Item]) -> anyhow::Result<()>,
    ) -> anyhow::Result<Exit> {
        let mut held: Vec<Item> = Vec::new();
        let mut exit = Exit::Fine;
        let mut some = false;
        for input in &self.puzzles {
            let mut take = |read: Result<Item, String>| {
                match read {
                    Ok(item) => held.push(item),
                    Err(error) => {
                        say(error);
                        exit = Exit::BadInput;
                    }
                }
                some = true;
                if held.len() == TOGETHER {
                    work(&held)?;
                    held.clear();
                }
                Ok(())
            };
            if !Path::new(input).exists() && looks_like_text(input) {
                take(parse_line(input, 1).map_err(|error| format!("puzzle: {error}")))?;
            } else if read_source(input, &mut take)? {
                exit = Exit::BadInput;
            }
        }
        work(&held)?;
        if !some && exit == Exit::Fine && !interrupt::requested() {
            return Err(bad_input("there is no puzzle in the input"));
        }
        Ok(exit)
    }

    /// Calls `work` for each puzzle on several threads, and passes the results to `take` in order.
    /// After Ctrl-C some are missing at the end.
    pub(crate) fn each_on<R: Send>(
        &self,
        threads: Threads,
        work: impl Fn(&mut Solver, &Puzzle) -> R + Send + Sync,
        mut take: impl FnMut(&Item, R) -> Result<(), TableError>,
    ) -> anyhow::Result<Exit> {
        let pool = threads.pool()?;
        let work = |solver: &mut Solver, item: &Item| {
            (!interrupt::requested()).then(|| work(solver, &item.puzzle))
        };
        self.each(|items| {
            let results = items.par_iter().map_init(Solver::new, work).while_some();
            let results: Vec<R> = pool.install(|| results.collect());
            Ok(items.iter().zip(results).try_for_each(|(item, result)| take(item, result))?)
        })
    }

    /// All puzzles at once, for commands that use one or draw a few.
    pub(crate) fn all(&self) -> anyhow::Result<(Vec<Item>, Exit)> {
        let mut all = Vec::new();
        let exit = self.each(|items| {
            all.extend(items.iter().map(|item| Item {
                id: item.id.clone(),
                puzzle: item.puzzle.clone(),
                solution: item.solution.clone(),
            }));
            Ok(())
        })?;
        Ok((all, exit))
    }
}

/// Whether an argument is a puzzle and not the name of a file.
fn looks_like_text(input: &str) -> bool {
    is_json(input) || is_game_id(input)
}

fn is_json(text: &str) -> bool {
    text.trim_start().starts_with('{')
}

fn is_game_id(text: &str) -> bool {
    let head = text.split(':').next().unwrap_or("");
    text.contains(':') && !head.contains(char::is_whitespace) && !head.contains(['/', '.', '\\'])
}

fn parse_line(line: &str, number: u64) -> Result<Item, String> {
    if is_json(line) {
        let document = json::parse(line).map_err(|error| error.to_string())?;
        let id = document
            .id
            .or_else(|| keen::print(&document.puzzle).ok())
            .unwrap_or_else(|| number.to_string());
        return Ok(Item { id, puzzle: document.puzzle, solution: document.solution });
    }
    let puzzle = keen::parse(line).map_err(|error| error.to_string())?;
    Ok(Item { id: line.to_owned(), puzzle, solution: None })
}

/// Reads a file line by line, or as drawings. Returns whether something could not be read.
fn read_source(
    input: &str,
    take: &mut impl FnMut(Result<Item, String>) -> anyhow::Result<()>,
) -> anyhow::Result<bool> {
    let source = match Source::open(input) {
        Ok(source) => source,
        Err(error) => {
            say(&error);
            return Ok(true);
        }
    };
    let name = source.name().to_owned();
    let mut lines = source.lines(LONGEST_LINE);
    let mut bad = false;
    let mut first = true;
    while !interrupt::requested() {
        let (number, text) = match lines.next_line() {
            Ok(Some(line)) => (line.number, String::from_utf8_lossy(line.bytes).into_owned()),
            Ok(None) => break,
            Err(error) => {
                say(&error);
                bad = true;
                if matches!(error, SourceError::LineTooLong { .. }) {
                    continue;
                }
                break;
            }
        };
        let line = text.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if first && !is_json(line) && !line.contains(':') {
            read_drawings(&name, &text, number, &mut lines, take)?;
            break;
        }
        first = false;
        let read = parse_line(line, number);
        take(read.map_err(|error| format!("{name}: line {number}: {error}")))?;
    }
    Ok(bad)
}

/// Reads drawings up to the end. A line [`BETWEEN_DRAWINGS`] separates them.
fn read_drawings(
    name: &str,
    first: &str,
    number: u64,
    lines: &mut Lines,
    take: &mut impl FnMut(Result<Item, String>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    // Blank lines keep the line numbers of errors correct.
    let mut text = "\n".repeat(number as usize - 1) + first + "\n";
    let mut begun = number;
    loop {
        match lines.next_line() {
            Ok(Some(line)) if line.bytes.trim_ascii() == BETWEEN_DRAWINGS.as_bytes() => {
                take(parse_drawing(name, &text, begun))?;
                begun = line.number + 1;
                text = "\n".repeat(line.number as usize);
            }
            Ok(Some(line)) => {
                text.push_str(&String::from_utf8_lossy(line.bytes));
                text.push('\n');
            }
            Ok(None) => break,
            Err(error) => return take(Err(error.to_string())),
        }
    }
    if text.trim().is_empty() {
        return Ok(());
    }
    take(parse_drawing(name, &text, begun))
}

fn parse_drawing(name: &str, text: &str, number: u64) -> Result<Item, String> {
    let puzzle = drawing::parse(text).map_err(|error| format!("{name}: {error}"))?;
    let id = keen::print(&puzzle).unwrap_or_else(|_| number.to_string());
    Ok(Item { id, puzzle, solution: None })
}
