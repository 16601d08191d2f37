//! What is wrong with a record or a file, with its place.

use chess::{EpdError, pgn};
use sources::{Content, SourceError, printable};

use crate::Before;

/// Why a file, a game or a line gives nothing. The message begins with the name of the source.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// Bytes that cannot be read. After a line that is too long the next one can be read, after
    /// any other error nothing more comes from this source.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A source that holds something else.
    #[error("{name}: {}, not {expected}", describe(*.found))]
    Content {
        /// The source.
        name: String,
        /// What it seems to hold.
        found: Content,
        /// What was looked for.
        expected: &'static str,
    },
    /// A source that holds nothing.
    #[error("{name}: it is empty")]
    Empty {
        /// The source.
        name: String,
    },
    /// A bad game.
    #[error("{name}: {error}")]
    Game {
        /// The source.
        name: String,
        /// The game, the line and the cause.
        error: pgn::PgnError,
    },
    /// A line that is no position.
    #[error("{name}: line {line}: {error}")]
    Position {
        /// The source.
        name: String,
        /// The line, counted from 1.
        line: u64,
        /// The cause.
        error: EpdError,
    },
}

impl RecordError {
    /// The same error where the source was the rest of a larger one: so many games and lines stood
    /// before it.
    #[must_use = "the error itself stays as it is"]
    pub fn behind(self, before: Before) -> RecordError {
        match self {
            RecordError::Game { name, error: pgn::PgnError::Game { game, line, fault } } => {
                let (game, line) = (game + before.games, line + before.lines);
                RecordError::Game { name, error: pgn::PgnError::Game { game, line, fault } }
            }
            error => error,
        }
    }

    /// Where it is in its source, and the cause without name and place.
    pub fn place(&self) -> Placed {
        let (game, line, cause) = match self {
            RecordError::Game { error: pgn::PgnError::Game { game, line, fault }, .. } => {
                (Some(*game), Some(*line), fault.to_string())
            }
            RecordError::Position { line, error, .. } => (None, Some(*line), error.to_string()),
            RecordError::Source(SourceError::LineTooLong { line, limit, .. }) => {
                (None, Some(*line), format!("longer than {limit} bytes"))
            }
            RecordError::Content { name, .. }
            | RecordError::Empty { name }
            | RecordError::Game { name, .. } => (None, None, unnamed(&self.to_string(), name)),
            RecordError::Source(error) => (None, None, unnamed(&error.to_string(), error.name())),
        };
        Placed { game, line, cause }
    }
}

/// Where a record is in its source, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// The number of the game, if it is one.
    pub game: Option<u64>,
    /// The line, unless the whole source is meant.
    pub line: Option<u64>,
    /// What is wrong.
    pub cause: String,
}

fn unnamed(text: &str, name: &str) -> String {
    let rest = text.strip_prefix(&*printable(name)).and_then(|rest| rest.strip_prefix(": "));
    rest.unwrap_or(text).to_owned()
}

fn describe(content: Content) -> &'static str {
    match content {
        Content::Binary => "it is binary",
        Content::JsonLines => "it is JSON",
        Content::Fen | Content::Epd => "it holds positions",
        Content::Pgn => "it holds games",
        Content::Empty | Content::Text | Content::Unreadable => "it is something else",
    }
}
