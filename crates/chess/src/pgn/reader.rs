//! PGN text as a stream of events, in a buffer of fixed size.

use std::io::Read;

use memchr::{memchr, memchr_iter};

use super::{
    Fault, GameResult, PgnError,
    scan::Stop,
    token::{Quick, Span, Token},
};

/// Reads the events of PGN text from anything that can be read.
///
/// The buffer has a fixed size, so memory does not depend on the input: a comment or tag that
/// does not fit is an error of its game.
pub struct Reader<R> {
    input: R,
    pub(super) buffer: Box<[u8]>,
    /// The unread part of the buffer.
    pub(super) start: usize,
    pub(super) end: usize,
    /// Nothing more will come from the input.
    pub(super) exhausted: bool,
    /// Why it ended before its time, to be told once all that came before has been read.
    pub(super) failure: Option<std::io::Error>,
    /// Newlines before `counted`, and up to where the buffer has been counted.
    pub(super) newlines: u64,
    counted: usize,
    /// Bytes of the input before the buffer.
    offset: u64,
    /// The text of the current or last game, if it is kept.
    pub(super) kept: Option<Kept>,
    pub(super) game: Progress,
}

/// The text of a game as it is written.
#[derive(Default)]
pub(super) struct Kept {
    /// What has left the buffer, and at the end of the game all of it.
    text: Vec<u8>,
    /// From where on the buffer holds the rest.
    from: usize,
    /// Whether the text ends with a result.
    pub(super) has_result: bool,
}

/// How far the current game has been read.
#[derive(Clone, Copy, Default)]
pub(super) struct Progress {
    number: u64,
    pub(super) started: bool,
    start_offset: u64,
    pub(super) has_tags: bool,
    /// Which tags of the roster the game has, a bit for each.
    pub(super) roster: u8,
    /// Nothing but white space stands on this line so far.
    pub(super) blank: bool,
    /// A blank line has ended the tags.
    pub(super) parted: bool,
    pub(super) in_moves: bool,
    pub(super) depth: u32,
    /// The rest of this game is being skipped.
    pub(super) skipping: bool,
    /// The game is skipped from here on, or a line has just begun.
    pub(super) at_new_line: bool,
    /// Only white space stands between the last newline and the cursor.
    pub(super) at_line_start: bool,
}

/// A piece of a game's text. The slices are valid until the next call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<'a> {
    /// `[Name "value"]`, with the value's escapes as written.
    Tag {
        /// The name.
        name: &'a [u8],
        /// The text between the quotation marks; a quotation mark or backslash in it has a
        /// backslash before it.
        value: &'a [u8],
    },
    /// A move as written, without annotation marks.
    Move(&'a [u8]),
    /// `$n`, or one of `! ? !! ?? !? ?!` as 1 to 6.
    Nag(u8),
    /// The text of a comment, trimmed.
    Comment(&'a [u8]),
    /// `(`
    VariationStart,
    /// `)`
    VariationEnd,
    /// The end of the game; bare moves may end without a result.
    End(GameResult),
}

const BUFFER: usize = 1 << 18;
/// A token starts with at least this many bytes in the buffer, unless the input ends.
pub(super) const LOOKAHEAD: usize = 256;
/// More than any annotated game; what is longer is not one.
const LONGEST_GAME: u64 = 1 << 24;

impl<R: Read> Reader<R> {
    /// Reads from the input in large pieces; it need not be buffered.
    pub fn new(input: R) -> Reader<R> {
        Reader::with_buffer(input, BUFFER)
    }

    /// Reads with a buffer of this many bytes, 512 at least: for many short texts, each with a
    /// reader of its own. Comments and tags that do not fit are errors.
    pub fn with_buffer(input: R, bytes: usize) -> Reader<R> {
        let game = Progress { at_line_start: true, ..Progress::default() };
        Reader {
            input,
            buffer: vec![0; bytes.max(2 * LOOKAHEAD)].into(),
            start: 0,
            end: 0,
            exhausted: false,
            failure: None,
            newlines: 0,
            counted: 0,
            offset: 0,
            kept: None,
            game,
        }
    }

    /// Keeps the text of each game from the next one on, for [`Reader::text_of_game`].
    pub fn keep_text(&mut self) {
        self.kept.get_or_insert_default();
    }

    /// The text of the game that has just ended, as it is written: tags, moves, comments and
    /// variations, and whether a result ends it. Before bare moves the number of the first is
    /// missing. Nothing unless [`Reader::keep_text`] was called before the game.
    pub fn text_of_game(&self) -> Option<(&[u8], bool)> {
        let Kept { text, has_result, .. } = self.kept.as_ref()?;
        Some((text.trim_ascii(), *has_result))
    }

    /// The number of the current or last game in the input, from 1.
    pub fn game(&self) -> u64 {
        self.game.number
    }

    /// The line the reader has come to, from 1.
    pub fn line(&mut self) -> u64 {
        self.newlines += memchr_iter(b'\n', &self.buffer[self.counted..self.start]).count() as u64;
        self.counted = self.start;
        self.newlines + 1
    }

    /// The next event, or `None` when the input has ended after a complete game.
    #[inline]
    pub fn next_event(&mut self) -> Result<Option<Event<'_>>, PgnError> {
        let token = self.next_token()?;
        let text = &self.buffer;
        Ok(Some(match token {
            Token::Tag { name, value } => Event::Tag { name: name.of(text), value: value.of(text) },
            Token::Move(word) => Event::Move(word.of(text)),
            Token::Nag(nag) => Event::Nag(nag),
            Token::Comment(comment) => Event::Comment(comment.of(text).trim_ascii()),
            Token::VariationStart => Event::VariationStart,
            Token::VariationEnd => Event::VariationEnd,
            Token::End(result) => Event::End(result),
            Token::Nothing => return Ok(None),
        }))
    }

    /// The text of a span of the last token.
    #[inline]
    pub(super) fn text(&self, span: Span) -> &[u8] {
        span.of(&self.buffer)
    }

    /// Passes over the rest of the current game.
    pub fn skip_game(&mut self) {
        if self.game.started {
            self.game.skipping = true;
            self.game.at_new_line = true;
        }
    }

    /// An error at this place that costs the current game.
    pub fn fail(&mut self, fault: Fault) -> PgnError {
        // What is wrong where the input broke off is its fault, not that of the game.
        if self.start == self.end
            && let Some(error) = self.failure.take()
        {
            self.game.started = false;
            return error.into();
        }
        let line = self.line();
        self.skip_game();
        PgnError::Game { game: self.game.number, line, fault }
    }

    #[inline]
    fn next_token(&mut self) -> Result<Token, PgnError> {
        match self.next_quick(|_, _| false) {
            Some(Quick::Move(word)) => return Ok(Token::Move(word)),
            Some(Quick::Comment(comment)) => return Ok(Token::Comment(comment)),
            Some(Quick::Played) | None => {}
        }
        loop {
            let skipping = self.game.skipping;
            if skipping {
                self.skip_quick();
            }
            match self.scan() {
                Ok(Token::End(result)) => {
                    self.end_game();
                    if !skipping {
                        return Ok(Token::End(result));
                    }
                }
                Ok(Token::Nothing) => return Ok(Token::Nothing),
                Ok(token) if !skipping => return Ok(token),
                Ok(_) => {}
                Err(stop) => match *stop {
                    Stop::Io(error) => return Err(error.into()),
                    Stop::Fault(_) if skipping => {}
                    Stop::Fault(fault) => return Err(self.fail(fault)),
                },
            }
        }
    }

    fn end_game(&mut self) {
        self.keep_read();
        let number = self.game.number;
        let at_line_start = self.game.at_line_start;
        self.game = Progress { number, at_line_start, ..Progress::default() };
    }

    #[inline]
    pub(super) fn begin_game(&mut self) {
        if !self.game.started {
            self.game.started = true;
            self.game.number += 1;
            self.game.start_offset = self.offset + self.start as u64;
            if let Some(kept) = &mut self.kept {
                kept.text.clear();
                kept.from = self.start;
                kept.has_result = true;
            }
        }
    }

    /// Keeps what has been read of the current game.
    fn keep_read(&mut self) {
        if let Some(kept) = &mut self.kept
            && self.game.started
            && !self.game.skipping
        {
            kept.text.extend_from_slice(&self.buffer[kept.from..self.start]);
            kept.from = self.start;
        }
    }

    pub(super) fn skip_line(&mut self) {
        loop {
            if let Some(length) = memchr(b'\n', &self.buffer[self.start..self.end]) {
                self.start += length;
                return;
            }
            self.start = self.end;
            if self.exhausted {
                return;
            }
            self.fill();
        }
    }

    /// Moves the unread part to the front and reads on behind it: enough to look ahead, so that
    /// games that trickle in come out as they are complete.
    #[cold]
    pub(super) fn fill(&mut self) {
        self.line();
        self.keep_read();
        if let Some(kept) = &mut self.kept {
            kept.from = 0;
        }
        self.offset += self.start as u64;
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        self.counted = 0;
        let enough = (self.end + 1).max(LOOKAHEAD);
        while self.end < enough && !self.exhausted {
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(0) => self.exhausted = true,
                Ok(bytes) => self.end += bytes,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.exhausted = true;
                    self.failure = Some(error);
                }
            }
        }
    }

    pub(super) fn check_length(&self) -> Result<(), Box<Stop>> {
        let length = self.offset + self.start as u64 - self.game.start_offset;
        if self.game.started && !self.game.skipping && length > LONGEST_GAME {
            return Err(Fault::LongText(LONGEST_GAME).into());
        }
        Ok(())
    }
}
