//! A file or standard input, opened and decompressed.

use std::{
    fmt,
    fs::File,
    io::{self, BufRead, Read},
    path::Path,
    sync::Arc,
};

use crate::{
    Content, Lines, Packing, Progress, SourceError,
    guess::Guess,
    packing::Unpacked,
    window::{WINDOW, Window},
};

/// The unpacked bytes of a file, of standard input or of any reader.
///
/// A UTF-8 byte order mark at the very start is left out. After an error it
/// reports end of file.
pub struct Source {
    name: Arc<str>,
    size: Option<u64>,
    packing: Packing,
    progress: Progress,
    window: Window,
}

impl Source {
    /// Opens the file at `path`, or standard input for `-`.
    ///
    /// # Errors
    ///
    /// [`Missing`](SourceError::Missing), [`Directory`](SourceError::Directory)
    /// or [`Closed`](SourceError::Closed). Damaged content is met later, while
    /// reading.
    pub fn open(path: impl AsRef<Path>) -> Result<Source, SourceError> {
        let path = path.as_ref();
        if path == Path::new("-") {
            return Ok(Source::from_reader("stdin", io::stdin()));
        }
        let name = path.display().to_string();
        match File::open(path).and_then(|file| Ok((file.metadata()?, file))) {
            Ok((metadata, _)) if metadata.is_dir() => Err(SourceError::Directory { name }),
            Ok((metadata, file)) => {
                let size = metadata.is_file().then_some(metadata.len());
                Ok(Source { size, ..Source::from_reader(name, file) })
            }
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
                Err(SourceError::Missing { name })
            }
            Err(cause) => Err(SourceError::Closed { name, cause }),
        }
    }

    /// Reads from `reader`, packed or not; `name` is what errors call it.
    ///
    /// Waits for the first bytes, to see how they are packed.
    pub fn from_reader(name: impl Into<String>, reader: impl Read + Send + 'static) -> Source {
        let name: Arc<str> = name.into().into();
        let progress = Progress::default();
        let raw = Raw { name: name.clone(), progress: progress.clone(), reader };
        let mut raw = Window::new(raw);
        let packing = Packing::of(raw.peek(Packing::MAGIC));
        let mut window = match packing {
            Packing::Plain => raw,
            Packing::Gzip => Window::new(Unpacked::gzip(name.clone(), raw)),
            Packing::Zstd => Window::new(Unpacked::zstd(name.clone(), raw)),
        };
        if window.peek(BYTE_ORDER_MARK.len()).starts_with(BYTE_ORDER_MARK) {
            window.consume(BYTE_ORDER_MARK.len());
        }
        Source { name, size: None, packing, progress, window }
    }

    /// The path as it was given, or `stdin`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The raw (packed) size in bytes, where the system knows it.
    pub fn size(&self) -> Option<u64> {
        self.size
    }

    /// How the raw bytes are packed.
    pub fn packing(&self) -> Packing {
        self.packing
    }

    /// A handle that tells how many raw bytes have been read.
    pub fn progress(&self) -> Progress {
        self.progress.clone()
    }

    /// Guesses what the text is from its start, without consuming it; meant
    /// to be asked before anything is read. [`Content`] gives the rule.
    pub fn guess(&mut self) -> Content {
        // Reading only as far as the verdict needs keeps a terminal or a slow
        // pipe from waiting for kilobytes that may never come.
        let mut guess = Guess::default();
        loop {
            let ahead = self.window.ahead();
            if let Some(content) = guess.verdict(ahead) {
                return content;
            }
            if ahead.len() >= guess.limit() || self.window.read_on() == 0 {
                return match guess.last_verdict(self.window.ahead()) {
                    Content::Empty if self.window.has_failed() => Content::Unreadable,
                    content => content,
                };
            }
        }
    }

    /// Reads line by line; a line longer than `limit` bytes is an error of its
    /// own and costs no memory.
    pub fn lines(self, limit: usize) -> Lines {
        Lines::new(self, limit)
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Source { name, size, packing, progress, window: _ } = self;
        f.debug_struct("Source")
            .field("name", name)
            .field("size", size)
            .field("packing", packing)
            .field("progress", progress)
            .finish_non_exhaustive()
    }
}

impl Read for Source {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        self.window.read(into)
    }
}

impl BufRead for Source {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.window.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.window.consume(amount);
    }
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

const _: () = assert!(Packing::MAGIC <= WINDOW);

/// The reader at the bottom: counts, and puts the name on failures.
struct Raw<R> {
    name: Arc<str>,
    progress: Progress,
    reader: R,
}

impl<R: Read> Read for Raw<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self.reader.read(into) {
            Ok(came) => {
                self.progress.add(came);
                Ok(came)
            }
            Err(cause) if cause.kind() == io::ErrorKind::Interrupted => Err(cause),
            Err(cause) => {
                let (name, at) = (self.name.to_string(), self.progress.bytes());
                Err(SourceError::Failed { name, at, cause }.into())
            }
        }
    }
}
