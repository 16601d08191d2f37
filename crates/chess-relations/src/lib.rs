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
//! | find pseudo-legal moves, and whether each is legal | [`Relations::candidates`] |
//! | find what the other side attacks | [`Relations::threats`] |
//! | find legal moves, and the positions after them | [`Relations::legal_moves`], [`Relations::children`] |
//! | list or count the lines of several plies | [`Relations::timeline`], [`Relations::perft`] |
//! | detect mate and stalemate | [`Relations::outcomes`] |
//!
//! How it works: patterns are unrolled to paths. These are about 7,900 rows. Each says for a piece
//! on a square which squares must be empty or hold an enemy piece, and what the move changes on the
//! board. A ply finds out whether the king is attacked, joins a position with its pieces, joins the
//! pieces with their paths, and drops the moves that leave the mover's king attacked; it looks only
//! at moves that can. Rule tables are on the build side of every join, so
//! positions are streamed. Every ply refers to the previous ply once, so each ply adds the same few
//! operators to the plan.
//!
//! What it does not do: it creates no context, it runs no plan, and it does not know draws by
//! repetition or by the fifty-move rule. It shares no code with the move generator of the `chess`
//! crate, so that each verifies the other.

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
