//! The rules of chess and Chess960: legal positions, legal moves as sets, and the text
//! formats of the field.
//!
//! ```
//! use chess::{Position, San, perft};
//!
//! let position: Position = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3".parse()?;
//! for set in position.legal_moves().sets() {
//!     assert!(!set.to.is_empty(), "the {} on {} can move", set.role.name(), set.from);
//! }
//! let mv = "Bb5".parse::<San>()?.find(&position)?;
//! let next = position.play(mv);
//! assert_eq!(next.to_string(), "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3");
//! assert_eq!(perft(&position, 3), 24_079);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | hold and query a legal position | [`Position`], made from FEN or a [`Setup`] |
//! | list or count legal moves | [`Position::legal_moves`], [`perft`](perft()) |
//! | make and undo moves, detect the end of a game | [`Position::play`], [`Game`] |
//! | read and write moves | [`San`], [`Uci`] |
//! | read moves as people type them | [`typed_moves`], [`find_move`] |
//! | read and write positions and games | [`Position`], [`Epd`], [`pgn`] |
//! | find boards that match a pattern | [`PartialBoard`] |
//! | draw a board | [`drawing`] |
//! | compute with sets of squares | [`Bitboard`], [`attacks`] |
//!
//! A [`Position`] is always legal: bad input is refused where text is parsed, and nothing after
//! that can fail. Nothing here opens a file, prints, or knows the time; [`pgn::Reader`] reads
//! from whatever it is handed. There is no search, no evaluation, and no variant with other
//! pieces or another board.

pub mod attacks;
mod bitboard;
mod board;
mod color;
pub mod drawing;
mod epd;
mod fen;
mod game;
mod movegen;
mod moves;
mod partial;
mod perft;
pub mod pgn;
mod piece;
mod play;
mod position;
mod random;
mod san;
mod square;
mod typed;
mod uci;
mod zobrist;

pub use bitboard::Bitboard;
pub use board::Board;
pub use color::{ByColor, Color};
pub use epd::{Epd, EpdError, Operand, Operation};
pub use fen::{FenError, FenField, FenWriter};
pub use game::{Ending, Game, IllegalMove, repetitions};
pub use moves::{Move, MoveSet, MoveSets};
pub use partial::{Flips, PartialBoard, PartialBoardError, Places, Shifts, UnknownFlip};
pub use perft::{PerftTable, divide, perft};
pub use piece::{Piece, Role};
pub use position::{CastlingSide, IllegalPosition, Position, Setup};
pub use random::Random;
pub use san::{Action, San, SanError, Suffix};
pub use square::{File, Rank, Square};
pub use typed::{find_move, typed_moves};
pub use uci::{Uci, UciError};
