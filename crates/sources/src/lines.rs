//! Lines of bounded length, with their numbers.

use std::io::{self, BufRead};

use crate::{Source, SourceError};

/// One line and its place.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Line<'a> {
    /// The line's number, counted from 1.
    pub number: u64,
    /// The line without its `\n` or `\r\n`.
    pub bytes: &'a [u8],
}

/// Reads a [`Source`] line by line, lending each line until the next is asked
/// for, so that most lines are never copied.
#[derive(Debug)]
pub struct Lines {
    source: Source,
    limit: usize,
    number: u64,
    /// Bytes of the source's buffer that were lent out and are done with.
    lent: usize,
    /// The line so far, where it straddles two fillings of the buffer.
    carried: Vec<u8>,
    /// Whether the rest of the current line is to be skipped.
    passing: bool,
}

impl Lines {
    pub(crate) fn new(source: Source, limit: usize) -> Self {
        Lines { source, limit, number: 0, lent: 0, carried: Vec::new(), passing: false }
    }

    /// The next line, or `None` after the last one. A lone `\r` ends no line,
    /// and a last line need not end with `\n`.
    ///
    /// # Errors
    ///
    /// After [`LineTooLong`](SourceError::LineTooLong) the next call goes on
    /// with the line after it; after any other error there are no more lines.
    pub fn next_line(&mut self) -> Result<Option<Line<'_>>, SourceError> {
        self.source.consume(std::mem::take(&mut self.lent));
        self.carried.clear();
        if std::mem::take(&mut self.passing) {
            self.pass()?;
        }
        self.number += 1;
        let found = loop {
            let ahead = filled(&mut self.source)?;
            let found = memchr::memchr(b'\n', ahead);
            let part = found.unwrap_or(ahead.len());
            // One byte over the limit may still be the `\r` of a line end.
            if self.carried.len() + part > self.limit.saturating_add(1) {
                return Err(self.too_long());
            }
            if found.is_some() || ahead.is_empty() {
                break found;
            }
            self.carried.extend_from_slice(ahead);
            self.source.consume(part);
        };
        if found.is_none() && self.carried.is_empty() {
            return Ok(None);
        }
        self.lend(found)
    }

    /// The line that ends at `end` in the source's buffer, or at the end of the
    /// file.
    fn lend(&mut self, end: Option<usize>) -> Result<Option<Line<'_>>, SourceError> {
        let whole = self.carried.is_empty();
        if let (Some(end), false) = (end, whole) {
            self.carried.extend_from_slice(&filled(&mut self.source)?[..end]);
        }
        let line = match end {
            Some(end) if whole => &filled(&mut self.source)?[..end],
            _ => &self.carried,
        };
        let length = line.len() - usize::from(end.is_some() && line.ends_with(b"\r"));
        if length > self.limit {
            return Err(self.too_long());
        }
        self.lent = end.map_or(0, |end| end + 1);
        let line =
            if whole { &filled(&mut self.source)?[..length] } else { &self.carried[..length] };
        Ok(Some(Line { number: self.number, bytes: line }))
    }

    fn too_long(&mut self) -> SourceError {
        self.passing = true;
        SourceError::LineTooLong {
            name: self.source.name().to_owned(),
            line: self.number,
            limit: self.limit,
        }
    }

    /// Passes over everything up to and including the next `\n`.
    fn pass(&mut self) -> Result<(), SourceError> {
        loop {
            let ahead = filled(&mut self.source)?;
            let found = memchr::memchr(b'\n', ahead);
            let (done, amount) = match found {
                Some(end) => (true, end + 1),
                None => (ahead.is_empty(), ahead.len()),
            };
            self.source.consume(amount);
            if done {
                return Ok(());
            }
        }
    }
}

fn filled(source: &mut Source) -> Result<&[u8], SourceError> {
    source.fill_buf().map_err(unwrapped)
}

/// A source only ever fails with an error of ours.
fn unwrapped(error: io::Error) -> SourceError {
    error.downcast::<SourceError>().expect("a source wraps its own errors")
}
