//! The list of one position against the move generator and against a batch.

use fourchess::{Game, Random, Rules};
use fourchess_env::{Action, Batch, Config, legal_actions};

#[test]
fn the_list_of_a_position_is_that_of_a_batch() {
    for rules in Rules::PRESETS {
        let mut batch = Batch::new(Config::new(rules, 1)).unwrap();
        let mut game = Game::new(rules);
        let mut random = Random::new(11);
        while game.ending().is_none() && game.position().plies() < 400 {
            let list = legal_actions(game.position(), rules);
            assert_eq!(list, batch.legal_of(0), "{}", rules.name);
            let mut moves: Vec<_> = list
                .iter()
                .map(|&id| Action::new(id).unwrap().move_in(game.position(), rules))
                .collect();
            let mut expected = game.moves().to_vec();
            moves.sort();
            expected.sort();
            assert_eq!(moves, expected);
            let id = list[random.below(list.len())];
            let mv = Action::new(id).unwrap().move_in(game.position(), rules);
            game.play(mv).unwrap();
            batch.step(&[id]).unwrap();
        }
    }
}
