//! Where values come from: the stores of the command, files below the root, games solved here.

use std::{
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::{Json, extract::State};
use game::Game;
use kalah::{Kalah, Rules};
use kalah_answers::{Answers, Place};
use serde_json::{Value, json};

use super::{Answer, parse_game, rules, searching::Search};
use crate::{app::App, config::Config, files::Files, refusal::Refusal};

/// An open place. Look-ups need it alone.
pub(super) type Shared = Arc<Mutex<Answers>>;

/// What requests share: the places that are open, and the search.
pub(crate) struct Room {
    /// The URLs of the command, by the names that requests use: without passwords.
    stores: Vec<(String, String)>,
    /// By name, the last one used at the end.
    open: Mutex<Vec<(String, Shared)>>,
    /// Games solved here, by name, with their numbers of positions.
    solved: Mutex<Vec<(String, u64, Shared)>>,
    pub(super) search: Search,
}

/// The most places that stay open.
const MOST_OPEN: usize = 8;
/// The bytes of the cache of a table.
const TABLE_MEMORY: usize = 32 << 20;
/// The most positions of all games that were solved here together. A position takes 48 bytes.
pub(super) const MOST_POSITIONS: u64 = 2_500_000;
/// What begins the name of a game that is solved here.
const SOLVED: &str = "solved:";

impl Room {
    pub(crate) fn new(config: &Config) -> Room {
        let mut stores: Vec<(String, String)> = Vec::new();
        for url in &config.stores {
            let mut name = stores::shown(url);
            // Two stores may differ in what is not shown.
            while stores.iter().any(|(other, _)| *other == name) {
                name.push('\'');
            }
            stores.push((name, url.clone()));
        }
        Room { stores, open: Mutex::default(), solved: Mutex::default(), search: Search::new() }
    }

    /// Keeps a solved game. Older ones go if there are too many positions.
    pub(super) fn keep(&self, name: String, positions: u64, answers: Answers) {
        let mut solved = lock(&self.solved);
        solved.retain(|(other, ..)| *other != name);
        solved.push((name, positions, Arc::new(Mutex::new(answers))));
        while solved.len() > 1
            && solved.iter().map(|(_, positions, _)| positions).sum::<u64>() > MOST_POSITIONS
        {
            solved.remove(0);
        }
    }

    fn solved(&self, name: &str) -> Option<Shared> {
        let solved = lock(&self.solved);
        let found = solved.iter().find(|(other, ..)| other == name)?;
        Some(found.2.clone())
    }

    /// The place with this name. Opening one takes a while, so this runs on a thread for that.
    pub(super) fn find(&self, files: &Files, name: &str) -> Result<Shared, Refusal> {
        if name.starts_with(SOLVED) {
            let missing = || Refusal::missing("this game is not solved here yet");
            return self.solved(name).ok_or_else(missing);
        }
        let mut open = lock(&self.open);
        if let Some(at) = open.iter().position(|(other, _)| other == name) {
            let found = open.remove(at);
            open.push(found.clone());
            return Ok(found.1);
        }
        drop(open);
        let answers = match self.stores.iter().find(|(other, _)| other == name) {
            Some((_, url)) => {
                let place = Place::Store(url.clone());
                Answers::open(&place, None, TABLE_MEMORY).map_err(Refusal::bad)?
            }
            None => open_file(&files.find(name)?, name)?,
        };
        let shared: Shared = Arc::new(Mutex::new(answers));
        let mut open = lock(&self.open);
        open.push((name.to_owned(), shared.clone()));
        if open.len() > MOST_OPEN {
            open.remove(0);
        }
        Ok(shared)
    }
}

/// The name of a game that is solved here.
pub(super) fn solved_name(size: &str, rules: Rules) -> String {
    format!("{SOLVED}{size}:{rules}")
}

/// The game that the name of a solved one stands for.
pub(super) fn named_game(name: &str) -> Option<Result<Kalah, Refusal>> {
    let (size, rules_name) = name.strip_prefix(SOLVED)?.rsplit_once(':')?;
    let game = rules(rules_name).and_then(|rules| parse_game(size, rules));
    Some(game.map(|(kalah, _)| kalah))
}

/// A mutex guards only memory that is whole between look-ups, so a panic elsewhere is no reason to
/// refuse.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens a file or a directory: a table, a directory of parts or an SQLite file. Errors name it as
/// the request does.
fn open_file(path: &Path, name: &str) -> Result<Answers, Refusal> {
    let shown = path.display().to_string();
    let refuse =
        |error: kalah_answers::AnswerError| Refusal::bad(error.to_string().replace(&shown, name));
    let Some(text) = path.to_str() else {
        return Err(Refusal::bad(format_args!("{name}: the path is not UTF-8")));
    };
    if path.is_dir() {
        let table = Answers::open(&Place::Table(path.to_owned()), None, TABLE_MEMORY);
        return table.or_else(|_| {
            let place = Place::Store(format!("file:{text}"));
            Answers::open(&place, None, TABLE_MEMORY).map_err(refuse)
        });
    }
    Answers::open(&Place::Store(format!("sqlite:{text}")), None, TABLE_MEMORY).map_err(refuse)
}

/// The places that the page offers. Files are listed by their names; whether they hold a solved
/// game shows when they are opened.
pub(super) async fn list(State(app): State<App>) -> Answer {
    let shared = app.clone();
    let places = app.compute(move || places(&shared)).await?;
    let rules: Vec<&str> = Rules::ALL.iter().map(|rules| rules.name()).collect();
    Ok(Json(json!({ "places": places, "rules": rules, "most_positions": MOST_POSITIONS })))
}

fn places(app: &App) -> Vec<Value> {
    let room = &app.kalah;
    let mut places: Vec<Value> = Vec::new();
    for (name, _) in &room.stores {
        places.push(json!({ "name": name, "kind": "store" }));
    }
    for entry in app.files.list() {
        let is_sqlite = entry.name.ends_with(".sqlite") && !entry.is_directory;
        let manifest = format!("{}/manifest", entry.name);
        if is_sqlite || (entry.is_directory && app.files.find(&manifest).is_ok()) {
            let kind = if is_sqlite { "file" } else { "directory" };
            places.push(json!({ "name": entry.name, "kind": kind, "bytes": entry.bytes }));
        }
    }
    for (name, positions, answers) in lock(&room.solved).iter() {
        let game = lock(answers).kalah().name();
        let place = json!({ "name": name, "kind": "solved", "game": game, "positions": positions });
        places.push(place);
    }
    places
}
