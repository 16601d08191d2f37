//! Clocks and evaluations inside comments.

use std::time::Duration;

use memchr::memmem;

/// An engine's judgement as comments carry it, from White's point of view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Evaluation {
    /// In pawns.
    Pawns(f64),
    /// Mate in so many moves; negative if Black mates.
    Mate(i32),
}

/// The time left on the mover's clock, from `[%clk h:mm:ss]` in a comment.
///
/// ```
/// let left = chess::pgn::clock(b"[%eval 0.3] [%clk 0:04:59.5]");
/// assert_eq!(left, Some(std::time::Duration::from_millis(299_500)));
/// ```
pub fn clock(comment: &[u8]) -> Option<Duration> {
    duration(command(comment, b"[%clk ")?)
}

/// The time spent on the move, from `[%emt h:mm:ss]` in a comment.
pub fn elapsed(comment: &[u8]) -> Option<Duration> {
    duration(command(comment, b"[%emt ")?)
}

/// Hours, minutes and seconds; those in front may be missing.
fn duration(text: &str) -> Option<Duration> {
    let mut seconds = 0.0;
    for part in text.split(':') {
        let part: f64 = part.parse().ok().filter(|part: &f64| part.is_sign_positive())?;
        seconds = seconds * 60.0 + part;
    }
    Duration::try_from_secs_f64(seconds).ok()
}

/// The evaluation from `[%eval 0.25]` or `[%eval #-3]` in a comment.
pub fn evaluation(comment: &[u8]) -> Option<Evaluation> {
    // Some programs add the depth after a comma.
    let text = command(comment, b"[%eval ")?.split(',').next()?;
    match text.strip_prefix('#') {
        Some(moves) => moves.parse().ok().map(Evaluation::Mate),
        None => text.parse().ok().filter(|p: &f64| p.is_finite()).map(Evaluation::Pawns),
    }
}

/// The text after an embedded command's name, up to its closing bracket.
fn command<'a>(comment: &'a [u8], name: &[u8]) -> Option<&'a str> {
    let text = &comment[memmem::find(comment, name)? + name.len()..];
    std::str::from_utf8(text[..memchr::memchr(b']', text)?].trim_ascii()).ok()
}
