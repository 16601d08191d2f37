//! Directories with something to steal, and statements that try.

use std::{fs, os::unix::fs::symlink, time::Duration};

use tempfile::TempDir;
use web::{Config, Limits};

use crate::client::Page;

/// A root, and what lies outside of it.
pub(crate) struct Below {
    pub(crate) root: TempDir,
    pub(crate) outside: TempDir,
}

/// Limits that a test has time for.
pub(crate) fn limits() -> Limits {
    Limits { memory: 256 << 20, statement_time: Duration::from_secs(30), ..Limits::default() }
}

/// Statements that have no end of their own.
pub(crate) const ENDLESS: [&str; 5] = [
    "select count(*) from generate_series(1, 100000000) a, generate_series(1, 100000) b \
     where a.value % 7 = b.value % 5",
    "with recursive n as (select 1 as n union all select n + 1 from n) select count(*) from n",
    "with recursive n as (select 1 as n union all select n.n + 1 from n, generate_series(1, 3)) \
     select max(n) from n",
    "select a.value from generate_series(1, 100000000) a order by random()",
    "select count(*) from chess_timeline('start', 9)",
];

pub(crate) fn page(limits: Limits) -> (Below, Page) {
    let (root, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    fs::write(root.path().join("inside.csv"), "a\n1\n").unwrap();
    fs::create_dir(root.path().join("mixed")).unwrap();
    fs::write(root.path().join("mixed/a.csv"), "a\n1\n").unwrap();
    fs::write(outside.path().join("secret.csv"), "a\nSECRET\n").unwrap();
    fs::write(outside.path().join("secret.pgn"), "[White \"SECRET\"]\n\n1. e4 *\n").unwrap();
    for (from, name) in [
        ("secret.csv", "link.csv"),
        ("secret.csv", "mixed/b.csv"),
        ("secret.pgn", "link.pgn"),
        ("", "away"),
    ] {
        symlink(outside.path().join(from), root.path().join(name)).unwrap();
    }
    let config = Config { limits, ..Config::new(root.path()) };
    let page = Page::with(config);
    (Below { root, outside }, page)
}

impl Below {
    /// A statement about a file below the root. The tests of one process share its current
    /// directory, so it is named in full.
    pub(crate) fn statement(&self, name: &str) -> String {
        format!("select * from '{}/{name}'", self.root.path().display())
    }

    /// Statements that are refused.
    pub(crate) fn hostile(&self) -> Vec<String> {
        let (root, outside) = (self.root.path().display(), self.outside.path().display());
        let secret = format!("{outside}/secret.csv");
        vec![
            format!("select * from '{secret}'"),
            format!("select * from 'file://{secret}'"),
            format!("select * from '{root}/../{}/secret.csv'", name(&self.outside)),
            format!("select * from '{root}/link.csv'"),
            format!("select * from '{root}/link.pgn'"),
            format!("select * from '{root}/away/secret.csv'"),
            format!("select * from '{root}/away/'"),
            format!("select * from '{root}/away/*.csv'"),
            format!("select * from chess_games('{outside}/secret.pgn')"),
            format!("select * from chess_games('{root}/link.pgn')"),
            format!("select * from chess_bad_games('{outside}/secret.pgn')"),
            format!("select * from chess_positions('{root}/away/secret.pgn')"),
            format!("select * from chess_moves('{secret}', 'a')"),
            format!("select * from kalah_store('sqlite:{outside}/k.sqlite')"),
            format!("select * from kalah_store('file:{outside}')"),
            format!("describe '{secret}'"),
            format!("explain select * from '{secret}'"),
            format!("explain analyze select * from '{secret}'"),
            format!("create external table t stored as csv location '{secret}'"),
            format!("create view v as select * from '{secret}'; select * from v"),
            format!("prepare p as select * from '{secret}'; execute p"),
            format!("copy (select 1) to '{root}/written.csv'"),
            format!("copy (select 1) to '{outside}/written.csv'"),
            format!("insert into '{root}/inside.csv' values (2)"),
            format!("prepare p as copy (select 1) to '{root}/written.csv'; execute p"),
            "select * from '/etc/passwd'".to_owned(),
            "select * from '/proc/self/environ'".to_owned(),
            "select * from 's3://bucket/a.parquet'".to_owned(),
            "select * from 'https://example.org/a.csv'".to_owned(),
            "select * from kalah_store('postgres://user:pw@localhost/db')".to_owned(),
            "select * from kalah_store('gs://bucket/a')".to_owned(),
            "set datafusion.runtime.memory_limit = '100G'; select 1".to_owned(),
            "set datafusion.runtime.temp_directory = '/tmp'; select 1".to_owned(),
            "set datafusion.execution.batch_size = 100; select 1".to_owned(),
            "reset datafusion.execution.batch_size; select 1".to_owned(),
            "begin; select 1".to_owned(),
            "create function f() returns int as 'select 1'".to_owned(),
            String::new(),
            "select".to_owned(),
            "(".repeat(100_000),
            format!("select {}1", "1 + ".repeat(100_000)),
        ]
    }

    /// Statements about directories in which something must be skipped.
    pub(crate) fn skipping(&self) -> Vec<String> {
        ["mixed/", "mixed/*.csv", "*.csv", "mixed/b.csv"].map(|name| self.statement(name)).into()
    }
}

fn name(directory: &TempDir) -> String {
    directory.path().file_name().unwrap().to_str().unwrap().to_owned()
}
