//! Requests that are not answered, and why.

use std::fmt::Display;

use axum::{
    Json,
    http::{HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde_json::json;

/// Why a request is not answered: a status and a sentence that the page shows.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) message: String,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, message: impl Display) -> Refusal {
        Refusal { status, message: message.to_string() }
    }

    /// The request asks for something that cannot be.
    pub(crate) fn bad(message: impl Display) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, message)
    }

    /// There is nothing of that name.
    pub(crate) fn missing(message: impl Display) -> Refusal {
        Refusal::new(StatusCode::NOT_FOUND, message)
    }

    /// The request is not allowed.
    pub(crate) fn forbidden(message: impl Display) -> Refusal {
        Refusal::new(StatusCode::FORBIDDEN, message)
    }

    /// Too much is being computed already.
    pub(crate) fn busy() -> Refusal {
        Refusal::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the server is busy with other work: try again in a moment",
        )
    }

    /// The request has hit a mistake of ours. The panic itself goes to standard error.
    pub(crate) fn broken() -> Refusal {
        Refusal::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the server made a mistake; its terminal says more",
        )
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(json!({ "error": self.message }))).into_response();
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}
