//! Every way in which a statement can name a file or a server, and whether it may.
//!
//! | a statement names a place by | which is checked |
//! |---|---|
//! | a table name: `from 'games.csv'`, `describe`, `insert into` | where files become tables, [`GuardedFiles`] |
//! | the table of a table function: `chess_moves('games.csv', 'fen')` | the same |
//! | a table function of a [`Supplier`](crate::Supplier): `kalah_store('sqlite:a')` | where it is called |
//! | a table function of games: `chess_games('games.pgn')` | where it is called |
//! | `create external table .. location` | in the plan |
//! | `copy .. to` | in the plan |
//!
//! Options that name directories or servers cannot be set at all.

use std::{
    env, fmt,
    path::{Component, Path, PathBuf},
    sync::Arc,
};

use async_trait::async_trait;
use datafusion::{
    catalog::{TableProvider, UrlTableFactory},
    error::{DataFusionError, Result},
};
use url::Url;

use super::{Guard, Network};
use crate::{SqlError, files::Files, panics};

/// What a name of a table or a store stands for.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    File(PathBuf),
    Server(String),
    /// Nothing outside this process.
    Memory,
}

impl Place {
    fn of(name: &str) -> Place {
        if let Some((scheme, rest)) = name.split_once(':')
            && scheme.len() > 1
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
        {
            let scheme = scheme.to_ascii_lowercase();
            let is_url = rest.starts_with("//");
            match scheme.as_str() {
                "memory" => return Place::Memory,
                "file" if is_url => {
                    let path = Url::parse(name).ok().and_then(|url| url.to_file_path().ok());
                    return path.map_or_else(|| Place::Server(scheme), Place::File);
                }
                "file" | "sqlite" => return Place::File(rest.into()),
                "postgres" | "postgresql" | "bigtable" | "gs" | "s3" => {
                    return Place::Server(scheme);
                }
                _ if is_url => return Place::Server(scheme),
                _ => {}
            }
        }
        Place::File(name.into())
    }
}

pub(super) fn check(guard: &Guard, name: &str) -> std::result::Result<(), SqlError> {
    match (Place::of(name), guard.network, &guard.root) {
        // The name may hold a secret, so only its scheme is repeated.
        (Place::Server(scheme), Network::Refused, _) => Err(SqlError::Refused(format!(
            "{scheme}: URLs are refused: this session has no access to the network"
        ))),
        (Place::File(path), _, Some(root)) if !is_below(&path, root) => {
            Err(SqlError::Refused(format!("{name} is refused: it is outside {}", root.display())))
        }
        _ => Ok(()),
    }
}

/// Whether a path, links followed, lies in a directory. What does not exist yet lies where the
/// part of it lies that does.
fn is_below(path: &Path, root: &Path) -> bool {
    let (Ok(root), Ok(here)) = (root.canonicalize(), env::current_dir()) else { return false };
    let path = here.join(path);
    let mut known = PathBuf::new();
    for component in path.components() {
        let next = known.join(component);
        known = match next.canonicalize() {
            Ok(found) => found,
            // Behind what is not there, `..` is no step back but a wrong name.
            Err(_) if component == Component::ParentDir => return false,
            Err(_) => next,
        };
    }
    known.starts_with(root)
}

/// Says that a statement is refused, through layers that pass on errors of others.
#[derive(Debug)]
pub(crate) struct Refusal(pub(crate) String);

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refusal {}

impl From<Refusal> for DataFusionError {
    fn from(refusal: Refusal) -> DataFusionError {
        DataFusionError::External(Box::new(refusal))
    }
}

/// Files as tables, of which the guard lets pass what it may.
#[derive(Debug)]
pub(crate) struct GuardedFiles {
    pub(crate) files: Files,
    pub(crate) guard: Guard,
}

#[async_trait]
impl UrlTableFactory for GuardedFiles {
    async fn try_new(&self, name: &str) -> Result<Option<Arc<dyn TableProvider>>> {
        if let Err(refused) = self.guard.check_place(name) {
            // A word may be anything, also a table that does not exist.
            let is_path = name.contains(['/', '.', '*', ':']);
            return if is_path { Err(Refusal(refused.to_string()).into()) } else { Ok(None) };
        }
        match panics::caught(self.files.try_new(name)).await {
            Ok(opened) => opened,
            Err(panic) => Err(DataFusionError::Plan(panics::damaged(name, &panic))),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn guard(root: &Path) -> Guard {
        Guard { root: Some(root.into()), network: Network::Refused, ..Guard::default() }
    }

    #[test]
    fn names_stand_for_files_and_servers() {
        let file = |path: &str| Place::File(path.into());
        let server = |scheme: &str| Place::Server(scheme.into());
        let cases = [
            ("games.csv", file("games.csv")),
            ("/a/b c.csv", file("/a/b c.csv")),
            ("file:///a/b%20c.csv", file("/a/b c.csv")),
            ("FILE:///a", file("/a")),
            ("sqlite:kalah.sqlite", file("kalah.sqlite")),
            ("file:directory", file("directory")),
            ("memory:", Place::Memory),
            ("s3://bucket/a", server("s3")),
            ("postgres://user:secret@host/db", server("postgres")),
            ("https://example.org/a.csv", server("https")),
            ("bigtable:project/instance", server("bigtable")),
            ("a:b.csv", file("a:b.csv")),
        ];
        for (name, place) in cases {
            assert_eq!(Place::of(name), place, "{name}");
        }
    }

    #[test]
    fn b3_files_outside_the_root_and_servers_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().join("root");
        fs::create_dir_all(root.join("inner")).unwrap();
        fs::write(directory.path().join("outside.csv"), "a\n1\n").unwrap();
        std::os::unix::fs::symlink(directory.path(), root.join("link")).unwrap();
        let root_text = root.to_str().unwrap();
        let guard = guard(&root);
        let named = |rest: &str| format!("{root_text}{rest}");
        let inside = ["", "/", "/a.csv", "/inner/*.csv", "/inner/../a.csv", "/new/b.parquet"];
        for name in inside.map(named) {
            assert!(guard.check_place(&name).is_ok(), "{name}");
        }
        let outside =
            ["/..", "/../outside.csv", "/link/outside.csv", "/*/../../outside.csv", "x/a"];
        for name in outside.map(named) {
            assert!(guard.check_place(&name).is_err(), "{name}");
        }
        for name in ["/etc/passwd", "file:///etc/passwd", "sqlite:/etc/x", "a.csv", "s3://b/a"] {
            assert!(guard.check_place(name).is_err(), "{name}");
        }
        let refused = guard.check_place("postgres://user:secret@host/db").unwrap_err().to_string();
        assert!(!refused.contains("secret"), "{refused}");
    }
}
