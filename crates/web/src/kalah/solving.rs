//! Small games, solved on the spot and kept in memory.

use std::time::{Duration, Instant};

use axum::{Json, extract::State, response::Response};
use game::Game;
use kalah::{Kalah, Layouts};
use kalah_answers::{Answers, Solved};
use serde::Deserialize;
use serde_json::json;
use solver::{Header, Limits, Memory, Next, Pass, SolveError};

use super::{
    Answer, parse_game,
    places::{MOST_POSITIONS, named_game, solved_name},
    rules,
};
use crate::{
    app::App,
    asked::{Posted, Query},
    jobs::{self, Sender},
    numbers::grouped,
    refusal::Refusal,
};

/// A game by its size, such as `4x3`, or its start position.
#[derive(Deserialize)]
pub(super) struct Wanted {
    size: String,
    #[serde(default)]
    rules: String,
}

#[derive(Deserialize)]
pub(super) struct Named {
    store: String,
}

/// RAM for pending positions, besides the rows that are kept.
const MEMORY: usize = 128 << 20;
/// Layouts that no game reaches in practice are this many times as many as those that it does: a
/// game with more layouts than this times the most positions is not begun.
const UNREACHED: u64 = 16;
/// How often progress is said.
const OFTEN: Duration = Duration::from_millis(100);

/// What solving a game would cost at most, before it is begun.
pub(super) async fn cost(Query(wanted): Query<Wanted>) -> Answer {
    let rules = rules(&wanted.rules)?;
    let (kalah, _) = parse_game(&wanted.size, rules)?;
    let layouts = layouts(&kalah);
    let is_small = is_small(&kalah);
    let text = match (layouts, is_small) {
        (Some(layouts), true) => {
            let most = layouts.min(MOST_POSITIONS);
            format!(
                "at most {} positions, {} MB and {} seconds or so",
                grouped(most),
                (most * 48).div_ceil(1_000_000),
                most.div_ceil(100_000)
            )
        }
        _ => "too large to be solved here completely; its values can be searched while you play"
            .to_owned(),
    };
    let store = solved_name(&wanted.size, rules);
    Ok(Json(json!({ "small": is_small, "layouts": layouts, "text": text, "store": store })))
}

/// All ways to lay up to so many seeds, reachable or not.
fn layouts(kalah: &Kalah) -> Option<u64> {
    Layouts::total(2 * kalah.pits(), kalah.seeds())
}

fn is_small(kalah: &Kalah) -> bool {
    layouts(kalah).is_some_and(|layouts| layouts <= UNREACHED * MOST_POSITIONS)
}

/// Solves a game by its name in requests and keeps it. Streams how far it is.
pub(super) async fn solve(
    State(app): State<App>,
    Posted(named): Posted<Named>,
) -> Result<Response, Refusal> {
    let wrong = || Refusal::bad("this is not the name of a game that is solved here");
    let kalah = named_game(&named.store).ok_or_else(wrong)??;
    if !is_small(&kalah) {
        return Err(Refusal::bad(format_args!("{} is too large to be solved here", kalah.name())));
    }
    let shared = app.clone();
    jobs::stream(&app, move |out| work(out, &shared, kalah, &named.store)).await
}

fn work(out: &Sender, app: &App, kalah: Kalah, name: &str) -> Result<(), Refusal> {
    let mut store = Memory::new(Header::of(&kalah));
    let limits = Limits { memory: MEMORY, ..Limits::default() };
    let mut said = Instant::now();
    let mut too_many = false;
    let solved = solver::solve(&kalah, &mut store, &limits, &mut |progress| {
        too_many = progress.known > MOST_POSITIONS;
        if too_many || !out.is_wanted() {
            return Next::Stop;
        }
        if said.elapsed() >= OFTEN {
            said = Instant::now();
            let pass = match progress.pass {
                Pass::Explore => "exploring",
                Pass::Settle => "settling",
            };
            let line = json!({ "pass": pass, "done": progress.done, "known": progress.known });
            if out.send(&line).is_err() {
                return Next::Stop;
            }
        }
        Next::Continue
    });
    let solution = solved.map_err(|error| match error {
        SolveError::Stopped if too_many => Refusal::bad(format_args!(
            "{} has more than {MOST_POSITIONS} positions, too many to keep here",
            kalah.name()
        )),
        error => Refusal::bad(error),
    })?;
    let answers = Answers::Solved(Solved { kalah, store: Box::new(store) });
    app.kalah.keep(name.to_owned(), solution.positions, answers);
    out.send(&json!({
        "store": name,
        "positions": solution.positions,
        "value": solution.verdict.score.0,
    }))?;
    Ok(())
}
