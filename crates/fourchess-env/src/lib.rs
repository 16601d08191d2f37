//! Batches of four-player chess games for reinforcement learning.

mod actions;
mod batch;
mod config;
mod error;
mod games;
mod legal;
mod observation;
mod players;
mod random;
mod selfplay;

pub use actions::Action;
pub use batch::Batch;
pub use config::{Autoreset, Config, ILLEGAL_REWARD, Illegal, Outputs, Reward};
pub use error::Error;
pub use observation::Observation;
pub use players::Player;
pub use random::Random;
pub use selfplay::{Ply, Record, SelfPlay};

/// The version of everything a learned player depends on: the numbers of actions, the planes and
/// numbers of observations, and what the presets' rules do. It is raised whenever a game with the
/// same seed and the same actions could show other bytes, and for nothing else.
pub const VERSION: u32 = 1;
