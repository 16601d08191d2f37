//! Batches against single games, masks and observations against their definitions.

use fourchess::{Game, Move, Position, Rules, Seat, Sides};
use fourchess_env::{Action, Autoreset, Batch, Config, Observation, Outputs, Player, Random};

mod shown;

const EVERYTHING: Outputs = Outputs { legal_bits: true, legal_bytes: true, observation: true };

/// Ten times as many games under `EVERYPLY_SLOW=1`.
fn games() -> usize {
    let slow = std::env::var_os("EVERYPLY_SLOW").is_some_and(|value| value == "1");
    if !slow {
        println!("270 games for each preset not run (see EVERYPLY_SLOW)");
    }
    if slow { 300 } else { 30 }
}

#[test]
fn a_batch_plays_as_single_games_do_under_every_preset() {
    for rules in Rules::PRESETS {
        let config = Config {
            outputs: EVERYTHING,
            autoreset: Autoreset::Disabled,
            illegal: fourchess_env::Illegal::Noop,
            ..Config::new(rules, games())
        };
        let mut batch = Batch::new(config).unwrap();
        let mut twins = vec![Game::new(rules); batch.len()];
        let mut actions = vec![0; batch.len()];
        let mut step = 0;
        while twins.iter().any(|game| game.ending().is_none()) {
            batch.choose(Player::Random, &mut actions).unwrap();
            let before: Vec<[i16; 4]> = twins.iter().map(|game| game.position().points()).collect();
            let moves: Vec<Option<Move>> =
                twins.iter().zip(&actions).map(|(game, &id)| play_like(game, id)).collect();
            batch.step(&actions).unwrap();
            for (game, twin) in twins.iter_mut().enumerate() {
                assert_eq!(batch.move_valid()[game], moves[game].is_some());
                if let Some(mv) = moves[game] {
                    assert_eq!(twin.play(mv), Ok(()), "game {game}");
                }
                compare(&batch, game, twin, before[game], moves[game].is_some());
            }
            step += 1;
        }
        println!("{}: {step} steps of {} games", rules.name, batch.len());
    }
}

/// The move of the list whose action has this number.
fn play_like(game: &Game, id: u16) -> Option<Move> {
    let edge = game.rules().edge(game.position().turn());
    let is_meant = |mv: &&Move| Action::of(**mv, edge).unwrap().id() == id;
    let mut moves = game.moves().iter().filter(is_meant);
    let mv = moves.next().copied();
    assert_eq!(moves.next(), None, "two moves with one number");
    mv
}

fn compare(batch: &Batch, game: usize, twin: &Game, before: [i16; 4], moved: bool) {
    let (position, rules) = (twin.position(), twin.rules());
    assert_eq!(&batch.positions()[game], position);
    assert_eq!(batch.current_player()[game], position.turn() as u8);
    let cut_off = twin.ending().is_some_and(fourchess::Ending::is_cut_off);
    assert_eq!(batch.truncated()[game], cut_off);
    assert_eq!(batch.terminated()[game], twin.ending().is_some() && !cut_off);

    let edge = rules.edge(position.turn());
    let mut expected: Vec<u16> =
        twin.moves().iter().map(|&mv| Action::of(mv, edge).unwrap().id()).collect();
    for (&mv, &id) in twin.moves().iter().zip(&expected) {
        assert_eq!(Action::new(id).unwrap().move_in(position, rules), mv);
    }
    let mut legal = batch.legal_of(game).to_vec();
    let room = &batch.legal()[game * Batch::LEGAL_ROOM..][..Batch::LEGAL_ROOM];
    assert!(room[legal.len()..].iter().all(|&id| id == Batch::NO_ACTION));
    legal.sort_unstable();
    expected.sort_unstable();
    assert_eq!(legal, expected, "{}", position.fen(rules));

    let mask = shown::byte_mask(&legal);
    assert_eq!(&batch.legal_bytes()[game * Action::COUNT..][..Action::COUNT], mask);
    let bits = &batch.legal_bits()[game * Batch::LEGAL_WORDS..][..Batch::LEGAL_WORDS];
    for id in 0..64 * Batch::LEGAL_WORDS {
        assert_eq!(bits[id / 64] >> (id % 64) & 1 == 1, mask.get(id) == Some(&1));
    }
    let size = Observation::PLANES * Observation::WORDS;
    assert_eq!(&batch.planes()[game * size..][..size], shown::planes(position, rules));
    let scalars = &batch.scalars()[game * Observation::SCALARS..][..Observation::SCALARS];
    assert_eq!(scalars, shown::scalars(position));

    let expected = match rules.sides {
        Sides::Free => {
            Seat::ALL.map(|seat| f32::from(position.points()[seat.index()] - before[seat.index()]))
        }
        Sides::Pairs if !moved || twin.ending().is_none() => [0.0; 4],
        Sides::Pairs => match twin.places() {
            [1, 1, 1, 1] => [0.0; 4],
            [1, 3, 1, 3] => [1.0, -1.0, 1.0, -1.0],
            [3, 1, 3, 1] => [-1.0, 1.0, -1.0, 1.0],
            places => panic!("pairs have no places {places:?}"),
        },
    };
    assert_eq!(&batch.rewards()[4 * game..][..4], expected);
}

#[test]
fn floats_are_the_planes_on_a_grid() {
    let config = Config { outputs: EVERYTHING, ..Config::new(&Rules::FFA, 3) };
    let mut batch = Batch::new(config).unwrap();
    let mut actions = vec![0; 3];
    for _ in 0..40 {
        batch.choose(Player::Greedy, &mut actions).unwrap();
        batch.step(&actions).unwrap();
    }
    let size = Observation::FLOAT_PLANES * 14 * 14;
    let mut floats = vec![f32::NAN; 3 * size];
    batch.expand_observations(&mut floats).unwrap();
    for (at, &float) in floats.iter().enumerate() {
        let (game, plane, rank, file) =
            (at / size, at / 196 % Observation::FLOAT_PLANES, at / 14 % 14, at % 14);
        let expected = match fourchess::Square::at(file as u8, rank as u8) {
            None => 0.0,
            Some(square) if plane < Observation::PLANES => {
                let word = (game * Observation::PLANES + plane) * Observation::WORDS;
                (batch.planes()[word + square.index() / 32] >> (square.index() % 32) & 1) as f32
            }
            Some(_) => {
                let scalar = plane - Observation::PLANES;
                f32::from(batch.scalars()[game * Observation::SCALARS + scalar])
                    / Observation::scale(scalar)
            }
        };
        assert_eq!(float, expected, "plane {plane} rank {rank} file {file}");
    }
}

#[test]
fn threads_and_the_size_of_a_batch_leave_no_trace() {
    const GAMES: usize = 4096;
    const STEPS: usize = 60;
    for rules in Rules::PRESETS {
        let config = |games, threads| Config {
            outputs: Outputs { legal_bytes: false, ..EVERYTHING },
            autoreset: Autoreset::SameStep,
            threads,
            ..Config::new(rules, games)
        };
        let mut one = Batch::new(config(GAMES, 1)).unwrap();
        let mut two = Batch::new(config(GAMES, 2)).unwrap();
        let (mut actions, mut same) = (vec![0; GAMES], vec![0; GAMES]);
        let mut alone: Vec<(usize, Batch)> =
            [0, 1, 77, GAMES - 1].map(|game| (game, Batch::new(config(1, 1)).unwrap())).into();
        for (game, batch) in &mut alone {
            batch.reset(&[0], &[Random::seed(0, *game)]).unwrap();
        }
        for _ in 0..STEPS {
            one.choose(Player::Random, &mut actions).unwrap();
            two.choose(Player::Random, &mut same).unwrap();
            assert_eq!(actions, same);
            one.step(&actions).unwrap();
            two.step(&actions).unwrap();
            for (game, batch) in &mut alone {
                let mut action = [0];
                batch.choose(Player::Random, &mut action).unwrap();
                assert_eq!(action[0], actions[*game]);
                batch.step(&action).unwrap();
                assert_eq!(shown::bytes(batch), shown::game_bytes(&one, *game));
            }
        }
        assert!(shown::bytes(&one) == shown::bytes(&two), "{}", rules.name);
    }
}

#[test]
fn greedy_players_take_what_is_worth_most() {
    let rules = &Rules::FFA;
    // Red's queen can take a queen, a rook or a pawn.
    let fen = "R-0,0,0,0-0,0,0,0-0,0,0,0-0,0,0,0-0-\
               3,3,yK,4,3/14/14/\
               14/14/14/bK,7,bR,5/6,gQ,rQ,yP,5/14/13,gK/14/14/14/3,4,rK,3,3";
    let fen: String = fen.split_whitespace().collect();
    let position = Position::from_fen(&fen, rules).unwrap();
    let game = Game::from_position(position, rules);
    let edge = rules.edge(Seat::Red);
    let legal: Vec<u16> =
        game.moves().iter().map(|&mv| Action::of(mv, edge).unwrap().id()).collect();
    for seed in 0..20 {
        let id = Player::Greedy.choose(game.position(), rules, &legal, &mut Random::new(seed));
        let mv = Action::new(id).unwrap().move_in(game.position(), rules);
        assert_eq!(mv.to_string(), "h7-g7");
    }
}
