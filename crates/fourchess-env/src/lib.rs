//! Batches of four-player chess games for reinforcement learning.
//!
//! ```
//! use fourchess::Rules;
//! use fourchess_env::{Autoreset, Batch, Config, Outputs, Player};
//!
//! let mut batch = Batch::new(Config {
//!     outputs: Outputs { legal_bits: true, observation: true, ..Outputs::default() },
//!     autoreset: Autoreset::SameStep,
//!     ..Config::new(&Rules::FFA, 256)
//! })?;
//! let mut actions = vec![0; batch.len()];
//! for _ in 0..100 {
//!     batch.choose(Player::Random, &mut actions)?; // or your own, from the lists or masks
//!     batch.step(&actions)?;
//! }
//! println!("Red of the first game sees {:?}", &batch.scalars()[..10]);
//! # Ok::<(), fourchess_env::Error>(())
//! ```
//!
//! | to | use |
//! |---|---|
//! | choose rules, outputs, autoreset mode and the treatment of illegal actions | [`Config`] |
//! | reset games: all, some, with seeds, from FEN4 | [`Batch::reset_all`], [`Batch::reset`], [`Batch::reset_from`] |
//! | play | [`Batch::step`], [`Batch::choose`] |
//! | look ahead: copy games, save and load them | [`Batch::copy_games`], [`Batch::save`], [`Batch::load`] |
//! | step games that are values, as functional programs do | [`Stepper`] |
//! | read the results | the methods of [`Batch`] that return slices |
//! | convert moves to actions and back, also in the wide encoding with 102,400 actions | [`Action`] |
//! | list the legal actions of one position | [`legal_actions`] |
//! | look up what the planes mean, expand them | [`Observation`] |
//! | play and record whole games | [`SelfPlay`] |
//!
//! The state of a game is a block of plain bytes. All outputs are flat arrays that never move, so
//! other languages can read them without a copy. A step on one thread allocates no memory, and an
//! output that is off is not computed. The same seeds and actions give the same bytes for any
//! number of threads and any size of the batch.
//!
//! This crate has no search, no networks and no learning. It does not print or read files.

mod actions;
mod batch;
mod config;
mod error;
mod games;
mod legal;
mod observation;
mod planes;
mod players;
mod prefetch;
mod selfplay;
mod state;
mod value;
mod view;

pub use actions::Action;
pub use batch::Batch;
pub use config::{Autoreset, Config, EndedMask, ILLEGAL_REWARD, Illegal, Outputs, Reward};
pub use error::Error;
pub use fourchess::Random;
pub use legal::legal_actions;
pub use observation::{Bf16, F16, Number, Observation, Planes, Scalars};
pub use players::Player;
pub use selfplay::{Ply, Record, SelfPlay};
pub use state::StateError;
pub use value::{Seen, SeenMut, Stepper};

/// The version of the encoding. It is raised when an action, the order of the list of legal
/// actions, a plane, a scalar or a scale changes its meaning. A policy trained with one version
/// cannot be used with another.
pub const ENCODING_VERSION: u32 = 1;

/// The version of the presets. It is raised when the same seeds and actions under a preset lead to
/// different positions, legal actions, rewards or endings, or when a built-in player chooses
/// differently. Results of different versions cannot be compared.
pub const RULES_VERSION: u32 = 2;

/// The version of the byte form of a game. It rises when a byte comes to mean something else.
pub const STATE_VERSION: u8 = 1;
