//! `everyply kenken show`

use std::{io::Write, path::PathBuf};

use kenken::{Attempt, Solver, drawing, svg};

use super::{
    Cost,
    puzzles::{Inputs, Item},
};
use crate::{
    exit::{Exit, Outcome, bad_input, say},
    files,
};

/// Draw puzzles in the terminal, or as SVG, PNG or PDF
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  everyply kenken show '4:_a_7a4_a3,a4a5s1s1d2d2m4m6'
  everyply kenken show '4:_a_7a4_a3,a4a5s1s1d2d2m4m6' --solution --png solved.png
  everyply kenken show '4:_a_7a4_a3,a4a5s1s1d2d2m4m6' --grid '3[14].2/1.../..../....'
  everyply kenken show puzzles.txt --solution --pdf sheet.pdf

A PDF has one page for each puzzle, followed by one for each solution with --solution.")]
pub(crate) struct Args {
    #[command(flatten)]
    inputs: Inputs,
    /// Fill in the solution
    #[arg(long)]
    solution: bool,
    /// Fill in the digits and pencil marks of a half-filled grid, as in 'hint --grid'; for one
    /// puzzle
    #[arg(long, value_name = "ROWS", conflicts_with = "solution")]
    grid: Option<String>,
    /// Write an SVG image of one puzzle to this file; '-' writes to standard output
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write a PNG image of one puzzle to this file; '-' writes to standard output
    #[arg(long, value_name = "FILE")]
    png: Option<PathBuf>,
    /// Write a PDF of all puzzles to this file; '-' writes to standard output
    #[arg(long, value_name = "FILE")]
    pdf: Option<PathBuf>,
    /// Width of the PNG image in pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 640, value_parser = clap::value_parser!(u32).range(16..=8192))]
    size: u32,
    #[command(flatten)]
    cost: Cost,
}

pub(crate) fn run(args: &Args) -> Outcome {
    files::at_most_one_to_stdout([&args.svg, &args.png, &args.pdf])?;
    let (mut items, mut exit) = args.inputs.all()?;
    if let Some(grid) = &args.grid {
        return show_attempt(args, grid, &items, exit);
    }
    for item in &mut items {
        item.solution = if args.solution { solution(item, args.cost) } else { None };
        if args.solution && item.solution.is_none() {
            exit = Exit::BadInput;
        }
    }
    if let Some(path) = &args.svg {
        files::write(path, picture(&items)?.as_bytes())?;
    }
    if let Some(path) = &args.png {
        files::write(path, &pictures::png(&picture(&items)?, pictures::Size::Width(args.size))?)?;
    }
    if let Some(path) = &args.pdf {
        let puzzles = items.iter().map(|item| svg::draw(&item.puzzle, None));
        let solved = items.iter().filter_map(|item| {
            item.solution.as_ref().map(|solution| svg::draw(&item.puzzle, Some(solution)))
        });
        let pages: Vec<String> = puzzles.chain(solved).collect();
        let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
        files::write(path, &pictures::pdf(&pages)?)?;
    }
    if args.svg.is_none() && args.png.is_none() && args.pdf.is_none() {
        let mut out = files::stdout();
        for item in &items {
            write!(out, "{}", drawing::boxes(&item.puzzle, item.solution.as_ref()))?;
        }
        out.flush()?;
    }
    Ok(exit)
}

fn show_attempt(args: &Args, grid: &str, items: &[Item], exit: Exit) -> Outcome {
    let [item] = items else {
        return Err(bad_input(format_args!("--grid: expected one puzzle, found {}", items.len())));
    };
    let attempt = Attempt::parse(&item.puzzle, grid)
        .map_err(|error| bad_input(format_args!("--grid: {error}")))?;
    let picture = svg::draw_attempt(&attempt);
    if let Some(path) = &args.svg {
        files::write(path, picture.as_bytes())?;
    }
    if let Some(path) = &args.png {
        files::write(path, &pictures::png(&picture, pictures::Size::Width(args.size))?)?;
    }
    if let Some(path) = &args.pdf {
        files::write(path, &pictures::pdf(&[&picture])?)?;
    }
    if args.svg.is_none() && args.png.is_none() && args.pdf.is_none() {
        files::print(drawing::attempt_boxes(&attempt).as_bytes())?;
    }
    Ok(exit)
}

fn solution(item: &Item, cost: Cost) -> Option<kenken::Solution> {
    let count = Solver::new().count(&item.puzzle, 1, &cost.limits());
    if count.first.is_none() {
        let why =
            if count.complete { "it has no solution" } else { "no solution within the limits" };
        say(format_args!("{}: {why}", item.id));
    }
    count.first
}

fn picture(items: &[Item]) -> anyhow::Result<String> {
    match items {
        [item] => Ok(svg::draw(&item.puzzle, item.solution.as_ref())),
        _ => Err(bad_input(format_args!(
            "a picture can show only one puzzle, but there are {}; use --pdf for many",
            items.len()
        ))),
    }
}
