//! Manners that hold for every command: what cannot be written is said in one line, a reader that
//! has seen enough is no error, and Ctrl-C ends with 130 and leaves what is whole or can be resumed
//! with.

#![cfg(unix)]

mod commands;

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{Child, Command, ExitStatus, Output, Stdio},
    sync::OnceLock,
    thread,
    time::{Duration, Instant},
};

use commands::{COMMANDS, Input, Long, Manners, SERVERS};
use tempfile::TempDir;

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures");
const BINARY: &str = env!("CARGO_BIN_EXE_everyply");

/// A directory with what the commands of the table read.
fn directory() -> &'static Path {
    static DIRECTORY: OnceLock<TempDir> = OnceLock::new();
    let directory = DIRECTORY.get_or_init(|| {
        let directory = tempfile::tempdir().expect("a directory");
        for (name, fixture) in commands::FILES {
            fs::copy(format!("{FIXTURES}/{fixture}"), directory.path().join(name))
                .expect("a fixture");
        }
        for words in commands::PREPARED {
            let made = command(words, directory.path()).output().expect("the binary runs");
            assert!(made.status.success(), "{words}: {}", stderr(&made));
        }
        directory
    });
    directory.path()
}

fn command(words: &str, directory: &Path) -> Command {
    let mut command = Command::new(BINARY);
    command.args(words.split_whitespace()).current_dir(directory);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Failed with the code of what cannot be written, and said so in one line.
fn is_refused(words: &str, output: &Output) -> String {
    let said = stderr(output);
    assert_eq!(output.status.code(), Some(3), "{words}: {said}");
    assert_eq!(said.lines().count(), 1, "{words}: {said}");
    assert!(said.starts_with("everyply: "), "{words}: {said}");
    said
}

#[test]
fn every_command_is_in_the_table() {
    let pages = tempfile::tempdir().expect("a directory");
    let made = command("man --out .", pages.path()).output().expect("the binary runs");
    assert!(made.status.success());
    let listing = fs::read_dir(pages.path()).expect("pages");
    let names = listing.map(|page| page.expect("a page").file_name().into_string().expect("UTF-8"));
    let names: Vec<String> = names.map(|name| name.trim_end_matches(".1").to_owned()).collect();
    let is_leaf =
        |name: &&String| !names.iter().any(|other| other.starts_with(&format!("{name}-")));
    let mut leaves: Vec<String> = names
        .iter()
        .filter(is_leaf)
        .map(|name| name.trim_start_matches("everyply-").replace('-', " "))
        .filter(|name| !name.ends_with("help"))
        .collect();
    leaves.sort();
    let mut known: Vec<&str> = COMMANDS.iter().map(|manners| manners.command).collect();
    known.extend(SERVERS);
    known.sort();
    assert_eq!(leaves, known);
}

#[test]
fn completions_know_every_command() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = command(&format!("completions {shell}"), directory()).output();
        let script = String::from_utf8(output.expect("the binary runs").stdout).expect("UTF-8");
        for word in COMMANDS.iter().flat_map(|manners| manners.command.split(' ')) {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}

/// Flags that several commands have, and how each begins to explain them.
const SHARED_FLAGS: [&str; 3] = [
    "--format <FORMAT> Output format",
    "--threads <T> Number of threads",
    "--seed <SEED> Random seed;",
];

#[test]
fn every_command_gives_examples_and_explains_shared_flags_in_the_same_words() {
    let commands = COMMANDS.iter().map(|manners| manners.command);
    for command in commands.chain(SERVERS.iter().copied()) {
        let help = help(command);
        assert!(help.contains("\nExamples:\n  "), "{command}: {help}");
        let example = format!("  everyply {command}");
        assert!(help.contains(&example), "{command}: no example is of this command");
        let words: Vec<&str> = help.split_whitespace().collect();
        let text = words.join(" ");
        for flag in SHARED_FLAGS {
            let name = flag.split('>').next().expect("a flag");
            let found = text.find(name).map(|start| &text[start..]);
            assert!(found.is_none_or(|text| text.starts_with(flag)), "{command}: {found:?}");
        }
    }
}

fn help(name: &str) -> String {
    let output = command(&format!("{name} --help"), directory()).output();
    String::from_utf8(output.expect("the binary runs").stdout).expect("UTF-8")
}

#[test]
fn every_column_is_documented() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/formats.md");
    let page = fs::read_to_string(page).expect("docs/formats.md");
    // Facts have a page of their own, those who ask in SQL name their columns themselves, and a
    // booklet on standard output is no table; in files it comes with that of `kenken generate`.
    let elsewhere = ["chess facts", "kenken book", "sql"];
    for manners in COMMANDS.iter().filter(|manners| !elsewhere.contains(&manners.command)) {
        if !help(manners.command).contains("--format ") {
            continue;
        }
        let little = manners.little();
        let words = little.split(" --format ").next().expect("words");
        let output = command(&format!("{words} --format csv"), directory()).output();
        let rows = String::from_utf8(output.expect("the binary runs").stdout).expect("UTF-8");
        let header = rows.lines().next().unwrap_or_default();
        assert!(!header.is_empty(), "{words}");
        for column in header.split(',') {
            assert!(page.contains(&format!("`{column}`")), "{words}: {column}");
        }
    }
}

#[test]
fn a_full_device_is_said_in_one_line() {
    for manners in COMMANDS {
        let words = manners.little();
        let full = fs::File::options().write(true).open("/dev/full").expect("a full device");
        let output = command(&words, directory()).stdout(full).output().expect("the binary runs");
        let said = is_refused(&words, &output);
        assert!(said.contains("No space left on device"), "{words}: {said}");
    }
}

#[test]
fn a_place_that_cannot_be_written_is_said_in_one_line() {
    for (manners, words) in COMMANDS.iter().flat_map(Manners::writing) {
        // Below a file there is no directory; a directory without permission would do for all but
        // root.
        let words = words.replace("OUT", "games.pgn");
        let output = command(&words, directory()).output().expect("the binary runs");
        let said = is_refused(&words, &output);
        assert!(said.contains("games.pgn"), "{}: {said}", manners.command);
    }
}

#[test]
fn a_full_disk_is_said_in_one_line_and_leaves_no_file_that_looks_whole() {
    for (_, words) in COMMANDS.iter().flat_map(Manners::writing) {
        let out = tempfile::tempdir().expect("a directory");
        let words = words.replace("OUT", out.path().to_str().expect("UTF-8"));
        // No file may hold a byte: a disk that is full from the start.
        let limited = format!("trap '' XFSZ; ulimit -f 0; exec {BINARY} {words}");
        let output = Command::new("sh")
            .args(["-c", &limited])
            .current_dir(directory())
            .stdin(Stdio::null())
            .output()
            .expect("a shell");
        is_refused(&words, &output);
        let whole = [".parquet", ".csv", ".svg", ".png", ".pdf", ".pgn4", ".jsonl"];
        let names = walk(out.path());
        let looks_whole = |name: &&String| whole.iter().any(|ending| name.ends_with(ending));
        assert_eq!(names.iter().find(looks_whole), None, "{words}");
    }
}

fn walk(directory: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            names.extend(walk(&path));
        } else {
            names.push(path.display().to_string());
        }
    }
    names
}

#[test]
fn a_reader_that_has_seen_enough_is_no_error() {
    let streams = COMMANDS.iter().flat_map(|manners| {
        let long = manners.long.iter().filter(|long| long.streams);
        let long = long.map(|long| (format!("{} {}", manners.command, long.words), long.input));
        long.chain([(manners.little(), Input::Nothing)])
    });
    for (words, input) in streams {
        let mut child = Running::start(&words, input);
        let mut line = String::new();
        let mut out = BufReader::new(child.process.stdout.take().expect("a pipe"));
        out.read_line(&mut line).expect("a line");
        drop(out);
        let (status, said) = child.end(Duration::from_secs(60));
        assert_eq!(status.code(), Some(0), "{words}: {said}");
        let figures = [
            "positions recomputed",
            "positions in the store",
            "nodes in",
            "games of",
            "read and written in",
        ];
        let is_figure = |line: &str| figures.iter().any(|figure| line.contains(figure));
        assert!(said.lines().all(is_figure), "{words}: {said}");
    }
}

#[test]
fn control_c_ends_with_130_and_leaves_what_is_whole() {
    let cases: Vec<(&Manners, &Long)> = COMMANDS
        .iter()
        .flat_map(|manners| manners.long.iter().map(move |long| (manners, long)))
        .collect();
    assert!(cases.len() > 15);
    directory();
    // Each waits most of its time.
    thread::scope(|scope| {
        for cases in cases.chunks(cases.len().div_ceil(4)) {
            scope.spawn(|| cases.iter().for_each(|(manners, long)| interrupted(manners, long)));
        }
    });
}

const SOON: Duration = Duration::from_millis(300);
const LATER: Duration = Duration::from_millis(1_200);
const SIGINT: i32 = 2;

/// Interrupts a command, soon and later.
fn interrupted(manners: &Manners, long: &Long) {
    for after in [SOON, LATER] {
        let out = tempfile::tempdir().expect("a directory");
        let place = out.path().to_str().expect("UTF-8");
        let words = format!("{} {}", manners.command, long.words).replace("OUT", place);
        let mut child = Running::start(&words, long.input);
        let mut stdout = child.process.stdout.take().expect("a pipe");
        let rows = thread::spawn(move || {
            let mut text = Vec::new();
            stdout.read_to_end(&mut text).map(|_| text)
        });
        thread::sleep(after);
        child.interrupt();
        let (status, said) = child.end(Duration::from_secs(90));
        if status.signal() == Some(SIGINT) && after < LATER {
            println!("not run: {words}, on a machine too busy to begin in {after:?}");
            continue;
        }
        if status.code() == Some(0) && long.resume.is_some() {
            println!("not run: {words}, which ended before {after:?}");
            continue;
        }
        assert_eq!(status.code(), Some(130), "{words} after {after:?}: {said} {status:?}");
        assert_eq!(said.lines().filter(|line| line.contains("panicked")).count(), 0, "{said}");
        let rows = rows.join().expect("a reader").expect("rows");
        let is_text = !words.contains("parquet");
        assert!(rows.is_empty() || !is_text || rows.ends_with(b"\n"), "{words}: a row is cut off");
        for name in walk(out.path()) {
            assert!(!name.ends_with(".parquet") || is_whole_parquet(&name), "{words}: {name}");
        }
        if let Some(resume) = long.resume {
            let words = format!("{} {resume}", manners.command).replace("OUT", place);
            let output = command(&words, directory()).output().expect("the binary runs");
            assert_eq!(output.status.code(), Some(0), "{words}: {}", stderr(&output));
        }
    }
}

fn is_whole_parquet(path: &str) -> bool {
    fs::read(path).is_ok_and(|bytes| bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"))
}

/// A command under way, fed for as long as it listens.
struct Running {
    process: Child,
    feed: Option<thread::JoinHandle<()>>,
    /// Kept open where nothing is said.
    _input: Option<std::process::ChildStdin>,
}

impl Running {
    fn start(words: &str, input: Input) -> Running {
        let mut command = command(words, directory());
        if input != Input::Nothing {
            command.stdin(Stdio::piped());
        }
        let mut process = command.spawn().expect("the binary starts");
        let mut stdin = process.stdin.take();
        let feed = match input {
            Input::Endless(name) => {
                let bytes = fs::read(directory().join(name)).expect("a fixture");
                let mut stdin = stdin.take().expect("a pipe");
                // The pipe breaks when the command ends.
                Some(thread::spawn(move || while stdin.write_all(&bytes).is_ok() {}))
            }
            Input::Nothing | Input::Silence => None,
        };
        Running { process, feed, _input: stdin }
    }

    fn interrupt(&self) {
        let pid = self.process.id().to_string();
        // A process that has ended is still there until it is waited for.
        let sent = Command::new("kill").args(["-INT", &pid]).status().expect("kill");
        assert!(sent.success());
    }

    /// Waits for the end, and what it said on the way.
    fn end(mut self, patience: Duration) -> (ExitStatus, String) {
        let mut errors = self.process.stderr.take().expect("a pipe");
        let said = thread::spawn(move || {
            let mut said = String::new();
            errors.read_to_string(&mut said).map(|_| said)
        });
        let start = Instant::now();
        let status = loop {
            match self.process.try_wait().expect("a process of ours") {
                Some(status) => break status,
                None if start.elapsed() > patience => {
                    self.process.kill().expect("a process of ours");
                }
                None => thread::sleep(Duration::from_millis(20)),
            }
        };
        if let Some(feed) = self.feed.take() {
            feed.join().expect("the feed ends");
        }
        assert_ne!(status.signal(), Some(9), "it did not end by itself");
        (status, said.join().expect("a reader").expect("UTF-8"))
    }
}
