//! Statements and what must come of them, read from the files in `statements`.
//!
//! A file begins with a line that says what the session may do, then come records, separated by
//! empty lines; `#` begins a comment.
//!
//! ```text
//! session memory=64 writable
//!
//! query                       rows as CSV with a header; "query sorted" where their order is free
//! select 1 as one
//! ----
//! one
//! 1
//!
//! error                       what is said instead of an answer
//! select nothing
//! ----
//! ...
//!
//! statement                   an answer that does not matter
//! create view v as select 1
//! ```
//!
//! `$FIXTURES`, `$DATA` (files written by `tables`, see `data`) and `$SCRATCH` (an empty directory)
//! stand for directories. `EVERYPLY_BLESS=1` writes what came of a record into its file, to be read
//! before it is kept.
//!
//! The same records run here and on a cluster. There, files with a limit of memory or disk are left
//! out, because such limits are those of the executors; and an error only has to be one, because on
//! its way it loses its kind. Records below the comment `# not on a cluster` are left out too.

#[path = "../data/mod.rs"]
mod data;

use std::{env, fmt::Write as _, fs, num::NonZeroUsize, path::Path, path::PathBuf, time::Duration};

use sql::{Access, Engine, Settings, SqlError, cluster::Address, statements};
use tables::{Format, Shape, Writer};

/// Runs every file where a cluster is, or here, and says what differs.
pub(crate) fn differences(cluster: Option<&Address>) -> String {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../sql/tests/statements");
    let mut files: Vec<PathBuf> =
        fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "slt"));
    files.sort();
    assert!(files.len() >= 5, "the files are here: {files:?}");
    let data = data::write();
    let only = env::var("EVERYPLY_ONLY").unwrap_or_default();
    let mut wrong = String::new();
    for path in files.iter().filter(|path| path.to_string_lossy().contains(&only)) {
        check(path, data.path(), cluster, &mut wrong);
    }
    wrong
}

/// Runs the records of a file in one session, and says where they differ.
fn check(path: &Path, data: &Path, cluster: Option<&Address>, wrong: &mut String) {
    let text = fs::read_to_string(path).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let directories = [
        ("$FIXTURES", fixtures.canonicalize().unwrap()),
        ("$DATA", data.to_owned()),
        ("$SCRATCH", scratch.path().to_owned()),
    ];
    let mut session = None;
    let mut blessed = String::new();
    for (line, block) in blocks(&text) {
        let code: Vec<&str> = block.lines().skip_while(|line| line.starts_with('#')).collect();
        let comments: Vec<&str> = block.lines().take_while(|line| line.starts_with('#')).collect();
        let is_only_here = comments.contains(&"# not on a cluster");
        for comment in comments {
            writeln!(blessed, "{comment}").unwrap();
        }
        let Some((&head, rest)) = code.split_first() else {
            blessed.push('\n');
            continue;
        };
        if let Some(words) = head.strip_prefix("session") {
            if cluster.is_some() && LIMITS.iter().any(|limit| words.contains(limit)) {
                return;
            }
            session = Some(engine(words, cluster));
            writeln!(blessed, "{head}\n").unwrap();
            continue;
        }
        if cluster.is_some() && is_only_here {
            continue;
        }
        let end = rest.iter().position(|&line| line == "----").unwrap_or(rest.len());
        let statement = rest[..end].join("\n");
        let expected = rest[(end + 1).min(rest.len())..].join("\n");
        let engine = session.as_ref().expect("a file begins with its session");
        let found = answer(engine, head, &substituted(&statement, &directories));
        let found = restored(found, &directories);
        let is_error = head == "error" && !found.starts_with("an answer:");
        let is_other_error = cluster.is_some() && is_error;
        // An answer in the place of an error, or the other way round, is never what is wanted.
        let is_other = found.starts_with("an answer:") || found.starts_with("an error:");
        if is_other || found.trim_end() != expected && !is_other_error {
            writeln!(
                wrong,
                "{}:{line}: {statement}\nexpected:\n{expected}\nfound:\n{found}\n",
                path.display()
            )
            .unwrap();
        }
        writeln!(blessed, "{head}\n{statement}").unwrap();
        if !found.is_empty() {
            writeln!(blessed, "----\n{}", found.trim_end()).unwrap();
        }
        blessed.push('\n');
    }
    if env::var_os("EVERYPLY_BLESS").is_some() {
        fs::write(path, format!("{}\n", blessed.trim_end())).unwrap();
        wrong.clear();
    }
}

/// What stands between empty lines, with the numbers of the lines where it begins.
fn blocks(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut line = 1;
    text.split("\n\n").filter_map(move |block| {
        let begins = line;
        line += block.matches('\n').count() + 2;
        (!block.trim().is_empty()).then(|| (begins, block.trim_matches('\n')))
    })
}

/// What a session may say that executors are told instead.
const LIMITS: [&str; 2] = ["memory=", "spill="];

/// A session as the first line of a file asks for it.
pub(crate) fn engine(words: &str, cluster: Option<&Address>) -> Engine {
    let two = NonZeroUsize::new(2).unwrap();
    let mut settings = Settings {
        threads: two,
        memory_limit: 256 << 20,
        cluster: cluster.cloned(),
        ..Settings::default()
    };
    for word in words.split_whitespace() {
        let (name, value) = word.split_once('=').unwrap_or((word, "0"));
        let number: u64 = value.parse().unwrap();
        match name {
            "memory" => settings.memory_limit = (number << 20) as usize,
            "spill" => settings.spill_limit = number << 20,
            "seconds" => settings.time_limit = Some(Duration::from_secs(number)),
            "writable" => settings.guard.access = Access::Writable,
            other => panic!("'{other}' is nothing that a session knows"),
        }
    }
    Engine::new(settings).unwrap()
}

/// What comes of a statement, in the form that the head of its record asks for.
fn answer(engine: &Engine, head: &str, statement: &str) -> String {
    let rows = rows(engine, statement);
    match (head, rows) {
        ("query", Ok(rows)) => filled(&rows),
        ("query sorted", Ok(rows)) => {
            let (header, rows) = rows.split_once('\n').unwrap_or((&rows, ""));
            let mut rows: Vec<&str> = rows.lines().collect();
            rows.sort_unstable();
            filled(&format!("{header}\n{}", rows.join("\n")))
        }
        ("error", Err(error)) => format!("{} {error}", kind(&error)),
        ("statement", Ok(_)) => String::new(),
        (_, Ok(rows)) => format!("an answer:\n{rows}"),
        (_, Err(error)) => format!("an error: {error}"),
    }
}

fn kind(error: &SqlError) -> &'static str {
    match error {
        SqlError::Syntax(_) => "syntax:",
        SqlError::Count(_) => "count:",
        SqlError::Statement(_) => "statement:",
        SqlError::Refused(_) => "refused:",
        SqlError::ReadOnly(_) => "read-only:",
        SqlError::Memory { .. } | SqlError::Disk(_) => "limit:",
        SqlError::Full { .. } => "full:",
        SqlError::Time(_) => "time:",
        SqlError::Interrupted => "interrupted:",
        SqlError::Io(_) => "io:",
        SqlError::NotBuiltIn(_) => "not built in:",
        SqlError::Engine(_) => "engine:",
    }
}

/// The rows of the last statement of a text, as CSV.
pub(crate) fn rows(engine: &Engine, text: &str) -> Result<String, SqlError> {
    let mut last = String::new();
    for statement in statements(text)? {
        let answer = engine.execute(statement)?;
        let mut out = Vec::new();
        let mut writer = Writer::new(&mut out, Format::Csv, answer.schema(), Shape::Many).unwrap();
        for batch in answer {
            writer.write(&batch?).unwrap();
        }
        writer.finish().unwrap();
        last = String::from_utf8(out).unwrap();
    }
    Ok(last)
}

/// An empty line would end the record.
fn filled(rows: &str) -> String {
    let lines = rows.lines().map(|line| if line.is_empty() { "(empty)" } else { line });
    lines.collect::<Vec<_>>().join("\n")
}

fn substituted(text: &str, directories: &[(&str, PathBuf)]) -> String {
    directories.iter().fold(text.to_owned(), |text, (name, directory)| {
        text.replace(name, directory.to_str().unwrap())
    })
}

fn restored(text: String, directories: &[(&str, PathBuf)]) -> String {
    directories.iter().fold(text, |text, (name, directory)| {
        // The plan of a scan writes a path without its first slash.
        let directory = directory.to_str().unwrap();
        text.replace(directory, name).replace(&directory[1..], name)
    })
}
