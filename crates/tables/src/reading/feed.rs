//! Bytes handed to a reader piece by piece.

use std::io::{self, Read};

use super::{ROW_LIMIT, TextError};

/// Bytes at hand, a row of which is looked at as a whole.
pub(super) struct Feed<R> {
    from: R,
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    is_ended: bool,
    /// The line of the next byte, from 1.
    pub(super) line: u64,
}

const FIRST: usize = 256 << 10;

impl<R: Read> Feed<R> {
    pub(super) fn new(from: R) -> Feed<R> {
        Feed { from, bytes: vec![0; FIRST], start: 0, end: 0, is_ended: false, line: 1 }
    }

    /// The bytes at hand.
    pub(super) fn ahead(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// Whether nothing comes behind the bytes at hand.
    pub(super) fn is_ended(&self) -> bool {
        self.is_ended
    }

    /// Reads on. The room doubles when a row fills it, so looking at the row again from its
    /// beginning costs no more than reading it.
    pub(super) fn more(&mut self) -> Result<(), TextError> {
        if self.start > 0 {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if self.end > ROW_LIMIT {
            return Err(TextError::Long { line: self.line });
        }
        if self.end == self.bytes.len() {
            self.bytes.resize(2 * self.end, 0);
        }
        // A pipe brings a little at a time; a row is not to be looked at for each of them.
        while self.end < self.bytes.len() && !self.is_ended {
            match self.from.read(&mut self.bytes[self.end..]) {
                Ok(0) => self.is_ended = true,
                Ok(came) => self.end += came,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Leaves bytes behind, which had so many ends of lines.
    pub(super) fn pass(&mut self, bytes: usize, lines: usize) {
        self.start += bytes;
        self.line += lines as u64;
    }
}
