//! What the start page shows: the files that were opened, and those below the root.

use axum::{Json, Router, extract::State, routing::get};
use serde_json::{Value, json};

use crate::{app::App, refusal::Refusal};

/// The routes of what every page may ask.
pub(crate) fn routes() -> Router<App> {
    Router::new().route("/api/files", get(files)).route("/api/hello", get(hello))
}

/// Says that the server is there and the key is right, and what was opened.
async fn hello(State(app): State<App>) -> Json<Value> {
    let opened = app.config.opened.iter().filter_map(|path| app.files.name(path));
    let opened: Vec<String> = opened.collect();
    let stores = app.config.stores.len();
    Json(json!({ "version": env!("CARGO_PKG_VERSION"), "opened": opened, "stores": stores }))
}

/// The files below the root.
async fn files(State(app): State<App>) -> Result<Json<Value>, Refusal> {
    let shared = app.clone();
    let entries = app.compute(move || shared.files.list()).await?;
    let entries: Vec<Value> = entries
        .into_iter()
        .map(|entry| {
            json!({ "name": entry.name, "directory": entry.is_directory, "bytes": entry.bytes })
        })
        .collect();
    Ok(Json(json!({ "files": entries })))
}
