//! The facts of a chess position, computed in one pass over its bitboards.
//!
//! ```
//! use chess::{Color, Position};
//! use chess_facts::{Level, facts, words};
//!
//! let position: Position = "rnb1kbnr/ppp2ppp/8/3qp3/8/2N5/PPPP1PPP/R1BQKBNR w KQkq - 0 4".parse()?;
//! let facts = facts(&position, Level::Everything);
//! assert_eq!(facts[Color::Black].hanging[0].gain, 9);
//! for sentence in words::sentences(&facts) {
//!     assert!(!sentence.text.is_empty());
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | compute the facts of one position | [`facts`](facts()) |
//! | compute the facts of many positions, choose the definitions | [`Facts::compute`] |
//! | compute only the facts that are needed | [`Level`] |
//! | find the moves that give check or mate | [`Extras`] |
//! | evaluate exchanges on a square or of a move | [`exchange`] |
//! | play a game and keep the facts of its positions | [`Game`] |
//! | choose facts by name, as numbers, sets and lists | [`Selection`], [`Counts`] |
//! | describe facts in words | [`words`] |
//!
//! Attacks are pseudo-legal: they ignore pins and the side to move. A piece that attacks a square
//! of its own side defends the piece there. En-passant captures are not attacks. [`VALUES`] has
//! the values of pieces. Facts that need legal moves are computed for both sides, as if it were
//! each side's turn.
//!
//! A fact says how the pieces stand, not whether that wins. A pin or a skewer is three pieces on a
//! line, and most of them decide nothing. Compared with the theme tags of puzzles, only the safe
//! fork is a good predictor.
//!
//! Nothing here searches, plays or draws, and nothing allocates but [`Game`],
//! [`Selection`] and [`words`].

pub mod exchange;
mod extras;
mod facts;
mod field;
mod forks;
mod game;
mod level;
mod mobility;
mod pawns;
mod relations;
mod selection;
mod survey;
pub mod words;

pub use extras::{CheckMove, ExtraParts, ExtraSide, Extras};
pub use facts::{Facts, PawnFacts, Side, facts};
pub use field::VALUES;
pub use game::Game;
pub use level::{Definitions, Level};
pub use relations::{Battery, Fork, ForkMove, Hanging, Line, Reach};
pub use selection::{
    Count, Counts, Extra, Fact, FactColumn, List, Mask, Selection, UnknownFact, Whose,
};
