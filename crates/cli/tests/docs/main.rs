//! Runs every command that README.md and docs/*.md show, and compares what they print with what
//! the pages say they print.
//!
//! Each page has a directory of its own, in which its commands run one after the other, as a reader
//! would type them. The directory holds the fixtures, and the files that pages speak of. The page of
//! the template for a game of one's own comes with a program of its own, which is built first.

mod fences;
mod shown;
mod template;

use std::{
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    thread,
};

use fences::{Example, Fence, Kind};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The files that pages speak of, each with its fixture. What ends in `.zst` is packed.
const FILES: &[(&str, &str)] = &[
    ("games.pgn", "fixtures/chess/pgn/lichess_438_games.pgn"),
    ("games.pgn.zst", "fixtures/chess/pgn/lichess_438_games.pgn"),
    ("positions.epd", "fixtures/chess/perft/tricky.epd"),
    ("puzzles.txt", "fixtures/kenken/keen_6h.txt"),
];

#[test]
fn every_command_of_the_pages_prints_what_they_show() {
    let pages = pages();
    assert!(pages.len() > 5, "{pages:?}");
    let reports: Vec<Report> = thread::scope(|scope| {
        let running: Vec<_> = pages.iter().map(|page| scope.spawn(|| check(page))).collect();
        running.into_iter().map(|page| page.join().expect("a report")).collect()
    });
    tell(&reports);
    assert!(reports.iter().map(|report| report.run).sum::<usize>() > 30, "the pages are read");
}

/// Says what was run, and fails if a command printed something else.
fn tell(reports: &[Report]) {
    // Written past the test's own capture: what is not run is to be seen when all is well, too.
    let mut out = io::stderr();
    for report in reports.iter().filter(|report| report.run + report.not_run.len() > 0) {
        let _ = writeln!(out, "{}: {} commands run", report.page, report.run);
        for (place, why) in &report.not_run {
            let _ = writeln!(out, "{place}: not run: {why}");
        }
    }
    let wrong: Vec<&str> =
        reports.iter().flat_map(|report| &report.wrong).map(String::as_str).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// README.md, CONTRIBUTING.md and all of docs, from the root.
fn pages() -> Vec<String> {
    let listing = fs::read_dir(Path::new(ROOT).join("docs")).expect("docs");
    let names =
        listing.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"));
    let mut pages: Vec<String> =
        names.filter(|name| name.ends_with(".md")).map(|name| format!("docs/{name}")).collect();
    pages.extend(["README.md", "CONTRIBUTING.md"].map(str::to_owned));
    pages.sort();
    pages
}

/// What became of the commands of a page.
struct Report {
    page: String,
    run: usize,
    /// Places with the reason the page gives.
    not_run: Vec<(String, String)>,
    wrong: Vec<String>,
}

fn check(page: &str) -> Report {
    let mut report =
        Report { page: page.to_owned(), run: 0, not_run: Vec::new(), wrong: Vec::new() };
    let text = fs::read_to_string(Path::new(ROOT).join(page)).expect("a page");
    let directory = Directory::new();
    for fence in fences::read(&text) {
        let place = format!("{page}:{}", fence.line);
        match &fence.kind {
            Kind::Commands => run_all(page, &fence, &directory, &mut report),
            Kind::NotRun(why) => report.not_run.push((place, why.clone())),
            Kind::Shown => {}
            Kind::Unknown(info) => {
                report.wrong.push(format!("{place}: a fence marked '{info}', which is not known"));
            }
        }
    }
    report
}

fn run_all(page: &str, fence: &Fence, directory: &Directory, report: &mut Report) {
    for Example { line, command, output } in fence.examples() {
        let place = format!("{page}:{line}");
        let found = directory.run(&command);
        report.run += 1;
        if let Err(why) = compare(&output, &found) {
            report.wrong.push(format!("{place}: $ {command}\n{why}"));
        }
    }
}

/// A command that fails must be shown to fail, with what it says.
fn compare(shown: &[String], found: &Output) -> Result<(), String> {
    let mut text = String::from_utf8_lossy(&found.stdout).into_owned();
    let failed = !found.status.success();
    if failed {
        text += &String::from_utf8_lossy(&found.stderr);
    }
    if shown.is_empty() && !failed {
        return Ok(());
    }
    let found: Vec<&str> = text.trim_end().lines().map(str::trim_end).collect();
    let shown: Vec<&str> = shown.iter().map(String::as_str).collect();
    if shown::matches(&shown, &found) {
        return Ok(());
    }
    Err(format!("shown:\n{}\nprinted:\n{}", shown.join("\n"), found.join("\n")))
}

/// Where the commands of a page run.
struct Directory {
    directory: tempfile::TempDir,
    path: String,
}

impl Directory {
    fn new() -> Directory {
        let directory = tempfile::tempdir().expect("a directory");
        for (name, fixture) in FILES {
            let bytes = fs::read(Path::new(ROOT).join(fixture)).expect("a fixture");
            let bytes = match name.ends_with(".zst") {
                true => zstd::encode_all(&bytes[..], 1).expect("memory"),
                false => bytes,
            };
            let mut file = fs::File::create(directory.path().join(name)).expect("a file");
            file.write_all(&bytes).expect("a file");
        }
        let root = fs::canonicalize(ROOT).expect("the root");
        std::os::unix::fs::symlink(root.join("fixtures"), directory.path().join("fixtures"))
            .expect("a link");
        let binary = PathBuf::from(env!("CARGO_BIN_EXE_everyply"));
        let binaries = binary.parent().expect("a directory").display();
        let path = format!("{binaries}:{}", std::env::var("PATH").unwrap_or_default());
        Directory { directory, path }
    }

    fn run(&self, command: &str) -> Output {
        Command::new("sh")
            .args(["-c", command])
            .current_dir(self.directory.path())
            .env("PATH", &self.path)
            .env("HOME", self.directory.path())
            .stdin(Stdio::null())
            .output()
            .expect("a shell")
    }
}
