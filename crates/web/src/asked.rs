//! What a request asks for: its query and its body, read within the limits.

use axum::{
    body::{Body, Bytes, to_bytes},
    extract::{FromRequest, FromRequestParts, Query as AxumQuery, Request},
    http::{StatusCode, header, request::Parts},
};
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use crate::{app::App, refusal::Refusal};

/// The query of a request.
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequestParts<App> for Query<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Query<T>, Refusal> {
        let query = AxumQuery::try_from_uri(&parts.uri);
        query.map(|AxumQuery(query)| Query(query)).map_err(|error| Refusal::bad(error.body_text()))
    }
}

/// The body of a request: JSON.
pub(crate) struct Posted<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<App> for Posted<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, app: &App) -> Result<Posted<T>, Refusal> {
        // A form of another site cannot send this type without asking first.
        let kind = request.headers().get(header::CONTENT_TYPE);
        if !kind.is_some_and(|kind| kind.as_bytes().starts_with(b"application/json")) {
            let message = "the body of this request has to be application/json";
            return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
        }
        let bytes = read(app, request, app.config.limits.body).await?;
        let body = serde_json::from_slice(&bytes);
        body.map(Posted).map_err(|error| Refusal::bad(format!("the request is not right: {error}")))
    }
}

/// The body of a request: games as text, of which there may be many.
pub(crate) struct PostedGames(pub(crate) Bytes);

impl FromRequest<App> for PostedGames {
    type Rejection = Refusal;

    async fn from_request(request: Request, app: &App) -> Result<PostedGames, Refusal> {
        read(app, request, app.config.limits.games).await.map(PostedGames)
    }
}

/// The bytes of a body that is neither too large nor too slow.
async fn read(app: &App, request: Request<Body>, limit: usize) -> Result<Bytes, Refusal> {
    let too_large = || {
        let message = format!("the body of this request may have {limit} bytes");
        Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message)
    };
    let length = request.headers().get(header::CONTENT_LENGTH);
    let length = length.and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > limit as u64) {
        return Err(too_large());
    }
    match timeout(app.config.limits.body_time, to_bytes(request.into_body(), limit)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        // Whoever has gone in the middle of a body hears nothing of this.
        Ok(Err(_)) => Err(too_large()),
        Err(_) => {
            let message = "the body of this request came too slowly";
            Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, message))
        }
    }
}
