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
//! | choose rules, outputs, what happens at the end and to illegal actions | [`Config`] |
//! | start games: all, some, with seeds, from FEN4 | [`Batch::reset_all`], [`Batch::reset`], [`Batch::reset_from`] |
//! | play | [`Batch::step`], [`Batch::choose`] |
//! | know what was computed | the methods of [`Batch`] that return slices |
//! | turn moves into numbers and back, also in the wider encoding of 102,400 | [`Action`] |
//! | know what the planes mean, expand them | [`Observation`] |
//! | play whole games and keep them | [`SelfPlay`] |
//!
//! The state of a game is a block of plain bytes and all outputs are flat arrays that never move,
//! so other languages can look at them without a copy. A step on one thread allocates nothing, and
//! what is not asked for is not computed. The same seeds and actions give the same bytes for any
//! number of threads and any size of the batch.
//!
//! There is no search, no network and no learning here, and nothing prints or reads files.

mod actions;
mod batch;
mod config;
mod error;
mod games;
mod legal;
mod observation;
mod players;
mod selfplay;

pub use actions::Action;
pub use batch::Batch;
pub use config::{Autoreset, Config, ILLEGAL_REWARD, Illegal, Outputs, Reward};
pub use error::Error;
pub use fourchess::Random;
pub use observation::Observation;
pub use players::Player;
pub use selfplay::{Ply, Record, SelfPlay};

/// The version of the encoding. It rises when a number of an action, the order of the list of
/// legal actions, a plane, a number of the observation or its scale comes to mean something else:
/// what has learned with one version cannot be used with another.
pub const ENCODING_VERSION: u32 = 1;

/// The version of the presets. It rises when the same seeds and actions under a preset lead to
/// other positions, legal actions, rewards or ends, or built-in players choose otherwise: results
/// of one version cannot be compared with those of another.
pub const RULES_VERSION: u32 = 2;
