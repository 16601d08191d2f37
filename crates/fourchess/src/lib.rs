//! The rules of four-player chess on 160 squares: legal moves, eliminations, points, FEN4, PGN4.
//!
//! ```
//! use fourchess::{Game, Rules, Status};
//!
//! let mut game = Game::new(&Rules::FFA);
//! assert_eq!(game.moves().len(), 20);
//! while game.ending().is_none() {
//!     let mv = game.moves()[game.position().plies() as usize % game.moves().len()];
//!     game.play(mv).expect("a move of the list is legal");
//! }
//! let (points, places) = (game.position().points(), game.places());
//! assert_eq!(places.contains(&1), true, "{points:?}");
//! println!("{:?}: {}", game.ending(), game.position().fen(game.rules()));
//! ```
//!
//! | to | use |
//! |---|---|
//! | choose how to play, change an award or a limit | [`Rules`] and its fields |
//! | play one game | [`Game`] |
//! | play thousands without allocating | arrays of [`Position`] and [`History`], [`Position::step`] |
//! | list or count legal moves | [`Position::legal_moves`] into a [`MoveList`], a [`Counter`] or your own [`Sink`] |
//! | read and write positions | [`Position::from_fen`], [`Position::fen`] |
//! | save and load a position as bytes | [`Position::to_bytes`], [`History::to_bytes`] |
//! | put a position away and take it up again quickly | [`Position::to_words`], [`History::keys`] |
//! | read and write a move as people do | [`Game::find_move`], [`Game::move_text`] |
//! | say what follows from a move and what it earns | [`Game::consequences`] |
//! | read and write games | [`pgn`] |
//! | draw a position | [`drawing`] |
//! | know the board's shape | [`geometry`], [`Square::seen_from`] |
//! | check a move generator | [`perft`](perft()), [`divide`] |
//!
//! A game is a loop of three things, which [`Game`] does for one game and a batch does in arrays:
//!
//! ```
//! use fourchess::{History, MoveList, Position, Rules};
//!
//! let rules = &Rules::JAX;
//! let (mut position, mut history, mut moves) =
//!     (Position::start(rules), History::new(), MoveList::new());
//! position.settle(&mut history, rules, &mut moves); // the first list of moves
//! let mv = moves[0];
//! let before = position.points();
//! position.step(&mut history, mv, rules, &mut moves); // the move and all that follows from it
//! let won: Vec<i16> = position.points().iter().zip(before).map(|(now, then)| now - then).collect();
//! assert_eq!(won, [0; 4]);
//! ```
//!
//! [`Position`] is a block of about 570 plain bytes, [`History`] a ring of 256 keys that rules
//! without a limit of repetitions never touch. Nothing here allocates but text and
//! [`perft`](perft()).
//!
//! There is no search, no evaluation and no clock, and no rule asks for [`Random`]: who plays the
//! moves of a king that walks on after its owner has left is up to the caller. Nothing prints or
//! opens files.

mod attacks;
mod bytes;
mod castling;
mod checks;
mod consequences;
pub mod drawing;
mod fen;
mod game;
pub mod geometry;
mod image;
mod movegen;
mod moves;
mod notation;
mod perft;
pub mod pgn;
mod piece;
mod play;
mod position;
mod rules;
mod seat;
mod square;
mod zobrist;

pub use bytes::BytesError;
pub use chess::Random;
pub use consequences::{Cause, Consequence};
pub use fen::FenError;
pub use game::{Ending, Game, History, IllegalMove};
pub use moves::{
    Candidate, Counter, Leaper, Leaps, Manner, Move, MoveList, PawnSteps, Sink, Slide,
};
pub use notation::MoveError;
pub use perft::{divide, perft};
pub use piece::{Cell, Piece, Role};
pub use position::{Offer, Position, Status};
pub use rules::{Departure, EnPassant, KingCapture, Promotion, RuleError, Rules, Setup, Sides};
pub use seat::{Edge, Seat, Seating};
pub use square::{CUT, Square, SquareError, Squares, SquaresIter, WIDTH};
