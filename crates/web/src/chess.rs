//! Chess on the page: positions with their facts, moves, games, lists of games, the editor.
//!
//! Everything that is a fact or a rule is computed by `chess` and `chess-facts`; this only says
//! it in JSON.

mod game;
mod list;
mod marks;
mod names;
mod position;
mod setup;
mod sides;

use std::{
    fmt::Display,
    io::{self, Cursor, Read},
};

use axum::{
    Json, Router,
    extract::State,
    routing::{get, post},
};
use bytes::Bytes;
use chess::{
    Epd, Position, find_move,
    pgn::{self, PgnError},
};
use games::Before;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sources::{Content, Source};

use self::list::{Indexes, Rest, Until, Window};
use crate::{
    app::App,
    asked::{Posted, PostedGames, Query},
    config::Config,
    refusal::Refusal,
    single,
};

/// What requests share.
pub(crate) struct Room {
    indexes: Indexes,
}

impl Room {
    pub(crate) fn new(_: &Config) -> Room {
        Room { indexes: Indexes::default() }
    }
}

/// The routes below `/api/chess`.
pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/api/chess/position", get(position))
        .route("/api/chess/play", get(play))
        .route("/api/chess/line", post(line))
        .route("/api/chess/setup", get(setup))
        .route("/api/chess/game", get(game_of_file).post(game_of_text))
        .route("/api/chess/games", get(games_of_file).post(games_of_text))
        .route("/api/chess/read", post(read))
}

/// Rows of a window at most.
const MOST_ROWS: usize = 1_000;
/// Bytes that a packed upload may unpack to.
const MOST_UNPACKED: u64 = 256 << 20;
/// By the 75-move rule no game has more.
const MOST_PLIES: usize = 20_000;

#[derive(Deserialize)]
struct Fen {
    fen: String,
}

async fn position(Query(asked): Query<Fen>) -> Result<Json<position::Answer>, Refusal> {
    Ok(Json(position::Answer::of(&parsed(&asked.fen)?)))
}

async fn setup(Query(asked): Query<Fen>) -> Json<setup::Answer> {
    Json(setup::Answer::of(&asked.fen))
}

#[derive(Deserialize)]
struct Played {
    fen: String,
    #[serde(rename = "move")]
    word: String,
}

/// A move that was made, and the position after it.
#[derive(Serialize)]
struct PlayAnswer {
    ply: game::Ply,
    position: position::Answer,
}

async fn play(Query(asked): Query<Played>) -> Result<Json<PlayAnswer>, Refusal> {
    let before = parsed(&asked.fen)?;
    let mv = find_move(&before, &asked.word).map_err(Refusal::bad)?;
    let position = position::Answer::of(&before.play(mv));
    Ok(Json(PlayAnswer { ply: game::played(before, mv), position }))
}

#[derive(Deserialize)]
struct Line {
    fen: String,
    moves: Vec<String>,
}

/// The start of a line and its plies.
#[derive(Serialize)]
struct LineAnswer {
    fen: String,
    marks: marks::Marks,
    line: Vec<game::Ply>,
}

async fn line(
    State(app): State<App>,
    Posted(asked): Posted<Line>,
) -> Result<Json<LineAnswer>, Refusal> {
    let start = parsed(&asked.fen)?;
    if asked.moves.len() > MOST_PLIES {
        return Err(Refusal::bad(format!("a line has at most {MOST_PLIES} moves")));
    }
    let plies = app.compute(move || {
        let mut position = start;
        let plies = asked.moves.iter().map(|word| {
            let mv = find_move(&position, word)?;
            let ply = game::played(position, mv);
            position = position.play(mv);
            Ok(ply)
        });
        plies.collect::<Result<Vec<_>, chess::SanError>>()
    });
    let line = plies.await?.map_err(Refusal::bad)?;
    Ok(Json(LineAnswer { fen: start.to_string(), marks: marks::Marks::of_start(&start), line }))
}

#[derive(Deserialize)]
struct NumberOfFile {
    file: String,
    #[serde(default = "first")]
    number: u64,
}

#[derive(Deserialize)]
struct Number {
    #[serde(default = "first")]
    number: u64,
}

fn first() -> u64 {
    1
}

async fn game_of_file(
    State(app): State<App>,
    Query(asked): Query<NumberOfFile>,
) -> Result<Json<game::Answer>, Refusal> {
    let path = app.files.find(&asked.file)?;
    let shared = app.clone();
    let read = app.compute(move || {
        let rest = shared.chess.indexes.near(&path, &asked.file, asked.number);
        let Rest { text, before, .. } = rest.map_err(|error| unreadable(&asked.file, &error))?;
        numbered(text, before, asked.number).map_err(|refusal| named(&refusal, &asked.file))
    });
    read.await?.map(Json)
}

async fn game_of_text(
    State(app): State<App>,
    Query(asked): Query<Number>,
    PostedGames(text): PostedGames,
) -> Result<Json<game::Answer>, Refusal> {
    let read = app.compute(move || numbered(unpacked(text), Before::default(), asked.number));
    read.await?.map(Json)
}

#[derive(Deserialize)]
struct WindowOfFile {
    file: String,
    #[serde(default = "first")]
    from: u64,
    #[serde(default = "usual")]
    most: usize,
}

#[derive(Deserialize)]
struct WindowOfText {
    #[serde(default = "first")]
    from: u64,
    #[serde(default = "usual")]
    most: usize,
}

fn usual() -> usize {
    100
}

async fn games_of_file(
    State(app): State<App>,
    Query(asked): Query<WindowOfFile>,
) -> Result<Json<Window>, Refusal> {
    let path = app.files.find(&asked.file)?;
    let shared = app.clone();
    let most = asked.most.min(MOST_ROWS);
    let read = app.compute(move || {
        let found = shared.chess.indexes.window(&path, &asked.file, asked.from, most);
        found.map_err(|error| unreadable(&asked.file, &error))
    });
    read.await?.map(Json)
}

async fn games_of_text(
    State(app): State<App>,
    Query(asked): Query<WindowOfText>,
    PostedGames(text): PostedGames,
) -> Result<Json<Window>, Refusal> {
    let most = asked.most.min(MOST_ROWS);
    let read = app.compute(move || {
        list::window(unpacked(text), Before::default(), (asked.from, most), Until::End)
    });
    read.await?.map(Json).map_err(|error| unreadable("the games", &error))
}

/// Positions of a page that stands alone, at most: each takes about 12 kB.
const MOST_POSITIONS: usize = 2_000;

/// The answers of a page that shows one game without a server: by path and query, as the page asks
/// for them.
pub(crate) fn answers(name: &str, text: &[u8], number: u64) -> Result<Map<String, Value>, Refusal> {
    let game = numbered(unpacked(Bytes::copy_from_slice(text)), Before::default(), number)
        .map_err(|refusal| named(&refusal, name))?;
    let fens = game.fens();
    if fens.len() > MOST_POSITIONS {
        let count = fens.len();
        return Err(Refusal::bad(format!(
            "{name}: game {number} has {count} positions with its variations, and a page holds {MOST_POSITIONS}"
        )));
    }
    let mut answers = Map::new();
    for fen in &fens {
        let position = parsed(fen)?;
        let path = format!("/api/chess/position?fen={}", single::escaped(fen));
        answers.insert(path, json(&position::Answer::of(&position)));
    }
    answers.insert("/api/chess/game".to_owned(), json(&game));
    Ok(answers)
}

fn json(answer: &impl Serialize) -> Value {
    serde_json::to_value(answer).expect("answers are plain values")
}

/// What a text turns out to be.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum Found {
    Position { fen: String },
    Games(Window),
    Wrong { reason: String },
}

/// Says what somebody has typed, pasted or dropped: a position, games, or neither and why.
async fn read(
    State(app): State<App>,
    PostedGames(text): PostedGames,
) -> Result<Json<Found>, Refusal> {
    app.compute(move || found(text)).await.map(Json)
}

fn found(text: Bytes) -> Found {
    let wrong = |reason: &dyn Display| Found::Wrong { reason: reason.to_string() };
    let mut source = Source::from_reader("the text", Cursor::new(text.clone()));
    match source.guess() {
        Content::Empty => return wrong(&"there is nothing to read"),
        Content::Binary => return wrong(&"this is neither text nor packed text"),
        Content::Fen | Content::Epd => {
            let line = first_line(source);
            return match placed(&line) {
                Ok(position) => Found::Position { fen: position.to_string() },
                Err(reason) => wrong(&reason),
            };
        }
        _ => {}
    }
    if let Some(position) =
        std::str::from_utf8(&text).ok().and_then(|text| Position::from_text(text).ok())
    {
        return Found::Position { fen: position.to_string() };
    }
    match list::window(unpacked(text), Before::default(), (1, usual()), Until::End) {
        Ok(window) if window.games.is_empty() => {
            wrong(&"there is neither a position nor a game in it")
        }
        Ok(window) => Found::Games(window),
        Err(error) => wrong(&error),
    }
}

/// The first line that says something.
fn first_line(source: Source) -> String {
    let mut start = Vec::new();
    // What cannot be read is no position either.
    let _ = source.take(1 << 16).read_to_end(&mut start);
    let text = String::from_utf8_lossy(&start);
    text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default().to_owned()
}

/// The position of a line of FEN or EPD.
fn placed(line: &str) -> Result<Position, String> {
    let fen = Position::from_fen(line);
    fen.or_else(|error| match Epd::from_line(line.as_bytes()) {
        Ok(epd) => Ok(epd.position),
        Err(_) => Err(error.to_string()),
    })
}

fn parsed(fen: &str) -> Result<Position, Refusal> {
    Position::from_text(fen).map_err(Refusal::bad)
}

/// A text that was sent, unpacked up to a limit.
fn unpacked(text: Bytes) -> impl Read {
    Source::from_reader("the text", Cursor::new(text)).take(MOST_UNPACKED)
}

/// The refusal of something in a file, which it names.
fn named(refusal: &Refusal, file: &str) -> Refusal {
    Refusal::new(refusal.status, format!("{file}: {}", refusal.message))
}

fn unreadable(name: &str, error: &io::Error) -> Refusal {
    Refusal::bad(format!("{name} cannot be read: {error}"))
}

/// A game of a text by its number, which counts what stands before the text.
pub(crate) fn numbered(
    text: impl Read,
    before: Before,
    number: u64,
) -> Result<game::Answer, Refusal> {
    let missing = || Refusal::missing(format!("there is no game {number}"));
    let behind = number.checked_sub(before.games + 1).ok_or_else(missing)?;
    let mut reader = pgn::Reader::new(text);
    let placed = |error: PgnError| match error {
        PgnError::Io(error) => unreadable("the text", &error),
        PgnError::Game { game, line, fault } => {
            let (game, line) = (game + before.games, line + before.lines);
            Refusal::bad(PgnError::Game { game, line, fault })
        }
    };
    while reader.game() < behind {
        match reader.next_event() {
            Ok(Some(_)) => reader.skip_game(),
            Ok(None) => return Err(missing()),
            Err(PgnError::Io(error)) => return Err(unreadable("the text", &error)),
            // It costs only itself.
            Err(PgnError::Game { .. }) => {}
        }
    }
    match pgn::Game::read(&mut reader).map_err(placed)? {
        Some(game) => game::Answer::of(number, &game).map_err(Refusal::bad),
        None => Err(missing()),
    }
}
