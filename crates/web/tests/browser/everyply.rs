//! The server that the stories are about, with files to look at.

use std::{
    env, fs,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
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

/// Starts the server in this process, on a directory of its own.
pub(crate) fn launch() -> Launch {
    if let Ok(url) = env::var("EVERYPLY_STORIES_URL") {
        let process = std::process::id();
        return Box::new(move |_| Launched { url: url.clone(), process, end: Box::new(|| ()) });
    }
    let (directory, cache) = directories();
    Box::new(move |port| {
        let cache = Some(cache.path().to_owned());
        let config = Config { port, cache, ..Config::new(directory.path()) };
        let server = Server::bind(config).unwrap_or_else(|error| panic!("no server: {error}"));
        let url = server.url();
        let stop = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&stop);
        let thread = thread::spawn(move || {
            let stopped = server.run(move || asked.load(Ordering::Relaxed));
            stopped.expect("the server runs until it is stopped");
        });
        let end = move || {
            stop.store(true, Ordering::Relaxed);
            thread.join().expect("the server ends without a panic");
        };
        Launched { url, process: std::process::id(), end: Box::new(end) }
    })
}

/// Starts `everyply serve` as a process, on a directory of its own. Its end is SIGKILL.
pub(crate) fn launch_process() -> Launch {
    let (directory, cache) = directories();
    Box::new(move |port| {
        let mut process = Command::new(binary())
            .args(["serve", "--no-open", "--port", &port.to_string(), "--root"])
            .arg(directory.path())
            .env("EVERYPLY_CACHE", cache.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let mut url = String::new();
        let out = process.stdout.as_mut().expect("its output is a pipe");
        BufReader::new(out).read_line(&mut url).expect("it prints its address");
        assert!(url.starts_with("http://"), "everyply serve prints no address");
        let (url, id) = (url.trim_end().to_owned(), process.id());
        let end = move || {
            process.kill().expect("it was running");
            process.wait().expect("it ends");
        };
        Launched { url, process: id, end: Box::new(end) }
    })
}

/// The binary that is built with the tests of the workspace.
fn binary() -> PathBuf {
    let test = env::current_exe().expect("a test has a path");
    let built = test.ancestors().nth(2).expect("tests lie in a directory of their own");
    let binary = built.join("everyply");
    assert!(
        binary.is_file(),
        "stories that kill the server need {}: cargo build --workspace",
        binary.display()
    );
    binary
}

/// The root of a server, with its files, and where it keeps what it builds.
fn directories() -> (tempfile::TempDir, tempfile::TempDir) {
    let [root, cache] =
        [(); 2].map(|()| tempfile::tempdir().expect("there is room for a directory"));
    fill(root.path());
    (root, cache)
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
