//! Whatever the command writes is synced before it has its name, and the directory after that, seen
//! from outside by strace.

#[path = "../../stores/tests/servers/missing.rs"]
mod missing;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

const GAMES: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/chess/pgn/lichess_438_games.pgn");

/// Every way to write a file, and how many files it writes at least.
const WRITERS: &[(&[&str], usize)] = &[
    (&["chess", "facts", GAMES, "--facts", "pinned", "--out", "OUT/facts.csv"], 1),
    (
        &[
            "chess",
            "facts",
            GAMES,
            "--facts",
            "pinned",
            "--out",
            "OUT/facts",
            "--part-rows",
            "9000",
        ],
        3,
    ),
    (&["chess", "show", "start", "--svg", "OUT/board.svg", "--png", "OUT/board.png"], 2),
    (&["fourchess", "selfplay", "--pgn", "OUT/four.pgn4", "--plies", "OUT/plies.parquet"], 2),
    (&["kalah", "solve", "--pits", "3", "--seeds", "2", "--store", "file:OUT/deep/k32"], 2),
    (&["kalah", "table", "--pits", "3", "--max-seeds", "8", "--out", "OUT/table"], 10),
    (&["man", "--out", "OUT/man"], 10),
    (&["sql", "select 1 as one", "--out", "OUT/one.parquet"], 1),
    (&["sql", "--writable", "copy (select 1 as one) to 'OUT/one.csv'"], 1),
    (&["sql", "--writable", "copy (select * from generate_series(1, 2000000)) to 'OUT/n.csv'"], 1),
    (
        &[
            "sql",
            "--writable",
            "copy (select x, x % 3 as y from generate_series(1, 9) t(x)) to 'OUT/parts' \
             stored as parquet partitioned by (y)",
        ],
        3,
    ),
    (&["demo", "--out", "OUT/demo"], 25),
];

#[test]
fn d1_data_is_synced_before_the_rename_and_the_directory_after_it() {
    let traces = Command::new("strace").args(["-o", "/dev/null", "true"]).status();
    if !traces.expect("strace is missing; `cargo xtask test setup` installs it").success() {
        missing::not_run("strace may not trace here");
        return;
    }
    for (words, files) in WRITERS {
        let place = tempfile::tempdir().unwrap();
        let out = place.path().canonicalize().unwrap();
        let calls = traced(words, &out);
        let renamed = check(&calls, &out, words);
        let written: Vec<PathBuf> =
            walk(&out).into_iter().filter(|path| !is_sqlite(path)).collect();
        for path in &written {
            assert!(renamed.contains(path), "{words:?}: {} was never renamed", path.display());
        }
        assert!(written.len() >= *files, "{words:?}: {written:?}");
    }
}

/// SQLite has its own ways, and its own tests.
fn is_sqlite(path: &Path) -> bool {
    path.file_name().unwrap().to_string_lossy().contains("sqlite")
}

/// A call of the system that matters here.
#[derive(Debug)]
enum Call {
    Write(PathBuf),
    Sync(PathBuf),
    Rename(PathBuf, PathBuf),
    MakeDirectory(PathBuf),
}

/// Runs a command and lists its calls in the order in which they began.
fn traced(words: &[&str], out: &Path) -> Vec<Call> {
    let trace = out.with_extension("trace");
    let calls = "trace=write,pwrite64,writev,pwritev,fsync,fdatasync,rename,renameat,renameat2,\
                 mkdir,mkdirat";
    let mut command = Command::new("strace");
    command.args(["-f", "-y", "-s", "0", "-e", calls, "-o"]).arg(&trace);
    command.arg(env!("CARGO_BIN_EXE_everyply"));
    command.args(words.iter().map(|word| word.replace("OUT", out.to_str().unwrap())));
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    let text = fs::read_to_string(&trace).unwrap();
    fs::remove_file(&trace).unwrap();
    text.lines().filter_map(call).collect()
}

/// `PID name(fd</path>, ...` or `PID name("/path", "/path"...`.
fn call(line: &str) -> Option<Call> {
    let (name, rest) = line.split_once(' ')?.1.trim_start().split_once('(')?;
    let named = || Some(PathBuf::from(rest.split_once('<')?.1.split_once('>')?.0));
    let mut quoted = rest.split('"').skip(1).step_by(2).map(PathBuf::from);
    match name {
        "write" | "pwrite64" | "writev" | "pwritev" => Some(Call::Write(named()?)),
        "fsync" | "fdatasync" => Some(Call::Sync(named()?)),
        "rename" | "renameat" | "renameat2" => Some(Call::Rename(quoted.next()?, quoted.next()?)),
        "mkdir" | "mkdirat" => Some(Call::MakeDirectory(quoted.next()?)),
        _ => None,
    }
}

/// Checks every rename and every directory, and returns the names that were given.
fn check(calls: &[Call], out: &Path, words: &[&str]) -> Vec<PathBuf> {
    let mut given = Vec::new();
    let synced_after = |from: usize, path: &Path| {
        let parent = path.parent().unwrap();
        calls[from..].iter().any(|call| matches!(call, Call::Sync(synced) if synced == parent))
    };
    for (at, call) in calls.iter().enumerate() {
        match call {
            Call::Rename(from, to) if to.starts_with(out) => {
                let touched = calls[..at].iter().rfind(|call| match call {
                    Call::Write(path) | Call::Sync(path) => path == from,
                    _ => false,
                });
                assert!(matches!(touched, Some(Call::Sync(_))), "{words:?}: {call:?}: {touched:?}");
                assert!(synced_after(at, to), "{words:?}: {call:?}: its directory is not synced");
                given.push(to.clone());
            }
            Call::MakeDirectory(path) if path.starts_with(out) => {
                // Of several threads that make a directory at the same time, one syncs.
                let is_same = |it: &Call| matches!(it, Call::MakeDirectory(made) if made == path);
                let first = calls.iter().position(is_same).unwrap();
                assert!(
                    synced_after(first, path),
                    "{words:?}: {call:?}: the one above is not synced"
                );
            }
            _ => {}
        }
    }
    given
}

fn walk(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}
