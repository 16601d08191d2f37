//! The page of everyply: a server for this machine, and what a browser shows of every game.
//!
//! ```
//! use web::{Config, Server};
//!
//! let server = Server::bind(Config { port: 0, ..Config::new(".") })?;
//! assert!(server.url().starts_with("http://127.0.0.1:"));
//! // It would answer until it is told to stop; here it is told at once.
//! server.run(|| true)?;
//! # Ok::<(), web::WebError>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | say what is shown, to whom, and how much it may use | [`Config`], [`Limits`] |
//! | open the ports and get the address with the key | [`Server::bind`], [`Server::url`] |
//! | answer requests until told to stop | [`Server::run`] |
//! | ask what the demo asks | [`QUESTIONS`] |
//! | write a game or a puzzle as a page that needs no server | [`Subject::page`] |
//!
//! Requests pass one guard before any route sees them: the name of the host, what a browser says
//! about their origin, and the key. Files are read below one directory, and nothing is written.
//! The front end is plain modules in `assets`, embedded in the binary; a debug build reads them
//! from disk.
//!
//! This crate knows no rules of games; its routes call the crates that do. It prints nothing.

mod app;
mod asked;
mod assets;
mod bare;
mod chess;
mod config;
mod files;
mod fourchess;
mod guard;
mod jobs;
mod kalah;
mod kenken;
mod numbers;
mod opened;
mod pieces;
mod questions;
mod refusal;
mod server;
mod single;
mod slots;
mod sql;

pub use config::{Config, Limits};
pub use questions::{QUESTIONS, Question};
pub use server::{Server, WebError};
pub use single::{PageError, Subject};
