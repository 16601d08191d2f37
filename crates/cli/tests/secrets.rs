//! A secret that is planted wherever one can stand is printed by no command that fails, and kept in
//! no file.

#[path = "secrets/hidden.rs"]
mod hidden;

use std::{
    path::Path,
    process::{Command, Output},
};

use hidden::{BINARY, hides};
use rayon::{ThreadPoolBuilder, prelude::*};

/// Every way to write a URL with a secret in it.
const URLS: &str = include_str!("../../../fixtures/secrets/urls.txt");

/// Every command that takes a URL, which stands for the `@@`.
const COMMANDS: &[&[&str]] = &[
    &["kalah", "solve", "--pits", "2", "--seeds", "1", "--store", "@@"],
    &[
        "kalah", "solve", "--pits", "2", "--seeds", "1", "--store", "@@", "--resume", "--format",
        "json",
    ],
    &["kalah", "value", "1,1/1,1", "--store", "@@"],
    &["kalah", "value", "@@"],
    &["kalah", "best", "1,1/1,1", "--store", "@@"],
    &["kalah", "line", "1,1/1,1", "--store", "@@"],
    &["kalah", "stats", "--store", "@@"],
    &["kalah", "verify", "--store", "@@"],
    &["kalah", "export", "--store", "@@", "--out", "export.parquet"],
    &["kalah", "play", "--store", "@@"],
    &["kalah", "table", "--pits", "@@", "--max-seeds", "2", "--out", "table"],
    &["sql", "select * from kalah_store('@@')"],
    &["sql", "select * from '@@'"],
    &["sql", "select * from \"@@\""],
    &["sql", "explain select * from '@@'"],
    &["sql", "create external table t stored as csv location '@@'"],
    &["sql", "copy (select 1) to '@@'"],
    &["sql", "@@"],
    &["sql", "--file", "@@"],
    &["sql", "select 1", "--cluster", "@@"],
    &["sql", "select 1", "--out", "@@"],
    &["sql", "select 1", "--table", "@@"],
    &["sql", "select 1", "--table", "t=@@"],
    &["serve", "--no-open", "--allow-host", "@@"],
    &["chess", "perft", "--depth", "1", "--engine", "relations", "--cluster", "@@"],
    &["chess", "games", "@@"],
    &["chess", "facts", "@@"],
    &["cluster", "executor", "--scheduler", "@@"],
    &["@@"],
    &["chess", "@@"],
    &["doctor", "@@"],
];

/// Variables that name servers and secrets.
const VARIABLES: &[(&str, &str)] = &[
    ("PGPASSWORD", "hunter2"),
    ("PGHOST", "me:hunter2@127.0.0.1"),
    ("AWS_ACCESS_KEY_ID", "hunter2"),
    ("AWS_SECRET_ACCESS_KEY", "hunter2"),
    ("AWS_SESSION_TOKEN", "hunter2"),
    ("AWS_REGION", "us-east-1"),
    ("AWS_ENDPOINT_URL", "http://me:hunter2@127.0.0.1:1"),
    ("STORAGE_EMULATOR_HOST", "http://me:hunter2@127.0.0.1:1"),
    ("BIGTABLE_EMULATOR_HOST", "me:hunter2@127.0.0.1:1"),
    ("GOOGLE_APPLICATION_CREDENTIALS", "hunter2.json"),
];

fn run(words: &[String], directory: &Path) -> Output {
    let mut command = Command::new(BINARY);
    command.args(words).envs(VARIABLES.iter().copied()).current_dir(directory);
    command.output().expect("the binary runs")
}

#[test]
fn d3_no_command_prints_or_keeps_the_secret_of_a_url() {
    let each = |url| COMMANDS.iter().map(move |command| (url, command));
    let commands: Vec<_> = URLS.lines().flat_map(each).collect();
    // Most of the time is spent on waiting for servers that are not there.
    let pool = ThreadPoolBuilder::new().num_threads(16).build().expect("threads");
    pool.install(|| {
        commands.par_iter().with_max_len(1).for_each(|(url, command)| {
            let directory = tempfile::tempdir().expect("a directory");
            let words: Vec<String> = command.iter().map(|word| word.replace("@@", url)).collect();
            let output = run(&words, directory.path());
            assert!(!output.status.success(), "{words:?}");
            hides(&words, &output, directory.path());
        });
    });
}

#[test]
fn d3_no_command_prints_or_keeps_the_secrets_of_the_environment() {
    let directory = tempfile::tempdir().expect("a directory");
    let commands = [
        "kalah solve --pits 2 --seeds 1 --store postgres://me@127.0.0.1:1/db",
        "kalah solve --pits 2 --seeds 1 --store s3://bucket/games",
        "kalah solve --pits 2 --seeds 1 --store gs://bucket/games",
        "kalah solve --pits 2 --seeds 1 --store bigtable://project/instance/table",
        "sql --time-limit 20 select+1+from+'s3://bucket/games/'",
        "doctor",
        "doctor --connect",
    ];
    for command in commands {
        let words: Vec<String> =
            command.split_whitespace().map(|word| word.replace('+', " ")).collect();
        let output = run(&words, directory.path());
        hides(&words, &output, directory.path());
    }
}
