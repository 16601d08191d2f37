//! The start page, the files of the front end and what every page may ask.

mod client;

use client::Page;
use serde_json::json;

#[test]
fn the_start_page_and_its_files_are_sent_once() {
    let root = tempfile::tempdir().unwrap();
    let page = Page::of(root.path());
    let start = page.ask("GET", "/", &[], b"");
    assert_eq!(start.status, 200);
    assert_eq!(start.header("content-type"), Some("text/html; charset=utf-8"));
    let tag = start.header("etag").unwrap();
    let again = page.ask("GET", "/", &[("If-None-Match", tag)], b"");
    assert_eq!((again.status, again.body.len()), (304, 0));
    let pieces = page.ask("GET", "/assets/pieces.svg", &[], b"");
    assert_eq!(pieces.header("content-type"), Some("image/svg+xml"));
    for role in chess::Role::ALL {
        assert!(pieces.text().contains(&format!("<symbol id=\"piece-{}\"", role.name())));
    }
    for name in ["nothing.js", "..%2fCargo.toml", "%2e%2e/src/lib.rs"] {
        assert_eq!(page.ask("GET", &format!("/assets/{name}"), &[], b"").status, 404, "{name}");
    }
}

#[test]
fn the_files_below_the_root_are_listed() {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir(root.path().join("games")).unwrap();
    std::fs::write(root.path().join("games/a.pgn"), "*").unwrap();
    let game = root.path().join("games/a.pgn");
    let config = web::Config { opened: vec![game], ..web::Config::new(root.path()) };
    let page = Page::with(config);
    let files = json!({ "files": [
        { "name": "games", "directory": true },
        { "name": "games/a.pgn", "directory": false, "bytes": 1 },
    ] });
    let mut listed = page.json("/api/files");
    // The length of a directory is the system's affair.
    listed["files"][0].as_object_mut().unwrap().remove("bytes");
    assert_eq!(listed, files);
    assert_eq!(page.json("/api/hello")["opened"], json!(["games/a.pgn"]));
}
