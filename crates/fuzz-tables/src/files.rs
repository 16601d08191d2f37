//! Parquet and Arrow files as tables.

use std::{cell::RefCell, fs, num::NonZeroUsize, time::Duration};

use sql::{Engine, MemoryWatch, Settings, SqlError};
use tempfile::TempDir;

pub(crate) fn a_parquet_file_has_rows_or_an_error(data: &[u8]) {
    check(data, "parquet");
}

pub(crate) fn an_arrow_file_has_rows_or_an_error(data: &[u8]) {
    check(data, "arrow");
}

/// Batches that are read of a file. A few bytes can hold two billion rows of NULL.
const BATCHES: usize = 64;

/// A reader may break down on a damaged file, but then the error names the file, and the engine
/// goes on.
fn check(data: &[u8], ending: &str) {
    thread_local! {
        static SESSION: RefCell<Option<(Engine, TempDir)>> = const { RefCell::new(None) };
    }
    SESSION.with_borrow_mut(|kept| {
        let (engine, directory) = kept.get_or_insert_with(|| {
            sql::quiet_panics();
            (engine(), tempfile::tempdir().expect("there is room for a directory"))
        });
        let path = directory.path().join("file").with_extension(ending);
        fs::write(&path, data).expect("a directory of ours");
        let statement = format!("select * from '{}'", path.display());
        let read = engine.sql(&statement).and_then(|answer| {
            for batch in answer.take(BATCHES) {
                drop(format!("{:?}", batch?));
            }
            Ok(())
        });
        if let Err(error @ SqlError::Engine(_)) = read {
            panic!("{error}");
        }
    });
}

fn engine() -> Engine {
    let settings = Settings {
        memory_limit: 64 << 20,
        spill_limit: 1 << 20,
        threads: NonZeroUsize::MIN,
        time_limit: Some(Duration::from_secs(5)),
        memory_watch: MemoryWatch::Off,
        ..Settings::default()
    };
    Engine::new(settings).expect("an engine starts")
}
