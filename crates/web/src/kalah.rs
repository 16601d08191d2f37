//! Kalah on the page: games with the value of every move, opponents, and small games that are
//! solved on the spot, and values that are searched.

mod places;
mod playing;
mod replay;
mod searching;
mod solving;

use axum::{
    Json, Router,
    routing::{get, post},
};
use kalah::{Kalah, Rules, Standing};
use serde_json::Value;

pub(crate) use places::Room;

use crate::{app::App, refusal::Refusal};

/// The routes below `/api/kalah`.
pub(crate) fn routes() -> Router<App> {
    Router::new()
        .route("/api/kalah/places", get(places::list))
        .route("/api/kalah/game", post(playing::game))
        .route("/api/kalah/reply", post(playing::reply))
        .route("/api/kalah/record", post(playing::record))
        .route("/api/kalah/search", post(searching::search))
        .route("/api/kalah/cost", get(solving::cost))
        .route("/api/kalah/solve", post(solving::solve))
}

/// What most routes give.
type Answer = Result<Json<Value>, Refusal>;

/// The rules by their name; the usual ones if there is none.
fn rules(name: &str) -> Result<Rules, Refusal> {
    if name.is_empty() { Ok(Rules::default()) } else { name.parse().map_err(Refusal::bad) }
}

/// A game from its size, such as `4x3`, or from a start position.
fn parse_game(text: &str, rules: Rules) -> Result<(Kalah, Standing), Refusal> {
    if let Some((pits, seeds)) = text.split_once('x') {
        let number = |text: &str| text.trim().parse::<u32>().ok();
        let wrong = || {
            let text = text.escape_debug();
            Refusal::bad(format_args!("'{text}' is not a size such as 4x3"))
        };
        let (pits, seeds) = number(pits).zip(number(seeds)).ok_or_else(wrong)?;
        let kalah = Kalah::new(pits as usize, seeds, rules).map_err(Refusal::bad)?;
        let position = game::Game::start(&kalah);
        return Ok((kalah, Standing { position, stores: None }));
    }
    let standing: Standing = text.parse().map_err(Refusal::bad)?;
    Ok((Kalah::from_start(standing.position, rules), standing))
}
