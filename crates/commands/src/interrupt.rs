//! Ctrl-C, SIGTERM and SIGHUP: the work stops at the next good place, or at once if that takes too
//! long.

use std::{
    fs,
    sync::{
        atomic::{AtomicI32, AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::Duration,
};

pub use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{consts::SIGHUP, iterator::Signals};

use crate::{exit::Exit, files};

/// The signal that was heard first, or 0.
static HEARD: AtomicI32 = AtomicI32::new(0);

/// Seconds the work may take to stop by itself and write what is finished.
static PATIENCE: AtomicU64 = AtomicU64::new(1);

/// Begins to listen. The first signal requests a stop; the second exits at once.
pub fn watch() {
    // Without a thread that listens, signals end the program as usual, only less politely.
    let (hand_over, signals) = mpsc::channel::<Signals>();
    let listen = move || {
        if let Ok(mut signals) = signals.recv() {
            signals.forever().for_each(hear);
        }
    };
    if start("signals", listen).is_err() {
        return;
    }
    // nohup has work go on when its terminal is closed.
    let hang_up = Some(SIGHUP).filter(|_| !is_ignored(SIGHUP));
    if let Ok(signals) = Signals::new([SIGINT, SIGTERM].into_iter().chain(hang_up)) {
        // The thread waits for nothing else.
        let _ = hand_over.send(signals);
    }
}

fn hear(signal: i32) {
    if HEARD.compare_exchange(0, signal, Ordering::Relaxed, Ordering::Relaxed).is_err() {
        leave();
    }
    let wait = || {
        thread::sleep(Duration::from_secs(PATIENCE.load(Ordering::Relaxed)));
        if requested() {
            files::end_of_row();
            leave();
        }
    };
    if start("patience", wait).is_err() {
        leave();
    }
}

fn start(name: &str, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
    thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
}

/// Whether a signal was ignored when the program was started, as far as the system says.
fn is_ignored(signal: i32) -> bool {
    let Ok(status) = fs::read_to_string("/proc/self/status") else { return false };
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

/// Lets work that has much to write take longer to stop.
pub fn be_patient(seconds: u64) {
    PATIENCE.store(seconds, Ordering::Relaxed);
}

/// Clears the request if it came from this signal.
pub fn forgive(signal: i32) {
    let _ = HEARD.compare_exchange(signal, 0, Ordering::Relaxed, Ordering::Relaxed);
}

/// Whether to stop.
pub fn requested() -> bool {
    HEARD.load(Ordering::Relaxed) != 0
}

fn leave() -> ! {
    sinks::abandon();
    std::process::exit(Exit::Interrupted as i32)
}
