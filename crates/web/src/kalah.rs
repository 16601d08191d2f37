//! Kalah on the page.

use axum::Router;

use crate::{app::App, config::Config};

/// What requests share.
pub(crate) struct Room;

impl Room {
    pub(crate) fn new(_: &Config) -> Room {
        Room
    }
}

/// The routes below `/api/kalah`.
pub(crate) fn routes() -> Router<App> {
    Router::new()
}
