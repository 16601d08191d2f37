//! An engine that is kept from one call to the next: making one takes longer than most questions.

use std::{
    mem,
    sync::{Arc, Mutex},
};

use ::sql::{Engine, SqlError as Failure};
use pyo3::prelude::*;

use super::patterns;
use crate::sql;

/// What makes one engine different from another.
#[derive(Clone, PartialEq, Eq)]
struct Key {
    /// Threads do not survive a fork.
    process: u32,
    /// The name of the variant, or the rows of one's own.
    rules: String,
    threads: Option<usize>,
}

struct Kept {
    key: Key,
    engine: Arc<Engine>,
}

static KEPT: Mutex<Option<Kept>> = Mutex::new(None);

/// Asks an engine that follows these rules.
pub(super) fn ask<T: Send>(
    py: Python<'_>,
    variant: &str,
    patterns: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
    question: impl FnOnce(&Engine) -> Result<T, Failure> + Send,
) -> PyResult<T> {
    let own = patterns.map(patterns::read).transpose()?;
    let rules = own.as_ref().map_or_else(|| variant.to_owned(), ::sql::Rules::to_csv);
    let key = Key { process: std::process::id(), rules, threads };
    let engine = match kept(&key) {
        Some(engine) => engine,
        None => {
            let rules = own.map_or_else(|| patterns::named(variant), Ok)?;
            let settings = sql::settings(rules, threads)?;
            let engine = py.detach(|| Engine::new(settings)).map_err(sql::raise)?;
            keep(key, engine)
        }
    };
    py.detach(|| question(&engine)).map_err(sql::raise)
}

fn kept(key: &Key) -> Option<Arc<Engine>> {
    // In a child that was forked at a bad moment nobody is there to unlock it.
    let kept = KEPT.try_lock().ok()?;
    kept.as_ref().filter(|kept| kept.key == *key).map(|kept| kept.engine.clone())
}

fn keep(key: Key, engine: Engine) -> Arc<Engine> {
    let engine = Arc::new(engine);
    if let Ok(mut kept) = KEPT.try_lock() {
        let process = key.process;
        let last = kept.replace(Kept { key, engine: engine.clone() });
        // The threads of a parent are not there to be ended.
        if let Some(last) = last.filter(|last| last.key.process != process) {
            mem::forget(last);
        }
    }
    engine
}
