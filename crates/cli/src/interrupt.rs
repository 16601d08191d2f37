//! Ctrl-C: the work stops at the next good place, or at once if that takes too long.

use std::{
    sync::atomic::{AtomicBool, AtomicU64, Ordering},
    thread,
    time::Duration,
};

use crate::{exit::Exit, files};

static REQUESTED: AtomicBool = AtomicBool::new(false);

/// Seconds the work may take to stop by itself and write what is finished.
static PATIENCE: AtomicU64 = AtomicU64::new(1);

/// Begins to listen. The first Ctrl-C asks, the second insists.
pub(crate) fn watch() {
    let result = ctrlc::set_handler(|| {
        if REQUESTED.swap(true, Ordering::Relaxed) {
            leave();
        }
        thread::spawn(|| {
            thread::sleep(Duration::from_secs(PATIENCE.load(Ordering::Relaxed)));
            if requested() {
                files::end_of_row();
                leave();
            }
        });
    });
    // Without a handler Ctrl-C still ends the program, only less politely.
    debug_assert!(result.is_ok(), "the only handler");
}

/// Lets work that has much to write take longer to stop.
pub(crate) fn be_patient(seconds: u64) {
    PATIENCE.store(seconds, Ordering::Relaxed);
}

/// Goes on as if nothing had been asked: the work that was to stop has stopped.
pub(crate) fn forgive() {
    REQUESTED.store(false, Ordering::Relaxed);
}

/// Whether to stop.
pub(crate) fn requested() -> bool {
    REQUESTED.load(Ordering::Relaxed)
}

fn leave() -> ! {
    std::process::exit(Exit::Interrupted as i32)
}
