//! Progress on standard error, only if that is a terminal.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar over the bytes of an input whose size may be unknown.
pub fn bytes(name: &str, size: Option<u64>) -> ProgressBar {
    let template = match size {
        Some(_) => "{msg} {bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta} left",
        None => "{msg} {spinner} {bytes} {bytes_per_sec}",
    };
    bar(size, template, name)
}

/// A bar over a known number of pieces of work.
pub fn pieces(name: &str, count: u64) -> ProgressBar {
    bar(Some(count), "{msg} {bar:30} {pos}/{len} {elapsed} {eta} left", name)
}

/// A bar over positions whose number is not known at first.
pub fn positions() -> ProgressBar {
    bar(Some(0), "{msg} {bar:30} {human_pos}/{human_len} {per_sec} {eta} left", "")
}

/// A count of positions without an end in sight.
pub fn search() -> ProgressBar {
    bar(None, "{msg} {spinner} {human_pos} positions {per_sec} {elapsed}", "")
}

fn bar(length: Option<u64>, template: &str, name: &str) -> ProgressBar {
    let target = if std::io::stderr().is_terminal() {
        ProgressDrawTarget::stderr_with_hz(8)
    } else {
        ProgressDrawTarget::hidden()
    };
    let style = ProgressStyle::with_template(template).expect("the templates are ours");
    ProgressBar::with_draw_target(length, target)
        .with_style(style)
        .with_message(sources::printable(name).into_owned())
}
