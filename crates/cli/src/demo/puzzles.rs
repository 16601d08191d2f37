//! Puzzles of every level, made, graded and explained.

use std::{io::Write, path::Path};

use anyhow::Context;
use kenken::{
    Digits, Explainer, Grade, Level, Limits, Next, Puzzle, Recipe, Size, generate_batch, grade,
};
use tables::program::{DEMO_PUZZLE_STEPS, DEMO_PUZZLES, demo_puzzle, demo_puzzle_step};

use super::{picture, questions::Engine, rows};
use crate::files::{self, Stream};

const SEED: u64 = 3;
const OF_EACH_LEVEL: u64 = 40;

pub(super) fn write(out: &mut Stream, directory: &Path) -> anyhow::Result<()> {
    let mut puzzle_rows = rows(directory, "puzzles.parquet", &DEMO_PUZZLES)?;
    let mut step_rows = rows(directory, "puzzle_steps.parquet", &DEMO_PUZZLE_STEPS)?;
    let size = Size::new(6).expect("a usual size");
    let mut shown = None;
    let mut number = 0u64;
    for level in Level::ALL {
        let recipe = Recipe::new(size, Some(level));
        for made in generate_batch(&recipe, SEED, 0..OF_EACH_LEVEL) {
            let puzzle = made?.puzzle;
            number += 1;
            let Grade::Level(graded) = grade(&puzzle, &Limits::NONE) else {
                anyhow::bail!("puzzle {number} does not have exactly one solution");
            };
            let steps = steps(&puzzle, graded);
            for (at, step) in (1..).zip(&steps) {
                let Step { rule, text, open_cells, candidates } = step;
                step_rows.row(&demo_puzzle_step(
                    number,
                    at,
                    rule,
                    *open_cells,
                    *candidates,
                    text,
                ))?;
            }
            puzzle_rows.row(&demo_puzzle(number, &puzzle, graded, steps.len() as u64))?;
            if level == Level::Hard {
                shown.get_or_insert(puzzle);
            }
        }
    }
    [puzzle_rows.finish()?, step_rows.finish()?].into_iter().try_for_each(files::complete)?;

    writeln!(out, "{number} KenKen puzzles of five levels, each with exactly one solution.\n")?;
    Engine::new(directory)?.answer(include_str!("questions/levels.sql"))?.print(out)?;
    let puzzle = shown.context("a hard puzzle was made")?;
    picture(directory, "puzzle", &kenken::svg::draw(&puzzle, None))?;
    writeln!(out, "\nThe first hard puzzle:\n\n{}", kenken::drawing::boxes(&puzzle, None))?;
    if let Next::Step(step) = Explainer::new(&puzzle).next(Level::Hard) {
        writeln!(out, "The first step: {}", step.text)?;
    }
    Ok(())
}

/// A deduction, and what was open before it.
struct Step {
    rule: &'static str,
    text: String,
    open_cells: u64,
    /// The digits that are still possible in those cells, summed up.
    candidates: u64,
}

/// The way to the solution, by the rules of a level.
fn steps(puzzle: &Puzzle, level: Level) -> Vec<Step> {
    let mut explainer = Explainer::new(puzzle);
    let mut steps = Vec::new();
    loop {
        let open: Vec<Digits> =
            explainer.notes().into_iter().filter(|digits| !digits.is_single()).collect();
        let Next::Step(step) = explainer.next(level) else { return steps };
        steps.push(Step {
            rule: step.rule.name(),
            text: step.text,
            open_cells: open.len() as u64,
            candidates: open.iter().map(|digits| digits.len() as u64).sum(),
        });
    }
}
