//! What a request must be before any route sees it.
//!
//! | against | is checked |
//! |---|---|
//! | names of other sites that resolve to this machine | `Host`, for every request |
//! | pages of other sites in the same browser | `Sec-Fetch-Site` and `Origin` |
//! | other users and programs of this machine | the key, for everything below `/api/` |
//! | text that would run as a script | the policy in the headers of every response |

mod headers;
mod hosts;
mod key;

use axum::{
    body::Body,
    http::{Method, Request, StatusCode, header},
};

pub(crate) use self::{headers::add as add_headers, hosts::Hosts, key::Key};
use crate::refusal::Refusal;

/// Below this path everything needs the key.
const API: &str = "/api/";

/// Who may ask.
#[derive(Debug)]
pub(crate) struct Guard {
    pub(crate) hosts: Hosts,
    pub(crate) key: Key,
}

impl Guard {
    /// Refuses what may not pass.
    pub(crate) fn check(&self, request: &Request<Body>) -> Result<(), Refusal> {
        let headers = request.headers();
        if !self.hosts.allow(request) {
            return Err(Refusal::forbidden("this server does not answer to that name"));
        }
        let is_api = request.uri().path().starts_with(API);
        let reads = matches!(*request.method(), Method::GET | Method::HEAD);
        if !reads && (!is_api || request.method() != Method::POST) {
            let message = "this address is asked in another way";
            return Err(Refusal::new(StatusCode::METHOD_NOT_ALLOWED, message));
        }
        if is_api {
            let site = headers.get("sec-fetch-site");
            if site.is_some_and(|site| site != "same-origin" && site != "none") {
                return Err(Refusal::forbidden("requests of other sites are refused"));
            }
            let mut origins = headers.get_all(header::ORIGIN).iter();
            if !origins.all(|origin| self.hosts.is_origin(origin.as_bytes())) {
                return Err(Refusal::forbidden("requests of other sites are refused"));
            }
            if !self.key.opens(headers) {
                let message =
                    "the key is missing or old: open the address that everyply serve has printed";
                return Err(Refusal::new(StatusCode::UNAUTHORIZED, message));
            }
        }
        Ok(())
    }
}
