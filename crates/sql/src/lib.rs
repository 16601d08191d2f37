//! SQL over every result of everyply: files and directories as tables, with functions and table
//! functions for chess.
//!
//! ```
//! use arrow::array::AsArray;
//! use sql::{Engine, Settings};
//!
//! let engine = Engine::new(Settings::default())?;
//! let mut answer = engine.sql("select chess_play('start', 'e4 e5 Nf3') as fen")?;
//! let batch = answer.next().expect("a batch")?;
//! let fens = batch.column(0).as_string::<i32>();
//! assert_eq!(fens.value(0), "rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2");
//! # Ok::<(), sql::SqlError>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | run statements and read their rows batch by batch | [`Engine`], [`Answer`] |
//! | ask for moves, timelines and counts without a statement | [`Engine::moves`], [`Engine::timeline`], [`Engine::perft`] |
//! | bound memory, disk, threads and time | [`Settings`] |
//! | let engines share their memory, or stop one of them | [`SharedMemory`], [`Interrupt`] |
//! | bound what statements may be, and which files and servers they may name | [`Guard`] |
//! | learn which bad games statements have skipped | [`Engine::bad_games`] |
//! | add table functions of your own | [`Supplier`] |
//! | run statements on a cluster | [`cluster`] |
//! | solve a game on a cluster | [`TaskRunner`] |
//! | split a text into statements | [`statements`], [`is_complete`] |
//!
//! An [`Engine`] is synchronous and owns the threads that do the work. By default it is read-only.
//! The memory of a statement is limited: operators spill to disk, or the statement fails with an
//! error. docs/sql.md is the guide for those who write statements.
//!
//! Features: `s3` brings tables in buckets, and with them rustls and an HTTP client; `cluster`
//! brings [`cluster`], and with it Ballista, which adds a quarter to the time of a build.
//!
//! This crate knows no rules of games; its functions call the crates that do. It prints nothing, and
//! engines share no state but the memory that they are told to share.

// docs.rs shows which items need a feature.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod answer;
mod buckets;
mod cases;
mod catalog;
mod checked;
pub mod cluster;
mod context;
mod dialect;
mod engine;
mod error;
mod files;
mod functions;
mod guard;
mod in_order;
mod kinds;
mod local;
mod panics;
mod pgn;
mod pool;
mod positions;
mod process;
mod rule_joins;
mod settings;
mod sorted_joins;
mod stacks;
mod statement;
mod supplier;
mod tasks;
mod watched;

#[cfg(feature = "s3")]
mod s3;
#[cfg(not(feature = "s3"))]
#[path = "disabled/s3.rs"]
mod s3;

pub use answer::Answer;
pub use chess_relations::{Rules, VARIANTS};
pub use engine::Engine;
pub use error::SqlError;
pub use guard::{Access, Bounds, Guard, Network, Options};
pub use panics::quiet_panics;
pub use pgn::bad::BadGames;
pub use pool::{KeptMemory, SharedMemory};
pub use positions::{Ahead, Positions};
pub use settings::{Interrupt, MemoryWatch, Settings};
pub use solver_plans::{Games, OpenGame};
pub use statement::{Statement, is_complete, statements};
pub use supplier::{Supplier, Taker};
pub use tasks::{TaskRunner, TasksError};
