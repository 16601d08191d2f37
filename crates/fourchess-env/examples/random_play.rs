//! Plays a batch of four-player games at random and prints who wins how often.
//!
//! ```sh
//! cargo run --release -p everyply-fourchess-env --example random_play
//! ```

use fourchess::Rules;
use fourchess_env::{Autoreset, Batch, Config, Error, Player, Reward};

fn main() -> Result<(), Error> {
    let mut batch = Batch::new(Config {
        reward: Reward::Outcome,
        autoreset: Autoreset::SameStep,
        ..Config::new(&Rules::FFA, 64)
    })?;
    batch.reset_all(7);
    let mut actions = vec![0; batch.len()];
    let (mut games, mut scores) = (0, [0.0; 4]);
    while games < 64 {
        batch.choose(Player::Random, &mut actions)?;
        batch.step(&actions)?;
        // A reward for each of the four seats, 0 until the game ends.
        for (ended, rewards) in batch.terminated().iter().zip(batch.rewards().chunks(4)) {
            if *ended {
                games += 1;
                for (score, reward) in scores.iter_mut().zip(rewards) {
                    *score += reward;
                }
            }
        }
    }
    for (seat, score) in ["red", "blue", "yellow", "green"].iter().zip(scores) {
        println!("{seat:<7} {:+.3} a game", score / games as f32);
    }
    Ok(())
}
