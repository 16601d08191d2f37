//! Values that no store has: they are searched when they are asked for, and streamed.

use std::{
    collections::HashMap,
    sync::{
        Mutex,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{extract::State, response::Response};
use game::{Game, Turn};
use kalah::{Position, Rules};
use kalah_answers::{AnswerError, Choice, Cost, Effort, Event, Opponent, Oracle, cache_directory};
use serde::Deserialize;
use serde_json::{Value, json};
use solver::{Next, search::Between, table::TableError};
use tokio::{runtime::Handle, time::sleep};

use super::{
    places::lock,
    playing::{Asked, Mover},
    replay::{Ply, Replay, Source, shown},
    rules,
};
use crate::{
    app::App,
    asked::Posted,
    jobs::{self, Sender},
    numbers::grouped,
    refusal::Refusal,
    slots::Slots,
};

/// The name by which requests ask for values that are searched.
pub(super) const SEARCH: &str = "search:";

/// Requests that may wait for the search before them.
const MOST_WAITING: usize = 8;
/// How long a request may be searched.
const LONGEST: Duration = Duration::from_secs(60);
/// How often progress is said.
const OFTEN: Duration = Duration::from_millis(100);
/// A table with more positions is built only for those who were told what it costs.
const FEW_POSITIONS: u64 = 1_000_000;
/// Values that are remembered, some ten MB.
const MOST_FOUND: usize = 100_000;
/// When nobody has asked for so long, the memory of the search is given back.
const IDLE: Duration = Duration::from_secs(300);

/// What all searches share. There is one oracle, because one takes up to 1.5 GiB, so searches
/// wait for each other.
pub(crate) struct Search {
    places: Slots,
    oracle: Mutex<Option<Oracle>>,
    found: Mutex<Found>,
    /// How many searches have begun.
    begun: AtomicU64,
}

/// The values that were found by certain rules.
#[derive(Default)]
pub(super) struct Found {
    rules: Rules,
    values: HashMap<Position, Between>,
}

impl Search {
    pub(super) fn new() -> Search {
        Search {
            places: Slots::new(1, MOST_WAITING),
            oracle: Mutex::default(),
            found: Mutex::default(),
            begun: AtomicU64::new(0),
        }
    }

    /// Looks at what was found so far. Whoever searches does not hold it for long.
    pub(super) fn with_found<T>(&self, rules: Rules, look: impl FnOnce(&mut Found) -> T) -> T {
        let mut found = lock(&self.found);
        if found.rules != rules {
            *found = Found { rules, values: HashMap::new() };
        }
        look(&mut found)
    }
}

impl Found {
    pub(super) fn get(&self, position: &Position) -> Option<Between> {
        self.values.get(position).copied()
    }

    fn put(&mut self, position: Position, between: Between) {
        if self.values.len() >= MOST_FOUND {
            self.values.clear();
        }
        self.values.insert(position, between);
    }

    fn knows(&self, position: &Position) -> bool {
        self.get(position).is_some_and(|between| between.value().is_some())
    }
}

/// A game whose values are asked for, or the move of an opponent.
#[derive(Deserialize)]
pub(super) struct Wanted {
    #[serde(flatten)]
    asked: Asked,
    /// Who moves; without an opponent the values are asked for.
    opponent: Option<Mover>,
    /// Whether a table may be built that takes a while.
    #[serde(default)]
    build: bool,
}

/// Searches and streams how far it is. A line with `needs` says what a table costs that may not be
/// built yet; lines with `game` have the values that are known so far; a line with `pit` is the
/// move of the opponent.
pub(super) async fn search(
    State(app): State<App>,
    Posted(wanted): Posted<Wanted>,
) -> Result<Response, Refusal> {
    let rules = rules(&wanted.asked.rules)?;
    let replay = wanted.asked.replay(rules, None)?;
    let opponent = wanted.opponent.map(|mover| mover.opponent()).transpose()?;
    let place = app.kalah.search.places.take().await?;
    let shared = app.clone();
    Ok(jobs::stream_in(&app, place, move |out| {
        shared.kalah.search.begun.fetch_add(1, Ordering::Relaxed);
        let at = wanted.asked.at(&replay);
        let work = Work { out, app: &shared, replay: &replay, at };
        let done = work.run(opponent, wanted.build);
        forget_later(shared.clone());
        done
    }))
}

/// Gives the memory of the search back when it is not used for a while.
fn forget_later(app: App) {
    let begun = app.kalah.search.begun.load(Ordering::Relaxed);
    Handle::current().spawn(async move {
        sleep(IDLE).await;
        let search = &app.kalah.search;
        if search.begun.load(Ordering::Relaxed) == begun {
            lock(&search.oracle).take();
        }
    });
}

struct Work<'a> {
    out: &'a Sender,
    app: &'a App,
    replay: &'a Replay,
    /// The ply whose moves are valued.
    at: usize,
}

/// What is being found out.
#[derive(Clone, Copy)]
enum Question<'a> {
    /// The value of this ply.
    Value(&'a Ply),
    Moves,
    Earlier,
    Reply,
}

impl Work<'_> {
    fn run(&self, opponent: Option<(Opponent, u64)>, build: bool) -> Result<(), Refusal> {
        let rules = self.replay.kalah.rules();
        let cache = self.app.config.cache.clone().or_else(cache_directory);
        let mut oracle = lock(&self.app.kalah.search.oracle);
        // The old one goes first, so that there are never two in memory.
        let mut ready = oracle.take().filter(|oracle| oracle.rules() == rules);
        if ready.is_none() {
            let effort = Effort { time: Some(LONGEST), cache: cache.clone() };
            ready = Some(Oracle::open(None, Some(rules), effort).map_err(Refusal::bad)?);
        }
        let oracle = oracle.insert(ready.expect("it was just opened"));
        oracle.effort().time = Some(LONGEST);
        let mut needs = None;
        let done = match opponent {
            Some((opponent, seed)) => self.reply(oracle, opponent, seed, build, &mut needs),
            None => self.values(oracle, build, &mut needs),
        };
        match (done, needs) {
            (_, Some(cost)) => Ok(self.out.send(&json!({ "needs": described(&cost) }))?),
            (Err(AnswerError::Table(TableError::Stopped)), None) => {
                Err(Refusal::bad("the search was stopped"))
            }
            (done, None) => done.map_err(|error| {
                // The directory is outside the root.
                let cache = cache.map(|cache| cache.display().to_string()).unwrap_or_default();
                let text = error.to_string();
                match cache.is_empty() {
                    true => Refusal::bad(text),
                    false => Refusal::bad(text.replace(&cache, "the cache")),
                }
            }),
        }
    }

    fn reply(
        &self,
        oracle: &mut Oracle,
        opponent: Opponent,
        seed: u64,
        build: bool,
        needs: &mut Option<Cost>,
    ) -> Result<(), AnswerError> {
        let (position, before) = (self.replay.last().position, self.replay.pits.len());
        let mut watch = self.watch(Question::Reply, build, needs);
        let chosen = opponent.choose(oracle, &position, seed, before, &mut watch)?;
        drop(watch);
        if needs.is_none() {
            self.say(&json!({ "pit": chosen.map(|mv| mv.0) }));
        }
        Ok(())
    }

    /// First the value of the ply that is shown, then its moves, then the other plies from the end
    /// on: those with few seeds are found soonest, and help to find the others.
    fn values(
        &self,
        oracle: &mut Oracle,
        build: bool,
        needs: &mut Option<Cost>,
    ) -> Result<(), AnswerError> {
        let (replay, shown) = (self.replay, &self.replay.plies[self.at]);
        let is_over = replay.kalah.outcome(&shown.position).is_some();
        if !is_over && !self.knows(shown.position) {
            let mut watch = self.watch(Question::Value(shown), build, needs);
            let value = oracle.value(&shown.position, &mut watch)?;
            self.keep([(shown.position, value)]);
            self.show();
        }
        let mut after = Vec::new();
        replay.kalah.edges(&shown.position, |edge| after.push(edge.to));
        if !is_over && !after.into_iter().all(|position| self.knows(position)) {
            let mut watch = self.watch(Question::Moves, build, needs);
            let choices = oracle.moves(&shown.position, &mut watch)?;
            self.keep(choices.iter().map(|choice| (choice.edge.to, after_choice(choice))));
            self.show();
        }
        let deadline = Instant::now() + LONGEST;
        for ply in replay.plies.iter().rev().filter(|ply| !self.knows(ply.position)) {
            if !self.out.is_wanted() {
                break;
            }
            oracle.effort().time = Some(deadline.saturating_duration_since(Instant::now()));
            let mut watch = self.watch(Question::Earlier, build, needs);
            let value = oracle.value(&ply.position, &mut watch)?;
            self.keep([(ply.position, value)]);
        }
        self.show();
        Ok(())
    }

    fn knows(&self, position: Position) -> bool {
        self.app.kalah.search.with_found(self.replay.kalah.rules(), |found| found.knows(&position))
    }

    fn keep(&self, values: impl IntoIterator<Item = (Position, Between)>) {
        // What was found until somebody went away is of no use to others.
        if !self.out.is_wanted() {
            return;
        }
        self.app.kalah.search.with_found(self.replay.kalah.rules(), |found| {
            for (position, between) in values {
                found.put(position, between);
            }
        });
    }

    /// Sends the game with all values that are known.
    fn show(&self) {
        let game = self.app.kalah.search.with_found(self.replay.kalah.rules(), |found| {
            shown(self.replay, &mut Source::Searched(found), self.at)
        });
        if let Ok(game) = game {
            self.say(&json!({ "game": game }));
        }
    }

    /// Sends a line. The next watch notices if nobody reads it.
    fn say(&self, line: &Value) {
        let _ = self.out.send(line);
    }

    /// Says how far it is, and stops when nobody reads that any more.
    fn watch<'w>(
        &'w self,
        question: Question<'w>,
        build: bool,
        needs: &'w mut Option<Cost>,
    ) -> impl FnMut(&Event) -> Next + 'w {
        let mut said = Instant::now();
        move |event| {
            if !self.out.is_wanted() {
                return Next::Stop;
            }
            let line = match event {
                Event::Building(cost) if !build && cost.positions > FEW_POSITIONS => {
                    *needs = Some(cost.clone());
                    return Next::Stop;
                }
                Event::Building(cost) => json!({ "building": described(cost) }),
                _ if said.elapsed() < OFTEN => return Next::Continue,
                Event::Built(done, total) => json!({ "built": done, "of": total }),
                Event::Searching(progress) => {
                    let mut line = json!({ "question": question.name(), "nodes": progress.nodes });
                    if let Question::Value(ply) = question {
                        let bounds = [progress.at_least, progress.at_most];
                        let mut leads = bounds.map(|score| ply.lead_of_first(score));
                        leads.sort_unstable();
                        line["between"] = json!(leads);
                    }
                    line
                }
            };
            said = Instant::now();
            if self.out.send(&line).is_err() { Next::Stop } else { Next::Continue }
        }
    }
}

impl Question<'_> {
    fn name(self) -> &'static str {
        match self {
            Question::Value(_) => "value",
            Question::Moves => "moves",
            Question::Earlier => "earlier",
            Question::Reply => "reply",
        }
    }
}

/// What is known of the position after a move, for the side that moves then.
fn after_choice(choice: &Choice) -> Between {
    let Choice { edge, between, .. } = choice;
    let less = |score: game::Score| game::Score(score.0 - edge.gain.0);
    let more = |score: game::Score| game::Score(edge.gain.0 - score.0);
    match edge.turn {
        Turn::Keeps => Between { least: less(between.least), most: less(between.most) },
        Turn::Passes => Between { least: more(between.most), most: more(between.least) },
    }
}

/// What a table costs, in words.
fn described(cost: &Cost) -> String {
    format!(
        "a table of all positions with up to {} seeds: {} positions, about {} MB on disk and {} \
         seconds, once",
        cost.seeds,
        grouped(cost.positions),
        cost.bytes.div_ceil(1_000_000),
        cost.seconds.max(1)
    )
}
