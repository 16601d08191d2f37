//! A buffer that can be looked at before it is consumed.

use std::io::{self, BufRead, Read};

/// How many bytes are asked of the system, or of an unpacker, at a time.
pub(crate) const WINDOW: usize = 256 * 1024;

/// A buffered reader that can look ahead.
///
/// [`io::BufReader`] shows whatever one read brought, which from a pipe may be
/// a single byte; [`peek`](Window::peek) goes on until it has what was asked
/// for. A failure met while looking ahead is kept until the good bytes before
/// it have been handed out, and everything after a failure is end of file.
pub(crate) struct Window {
    inner: Box<dyn Read + Send>,
    bytes: Box<[u8]>,
    start: usize,
    end: usize,
    taken: u64,
    ended: bool,
    failure: Option<io::Error>,
}

impl Window {
    pub(crate) fn new(inner: impl Read + Send + 'static) -> Self {
        Window {
            inner: Box::new(inner),
            bytes: vec![0; WINDOW].into_boxed_slice(),
            start: 0,
            end: 0,
            taken: 0,
            ended: false,
            failure: None,
        }
    }

    /// How many bytes have been handed out.
    pub(crate) fn position(&self) -> u64 {
        self.taken - self.ahead().len() as u64
    }

    /// The bytes at hand, without reading.
    pub(crate) fn ahead(&self) -> &[u8] {
        &self.bytes[self.start..self.end]
    }

    /// Whether a failure waits behind the bytes at hand.
    pub(crate) fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// The bytes at hand after reading until there are at least `wanted`; fewer
    /// only at the end of the file or before a failure.
    pub(crate) fn peek(&mut self, wanted: usize) -> &[u8] {
        assert!(wanted <= self.bytes.len(), "a peek fits the window");
        while self.ahead().len() < wanted && self.read_more() > 0 {}
        self.ahead()
    }

    /// Reads once behind the bytes at hand and says how many came.
    pub(crate) fn read_more(&mut self) -> usize {
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        } else if self.end == self.bytes.len() {
            self.bytes.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if self.ended || self.end == self.bytes.len() {
            return 0;
        }
        let came = retrying(&mut self.inner, &mut self.bytes[self.end..]);
        let came = self.note(came);
        self.end += came;
        came
    }

    /// As `read_more`, with room for twice as many bytes where there is no more.
    pub(crate) fn read_on(&mut self) -> usize {
        if self.ahead().len() == self.bytes.len() {
            let mut bytes = vec![0; 2 * self.bytes.len()];
            bytes[..self.bytes.len()].copy_from_slice(&self.bytes);
            self.bytes = bytes.into_boxed_slice();
        }
        self.read_more()
    }

    fn note(&mut self, came: io::Result<usize>) -> usize {
        let came = came.unwrap_or_else(|failure| {
            self.failure = Some(failure);
            0
        });
        self.ended = came == 0;
        self.taken += came as u64;
        came
    }
}

impl BufRead for Window {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.start == self.end
            && self.read_more() == 0
            && let Some(failure) = self.failure.take()
        {
            return Err(failure);
        }
        Ok(self.ahead())
    }

    fn consume(&mut self, amount: usize) {
        self.start = (self.start + amount).min(self.end);
    }
}

impl Read for Window {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        // A large slice gains nothing from a copy. Readers keep a part of their buffer, so theirs
        // is somewhat smaller than the window.
        if self.start == self.end && !self.ended && into.len() >= self.bytes.len() / 2 {
            let came = retrying(&mut self.inner, into);
            let came = self.note(came);
            return self.failure.take().map_or(Ok(came), Err);
        }
        let ahead = self.fill_buf()?;
        let amount = ahead.len().min(into.len());
        into[..amount].copy_from_slice(&ahead[..amount]);
        self.consume(amount);
        Ok(amount)
    }
}

fn retrying(reader: &mut impl Read, into: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(into) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            other => return other,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;

    /// Fills every slice, and tells how long it was.
    struct Endless(Arc<Mutex<Vec<usize>>>);

    impl Read for Endless {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            self.0.lock().unwrap().push(into.len());
            into.fill(b'x');
            Ok(into.len())
        }
    }

    #[test]
    fn a_large_slice_is_filled_without_a_copy() {
        let asked = Arc::new(Mutex::new(Vec::new()));
        let mut window = Window::new(Endless(asked.clone()));
        // What was looked at comes first.
        window.peek(4);
        let mut slice = vec![0; WINDOW];
        assert_eq!(window.read(&mut slice).unwrap(), WINDOW);
        for kept in [0, 200, WINDOW / 2] {
            assert_eq!(window.read(&mut slice[kept..]).unwrap(), WINDOW - kept);
        }
        assert_eq!(window.read(&mut slice[..9]).unwrap(), 9);
        assert_eq!(*asked.lock().unwrap(), [WINDOW, WINDOW, WINDOW - 200, WINDOW / 2, WINDOW]);
        assert_eq!(window.position(), (3 * WINDOW + WINDOW / 2 - 200 + 9) as u64);
    }
}
