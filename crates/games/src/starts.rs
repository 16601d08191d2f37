//! Where games begin in the middle of PGN text, so that parts of a file can be read on their own.

use std::{
    io::{self, ErrorKind, Read},
    ops::ControlFlow,
};

use chess::pgn::{self, PgnError};
use memchr::memmem;

/// What stands before a place in PGN text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Before {
    /// The games, bad ones included.
    pub games: u64,
    /// The ends of lines.
    pub lines: u64,
}

impl std::ops::Add for Before {
    type Output = Before;

    fn add(self, other: Before) -> Before {
        Before { games: self.games + other.games, lines: self.lines + other.lines }
    }
}

/// How many bytes before a place tell whether a game begins there.
pub const BEHIND: usize = 3;
/// Names of tags have fewer bytes.
const LONGEST_NAME: usize = 100;
/// How many bytes from a place on tell whether a game begins there.
const AHEAD: usize = LONGEST_NAME + 3;
const BLOCK: usize = 1 << 16;

/// The first place at which a game begins for certain, whatever came before: a tag at the beginning
/// of a line, behind an empty line. There `chess::pgn::Reader` begins a game in every state, even
/// inside a comment that was never closed.
///
/// The text is read from [`BEHIND`] bytes before the first place that is asked about; places are
/// counted from that first place. None if there is no such place.
pub fn find_start(mut text: impl Read) -> io::Result<Option<u64>> {
    let mut window: Vec<u8> = Vec::with_capacity(BLOCK + BEHIND + AHEAD);
    // Of the first byte of the window.
    let mut offset = 0;
    loop {
        let is_over = !read_block(&mut text, &mut window)?;
        for at in memmem::find_iter(&window, b"\n[").map(|at| at + 1) {
            if at >= BEHIND && is_start(&window, at) {
                return Ok(Some(offset + (at - BEHIND) as u64));
            }
        }
        if is_over {
            return Ok(None);
        }
        // What was too near to the end is looked at again.
        let done = window.len().saturating_sub(AHEAD + BEHIND);
        window.drain(..done);
        offset += done as u64;
    }
}

/// Adds a block to a window; `false` at the end of the text.
fn read_block(text: &mut impl Read, window: &mut Vec<u8>) -> io::Result<bool> {
    let from = window.len();
    window.resize(from + BLOCK, 0);
    let mut end = from;
    while end < window.len() {
        match text.read(&mut window[end..]) {
            Ok(0) => break,
            Ok(bytes) => end += bytes,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    let is_full = end == window.len();
    window.truncate(end);
    Ok(is_full)
}

/// Whether a tag stands at a place, and an empty line before it.
fn is_start(text: &[u8], at: usize) -> bool {
    let before = &text[..at];
    let tag = &text[at + 1..];
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
    let name = tag.iter().take(LONGEST_NAME + 1).take_while(is_name).count();
    (before.ends_with(b"\n\n") || before.ends_with(b"\n\r\n"))
        && (1..=LONGEST_NAME).contains(&name)
        && tag[name..].starts_with(b" \"")
}

/// Counts the games and lines of PGN text without playing any game. `go_on` is asked before each
/// game; None if it breaks.
pub fn count(
    text: impl Read,
    mut go_on: impl FnMut() -> ControlFlow<()>,
) -> io::Result<Option<Before>> {
    let mut reader = pgn::Reader::new(text);
    loop {
        if go_on().is_break() {
            return Ok(None);
        }
        match reader.next_event() {
            Ok(Some(_)) => reader.skip_game(),
            Ok(None) => break,
            Err(PgnError::Game { .. }) => {}
            Err(PgnError::Io(error)) => return Err(error),
        }
    }
    Ok(Some(Before { games: reader.game(), lines: reader.line() - 1 }))
}
