//! Portable Game Notation: a stream of games, read one by one in constant memory.
//!
//! [`Reader`] yields the events of the text: tags, moves as written, comments, variations,
//! results. [`Mainline`] plays the moves of a game into a buffer that is used again for the
//! next one; [`Game`] keeps everything, variations and comments included, and writes it back.
//!
//! One bad game costs one game: after an error the reader goes on with the next. A line that
//! begins with a tag such as `[Event "...` starts a new game wherever it stands, even inside a
//! comment that was never closed. Among other tags it does so after a blank line, or when one of
//! the seven tags of the roster (`Event`, `Site`, `Date`, `Round`, `White`, `Black`, `Result`)
//! comes a second time: the game before it was cut. A game that has tags must end with its
//! result; bare moves may just end. Comments between games are dropped.
//!
//! ```
//! let text = "[White \"A\"]\n\n1. e4 e5 2. Nf3 1-0\n\n[White \"B\"]\n\n1. e4 e4 *\n\n1. d4 *";
//! let mut reader = chess::pgn::Reader::new(text.as_bytes());
//! let mut game = chess::pgn::Mainline::default();
//! assert!(game.read(&mut reader)?);
//! assert_eq!(game.moves.len(), 3);
//! let error = game.read(&mut reader).unwrap_err();
//! assert_eq!(error.to_string(), "game 2, line 7: e4 is not a legal move here (move 1 of black)");
//! assert!(game.read(&mut reader)?);
//! assert!(!game.read(&mut reader)?);
//! # Ok::<(), chess::pgn::PgnError>(())
//! ```

use std::{fmt, io};

use crate::{Color, FenError, SanError, fen::shown};

mod comment;
mod mainline;
mod plain;
mod quick;
mod reader;
mod scan;
mod shapes;
mod tags;
mod token;
mod tree;

pub use comment::{Evaluation, clock, elapsed, evaluation};
pub use mainline::{Mainline, Note};
pub use reader::{Event, Reader};
pub use shapes::{Brush, Shape, remark, shapes};
pub use tags::Tags;
pub use tree::{Game, Node, Variation};

/// The result of a game as its score sheet says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GameResult {
    /// `1-0`
    WhiteWins,
    /// `0-1`
    BlackWins,
    /// `1/2-1/2`
    Draw,
    /// `*`
    #[default]
    Unknown,
}

impl GameResult {
    /// The text of PGN.
    pub const fn as_str(self) -> &'static str {
        match self {
            GameResult::WhiteWins => "1-0",
            GameResult::BlackWins => "0-1",
            GameResult::Draw => "1/2-1/2",
            GameResult::Unknown => "*",
        }
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What went wrong, and where.
#[derive(Debug, thiserror::Error)]
pub enum PgnError {
    /// The input could not be read; there is nothing more to come.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// A game is wrong; the next one can be read.
    #[error("game {game}, line {line}: {fault}")]
    Game {
        /// The number of the game in the input, from 1.
        game: u64,
        /// The line, from 1.
        line: u64,
        /// What is wrong there.
        fault: Fault,
    },
}

/// What can be wrong with a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A byte that begins nothing.
    #[error("unexpected '{}'", shown(&[*.0]))]
    Unexpected(u8),
    /// A word that is much longer than any move.
    #[error("'{0}' is too long to be a move")]
    LongWord(String),
    /// A comment that does not fit into the buffer.
    #[error("comment longer than {0} bytes")]
    LongComment(usize),
    /// A comment without its closing brace.
    #[error("comment without closing brace")]
    UnclosedComment,
    /// A variation that is open when the game ends.
    #[error("variation without closing parenthesis")]
    UnclosedVariation,
    /// A closing parenthesis without its opening one.
    #[error("closing parenthesis without a variation")]
    UnopenedVariation,
    /// A variation before there is a move it could replace.
    #[error("variation before the first move")]
    VariationBeforeMove,
    /// Variations inside variations, far more than anybody writes.
    #[error("variations nested more than {0} deep")]
    DeepVariation(usize),
    /// A tag that is not `[Name "value"]`.
    #[error("malformed tag '{0}'")]
    Tag(String),
    /// A numeric annotation glyph that is not a small number.
    #[error("annotation glyph '${0}' is not a number up to 255")]
    Nag(String),
    /// The end of a game that has tags, without its result.
    #[error("the game ends without a result")]
    NoResult,
    /// More text than a game can need.
    #[error("the game is longer than {0} bytes")]
    LongText(u64),
    /// More moves than a game can have.
    #[error("the game is longer than {0} plies")]
    LongGame(usize),
    /// The tag for the starting position is wrong.
    #[error("tag FEN: {0}")]
    Start(FenError),
    /// The tag for the variant names another game.
    #[error("variant '{0}' is not supported")]
    Variant(String),
    /// A move that is not one, or not a legal or a clear one.
    #[error("{error} (move {number} of {})", .turn.name())]
    Move {
        /// What is wrong with it.
        error: SanError,
        /// The number of the move.
        number: u16,
        /// Whose move.
        turn: Color,
    },
}
