//! A player of four-player chess that learned by playing against itself: a small network, its
//! weights in a safetensors file, and the forward pass.
//!
//! ```
//! use fourchess::Rules;
//! use fourchess_env::{Player, SelfPlay};
//! use fourchess_learned::Network;
//!
//! let network = Network::trained();
//! let mut memory = network.memory();
//! let mut games = SelfPlay::new(&Rules::FFA, [Player::Greedy; 4])?;
//! games.max_plies = 8;
//! let game = games.game_with(1, |position, legal, _| {
//!     network.choose(position, &Rules::FFA, legal, &mut memory)
//! });
//! assert_eq!(game.plies.len(), 8);
//! # Ok::<(), fourchess_env::Error>(())
//! ```
//!
//! Every square sees what stands on it, the nearest piece along each of eight rays and the pieces a
//! knight's jump away. The first layer is the sum of the rows of what is seen. Then all squares go
//! through the same few layers, which also see the mean of all squares. A move is worth the product
//! of a vector of its source and one of its destination, so that only legal moves are computed.
//!
//! `crates/python/examples/train_fourchess.py` trains such networks, and docs/learning.md says how
//! strong they are. This crate does not train, does not search, and opens no files.

mod container;
mod error;
mod network;
mod sight;
mod weights;

pub use error::Error;
pub use network::{Memory, Network};
