//! Panics of other crates, turned into errors. Readers of Parquet and Arrow believe what a damaged
//! file says of itself, and then look beyond the end of an array.

use std::{
    any::Any,
    future::Future,
    panic::{self, AssertUnwindSafe},
    sync::Once,
    thread,
};

use futures_util::FutureExt;

use crate::{SqlError, stacks};

/// Lets panics on threads that work on statements say nothing by themselves: each becomes the error
/// of its statement. Without this call they also write to standard error, as Rust does by default.
/// Calling it again does nothing.
pub fn quiet_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let current = thread::current();
            if !current.name().is_some_and(|name| name.starts_with(stacks::NAME)) {
                usual(info);
            }
        }));
    });
}

/// What comes of work, or what it said when it panicked.
pub(crate) async fn caught<F: Future>(work: F) -> Result<F::Output, String> {
    AssertUnwindSafe(work).catch_unwind().await.map_err(|panic| message(&*panic))
}

/// What a panic said, on one line.
pub(crate) fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    let text = text.unwrap_or("no reason was given");
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// The error of a statement whose operators or functions panicked.
pub(crate) fn told(message: String) -> SqlError {
    // What Arrow says of texts and lists beyond 2 GiB.
    let is_large =
        ["offset overflow", "capacity overflow"].iter().any(|text| message.contains(text));
    if is_large {
        return SqlError::Statement(
            "a column of texts or lists has more than 2 GiB in one batch of rows; \
             make batches smaller with SET datafusion.execution.batch_size"
                .to_owned(),
        );
    }
    SqlError::Engine(message)
}

/// What is said of a file whose reader panicked.
pub(crate) fn damaged(name: &str, message: &str) -> String {
    format!("{name}: the file is damaged ({message})")
}
