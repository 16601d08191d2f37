//! Games of four-player chess from PGN4 files, one after the other.
//!
//! ```
//! use games::fourchess::Reader;
//! use sources::Source;
//!
//! let text = "[Variant \"FFA\"]\n\n1. h2-h3 .. b7-c7\n\n[Variant \"FFA\"]\n\n1. h2-h9\n";
//! let source = Source::from_reader("games.pgn4", text.as_bytes());
//! let mut reader = Reader::of_source(source); // or Reader::new(paths)
//! let first = reader.next().unwrap().unwrap();
//! assert_eq!((first.number, first.record.plies().count()), (1, 2));
//! let error = reader.next().unwrap().unwrap_err();
//! let words = "games.pgn4: game 2, line 7: h2-h9 is not a legal move here (move 1 of Red)";
//! assert_eq!(error.to_string(), words);
//! assert!(reader.next().is_none());
//! ```

use std::{path::PathBuf, sync::Arc};

use fourchess::pgn::{self, PgnError, Record};
use sources::{Content, Progress, Source, SourceError};
use thiserror::Error;

/// A game, and where it stands.
#[derive(Clone, Debug)]
pub struct Played {
    /// The name of the file.
    pub source: Arc<str>,
    /// The number of the game in it, from 1.
    pub number: u64,
    /// The game.
    pub record: Record,
}

/// What is wrong with a game or a file.
#[derive(Debug, Error)]
pub enum RecordError {
    /// A file that cannot be read.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A file without content.
    #[error("{name}: it is empty")]
    Empty {
        /// The file.
        name: String,
    },
    /// A file that is no text.
    #[error("{name}: it is binary, not PGN4")]
    Binary {
        /// The file.
        name: String,
    },
    /// A bad game.
    #[error("{name}: {error}")]
    Game {
        /// The file.
        name: String,
        /// The game, the line and the cause.
        error: PgnError,
    },
}

/// Reads games of PGN4 files, plain or compressed with gzip or zstd. It holds one game at a time.
/// A bad game or file costs only itself: after an error comes the next game.
pub struct Reader {
    paths: std::vec::IntoIter<PathBuf>,
    open: Option<Open>,
    source: Arc<str>,
    size: Option<u64>,
    finished: u64,
}

struct Open {
    progress: Progress,
    size: u64,
    games: pgn::Reader<Source>,
    number: u64,
}

impl Reader {
    /// Reads files; `-` is standard input.
    pub fn new(paths: Vec<PathBuf>) -> Reader {
        let sizes = paths.iter().map(|path| std::fs::metadata(path).ok().map(|file| file.len()));
        let size = sizes.sum::<Option<u64>>();
        Reader { paths: paths.into_iter(), open: None, source: "".into(), size, finished: 0 }
    }

    /// Reads a source that is open already.
    pub fn of_source(source: Source) -> Reader {
        let (size, name) = (source.size(), source.name().into());
        let paths = Vec::new().into_iter();
        Reader { paths, open: Some(Open::new(source)), source: name, size, finished: 0 }
    }

    /// The name of the file that the last game or error came from.
    pub fn source(&self) -> &Arc<str> {
        &self.source
    }

    /// The bytes of all files, packed as they are, if they are known.
    pub fn size(&self) -> Option<u64> {
        self.size
    }

    /// The bytes that have been read.
    pub fn progress(&self) -> u64 {
        self.finished + self.open.as_ref().map_or(0, |open| open.progress.bytes())
    }
}

/// The next game, or what is wrong with it; `None` when there are no more.
impl Iterator for Reader {
    type Item = Result<Played, RecordError>;

    fn next(&mut self) -> Option<Result<Played, RecordError>> {
        loop {
            let Some(open) = &mut self.open else {
                let path = self.paths.next()?;
                self.source = path.display().to_string().into();
                match Source::open(&path).map_err(RecordError::Source).and_then(|source| {
                    self.source = source.name().into();
                    begin(source)
                }) {
                    Ok(open) => self.open = Some(open),
                    Err(error) => return Some(Err(error)),
                }
                continue;
            };
            match open.games.next() {
                None => {
                    self.finished += open.size;
                    self.open = None;
                }
                Some(Ok(record)) => {
                    open.number += 1;
                    let (source, number) = (self.source.clone(), open.number);
                    return Some(Ok(Played { source, number, record }));
                }
                Some(Err(error)) => {
                    open.number += 1;
                    return Some(Err(named(error, &self.source)));
                }
            }
        }
    }
}

impl Open {
    fn new(source: Source) -> Open {
        let (progress, size) = (source.progress(), source.size().unwrap_or(0));
        Open { progress, size, games: pgn::Reader::new(source), number: 0 }
    }
}

fn begin(mut source: Source) -> Result<Open, RecordError> {
    match source.guess() {
        Content::Empty => Err(RecordError::Empty { name: source.name().to_owned() }),
        Content::Binary => Err(RecordError::Binary { name: source.name().to_owned() }),
        // What is none is refused game by game, with its place.
        _ => Ok(Open::new(source)),
    }
}

/// An error of the file itself names it already.
fn named(error: PgnError, name: &str) -> RecordError {
    let name = name.to_owned();
    match error {
        PgnError::Io(error) => match error.downcast::<SourceError>() {
            Ok(error) => RecordError::Source(error),
            Err(error) => RecordError::Game { name, error: PgnError::Io(error) },
        },
        error => RecordError::Game { name, error },
    }
}
