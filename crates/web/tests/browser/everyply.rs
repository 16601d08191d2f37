//! The server that the stories are about, with files to look at.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::Ordering,
    thread,
};

use web::{Config, Server, Subject};

use super::{
    house::{Launch, Launched},
    player::root,
};

/// The files below the root of the server, and where they come from.
const FILES: &[(&str, &str)] = &[("games.pgn", "fixtures/chess/pgn/lichess_438_games.pgn")];

/// Pages that stand alone: the file, what it shows, and where that comes from.
const ALONE: &[(&str, Subject, &str)] = &[
    ("chess.html", Subject::Chess, "crates/web/tests/stories/hostile.pgn"),
    ("fourchess.html", Subject::Fourchess, "crates/web/tests/stories/hostile.pgn4"),
];

/// Where pages that stand alone are written.
pub(crate) fn alone() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("alone")
}

/// Starts the server on a directory of its own.
pub(crate) fn launch() -> Launch {
    if let Ok(url) = std::env::var("EVERYPLY_STORIES_URL") {
        return Box::new(move |_, _| Launched { url: url.clone(), thread: thread::spawn(|| ()) });
    }
    let directory = tempfile::tempdir().expect("there is room for a directory");
    fill(directory.path());
    Box::new(move |port, stop| {
        let config = Config { port, ..Config::new(directory.path()) };
        let server = Server::bind(config).unwrap_or_else(|error| panic!("no server: {error}"));
        let url = server.url();
        let thread = thread::spawn(move || {
            let stopped = server.run(move || stop.load(Ordering::Relaxed));
            stopped.expect("the server runs until it is stopped");
        });
        Launched { url, thread }
    })
}

fn fill(directory: &Path) {
    for (name, from) in FILES {
        let copied = fs::copy(root().join(from), directory.join(name));
        copied.unwrap_or_else(|error| panic!("{from}: {error}"));
    }
    fs::create_dir_all(alone()).expect("there is room for a directory");
    for (name, subject, from) in ALONE {
        let text = fs::read(root().join(from)).unwrap_or_else(|error| panic!("{from}: {error}"));
        let page = subject.page(from, &text, 1).unwrap_or_else(|error| panic!("{error}"));
        fs::write(alone().join(name), page).expect("there is room for a page");
    }
}
