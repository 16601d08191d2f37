//! The front end: files of `assets`, and the symbols of the pieces.
//!
//! They are embedded in the binary. A debug build prefers what is on disk, so that a change of a
//! style or a module needs no build; it sends the same bytes as a build of it would.

use std::{borrow::Cow, collections::HashMap, fs, path::Path, sync::LazyLock};

use axum::{
    Router,
    body::Body,
    extract::Path as UrlPath,
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};

use crate::{app::App, bare::bare, pieces, refusal::Refusal};

const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/assets.rs"));

/// Pages and the files they begin with.
const PAGES: [(&str, &str); 6] = [
    ("/", "index.html"),
    ("/chess", "chess.html"),
    ("/kalah", "kalah.html"),
    ("/kenken", "kenken.html"),
    ("/fourchess", "fourchess.html"),
    ("/sql", "sql.html"),
];

/// A file as it is sent.
struct Asset {
    bytes: Cow<'static, [u8]>,
    kind: &'static str,
    tag: HeaderValue,
}

static EMBEDDED: LazyLock<HashMap<&str, Asset>> = LazyLock::new(|| {
    let files = FILES.iter().map(|&(name, bytes)| (name, Asset::new(name, Cow::Borrowed(bytes))));
    let pieces = pieces::symbols().into_bytes();
    let pieces = ("pieces.svg", Asset::new("pieces.svg", Cow::Owned(pieces)));
    files.chain([pieces]).collect()
});

impl Asset {
    fn new(name: &str, bytes: Cow<'static, [u8]>) -> Asset {
        let tag = format!("\"{:016x}\"", fingerprint(&bytes));
        let tag = HeaderValue::try_from(tag).expect("digits");
        Asset { kind: kind(name), tag, bytes }
    }
}

/// The text of a file of the front end, as it was built.
pub(crate) fn text(name: &str) -> Option<&'static str> {
    let (_, bytes) = FILES.iter().find(|(known, _)| *known == name)?;
    std::str::from_utf8(bytes).ok()
}

/// The routes of pages and of the files they use.
pub(crate) fn routes() -> Router<App> {
    let mut router = Router::new().route("/assets/{name}", get(asset));
    for (path, name) in PAGES {
        router = router.route(path, get(async move |headers: HeaderMap| send(name, &headers)));
    }
    router
}

async fn asset(UrlPath(name): UrlPath<String>, headers: HeaderMap) -> Result<Response, Refusal> {
    send(&name, &headers)
}

/// Sends a file, unless the browser has it already.
fn send(name: &str, headers: &HeaderMap) -> Result<Response, Refusal> {
    let known = EMBEDDED.get(name);
    let known = known.ok_or_else(|| Refusal::missing("there is nothing at this address"))?;
    let fresh = on_disk(name);
    let asset = fresh.as_ref().unwrap_or(known);
    let about = [
        (header::ETAG, asset.tag.clone()),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (header::CONTENT_TYPE, HeaderValue::from_static(asset.kind)),
    ];
    if headers.get(header::IF_NONE_MATCH).is_some_and(|tag| tag == asset.tag) {
        return Ok((StatusCode::NOT_MODIFIED, about).into_response());
    }
    let body = match &asset.bytes {
        Cow::Borrowed(bytes) => Body::from(*bytes),
        Cow::Owned(bytes) => Body::from(bytes.clone()),
    };
    Ok((about, body).into_response())
}

/// The file as it is on disk, in a debug build.
fn on_disk(name: &str) -> Option<Asset> {
    if !cfg!(debug_assertions) {
        return None;
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets").join(name);
    let text = bare(name, &fs::read_to_string(path).ok()?);
    Some(Asset::new(name, Cow::Owned(text.into_bytes())))
}

fn kind(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        _ => "application/octet-stream",
    }
}

/// FNV-1a: files change by our hands only, so nobody looks for two with the same tag.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_has_its_file_and_every_file_a_type() {
        for (name, bytes) in FILES {
            assert_ne!(kind(name), "application/octet-stream", "{name}");
            assert!(!bytes.is_empty(), "{name}");
        }
        assert!(EMBEDDED.contains_key("index.html"));
    }

    #[test]
    fn all_pages_together_are_small() {
        let all: usize = FILES.iter().map(|(_, bytes)| bytes.len()).sum();
        assert!(all <= 250_000, "the front end has {all} bytes");
    }
}
