//! The rules of chess as rows of data, and moves, threats and timelines as one lazy query plan.
//!
//! Positions are rows ([`positions`]), rules are rows ([`Pattern`]), and everything else is joins:
//! [`Relations`] takes a [`DataFrame`](datafusion::dataframe::DataFrame) of positions and returns
//! a lazy one of moves, children or whole timelines. Nothing is computed until it is collected;
//! then it runs as one plan.
//!
//! ```
//! use chess_relations::{Relations, Rules, positions};
//! use datafusion::prelude::SessionContext;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let context = SessionContext::new();
//! let start = positions::batch(&[positions::Row::of(&chess::Position::default())]);
//! let relations = Relations::new(&Rules::named("standard").unwrap());
//! let moves = relations.legal_moves(context.read_batch(start)?)?;
//! assert_eq!(moves.count().await?, 20);
//! # Ok(())
//! # }
//! # tokio::runtime::Runtime::new()?.block_on(example())?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | read, write and change rules | [`Rules`] |
//! | turn positions into rows and back | [`positions`] |
//! | see the board from every piece | [`Relations::perspectives`] |
//! | find what might move, and whether it may | [`Relations::candidates`] |
//! | find what the other side attacks | [`Relations::threats`] |
//! | find legal moves, and the positions after them | [`Relations::legal_moves`], [`Relations::children`] |
//! | look several plies ahead | [`Relations::timeline`], [`Relations::perft`] |
//! | tell mate and stalemate | [`Relations::outcomes`] |
//!
//! How it works: patterns are unrolled to paths, about 7,900 rows that say for a piece on a cell
//! which cells must be empty or held by a foe and what the move does to the board. A ply joins a
//! position with its pieces, the pieces with their paths, and drops the children whose mover's king
//! is attacked. Rule tables are the build sides of all joins, so a plan streams whatever its size;
//! every ply refers to the one before it once, so a plan grows by the same few operators a ply.
//!
//! What it does not do: it makes no context and collects nothing, so it can neither run nor wait;
//! it knows nothing of clocks, repetitions or claims of a draw; and it never asks the bitboards of
//! the `chess` crate what is legal, which makes it a witness for them.

mod compile;
mod frame;
pub mod pattern;
mod ply;
pub mod positions;
mod relations;
mod rules;
mod tables;
mod words;

pub use compile::{Attack, Partner, Path};
pub use pattern::Pattern;
pub use relations::{Relations, Timeline};
pub use rules::{Rules, RulesError, VARIANTS};
pub use tables::{Relation, RuleScan, RuleTable};
