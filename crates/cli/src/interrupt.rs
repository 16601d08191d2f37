//! Ctrl-C: the work stops at the next good place, or at once if that takes too long.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use crate::exit::Exit;

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// How long the work may take to stop by itself and write what is finished.
const PATIENCE: Duration = Duration::from_secs(1);

/// Begins to listen.
pub(crate) fn watch() {
    let result = ctrlc::set_handler(|| {
        if !REQUESTED.swap(true, Ordering::Relaxed) {
            thread::sleep(PATIENCE);
        }
        std::process::exit(Exit::Interrupted as i32);
    });
    // Without a handler Ctrl-C still ends the program, only less politely.
    debug_assert!(result.is_ok(), "the only handler");
}

/// Whether to stop.
pub(crate) fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}
