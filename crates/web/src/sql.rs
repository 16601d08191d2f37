//! Statements on the page.
//!
//! Each request has a session of its own, below the root, read-only and without a network. All
//! statements share one memory. Answers stay here and are read in windows.

mod answers;
mod catalog;
mod chart;
mod drawing;
mod export;
mod running;

use std::sync::Arc;

use axum::{
    Json, Router,
    extract::State,
    http::header,
    response::{IntoResponse, Response},
    routing::{get, post},
};
use serde::Deserialize;
use serde_json::Value;
use sql::SharedMemory;
use tokio::sync::OnceCell;

use self::answers::Answers;
use crate::{
    app::App,
    asked::{Posted, Query},
    config::Config,
    refusal::Refusal,
    slots::Slots,
};

/// What requests share.
pub(crate) struct Room {
    /// Where statements wait for their turn.
    slots: Arc<Slots>,
    /// The memory of all statements and all answers.
    memory: SharedMemory,
    answers: Answers,
    catalog: OnceCell<Value>,
}

impl Room {
    pub(crate) fn new(config: &Config) -> Room {
        let limits = &config.limits;
        let slots = Slots::new(limits.statements.get(), limits.waiting_statements);
        // Operators that double a table hold it twice for a moment, and batches on their way are
        // not counted: a half is kept for them.
        let memory = SharedMemory::new(limits.memory / 2);
        // Numbers of 40 random bits leave room for counting within what JavaScript holds exactly. A
        // system without random numbers has refused the key before.
        let first = getrandom::u64().unwrap_or_default() >> 24;
        Room {
            slots: Arc::new(slots),
            answers: Answers::new(first, limits.memory / 4),
            memory,
            catalog: OnceCell::new(),
        }
    }
}

/// The routes below `/api/sql`.
pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/api/sql/run", post(run))
        .route("/api/sql/rows", get(rows))
        .route("/api/sql/catalog", get(catalog))
        .route("/api/sql/drawing", get(draw))
        .route("/api/sql/chart", get(plot))
        .route("/api/sql/export", get(export))
}

#[derive(Deserialize)]
struct Run {
    statement: String,
}

/// Runs statements. The lines of the stream tell the columns, how many rows there are so far, and
/// the answer by which they are asked for.
async fn run(
    State(app): State<App>,
    Posted(Run { statement }): Posted<Run>,
) -> Result<Response, Refusal> {
    running::run(&app, statement).await
}

#[derive(Deserialize)]
struct Window {
    answer: u64,
    from: usize,
    count: usize,
}

/// Rows that fit on any screen, several times.
const MOST_ROWS: usize = 2_000;

/// Rows of an answer as CSV without a header: a missing value is nothing, an empty text `""`.
async fn rows(
    State(app): State<App>,
    Query(window): Query<Window>,
) -> Result<impl IntoResponse, Refusal> {
    let answer = app.sql.answers.find(window.answer)?;
    let count = window.count.min(MOST_ROWS);
    let rows = app.compute(move || answer.window(window.from, count)).await??;
    Ok(([(header::CONTENT_TYPE, "text/csv; charset=utf-8")], rows))
}

/// Tables, functions and examples.
async fn catalog(State(app): State<App>) -> Result<Json<Value>, Refusal> {
    let shared = app.clone();
    let list = || async {
        let room = shared.clone();
        shared.compute(move || catalog::functions(&room)).await?
    };
    let functions = app.sql.catalog.get_or_try_init(list).await?;
    let mut catalog = functions.clone();
    let shared = app.clone();
    catalog["examples"] = app.compute(move || catalog::examples(&shared.files)).await?;
    Ok(Json(catalog))
}

#[derive(Deserialize)]
struct Drawn {
    text: String,
}

/// A position or a puzzle as a picture.
async fn draw(Query(Drawn { text }): Query<Drawn>) -> Result<impl IntoResponse, Refusal> {
    let svg = drawing::svg(&text).ok_or_else(|| {
        Refusal::bad("this is no position of chess or four-player chess, and no puzzle")
    })?;
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], svg))
}

/// Columns of an answer as a chart.
async fn plot(
    State(app): State<App>,
    Query(wanted): Query<chart::Wanted>,
) -> Result<impl IntoResponse, Refusal> {
    let answer = app.sql.answers.find(wanted.answer)?;
    let svg = app.compute(move || chart::svg(&answer, &wanted)).await??;
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], svg))
}

/// A whole answer as a file.
async fn export(
    State(app): State<App>,
    Query(wanted): Query<export::Wanted>,
) -> Result<Response, Refusal> {
    let answer = app.sql.answers.find(wanted.answer)?;
    export::stream(&app, answer, wanted).await
}
