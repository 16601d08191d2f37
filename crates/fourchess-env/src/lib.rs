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
