//! Statements: their text, and what their guard lets them do.

use std::{cell::RefCell, fs, num::NonZeroUsize, path::PathBuf, time::Duration};

use sql::{Engine, Guard, MemoryWatch, Network, Settings, SqlError};
use tempfile::TempDir;

/// The text alone: cut, counted, parsed.
pub(crate) fn a_text_is_read_or_refused(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    sql::is_complete(&text);
    if let Err(error) = Guard::default().read(&text) {
        assert!(!matches!(error, SqlError::Engine(_)), "{error}");
    }
}

/// What lies outside the directory that statements may read.
const SECRET: &str = "nobody-may-read-this";
/// Stands for a file outside in a statement.
const OUTSIDE: &str = "$OUTSIDE";
/// Stands for the directory of statements.
const INSIDE: &str = "$INSIDE";

/// Statements are planned, checked and run, in a session that may read one directory and no server,
/// and may write nothing. They have little time and memory.
pub(crate) fn a_statement_stays_inside_its_guard(data: &[u8]) {
    thread_local! {
        static SESSION: RefCell<Option<Session>> = const { RefCell::new(None) };
    }
    SESSION.with_borrow_mut(|kept| {
        let session = kept.get_or_insert_with(Session::new);
        session.run(&String::from_utf8_lossy(data));
        session.statements += 1;
        // Tables and views of earlier statements must not pile up.
        if session.statements == 50 {
            *kept = None;
        }
    });
}

struct Session {
    engine: Engine,
    outside: TempDir,
    inside: PathBuf,
    statements: u32,
}

impl Session {
    fn new() -> Session {
        sql::quiet_panics();
        let outside = tempfile::tempdir().expect("there is room for a directory");
        let inside = outside.path().join("inside");
        let write = |name: &str, text: &str| fs::write(outside.path().join(name), text);
        fs::create_dir(&inside)
            .and_then(|()| write("secret.csv", &format!("a\n{SECRET}\n")))
            .and_then(|()| write("inside/open.csv", "a,b\n1,x\n2,\n"))
            .expect("a directory of ours");
        let guard =
            Guard { root: Some(inside.clone()), network: Network::Refused, ..Guard::default() };
        let settings = Settings {
            memory_limit: 16 << 20,
            spill_limit: 1 << 20,
            threads: NonZeroUsize::MIN,
            time_limit: Some(Duration::from_millis(200)),
            guard,
            memory_watch: MemoryWatch::Off,
            ..Settings::default()
        };
        let engine = Engine::new(settings).expect("an engine starts");
        Session { engine, outside, inside, statements: 0 }
    }

    fn run(&self, text: &str) {
        let secret = self.outside.path().join("secret.csv");
        let text = text
            .replace(OUTSIDE, &secret.to_string_lossy())
            .replace(INSIDE, &self.inside.to_string_lossy());
        let Ok(statements) = self.engine.statements(&text) else { return };
        for statement in statements.into_iter().take(3) {
            let Ok(answer) = self.engine.execute(statement) else { continue };
            for batch in answer.take(3) {
                let Ok(batch) = batch else { break };
                assert!(!format!("{batch:?}").contains(SECRET), "{text}");
            }
        }
        let files = fs::read_dir(&self.inside).expect("a directory of ours").count();
        assert_eq!(files, 1, "a file was written by {text}");
        let kept = fs::read_to_string(&secret).expect("a file of ours");
        assert!(kept.contains(SECRET), "a file was changed by {text}");
    }
}
