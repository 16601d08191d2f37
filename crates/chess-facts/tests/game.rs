//! The facts of a game under random play, undo and redo.

use chess::{Move, Random};
use chess_facts::{Definitions, Facts, Game, Level};

#[allow(unreachable_pub, dead_code, reason = "a module of two tests")]
mod positions;

use positions::positions;

#[test]
fn kept_facts_equal_fresh_ones_whatever_is_played_and_taken_back() {
    let mut fresh = Facts::empty();
    for (seed, (fen, start)) in positions(100).enumerate() {
        let mut random = Random::new(seed as u64);
        let definitions = Definitions::ALL[seed % 2];
        let mut bare = chess::Game::new(start);
        // A game that is handed over under way, with moves to redo.
        for _ in 0..2 {
            if let Some(mv) = bare.position().legal_moves().iter().next() {
                bare.play(mv).unwrap();
            }
        }
        bare.undo();
        let mut game = Game::new(bare, Level::Everything, definitions);
        for _ in 0..120 {
            match random.below(4) {
                0 => {
                    game.undo();
                }
                1 => {
                    game.redo();
                }
                _ => {
                    let moves: Vec<Move> = game.position().legal_moves().iter().collect();
                    if !moves.is_empty() {
                        game.play(moves[random.below(moves.len())]).unwrap();
                    }
                }
            }
            // Not always, so that some facts are first asked for after an undo.
            if random.below(3) > 0 {
                fresh.compute(game.position(), Level::Everything, definitions);
                assert_eq!(game.facts(), &fresh, "seed {seed} from {fen}: {}", game.position());
            }
        }
        for (ply, position) in game.game().positions().iter().enumerate() {
            fresh.compute(position, Level::Everything, definitions);
            assert_eq!(game.facts_at(ply), &fresh, "seed {seed} from {fen}, ply {ply}");
        }
    }
}
