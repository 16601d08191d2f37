//! The commands of a solved game as a library, for a program of your own.
//!
//! A game that implements [`game::Game`] (its rules) and [`Notation`] (its flags, and how its
//! positions and moves are written) has the commands `solve`, `best`, `line`, `verify`, `stats`,
//! `export`, `play` and, with the feature `sql`, `sql`:
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use commands::{Notation, Program};
//! use game::{Edge, Game, Key, MoveId, Rank, Score, Turn};
//!
//! /// Take one, two or three stones. Whoever takes the last stone gets a point.
//! struct Nim {
//!     stones: u8,
//! }
//!
//! impl Game for Nim {
//!     type Position = u8;
//!
//!     fn name(&self) -> String {
//!         format!("nim stones={}", self.stones)
//!     }
//!     fn key_bits(&self) -> u32 {
//!         8
//!     }
//!     fn start(&self) -> u8 {
//!         self.stones
//!     }
//!     fn rank(&self, stones: &u8) -> Rank {
//!         Rank { level: u16::from(*stones), step: 0 }
//!     }
//!     fn outcome(&self, stones: &u8) -> Option<Score> {
//!         (*stones == 0).then_some(Score(-1))
//!     }
//!     fn edges(&self, stones: &u8, mut visit: impl FnMut(Edge<u8>)) {
//!         for taken in 1..=3.min(*stones) {
//!             let mv = MoveId(u16::from(taken));
//!             visit(Edge { mv, to: stones - taken, gain: Score(0), turn: Turn::Passes });
//!         }
//!     }
//!     fn pack(&self, stones: &u8) -> Key {
//!         Key(u128::from(*stones))
//!     }
//!     fn unpack(&self, key: Key) -> Option<u8> {
//!         u8::try_from(key.0).ok().filter(|stones| *stones <= self.stones)
//!     }
//! }
//!
//! #[derive(clap::Args)]
//! struct Flags {
//!     /// Number of stones at the start
//!     #[arg(long, default_value_t = 21)]
//!     stones: u8,
//! }
//!
//! impl Notation for Nim {
//!     type Flags = Flags;
//!
//!     fn new(flags: &Flags) -> Result<Nim, String> {
//!         Ok(Nim { stones: flags.stones })
//!     }
//!     fn read(&self, text: &str) -> Result<u8, String> {
//!         text.parse().map_err(|_| "expected a number of stones".to_owned())
//!     }
//!     fn write(&self, stones: &u8) -> String {
//!         stones.to_string()
//!     }
//!     fn name_move(&self, _: &u8, taken: MoveId) -> String {
//!         format!("take-{}", taken.0)
//!     }
//! }
//!
//! fn main() -> ExitCode {
//!     let about = "Nim: take one, two or three stones";
//!     commands::run::<Nim>(Program { name: "nim", version: "0.1.0", about })
//! }
//! ```
//!
//! docs/your-own-game.md is the guide, and examples/your-own-game a template of such a program.
//!
//! | to | use |
//! |---|---|
//! | run a program that is all commands of a game | [`run`] |
//! | put these commands below one of your own | [`Command`] |
//! | build another command from the same parts | [`solve::watched`], [`verify::report`], [`stats::Counts`], [`export::report`] |
//! | end with the documented exit codes, stop at signals, write whole files | [`exit`], [`interrupt`], [`files`] |
//! | print rows in every format | [`rows`] |
//!
//! The command `everyply` is made of the same parts. Data goes to standard output, everything else
//! to standard error.
//!
//! Features: `sql` adds DataFusion, which makes the first build about ten minutes longer; without
//! it the command `sql` says that it is missing. `postgres`, `bigtable`, `s3` and `gs` add stores.
//!
//! This crate knows no game, and computes nothing itself.

// docs.rs shows which items need a feature.
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod best;
pub mod colors;
pub mod effort;
pub mod exit;
pub mod export;
pub mod files;
pub mod interrupt;
pub mod limits;
pub mod line;
mod notation;
pub mod play;
mod program;
pub mod progress;
pub mod prompt;
pub mod rows;
pub mod solve;
pub mod stats;
pub mod stored;
pub mod threads;
pub mod verify;

#[cfg(feature = "sql")]
pub mod sql;
#[cfg(not(feature = "sql"))]
#[path = "disabled/sql.rs"]
pub mod sql;

pub use notation::Notation;
pub use program::{Command, Program, run};
