//! How long a move of the learned player takes: cargo bench -p everyply-fourchess-learned.

use std::time::Instant;

use fourchess::Rules;
use fourchess_env::{Player, SelfPlay};
use fourchess_learned::Network;

fn main() {
    let network = Network::trained();
    let mut memory = network.memory();
    let mut games = SelfPlay::new(&Rules::FFA, [Player::Greedy; 4]).expect("rules with actions");
    games.max_plies = 400;
    let (mut moves, start) = (0, Instant::now());
    for seed in 0..5 {
        let game = games.game_with(seed, |position, legal, _| {
            network.choose(position, &Rules::FFA, legal, &mut memory)
        });
        moves += game.plies.len();
    }
    let seconds = start.elapsed().as_secs_f64();
    assert!(moves >= 500, "games are not that short");
    println!("{moves} moves, {:.3} ms a move", 1000.0 * seconds / moves as f64);
}
