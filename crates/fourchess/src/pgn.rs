//! PGN4, the text of games: a stream of them is read one by one, each move played.
//!
//! ```
//! use fourchess::pgn::{Ply, Reader, Record};
//! use fourchess::{Game, Rules};
//!
//! let text = "[Variant \"FFA\"]\n\n1. h2-h3 .. b7-c7 .. g13-g12 .. Nn10-l9\n\n\
//!             [Variant \"FFA\"]\n\n1. h2-h3 .. b7-b9\n\n\
//!             [Variant \"Teams\"]\n\n1. h2-h4 { a comment } ( 1.. h2-h3 ) .. R";
//! let mut games = Reader::new(text.as_bytes());
//! let first = games.next().unwrap()?;
//! assert_eq!(first.plies().count(), 4);
//! let error = games.next().unwrap().unwrap_err();
//! assert_eq!(error.to_string(), "game 2, line 7: b7-b9 is not a legal move here (move 1 of Blue)");
//! assert!(games.next().unwrap()?.play().ending().is_some());
//! assert!(games.next().is_none());
//!
//! let again = Record::new(first.start(), first.rules(), first.plies())?;
//! assert!(again.to_string().ends_with("\n1. h2-h3 .. b7-c7 .. g13-g12 .. Nn10-l9\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Tags
//!
//! | tag | meaning |
//! |---|---|
//! | `Variant` | `FFA` or `Solo`, `Teams`; without it, `FFA` |
//! | `RuleVariants` | words that change the variant: `EnPassant`, `DeadKingWalking`, `Prom=`rank, `PromoteTo=`letters, `PointsForMate=`points. Where the tag is there, what it does not name is off. Words about the players' manners are skipped, other words are refused: they name another game. |
//! | `Rules` | the name of a preset and `name=value` for every rule that differs from it, which override the two above; written where they cannot say it |
//! | `StartFen4` | the start as FEN4, or `4PC` for the modern and `4PCo` for the classic setup; without it, the setup of the rules |
//! | `Red`, `Blue`, `Yellow`, `Green` | the players' names |
//! | `Result` | free for all: `name: points` of each player in the order of turns, joined by ` - `; pairs: `1-0` for Red and Yellow, `0-1`, or `Draw`; `*` for an unfinished game: see [`Outcome`] |
//! | `Termination` | how the game ended |
//!
//! Any other tag is kept. Open question: what `4PCo` stands for is known from hearsay only.
//!
//! # Moves
//!
//! A row has a number and the moves of one round, with ` .. ` between. For moves see
//! [`Game::move_text`](crate::Game::move_text). Instead of a move there may be `R` for a player
//! who resigns and `T` for one whose time is up, when it is their turn, and `#` or `S` for one
//! who is found mated or stalemated; a mate is rather marked behind the move that brings it. If
//! the king of a player who has left walks on, its first move has the letter behind it,
//! `Kh1-h2R`; if it cannot, that is `R#` or `RS`.
//!
//! PGN4 knows no way to leave when it is another's turn. It is written into the comment on the
//! last move before, `{ [%R Green] }`, where other programs ignore it; only before the first move
//! of all that comment has no move to stand behind.
//!
//! Comments `{ .. }` and variations `( .. )` belong to what stands before them.

use std::{fmt, io};

use thiserror::Error;

use crate::{
    fen::FenError, game::Game, moves::Move, notation::MoveError, position::Status,
    rules::RuleError, seat::Seat,
};

mod outcome;
mod reader;
mod record;
mod state;
mod tags;
mod text;
mod writer;

pub use outcome::Outcome;
pub use reader::Reader;
pub use record::{Line, Node, Record, RecordError};
pub use tags::Tags;

/// Why a player leaves.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Exit {
    /// The player gives up.
    Resigns,
    /// The player's time is up.
    TimesOut,
}

impl Exit {
    /// R or T.
    pub const fn letter(self) -> char {
        match self {
            Exit::Resigns => 'R',
            Exit::TimesOut => 'T',
        }
    }

    /// The exit with this letter.
    pub const fn from_letter(letter: char) -> Option<Exit> {
        match letter {
            'R' => Some(Exit::Resigns),
            'T' => Some(Exit::TimesOut),
            _ => None,
        }
    }
}

/// What happens in a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Ply {
    /// The player to move moves.
    Move(Move),
    /// A player leaves, on turn or not.
    Leave {
        /// Who.
        seat: Seat,
        /// Why.
        exit: Exit,
    },
}

/// A move by its squares, or who leaves.
impl fmt::Display for Ply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ply::Move(mv) => fmt::Display::fmt(mv, f),
            Ply::Leave { seat, exit: Exit::Resigns } => write!(f, "{seat} resigns"),
            Ply::Leave { seat, exit: Exit::TimesOut } => write!(f, "{seat} is out of time"),
        }
    }
}

impl Game {
    /// Lets a ply happen if it can, and says whether it could.
    pub fn apply(&mut self, ply: Ply) -> bool {
        match ply {
            Ply::Move(mv) => self.play(mv).is_ok(),
            Ply::Leave { seat, .. } => {
                let can = self.ending().is_none() && self.position().status(seat) == Status::Active;
                self.leave(seat);
                can
            }
        }
    }
}

/// What went wrong, and where.
#[derive(Debug, Error)]
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
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Fault {
    /// More text than a game can need.
    #[error("the game is longer than {0} bytes")]
    LongText(usize),
    /// A tag that is not `[Name "value"]`.
    #[error("malformed tag {0:?}")]
    Tag(String),
    /// A tag that is there twice.
    #[error("tag {0} is repeated")]
    RepeatedTag(String),
    /// A variant that is another game.
    #[error("variant {0:?} is not supported")]
    Variant(String),
    /// A word of the rule variants that names another game, or makes no sense.
    #[error("rule variant {0:?} is not supported")]
    RuleVariant(String),
    /// Rules that are no preset, or no change of one.
    #[error("tag Rules: {0}")]
    Rules(RuleError),
    /// A start by a name that is not known.
    #[error("tag StartFen4: {0:?} is neither FEN4 nor 4PC or 4PCo")]
    StartName(String),
    /// A start that is no position.
    #[error("tag StartFen4: {0}")]
    Start(FenError),
    /// Something that begins nothing.
    #[error("unexpected {0:?}")]
    Unexpected(char),
    /// A comment without its closing brace.
    #[error("comment without closing brace")]
    UnclosedComment,
    /// A variation without its closing parenthesis.
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
    /// A move that is not one, or not a legal one.
    #[error("{error} (move {number} of {seat})")]
    Move {
        /// What is wrong with it.
        error: MoveError,
        /// The number of its row.
        number: usize,
        /// Whose move.
        seat: Seat,
    },
    /// Somebody leaves who is out already, or when the game is over.
    #[error("{seat} cannot leave: they are out or the game is over (move {number})")]
    Leave {
        /// Who.
        seat: Seat,
        /// The number of the row.
        number: usize,
    },
    /// A move of a player who has left and whose king does not walk on.
    #[error("{seat} has left and cannot move (move {number})")]
    Gone {
        /// Who.
        seat: Seat,
        /// The number of the row.
        number: usize,
    },
    /// A `#` or `S` where nobody is found mated or stalemated.
    #[error("{mark:?}, but nobody is mated or stalemated (move {number})")]
    Mark {
        /// The mark.
        mark: char,
        /// The number of the row.
        number: usize,
    },
}
