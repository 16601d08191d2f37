//! The puzzles of `fixtures/kenken`, read once for each test that wants them.

#![allow(dead_code, reason = "each test file uses its own part")]

pub(crate) mod random;

use std::{fs, path::PathBuf};

use kenken::{Puzzle, json, keen};

/// The text of one fixture.
pub(crate) fn fixture(name: &str) -> String {
    let path: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "..", "..", "fixtures", "kenken", name].iter().collect();
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// One file of Keen's puzzles.
pub(crate) struct KeenFile {
    /// `9`, `x` and `m` of `keen_9xm.txt`.
    pub(crate) name: String,
    pub(crate) side: usize,
    pub(crate) level: char,
    pub(crate) ids: Vec<String>,
}

/// Every `keen_*.txt`, by name.
pub(crate) fn keen_files() -> Vec<KeenFile> {
    let directory: PathBuf =
        [env!("CARGO_MANIFEST_DIR"), "..", "..", "fixtures", "kenken"].iter().collect();
    let mut names: Vec<String> = fs::read_dir(directory)
        .expect("the fixtures are there")
        .map(|entry| entry.expect("the directory can be read").file_name().into_string().unwrap())
        .filter(|name| name.starts_with("keen_"))
        .collect();
    names.sort();
    names
        .into_iter()
        .map(|name| {
            let code = name.trim_start_matches("keen_").trim_end_matches(".txt");
            let side = code.chars().next().unwrap().to_digit(10).unwrap() as usize;
            let level = code.chars().nth(1).unwrap();
            let ids = fixture(&name).lines().map(str::to_owned).collect();
            KeenFile { name: code.to_owned(), side, level, ids }
        })
        .collect()
}

/// Every puzzle of every Keen file with a name.
pub(crate) fn keen_puzzles() -> Vec<(String, Puzzle)> {
    keen_files()
        .into_iter()
        .flat_map(|file| {
            file.ids.into_iter().enumerate().map(move |(line, id)| {
                let name = format!("keen_{}:{}", file.name, line + 1);
                let puzzle = keen::parse(&id).unwrap_or_else(|error| panic!("{name}: {error}"));
                (name, puzzle)
            })
        })
        .collect()
}

/// A puzzle of a `.jsonl` fixture with what is known of it.
pub(crate) struct Known {
    pub(crate) document: json::Document,
    /// `Some(0)`, `Some(1)`, `Some(2)` for at least two, `None` where nobody knows.
    pub(crate) solutions: Option<u64>,
    pub(crate) name: String,
}

/// Every puzzle of one `.jsonl` fixture.
pub(crate) fn known(name: &str) -> Vec<Known> {
    fixture(name)
        .lines()
        .map(|line| {
            let document = json::parse(line).unwrap_or_else(|error| panic!("{name}: {error}"));
            let solutions = match field(line, "solutions") {
                "0" => Some(0),
                "1" => Some(1),
                ">=2" => Some(2),
                "unknown" => None,
                other => panic!("{name}: solutions {other}"),
            };
            Known { name: document.id.clone().unwrap(), document, solutions }
        })
        .collect()
}

/// The text of a string field of a JSON line.
fn field<'a>(line: &'a str, name: &str) -> &'a str {
    let key = format!("\"{name}\":");
    let rest = &line[line.find(&key).expect("the field is there") + key.len()..];
    rest.trim_start().trim_start_matches('"').split('"').next().unwrap()
}

/// Whether the slow tests were asked for; says so if not.
pub(crate) fn slow(what: &str) -> bool {
    let asked = std::env::var_os("EVERYPLY_SLOW").is_some_and(|value| value == "1");
    if !asked {
        println!("{what}: not run (set EVERYPLY_SLOW=1)");
    }
    asked
}
