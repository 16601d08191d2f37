//! New puzzles as a stream, which the page can cancel, and sheets for print.

use std::{
    ops::ControlFlow,
    time::{Duration, Instant},
};

use axum::{
    Router,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
    routing::post,
};
use kenken::{
    GenerateError, Grade, Level, OperatorMix, Puzzle, Recipe, Size, Solution, Solver,
    generate_watched, grade,
    sheet::{Entry, Layout, Paper, Solutions, pages},
};
use serde::Deserialize;
use serde_json::json;

use super::{PATIENCE, limits, reading, shape};
use crate::{
    app::App,
    asked::Posted,
    jobs::{self, Sender},
    refusal::Refusal,
};

/// The routes that make something.
pub(super) fn routes() -> Router<App> {
    Router::new().route("/api/kenken/new", post(new)).route("/api/kenken/sheet", post(sheet))
}

/// The largest grid that the page makes, and the most puzzles at a time.
const LARGEST: usize = 16;
const MOST: u64 = 60;

/// How long one stream may work, and how often it says how far it is.
const LONGEST: Duration = Duration::from_secs(120);
const OFTEN: Duration = Duration::from_millis(100);

#[derive(Deserialize)]
struct Wanted {
    size: usize,
    /// Any level if it is missing.
    level: Option<String>,
    /// As text, because numbers of a browser have only 53 bits.
    seed: String,
    #[serde(default)]
    operators: Operators,
    #[serde(default = "one")]
    count: u64,
}

fn one() -> u64 {
    1
}

#[derive(Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Operators {
    #[default]
    All,
    /// Sums only.
    Add,
    /// Products only.
    Multiply,
    /// All, many of them hidden.
    Hidden,
}

impl Wanted {
    fn recipe(&self) -> Result<Recipe, Refusal> {
        let size = Size::new(self.size).filter(|size| (2..=LARGEST).contains(&size.side()));
        let refuse = || Refusal::bad(format_args!("a new puzzle has 2 to {LARGEST} rows"));
        let size = size.ok_or_else(refuse)?;
        let level = match &self.level {
            None => None,
            Some(name) => Some(Level::from_name(name).ok_or_else(|| {
                let name = name.escape_debug();
                Refusal::bad(format_args!(
                    "'{name}' is not a level: easy, normal, hard, extreme or unreasonable"
                ))
            })?),
        };
        let mut recipe = Recipe::new(size, level);
        let all = OperatorMix::ALL;
        recipe.operators = match self.operators {
            Operators::All => all,
            Operators::Add => OperatorMix { subtract: 0, multiply: 0, divide: 0, ..all },
            Operators::Multiply => OperatorMix::MULTIPLY,
            Operators::Hidden => OperatorMix { unknown: 20, ..all },
        };
        Ok(recipe)
    }

    fn seed(&self) -> Result<u64, Refusal> {
        let seed = self.seed.trim();
        seed.parse().map_err(|_| {
            let seed = seed.escape_debug();
            Refusal::bad(format_args!("the seed '{seed}' is not a whole number below 2^64"))
        })
    }
}

/// Streams how far generation is, and each puzzle as soon as it is made.
async fn new(State(app): State<App>, Posted(wanted): Posted<Wanted>) -> Result<Response, Refusal> {
    let (recipe, seed) = (wanted.recipe()?, wanted.seed()?);
    if !(1..=MOST).contains(&wanted.count) {
        return Err(Refusal::bad(format_args!("1 to {MOST} puzzles are made at a time")));
    }
    jobs::stream(&app, move |out| make(out, &recipe, seed, wanted.count)).await
}

fn make(out: &Sender, recipe: &Recipe, seed: u64, count: u64) -> Result<(), Refusal> {
    let end = Instant::now() + LONGEST;
    let mut said = Instant::now();
    for number in 0..count {
        let made = generate_watched(recipe, seed, number, &mut |tried| {
            let now = Instant::now();
            if now > end || !out.is_wanted() {
                return ControlFlow::Break(());
            }
            if now - said >= OFTEN {
                said = now;
                let line = json!({ "drafts": tried.drafts, "made": number, "count": count });
                if out.send(&line).is_err() {
                    return ControlFlow::Break(());
                }
            }
            ControlFlow::Continue(())
        });
        let made = made.map_err(|error| match error {
            GenerateError::Stopped => {
                let seconds = LONGEST.as_secs();
                Refusal::bad(format_args!("no puzzle was found within {seconds} seconds"))
            }
            error => Refusal::bad(error),
        })?;
        let grade = made.level.map_or_else(|| grade(&made.puzzle, &limits(PATIENCE)), Grade::Level);
        let puzzle = shape::described(&made.puzzle, grade);
        out.send(&json!({ "puzzle": puzzle, "made": number + 1, "count": count }))?;
    }
    Ok(())
}

#[derive(Deserialize)]
struct Printed {
    ids: Vec<String>,
    #[serde(default)]
    title: String,
    #[serde(default)]
    solutions: bool,
    columns: usize,
}

/// Puzzles as PDF, with the solutions at the end if they are wanted.
async fn sheet(
    State(app): State<App>,
    Posted(printed): Posted<Printed>,
) -> Result<Response, Refusal> {
    if !(1..=4).contains(&printed.columns) {
        return Err(Refusal::bad("a page has 1 to 4 columns"));
    }
    if !(1..=MOST as usize).contains(&printed.ids.len()) {
        return Err(Refusal::bad(format_args!("a sheet has 1 to {MOST} puzzles")));
    }
    let document = app.compute(move || print(&printed)).await??;
    let kind = (header::CONTENT_TYPE, "application/pdf");
    Ok(([kind], document).into_response())
}

fn print(printed: &Printed) -> Result<Vec<u8>, Refusal> {
    let puzzles: Vec<Puzzle> =
        printed.ids.iter().map(|id| reading::one(id)).collect::<Result<_, _>>()?;
    let limits = limits(PATIENCE);
    let mut solver = Solver::new();
    let solutions: Vec<Option<Solution>> = puzzles
        .iter()
        .map(|puzzle| if printed.solutions { solver.count(puzzle, 1, &limits).first } else { None })
        .collect();
    let captions: Vec<String> = puzzles
        .iter()
        .map(|puzzle| format!("{}, {}", puzzle.size(), grade(puzzle, &limits).name()))
        .collect();
    let entries: Vec<Entry<'_>> = (0..puzzles.len())
        .map(|index| Entry {
            puzzle: &puzzles[index],
            solution: solutions[index].as_ref(),
            caption: &captions[index],
            id: &printed.ids[index],
        })
        .collect();
    let layout = Layout {
        title: &printed.title,
        paper: Paper::A4,
        columns: printed.columns,
        rows: None,
        solutions: Solutions::End,
    };
    let pages = pages(&layout, &entries);
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    pictures::pdf(&pages).map_err(Refusal::bad)
}
