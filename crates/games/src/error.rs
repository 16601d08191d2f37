//! What is wrong with a record or a file, with its place.

use chess::{EpdError, pgn};
use sources::{Content, SourceError};

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

fn describe(content: Content) -> &'static str {
    match content {
        Content::Binary => "it is binary",
        Content::JsonLines => "it is JSON",
        Content::Fen | Content::Epd => "it holds positions",
        Content::Pgn => "it holds games",
        Content::Empty | Content::Text | Content::Unreadable => "it is something else",
    }
}
